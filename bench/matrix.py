"""What is measured: groups of programs that do the same work on the same log.

The first row of a group is what the others are compared with. A program is Python for ``-c`` in
one of the environments of ``peers.py``; it may end by printing ``FIGURES`` and JSON: ``steps``
(seconds within the process) and ``check`` (what must be equal within a group).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HERE = Path(__file__).parent
OUT = HERE / "out"
SHARED = HERE.parent.parent / "shared" / "data"
RISK = "0.2"
LARGE = 50_000_000
"""From here on only what fits into 2 GB runs, once."""
LIMIT = "2GB"


@dataclass(frozen=True)
class Row:
    name: str
    environment: str
    program: str
    once: bool = False
    """Too slow to be repeated."""


@dataclass(frozen=True)
class Group:
    key: str
    title: str
    rows: tuple[Row, ...]
    events: int | None = None
    logs: tuple[Path, ...] = ()
    """Synthetic logs that must have been made."""


# ---- reading ----------------------------------------------------------------------------------

R4PM = "import r4pm; n = len(r4pm.df.import_xes({log!r})[0])"
RUSTXES = "import rustxes; n = len(rustxes.import_xes({log!r})[0])"
PM4PY_XES = "import pm4py; n = len(pm4py.read_xes({log!r}))"
XES = "import hushmap; n = hushmap.read_log({log!r}, lifecycle='all').kept"
EXPAT = (
    "from hushmap.log import xes; xes.can_read = lambda keys: False; "
    "import hushmap; n = hushmap.read_log({log!r}, lifecycle='all').kept"
)
SMALL_LIMIT = "200MB"
COUNTED = "\nimport json; print('FIGURES', json.dumps({{'check': n}}))"


def readers(log: Path) -> list[Row]:
    return [
        Row("rustxes", "rustxes", (RUSTXES + COUNTED).format(log=str(log))),
        Row("r4pm", "r4pm", (R4PM + COUNTED).format(log=str(log))),
        Row("pm4py", "pm4py", (PM4PY_XES + COUNTED).format(log=str(log)), once=True),
        Row("hushmap", "hushmap", (XES + COUNTED).format(log=str(log))),
    ]


# ---- graphs -----------------------------------------------------------------------------------

PARQUET = (
    'SELECT "case:concept:name" AS c, "concept:name" AS a, epoch_us("time:timestamp") AS t, '
    "file_row_number AS s FROM read_parquet('{log}', file_row_number=true)"
)
CSV = (
    'SELECT "case:concept:name" AS c, "concept:name" AS a, epoch_us("time:timestamp") AS t, '
    "row_number() OVER () AS s FROM read_csv('{log}')"
)
DUCKDB = """
import duckdb, json
duckdb.execute("SET temp_directory = '{spill}'")
{setting}
rows = duckdb.execute('''SELECT a, b, count(*), sum(d), min(d), max(d) FROM (
  SELECT a, lead(a) OVER w AS b, lead(t) OVER w - t AS d FROM ({source})
  WINDOW w AS (PARTITION BY c ORDER BY t, s)) GROUP BY a, b ORDER BY a, b''').fetchall()
print("FIGURES", json.dumps({{"check": sum(row[2] for row in rows)}}))
"""
POLARS = """
import polars as pl, json
order = ["time:timestamp", "row"]
case = "case:concept:name"
log = pl.scan_parquet({log!r}, row_index_name="row")
rows = (log.sort(case, *order).with_columns(
    b=pl.col("concept:name").shift(-1).over(case),
    d=(pl.col("time:timestamp").shift(-1).over(case) - pl.col("time:timestamp")))
 .group_by("concept:name", "b").agg(pl.len(), pl.col("d").sum().alias("sum"),
    pl.col("d").min().alias("min"), pl.col("d").max().alias("max")).collect(engine="streaming"))
print("FIGURES", json.dumps({{"check": rows["len"].sum()}}))
"""
PM4PY = """
import pm4py, pandas as pd, json
log = pm4py.format_dataframe(pd.read_parquet({log!r}))
dfg, starts, ends = pm4py.discover_dfg(log)
pm4py.discover_performance_dfg(log)
print("FIGURES", json.dumps({{"check": sum(dfg.values()) + sum(ends.values())}}))
"""
OURS = """
from time import perf_counter as now
import json
import hushmap as hm
times = [now()]
log = hm.read_log({log!r}{options}); times.append(now())
graph = hm.discover(log, histograms={histograms}, resolution="{tick}"); times.append(now())
{more}
left = sum(n for edge, n in zip(graph.edges, graph.counts.tolist()) if edge.source is not None)
names = ["read", "discover", "plan", "release"]
steps = {{name: b - a for name, a, b in zip(names, times, times[1:])}}
print("FIGURES", json.dumps({{"steps": steps, "check": left}}))
"""
PLAN = (
    'plan = hm.plan(graph, max_risk={risk}, annotate=["mean"], attacker="{attacker}", '
    'range="observed"); times.append(now()); hm.release(plan); times.append(now())'
)


def plain(source: str, log: Path, limit: str | None = None) -> Row:
    setting = f"duckdb.execute(\"SET memory_limit = '{limit}'\")" if limit else ""
    name = "plain DuckDB query" + (f", {limit}" if limit else "")
    program = DUCKDB.format(source=source.format(log=log), setting=setting, spill=OUT / "spill")
    return Row(name, "duckdb", program)


def ours(
    name: str,
    log: Path,
    *,
    histograms: bool,
    tick: str = "1s",
    attacker: str | None = None,
    **options: str,
) -> Row:
    """Read and discover; with an attacker plan and draw, too."""
    more = "" if attacker is None else PLAN.format(risk=RISK, attacker=attacker)
    given = "".join(f", {key}={value!r}" for key, value in options.items())
    program = OURS.format(log=str(log), histograms=histograms, tick=tick, more=more, options=given)
    return Row(name, "hushmap", program)


def attackers(log: Path, tick: str = "1s", suffix: str = "", **options: str) -> list[Row]:
    return [
        ours(
            attacker + suffix,
            log,
            histograms=attacker != "any",
            tick=tick,
            attacker=attacker,
            **options,
        )
        for attacker in ("any", "empirical", "paper")
    ]


# ---- the whole command ------------------------------------------------------------------------


def release(log: Path, name: str, *options: str, annotate: str = "frequency mean") -> Row:
    """The command as a user gives it, in a process of its own."""
    kinds = [word for kind in annotate.split() for word in ("--annotate", kind)]
    arguments = ["release", str(log), "--max-risk", RISK, "--range", "observed", "--overwrite",
                 "--quiet", "--out", str(OUT / "release"), *kinds, *options]  # fmt: skip
    return Row(name, "hushmap", f"from hushmap.cli import main; main({arguments})")


def start_up() -> Row:
    """A release of a log of a few rows: all that is not the log."""
    example = HERE.parent / "examples" / "hospital.csv"
    return release(example, "hushmap release of 33 events (start-up)", "--no-picture")


LIMITED = f"hushmap release, --memory-limit {LIMIT}"


def limited(log: Path) -> Row:
    """The command in bounded memory: what grows with the log shows here, at every size."""
    return release(log, LIMITED, "--no-picture", "--memory-limit", LIMIT)


def has_spark() -> bool:
    """Whether there are PySpark and Java."""
    import shutil
    from importlib.util import find_spec

    return find_spec("pyspark") is not None and shutil.which("java") is not None


def on_spark(log: Path) -> list[Row]:
    """The same command on Spark, where there is Spark."""
    options = ("--no-picture", "--engine", "spark", "--master", "local[2]")
    return [release(log, "hushmap release --engine spark, local[2]", *options)] * has_spark()


def spark_rows(log: Path, *cores: int) -> list[Row]:
    """The steps on Spark with so many cores."""
    return [
        ours(
            f"{attacker}, local[{number}]",
            log,
            histograms=attacker != "any",
            attacker=attacker,
            engine="spark",
            master=f"local[{number}]",
        )
        for number in cores
        for attacker in ("any", "empirical")
    ]


# ---- the matrix -------------------------------------------------------------------------------


def groups(sizes: list[int], log: Callable[[int, str, str], Path]) -> Iterator[Group]:
    """Every group, smallest logs first; ``log(events, unit, ending)`` names a synthetic log."""
    yield from small_groups()
    for size in sorted(sizes):
        yield from (large_groups if size >= LARGE else groups_of)(size, log)
    yield from real_groups()


def groups_of(size: int, log: Callable[[int, str, str], Path]) -> Iterator[Group]:
    seconds, fine = log(size, "s", "parquet"), log(size, "us", "parquet")
    csv, xes = log(size, "s", "csv"), log(size, "s", "xes")

    def group(key: str, title: str, rows: list[Row], *logs: Path) -> Group:
        return Group(key, f"{title}, {size:,} events", tuple(rows), size, logs)

    # Above a million events the other readers of XES take 11 GB and more.
    rows = readers(xes) if size <= 1_000_000 else readers(xes)[-1:]
    if size <= 1_000_000:
        rows.append(Row("hushmap, expat alone", "hushmap", (EXPAT + COUNTED).format(log=str(xes))))
    small = XES.replace("lifecycle='all'", f"lifecycle='all', memory_limit='{SMALL_LIMIT}'")
    rows.append(
        Row(f"in {SMALL_LIMIT}: hushmap", "hushmap", (small + COUNTED).format(log=str(xes)))
    )
    yield group("xes", "XES, five attributes per event, to columns", rows, xes)

    rows = [
        plain(PARQUET, seconds),
        ours("hushmap, counts and sums", seconds, histograms=False),
        ours("hushmap, with histograms", seconds, histograms=True),
        Row("plain Polars query", "polars", POLARS.format(log=str(seconds))),
        Row("pm4py, DFG and performance DFG", "pm4py", PM4PY.format(log=str(seconds)), once=True),
    ]
    yield group("graph", "Parquet to the graph", rows, seconds)
    rows = [
        plain(PARQUET, fine),
        ours("hushmap, with histograms", fine, histograms=True, tick="1us"),
    ]
    yield group("graph-us", "Parquet to the graph, durations all distinct (µs)", rows, fine)
    rows = [
        plain(CSV, csv),
        ours("hushmap, counts and sums", csv, histograms=False),
    ]
    yield group("csv", "CSV to the graph", rows, csv)
    yield group("plan", "Parquet to a released mean, by attacker", attackers(seconds), seconds)
    yield group(
        "plan-us",
        "Parquet to a released mean, durations all distinct (µs), by attacker",
        attackers(fine, "1us"),
        fine,
    )
    rows = [
        plain(PARQUET, seconds),
        release(seconds, "hushmap release of frequency and mean", "--no-picture"),
        start_up(),
        limited(seconds),
        *on_spark(seconds),
    ]
    yield group("release", "Parquet to a released map", rows, seconds)
    rows = [
        release(path, f"hushmap release, {path.suffix[1:]}", "--no-picture")
        for path in (seconds, csv, xes)
    ]
    yield group("formats", "Every format to a released map", rows, seconds, csv, xes)
    if has_spark():
        rows = spark_rows(seconds, 1, 2)
        yield group("spark", "Parquet to a released mean on Spark", rows, seconds)


def large_groups(size: int, log: Callable[[int, str, str], Path]) -> Iterator[Group]:
    seconds = log(size, "s", "parquet")
    rows = [
        plain(PARQUET, seconds, LIMIT),
        limited(seconds),
        start_up(),
        *attackers(seconds, suffix=", released mean", memory_limit=LIMIT),
    ]
    yield Group(
        "release-large",
        f"Parquet to a released map in {LIMIT}, {size:,} events",
        tuple(Row(row.name, row.environment, row.program, once=True) for row in rows),
        size,
        (seconds,),
    )


def real_groups() -> Iterator[Group]:
    for name in ("BPI12", "BPIC15_1", "Traffic_fines"):
        path = SHARED / f"{name}.xes.gz"
        if path.exists():
            rows = [
                *readers(path),
                release(
                    path, "hushmap release of frequency and mean, whole command", "--no-picture"
                ),
                release(path, "the same, with pictures"),
            ]
            yield Group(f"real-{name}", f"{name}.xes.gz", tuple(rows))
    path = SHARED / "Sepsis.xes.gz"
    if path.exists():
        everything = "frequency sum mean min max"
        rows = (
            Row("numpy and duckdb imported", "hushmap", "import numpy, duckdb; duckdb.connect()"),
            release(
                path, "hushmap release of all five annotations", "--no-picture", annotate=everything
            ),
            release(path, "the same, with pictures", annotate=everything),
        )
        yield Group("real-Sepsis", "Sepsis.xes.gz", rows)


def small_groups() -> Iterator[Group]:
    yield Group(
        "start",
        "Start",
        (
            Row("python -c pass", "hushmap", "pass"),
            Row("import numpy", "hushmap", "import numpy"),
            Row("import hushmap", "hushmap", "import hushmap"),
            Row("hushmap --help", "hushmap", "from hushmap.cli import main; main(['--help'])"),
        ),
    )
    run = "import runpy, sys; sys.argv = {arguments}; runpy.run_path({path!r}, run_name='__main__')"

    def script(name: str, file: str, *arguments: str, once: bool = False) -> Row:
        path = str(HERE / file)
        program = run.format(arguments=[path, *arguments], path=path)
        return Row(name, "hushmap", program, once)

    for count in ("1e3", "4e3", "1.6e4"):
        yield Group(
            "prior",
            f"Prior of one edge of {int(float(count)):,} occurrences",
            tuple(script(who, "prototype.py", who, count) for who in ("prototype", "hushmap")),
            int(float(count)),
        )
    if has_spark():
        example = HERE.parent / "examples" / "hospital.csv"
        rows = tuple(spark_rows(example, 1))
        yield Group("spark-start", "33 events on Spark: all that is not the log", rows, 33)
    sepsis = SHARED / "Sepsis.xes.gz"
    pictures = [str(sepsis)] if sepsis.exists() else []
    yield Group(
        "parts",
        "Parts",
        (
            script("risks", "risk_speed.py"),
            script("noise", "noise_speed.py"),
            script("pictures", "picture_speed.py", *pictures),
        ),
    )
