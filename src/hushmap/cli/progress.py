"""Progress on standard error, for people at a terminal and for work of more than a second.

A bar with its rate where the whole is known: bytes of a file, events of a log, points of a
frontier. Else the step and the seconds so far. How much of a query is done is what the engine says
of it: DuckDB of the query, Spark of the tasks of the stage under way (a new stage begins anew). The
bar is the owner's: its rate tells how many events the log has.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.progress import Progress

_PATIENCE = 1.0


@contextmanager
def step(name: str, *, quiet: bool, unit: str = "bytes") -> Iterator[Callable[[int, int], None]]:
    """Show a step of the work while it lasts.

    Args:
        name: What is being done.
        quiet: Show nothing.
        unit: What is counted.

    Yields:
        A function that takes what is done and the whole, in the unit.
    """
    import sys

    if quiet or not sys.stderr.isatty():
        yield lambda _done, _whole: None
        return
    with _bar(unit) as progress:
        task = progress.add_task(name, total=None, visible=False)

        def show() -> None:
            progress.update(task, visible=True)

        timer = threading.Timer(_PATIENCE, show)
        timer.daemon = True
        timer.start()
        try:
            yield lambda done, whole: progress.update(task, completed=done, total=whole)
        finally:
            timer.cancel()


def _bar(unit: str) -> Progress:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TransferSpeedColumn,
    )
    from rich.text import Text

    class Rate(TransferSpeedColumn):
        """The rate, where there is a whole."""

        def render(self, task):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202 - Rich's
            if not task.total:
                return ""
            if unit == "bytes":
                return super().render(task)
            return Text(rate(task.finished_speed or task.speed, unit), style="progress.data.speed")

    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        Rate(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )


def rate(speed: float | None, unit: str) -> str:
    """How fast it goes, for people.

    Example:
        >>> rate(1_234_567.8, "events"), rate(0.25, "points"), rate(None, "points")
        ('1,234,568 events/s', '0.25 points/s', '? points/s')
    """
    if speed is None:
        return f"? {unit}/s"
    return f"{speed:,.0f} {unit}/s" if speed >= 10 else f"{speed:.2g} {unit}/s"
