"""Run the matrix: every program in a fresh process, wall and processor seconds and peak memory.

    make bench                               # 1 and 10 million events, some twenty minutes
    make bench SIZES="1e6 1e7 5e7 2e8"       # larger logs, on disk under bench/out/logs
    python bench/run.py --only xes --sizes 1e6

The rows of a group take turns, so that whatever else the machine does meets all of them. The
figures go to bench/out/results.json; ``results.py`` makes bench/RESULTS.md of them.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import matrix
import peers
import results

LOGS = matrix.OUT / "logs"
RESULTS = matrix.OUT / "results.json"
PATIENCE = 1_800.0
BYTES_PER_EVENT = {"parquet": 15, "csv": 60, "xes": 330}


def environment_of(name: str) -> dict[str, str]:
    """Modules are compiled once and kept, as an installation leaves them."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    return kept | {"PYTHONPYCACHEPREFIX": str(matrix.OUT / "compiled" / name)}


def measured(row: matrix.Row) -> dict[str, Any] | None:
    """One run: seconds, processor seconds, peak MB and what the program told; None if it failed."""
    python = peers.python_of(row.environment)
    if python is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        done = subprocess.run(
            [sys.executable, Path(__file__).with_name("measure.py"), report, str(PATIENCE), python,
             "-c", row.program],
            capture_output=True,
            check=False,
            env=environment_of(row.environment),
            cwd=matrix.OUT,
        )  # fmt: skip
        if done.returncode:
            print(f"{row.name}: {done.stderr.decode()[-400:]}", file=sys.stderr)
            return None
        took = json.loads(report.read_text())
    told = done.stdout.decode(errors="replace")
    figures = [line for line in told.splitlines() if line.startswith("FIGURES ")]
    return {
        **{kind: took[kind] for kind in ("seconds", "cpu_seconds", "peak_mb")},
        **(json.loads(figures[-1].removeprefix("FIGURES ")) if figures else {}),
    }


def entry(row: matrix.Row, runs: list[dict[str, Any]]) -> dict[str, Any]:
    """The medians over the runs of a row."""
    names = runs[0].get("steps", {})
    return {
        "name": row.name,
        "environment": row.environment,
        "runs": len(runs),
        **{
            kind: round(statistics.median(run[kind] for run in runs), 3)
            for kind in ("seconds", "cpu_seconds", "peak_mb")
        },
        "steps": {
            name: round(statistics.median(run["steps"][name] for run in runs), 5) for name in names
        },
        "check": runs[0].get("check"),
    }


def run_group(group: matrix.Group, repeat: int) -> dict[str, Any]:
    """All rows of a group, taking turns."""
    runs: dict[int, list[dict[str, Any]]] = {}
    failed: set[int] = set()
    for turn in range(repeat):
        for place, row in enumerate(group.rows):
            if place in failed or (row.once and turn):
                continue
            print(f"{group.title}: {row.name}", file=sys.stderr, flush=True)
            found = measured(row)
            if found is None:
                failed.add(place)
            else:
                runs.setdefault(place, []).append(found)
    rows = [entry(group.rows[place], runs[place]) for place in sorted(runs)]
    checks = {row["check"] for row in rows if row["check"] is not None}
    if len(checks) > 1:
        print(f"{group.title}: the answers differ: {checks}", file=sys.stderr)
    return {
        "key": group.key,
        "title": group.title,
        "events": group.events,
        "rows": rows,
        "missing": [group.rows[place].name for place in sorted(failed)],
        "agree": len(checks) <= 1,
    }


def log_path(events: int, unit: str, ending: str) -> Path:
    return LOGS / f"log-{events}-{unit}.{ending}"


def make(path: Path) -> bool:
    """Make a log that is not there yet; says no where the disk is too small."""
    if path.exists():
        return True
    _, events, unit = path.stem.split("-")
    needed = 2 * int(events) * BYTES_PER_EVENT[path.suffix[1:]]
    if shutil.disk_usage(LOGS).free < needed:
        print(f"{path.name} needs {needed / 1e9:.0f} GB free: left out", file=sys.stderr)
        return False
    print(f"making {path.name} …", file=sys.stderr, flush=True)
    unit_option = ["--microseconds"] if unit == "us" else []
    # In a process of its own: a child's peak memory counts what its parent had.
    command = [sys.executable, Path(__file__).with_name("make_log.py"), "--events", events,
               "--out", path, *unit_option]  # fmt: skip
    subprocess.run(command, check=True)
    return True


def machine() -> dict[str, Any]:
    model = ""
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        model = lines[0].partition(":")[2].strip() if lines else ""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "cores": os.cpu_count(),
        "model": model,
        "memory_gb": round(memory),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "load_before": round(os.getloadavg()[0], 1),
    }


def warm_up() -> None:
    """One run of everything of ours that a row may import, so that no row compiles it."""
    for row in (matrix.start_up(), matrix.release(
        Path(__file__).parent.parent / "examples" / "hospital.csv", "", "--png"
    )):  # fmt: skip
        measured(row)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="1e6 1e7", help="numbers of events, such as '1e6 2e8'")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", action="append", help="keys of groups, such as xes; prints only")
    chosen = parser.parse_args()
    LOGS.mkdir(parents=True, exist_ok=True)
    (matrix.OUT / "spill").mkdir(exist_ok=True)
    for name in peers.PACKAGES:
        peers.prepare(name)
    found = {"machine": machine(), "date": datetime.now(UTC).date().isoformat(), "groups": []}
    warm_up()
    sizes = [int(float(size)) for size in chosen.sizes.split()]
    for group in matrix.groups(sizes, log_path):
        if chosen.only and group.key not in chosen.only:
            continue
        if all(make(path) for path in group.logs):
            found["groups"].append(run_group(group, chosen.repeat))
    found["versions"] = {name: peers.versions(name) for name in (peers.OWN, *peers.PACKAGES)}
    page = results.page(found)
    if not chosen.only:
        RESULTS.write_text(json.dumps(found, indent=2))
        (matrix.HERE / "RESULTS.md").write_text(page)
    print(page)


if __name__ == "__main__":
    main()
