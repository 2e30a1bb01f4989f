"""Work that takes a while, in threads, so that every window keeps answering."""

from __future__ import annotations

import queue
import threading
import time
import traceback
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from hushmap.exceptions import HushmapError

if TYPE_CHECKING:
    from collections.abc import Callable

_THREADS = 2
_GRACE = 2.0


class AbandonedError(HushmapError):
    """Nobody waits for the work any more."""


class Job:
    """A piece of work: what it is, how far it has come, how it ended.

    Attributes:
        name: What is being done, for people.
        error: Why it failed; None while it runs and where it did not.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.error: HushmapError | None = None
        self._made = time.monotonic()
        self._running = False
        self._progress = (0, 0)
        self._abandoned = False
        self._thread = 0
        self._ended = threading.Event()

    @property
    def running(self) -> bool:
        """Whether it still waits or works."""
        return not self._ended.is_set()

    def on_progress(self, done: int, whole: int) -> None:
        """Take note of how much is done; called by the work, or by what watches it.

        Raises:
            AbandonedError: Nobody waits for it; told to the work alone.
        """
        self._progress = (done, whole)
        if threading.get_ident() == self._thread:
            self.go_on()

    def abandon(self) -> None:
        """Have it stopped where it next looks, or never begun."""
        self._abandoned = True

    def go_on(self) -> None:
        """Look whether somebody still waits.

        Raises:
            AbandonedError: Nobody does.
        """
        if self._abandoned:
            raise AbandonedError("The work was abandoned.")

    def report(self) -> dict[str, Any]:
        """How it stands, for the page that waits."""
        done, whole = self._progress
        return {
            "running": self.running,
            "name": self.name if self._running else f"{self.name} (waiting for its turn)",
            "share": min(1.0, done / whole) if whole else None,
            "seconds": int(time.monotonic() - self._made),
        }

    def wait(self, seconds: float) -> bool:
        """Wait for the end; False if it did not come."""
        return self._ended.wait(seconds)

    def run(self, work: Callable[[Job], None]) -> None:
        """Do the work here and now."""
        self._running = True
        self._thread = threading.get_ident()
        try:
            self.go_on()
            work(self)
        except HushmapError as error:
            self.error = error
        except Exception as error:  # noqa: BLE001 - a traceback may quote the log
            self.error = HushmapError(
                f"This should not have happened ({type(error).__name__}). It is a defect; please "
                "report it.",
                owner_details=traceback.format_exc(),
            )
        finally:
            self._ended.set()


class Jobs:
    """The threads in which jobs run. They do not keep a program alive that is told to end."""

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[tuple[Job, Callable[[Job], None]] | None] = (
            queue.SimpleQueue()
        )
        self._threads = [
            threading.Thread(target=self._work, name=f"hushmap-wizard-{place}", daemon=True)
            for place in range(_THREADS)
        ]
        for thread in self._threads:
            thread.start()

    def start(self, name: str, work: Callable[[Job], None]) -> Job:
        """Have something done as soon as a thread is free."""
        job = Job(name)
        self._waiting.put((job, work))
        return job

    def _work(self) -> None:
        while (taken := self._waiting.get()) is not None:
            job, work = taken
            job.run(work)
            del taken, job, work  # nothing of a log is kept while waiting for the next

    def close(self) -> None:
        """Start nothing more, and wait a moment for what runs."""
        with suppress(queue.Empty):
            while True:
                self._waiting.get_nowait()
        for _ in self._threads:
            self._waiting.put(None)
        for thread in self._threads:
            thread.join(_GRACE)
