"""Spark as the engine of a log: the session, its views, and its errors without the log's rows."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
import threading
import warnings
import weakref
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from hushmap.exceptions import EngineError, EngineMemoryError, HushmapError, UsageError
from hushmap.log.engine import SPARK, Dialect
from hushmap.log.options import parse_size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

T = TypeVar("T")
SparkSession = Any  # PySpark is imported only where it is used, and brings no types of its own
SparkFrame = Any
LOCAL = "local[*]"
_MEBIBYTE = 2**20
_SECONDS_TO_HEAR = 0.2


def is_spark_frame(frame: object) -> bool:
    """Whether this is a data frame of Spark, classic or Connect.

    Example:
        >>> is_spark_frame([])
        False
    """
    kind = type(frame)
    return kind.__module__.startswith("pyspark.sql") and kind.__name__ == "DataFrame"


class SparkEngine:
    """A Spark session with the views of one log; the views vanish with their last user.

    Args:
        session: The session; never stopped here, for others may use it.
    """

    dialect: Dialect = SPARK

    def __init__(self, session: SparkSession) -> None:
        self.session = session
        self._views: list[str] = []
        weakref.finalize(self, _drop, session, self._views)

    def view(self, frame: SparkFrame) -> str:
        """Give a frame a name for SQL."""
        name = f"hushmap_{os.getpid()}_{id(self):x}_{len(self._views)}"
        frame.createOrReplaceTempView(name)
        self._views.append(name)
        return name

    def share(self) -> float | None:
        """How many of the tasks of the stages under way are done; None where none is known."""
        try:
            tracker = self.session.sparkContext.statusTracker()
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        except Exception:  # noqa: BLE001 - Spark Connect has no tracker; a bar is no reason to fail
            return None
        known = [stage for stage in stages if stage is not None]
        tasks = sum(stage.numTasks for stage in known)
        return sum(stage.numCompletedTasks for stage in known) / tasks if tasks else None

    def table(self, columns: Mapping[str, NDArray[Any]]) -> str:
        """Give the engine a small table, which every executor gets whole."""
        import pyarrow as pa
        from pyspark.sql.functions import broadcast

        def given() -> str:
            return self.view(broadcast(self.session.createDataFrame(pa.table(dict(columns)))))

        with quiet_spark():
            return attended(self.session, given)

    def rows(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Run a query for its rows, which must be few: they come to the driver."""
        assert not parameters, "Spark's queries have none"
        with spark_errors():
            found = attended(self.session, lambda: self.session.sql(sql).collect())
        return [tuple(map(_plain, row)) for row in found]

    def row(self, sql: str, parameters: Sequence[object] = ()) -> tuple[Any, ...]:
        """Run a query that has exactly one row."""
        (row,) = self.rows(sql, parameters)
        return row


def _plain(value: object) -> object:
    """Whole numbers of more than 64 bits come as decimals without a fraction."""
    return int(value) if isinstance(value, Decimal) else value


def _drop(session: SparkSession, views: Sequence[str]) -> None:
    for view in views:
        # At the end of the process the session may be gone before its views.
        try:
            session.catalog.dropTempView(view)
        except Exception:  # noqa: BLE001
            return


def attended(session: SparkSession, work: Callable[[], T]) -> T:
    """Let Spark work while this thread stays awake for Ctrl-C and SIGTERM.

    PySpark asks Spark to stop over the line on which it waits for an answer, and tells of the
    confusion at length; and its own way to stop ends the jobs of others, too. So whatever speaks
    to Spark does it in here. What is attended within something attended is simply done.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    tag = f"hushmap-{uuid4().hex}"
    try:
        context = session.sparkContext
        mark, unmark, stop = context.addJobTag, context.removeJobTag, context.cancelJobsWithTag
    except Exception:  # noqa: BLE001 - Spark Connect has no context, and tags that work
        mark, unmark, stop = session.addTag, session.removeTag, session.interruptTag

    def tagged() -> T:
        mark(tag)
        try:
            return work()
        finally:
            with suppress(Exception):  # the session may be gone
                unmark(tag)

    with ThreadPoolExecutor(1, "hushmap-spark") as executor:
        task = executor.submit(tagged)
        try:
            return task.result()
        except BaseException:
            while not task.done():  # between two jobs Spark would not hear it
                with suppress(Exception):
                    stop(tag)
                wait([task], timeout=_SECONDS_TO_HEAR)
            raise


@contextmanager
def quiet_spark() -> Iterator[None]:
    """Without PySpark's remark that it has not been tried with the newest pandas: none is used."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas")
        yield


@contextmanager
def spark_errors() -> Iterator[None]:
    """Turn Spark's errors, which may quote rows of the log, into ours, which do not."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        with quiet_spark():
            yield
    except HushmapError:
        raise
    except (PySparkException, Py4JError) as error:
        raise spark_error(str(error)) from None


def spark_error(details: str) -> EngineError:
    """What went wrong in Spark, without its words; they are for the owner."""
    if "OutOfMemoryError" in details or "MEMORY" in details.partition("]")[0]:
        return EngineMemoryError(
            "The memory of an executor is too small for this log.",
            hint="Raise --memory-limit, or the executors' memory in the cluster's settings.",
            owner_details=details,
        )
    if "No module named 'hushmap'" in details or "No module named 'duckdb'" in details:
        return EngineError(
            "The executors have no hushmap.",
            hint="Install hushmap[spark] in the Python of every executor; PYSPARK_PYTHON names it.",
            owner_details=details,
        )
    return EngineError(
        "Spark could not finish.",
        hint="Run again with --owner-details for its own words.",
        owner_details=details,
    )


def spark_session(master: str | None, memory_limit: str | None) -> SparkSession:
    """The session that is there, or a new one.

    Args:
        master: Where Spark runs, as ``spark-submit --master`` takes it; this machine where None.
        memory_limit: For the executors (this machine's own, where Spark runs here).

    Raises:
        EngineError: PySpark or Java is missing, or the master cannot be reached.
        UsageError: A session is there, and has another master.
    """
    try:
        with quiet_spark():
            from pyspark.sql import SparkSession as Session
    except ImportError:
        raise EngineError(
            "Spark needs more packages.", hint="Install them with: pip install 'hushmap[spark]'"
        ) from None
    active = Session.getActiveSession()
    if active is not None:
        _check_master(active, master)
        return active
    if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        raise EngineError(
            "Spark needs Java, and none was found.",
            hint="Install Java 17 or newer (apt-get install openjdk-17-jre-headless), or set "
            "JAVA_HOME.",
        )
    where = master or LOCAL
    # What Spark spills and says may hold rows of the log: it goes into a folder of our own.
    folder = Path(tempfile.mkdtemp(prefix="hushmap-spark-"))
    builder = Session.builder.appName("hushmap").config("spark.ui.showConsoleProgress", "false")
    builder = builder.remote(where) if where.startswith("sc://") else builder.master(where)
    if not where.startswith("sc://"):
        for name, value in _settings(where, memory_limit, folder).items():
            builder = builder.config(name, value)
    if where.startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    try:
        with quiet_spark(), _said_into(folder / "spark.log"), _ctrl_c_as_it_was():
            session = builder.getOrCreate()
    except (KeyboardInterrupt, SystemExit):
        shutil.rmtree(folder, ignore_errors=True)
        raise
    except Exception as error:  # noqa: BLE001 - PySpark's, Py4J's, and those of gRPC
        shutil.rmtree(folder, ignore_errors=True)
        raise EngineError(
            f"Spark does not start at {where}.",
            hint="Check --master and that Java is 17 or newer; --owner-details has its own words.",
            owner_details=str(error),
        ) from None
    weakref.finalize(session, shutil.rmtree, folder, ignore_errors=True)
    return session


def _check_master(session: SparkSession, master: str | None) -> None:
    if master is not None and session.conf.get("spark.master", master) != master:
        raise UsageError(
            "A Spark session with another master is there already.",
            hint="Leave --master (master=) out to use it, or stop it first.",
        )


def _settings(master: str, memory_limit: str | None, folder: Path) -> dict[str, str]:
    """Of a session of our own: nothing of the log is served or logged."""
    settings = {
        "spark.ui.enabled": "false",
        "spark.log.level": "OFF",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.session.timeZone": "UTC",
    }
    if master.startswith("local"):
        settings |= {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.local.dir": str(folder),
            # Two hundred, Spark's own number, is meant for a cluster.
            "spark.sql.shuffle.partitions": str(4 * (os.cpu_count() or 1)),
        }
    if memory_limit is not None:
        of = "driver" if master.startswith("local") else "executor"
        mebibytes = max(512, parse_size(memory_limit, "--memory-limit") // _MEBIBYTE)
        settings[f"spark.{of}.memory"] = f"{mebibytes}m"
    return settings


@contextmanager
def _ctrl_c_as_it_was() -> Iterator[None]:
    """PySpark takes Ctrl-C for itself; a session of our own is stopped by `attended`."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _said_into(path: Path) -> Iterator[None]:
    """Let what is started within write its standard error into a file of the owner's."""
    sys.stderr.flush()
    kept = os.dup(2)
    with path.open("wb") as log:
        os.dup2(log.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
