"""Run one program and say what it took, with all the processes that it started.

    python bench/measure.py REPORT.json SECONDS PROGRAM ARGUMENT…

Wall seconds until the program ends; processor seconds of it and of everything that it left behind
(Spark's Java machine outlives the Python that started it by a moment); the peak of resident memory,
which for several processes is the largest sum that was seen, twice a second. The program's standard
output and error are those of this process.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

_ADOPT = 36  # prctl's PR_SET_CHILD_SUBREAPER: orphans become ours, and can be waited for
_LOOKS_EVERY = 0.5
_FAREWELL = 30.0
_PAGE = os.sysconf("SC_PAGE_SIZE")


def resident(of: int) -> int:
    """Bytes resident in all descendants of a process, as they are now; 0 where none is known."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended meanwhile
            parent = int(entry.read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(entry.parent.name))
    total, waiting = 0, list(children.get(of, ()))
    while waiting:
        process = waiting.pop()
        waiting += children.get(process, ())
        with suppress(OSError):
            total += int(Path(f"/proc/{process}/statm").read_text().split()[1]) * _PAGE
    return total


def measure(command: list[str], patience: float) -> dict[str, float]:
    """Run a command; it is ended when the patience is."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_ADOPT, 1, 0, 0, 0)
    begin = time.perf_counter()
    process = subprocess.Popen(command, start_new_session=True)
    ended, most = threading.Event(), 0

    def look() -> None:
        nonlocal most
        while not ended.wait(_LOOKS_EVERY):
            most = max(most, resident(os.getpid()))

    def end() -> None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

    watcher, impatience = threading.Thread(target=look), threading.Timer(patience, end)
    watcher.start()
    impatience.start()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    impatience.cancel()
    usages = [usage]
    farewell = threading.Timer(_FAREWELL, end)
    farewell.start()
    with suppress(ChildProcessError):
        while True:
            usages.append(os.wait4(-1, 0)[2])
    farewell.cancel()
    ended.set()
    watcher.join()
    unit = 1 if sys.platform == "darwin" else 1024
    return {
        "status": os.waitstatus_to_exitcode(status),
        "seconds": seconds,
        "cpu_seconds": sum(one.ru_utime + one.ru_stime for one in usages),
        "peak_mb": max(most, *(one.ru_maxrss * unit for one in usages), 0) / 2**20,
    }


if __name__ == "__main__":
    report, seconds_at_most, *program = sys.argv[1:]
    found = measure(program, float(seconds_at_most))
    Path(report).write_text(json.dumps(found))
    sys.exit(0 if found["status"] == 0 else 1)
