"""The seam between a log and what runs its queries: DuckDB here, Spark on a cluster.

Every query of hushmap is one text for both engines. The few words in which they differ are the
fields of `Dialect`; what a log needs of an engine are the methods of `Engine`.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    OnProgress = Callable[[int, int], None]

EngineName = Literal["duckdb", "spark"]
_LOOKS_PER_SECOND = 5


@dataclass(frozen=True, slots=True)
class Dialect:
    """What the engines write differently.

    Attributes:
        division: A whole number divided by another, rounded down; none is negative.
        total: The sum of a column of 64-bit integers, in more than 64 bits.
        hashed: A number of 64 bits that stands for the values of some columns.

    Example:
        >>> DUCKDB.division.format("gap", 1000), SPARK.division.format("gap", 1000)
        ('(gap // 1000)', '(gap div 1000)')
    """

    division: str
    total: str
    hashed: str


DUCKDB = Dialect(
    division="({} // {})",
    total="sum({})",
    hashed="hash(hash({}))",  # the inner one mixes its arguments little
)
# Spark's sums of 64-bit integers stop at 64 bits.
SPARK = Dialect(
    division="({} div {})",
    total="sum(CAST({} AS DECIMAL(38, 0)))",
    hashed="xxhash64({})",
)


class Engine(Protocol):
    """What a log needs of the engine that holds its rows."""

    @property
    def dialect(self) -> Dialect:
        """The engine's words."""

    def rows(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Run a query for its rows, which must be few: they come to this process."""

    def row(self, sql: str, parameters: Sequence[object] = ()) -> tuple[Any, ...]:
        """Run a query that has exactly one row."""

    def share(self) -> float | None:
        """How much of the query under way is done, from 0 to 1; None where none is."""

    def table(self, columns: Mapping[str, NDArray[Any]]) -> str:
        """Give the engine a small table; returns its name in SQL."""


@contextmanager
def watched(engine: Engine, whole: int, on_progress: OnProgress | None) -> Iterator[None]:
    """Report, while queries run, how much of the one under way is done.

    Args:
        engine: What runs them.
        whole: What a query goes through, in bytes or events.
        on_progress: Called now and then, from another thread, with what is done and the whole;
            nothing is watched where None.

    Example:
        >>> from hushmap.log.event_log import Workspace
        >>> workspace = Workspace()
        >>> with watched(workspace, 10, None):
        ...     workspace.row("SELECT 1")
        (1,)
    """
    if on_progress is None or not whole:
        yield
        return
    done = threading.Event()

    def look() -> None:
        while not done.wait(1 / _LOOKS_PER_SECOND):
            share = engine.share()
            if share is not None:
                on_progress(int(share * whole), whole)

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
