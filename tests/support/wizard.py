"""The wizard as its users start it: a process of its own, and the address it prints."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/\?token=[\w-]+")


@dataclass
class Running:
    """A server that runs."""

    process: subprocess.Popen
    address: str
    said: list[str] = field(default_factory=list)

    @property
    def origin(self) -> str:
        return self.address.split("/?")[0]

    def stop(self, sign: int = signal.SIGINT) -> int:
        if self.process.poll() is None:
            self.process.send_signal(sign)
        rest, _ = self.process.communicate(timeout=20)
        self.said += rest.splitlines()
        return self.process.returncode

    def memory(self, what: str = "VmRSS") -> int:
        """Bytes of memory; VmHWM is the most there ever was."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{what}:\s+(\d+) kB", text)[1]) * 1024


@contextmanager
def wizard(tmp: Path, *options: str):
    """A server whose private folder is in a folder of the test."""
    process = subprocess.Popen(
        [sys.executable, "-m", "hushmap", "serve", *options],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env=os.environ | {"TMPDIR": str(tmp)},
    )  # fmt: skip
    said = []
    try:
        for line in process.stdout:
            said.append(line.rstrip())
            if found := ADDRESS.search(line):
                break
        else:
            raise AssertionError("\n".join(said))
        running = Running(process, found[0], said)
        yield running
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


class Visitor:
    """A browser without a window: cookies, forms, and the Origin that a browser sends."""

    def __init__(self, address: str) -> None:
        origin = address.split("/?", maxsplit=1)[0]
        self.client = httpx.Client(
            follow_redirects=True, headers={"origin": origin}, timeout=60, trust_env=False
        )
        answer = self.client.get(address)
        assert answer.status_code == 200, answer.text
        self.project = str(answer.url).rpartition("/")[0]
        self.token = re.search(r'name="form_token" value="([^"]+)"', answer.text)[1]
        self.base = self.project.rpartition("/p/")[0]

    def get(self, page: str, **options) -> httpx.Response:
        return self.client.get(f"{self.project}/{page}", **options)

    def post(self, page: str, fields=None, **options) -> httpx.Response:
        data = {"form_token": self.token, **(fields or {})}
        return self.client.post(f"{self.project}/{page}", data=data, **options)

    def upload(self, name: str, content, **fields) -> httpx.Response:
        return self.post("log", fields, files={"file": (name, content)})

    def invitation(self) -> str:
        """An address for another browser."""
        data = {"form_token": self.token}
        return ADDRESS.search(self.client.post(f"{self.base}/invite", data=data).text)[0]

    def settled(self, page: str, seconds: float = 60) -> httpx.Response:
        """A page once no work is under way."""
        import time

        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if not self.get("progress").json()["running"]:
                answer = self.get(page)
                if "data-progress" not in answer.text:
                    return answer
            time.sleep(0.05)
        raise AssertionError(f"{page} is still at work")

    def again(self) -> Visitor:
        """The same browser with a new project."""
        answer = self.client.get(f"{self.base}/")
        self.project = str(answer.url).rpartition("/")[0]
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()
