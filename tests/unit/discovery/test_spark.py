"""Spark gives the answers of DuckDB and of the definition, to the last digit, and ships no event."""

import json
import os
import random
import signal
import threading
import time
from collections import Counter, defaultdict
from dataclasses import asdict, replace

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from graphs import graph_of
from logs import Event, as_dictionary, brute_force, columns, write_csv

import hushmap as hm
from hushmap.cli import main
from hushmap.exceptions import ColumnError, LogError, UsageError
from hushmap.log import spark_files

pytestmark = [
    # One JVM for all of them, however many processes run the tests.
    pytest.mark.xdist_group("spark"),
    # Said when a test itself calls PySpark; the product hushes it where it does.
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]


def random_log(number, generator):
    """A log with many ties; its cases and activities are its own."""
    cases = generator.randint(1, 6)
    names = ["A", "B", "Ärzte", "a,b", "🙂", '"'][: generator.randint(1, 6)]
    fine = generator.choice([1, 1_000, 250_000, 1_000_000, 3_600_000_000])
    return [
        Event(
            f"{number}/{generator.randrange(cases)}",
            f"{number}/{generator.choice(names)}",
            generator.randrange(8) * fine + generator.choice([0, 0, 0, 499_999, 500_000]),
        )
        for _ in range(generator.randint(1, 60))
    ]


@pytest.fixture(scope="module")
def fifty_logs():
    """Fifty random logs as one: their cases and activities differ, so their graphs lie apart."""
    generator = random.Random(6)
    events = [event for number in range(50) for event in random_log(number, generator)]
    generator.shuffle(events)
    return events


@pytest.fixture(scope="module")
def in_files(fifty_logs, tmp_path_factory):
    """The same as a folder of Parquet files of several row groups; names of all kinds."""
    folder = tmp_path_factory.mktemp("fifty") / "log [1] é%20.parquet"
    folder.mkdir()
    for number, start in enumerate(range(0, len(fifty_logs), 400)):
        table = pa.table(columns(fifty_logs[start : start + 400]))
        pq.write_table(table, folder / f"part {number:02}.parquet", row_group_size=70)
    return folder


@pytest.fixture(scope="module")
def on_spark(spark, in_files):
    return hm.read_log(in_files, engine="spark")


@pytest.fixture(scope="module")
def spark_graph(on_spark):
    return hm.discover(on_spark)


def duckdb_log(in_files, threads=2, memory_limit=None):
    log = hm.read_log(f"{glob_safe(in_files)}/*.parquet", memory_limit=memory_limit)
    log.workspace.run(f"SET threads = {threads}")
    return log


def glob_safe(path):
    return str(path).replace("[", "[[]")


def left_on_the_cluster(graph):
    """The histogram that stayed in Spark, in the shape of `brute_force`."""
    edges = {
        tuple(edge): [None] * int(count)
        for edge, count, timed in zip(graph.edges, graph.counts, graph.timed, strict=True)
        if not timed
    }
    found = defaultdict(list)
    for code, duration, occurrences in graph.durations.frame.collect():
        if duration >= 0:  # else the end of a case
            found[graph.durations.places[code]] += [duration] * occurrences
    return edges | {tuple(graph.edges[place]): sorted(row) for place, row in found.items()}


def same_graph(one, other):
    for name in ("activities", "edges", "sums", "unclipped_sums", "resolution", "declared",
                 "longest_case"):  # fmt: skip
        assert getattr(one, name) == getattr(other, name), name
    for name in ("counts", "timed", "minima", "maxima", "bounds", "clipped", "unclipped_minima",
                 "unclipped_maxima"):  # fmt: skip
        mine, its = getattr(one, name), getattr(other, name)
        assert (mine is None and its is None) or (mine == its).all(), name
    return True


WISHES = [
    {"max_risk": 0.2, "annotate": ["frequency", "mean", "max"]},
    {"max_risk": 0.1, "annotate": ["mean", "min"], "attacker": "empirical", "precision": 0.1},
    {"max_risk": 0.3, "annotate": "sum", "attacker": "empirical", "precision": "2min"},
    {
        "max_risk": 0.1,
        "annotate": "max",
        "attacker": "paper",
        "precision": 0.5,
        "min_occurrences": 4,
    },
    {"max_error": 5, "annotate": "mean", "attacker": "empirical"},
]


def test_every_engine_finds_the_graph_of_the_definition_in_fifty_random_logs(
    fifty_logs, in_files, spark_graph
):
    truth = brute_force(fifty_logs)
    assert left_on_the_cluster(spark_graph) == truth
    for threads, memory_limit in ((1, None), (2, None), (2, "60MB")):
        graph = hm.discover(duckdb_log(in_files, threads, memory_limit))
        assert as_dictionary(graph) == truth
        assert same_graph(graph, spark_graph)


@pytest.mark.parametrize("wish", WISHES, ids=str)
def test_every_engine_makes_the_same_plan_to_the_last_digit(
    fifty_logs, in_files, spark_graph, wish
):
    by_definition = graph_of(
        {
            edge: durations if durations[0] is None else [float(t) for t in durations]
            for edge, durations in brute_force(fifty_logs).items()
        }
    )
    by_case = Counter(event.case for event in fifty_logs)
    truth = hm.plan(replace(by_definition, longest_case=max(by_case.values())), **wish)
    plans = [hm.plan(hm.discover(duckdb_log(in_files, threads)), **wish) for threads in (1, 2)]
    plans.append(hm.plan(spark_graph, **wish))
    for plan in plans:
        assert plan.edges == truth.edges
        assert plan.summary == truth.summary
        assert plan.warnings == truth.warnings


@pytest.mark.parametrize("max_duration", [None, "90s", {("*", "*"): "1h", ("7/A", "7/A"): "2s"}])
@pytest.mark.parametrize("histograms", [True, False])
def test_clipping_and_fine_ticks_are_the_same(on_spark, in_files, max_duration, histograms):
    wish = {"resolution": "1us", "max_duration": max_duration, "histograms": histograms}
    here, there = hm.discover(duckdb_log(in_files), **wish), hm.discover(on_spark, **wish)
    assert same_graph(here, there)
    if histograms and max_duration == "90s":
        plan = {"max_risk": 0.1, "annotate": "mean", "attacker": "empirical", "range": "declared"}
        assert hm.plan(here, **plan).edges == hm.plan(there, **plan).edges


def test_an_edge_of_many_durations_is_planned_alike_alone_and_among_others(spark, tmp_path):
    """Running sums are laid out in rows; the rows of an edge must not depend on where it is."""
    generator = random.Random(1)
    events = []
    for case in range(1500):
        start = generator.randrange(10**9)
        events.append(Event(str(case), "a", start))
        start += int(generator.lognormvariate(20, 2))
        events.append(Event(str(case), "b" if case % 50 else "c", start))
        events.append(Event(str(case), "a", start + generator.randrange(10**10)))
    path = tmp_path / "log.parquet"
    pq.write_table(pa.table(columns(events)), path)
    wish = {"max_risk": 0.1, "annotate": "mean", "attacker": "empirical"}
    here = hm.plan(hm.discover(hm.read_log(path), resolution="1us"), **wish)
    there = hm.plan(hm.discover(hm.read_log(path, engine="spark"), resolution="1us"), **wish)
    assert here.edges == there.edges


def test_the_statistics_of_a_log_are_the_same(on_spark, in_files):
    here, there = hm.inspect(duckdb_log(in_files)).as_json(), hm.inspect(on_spark).as_json()
    assert here.pop("quality").pop("notes") == there.pop("quality").pop("notes")
    assert here == there
    assert asdict(on_spark.quality) == asdict(duckdb_log(in_files).quality)


def exchanges(frame):
    """The shuffles of a physical plan."""
    plan = frame._jdf.queryExecution().sparkPlan().toString()
    plan = frame._jdf.queryExecution().executedPlan().toString() or plan
    initial = plan.rpartition("== Initial Plan ==")[2]
    return [line for line in initial.splitlines() if "Exchange" in line and "Broadcast" not in line]


def test_two_shuffles_make_the_graph_and_a_third_brings_the_histogram_to_its_edges(
    on_spark, spark_graph
):
    from hushmap.discovery import spark as engine
    from hushmap.discovery.query import aggregate_query

    names, events = engine.coded_events(on_spark)
    query = aggregate_query(events, len(names), 1_000_000, on_spark.engine.dialect)
    window, sums = reversed(exchanges(on_spark.engine.session.sql(query)))
    assert "hashpartitioning(case_id" in window
    assert "hashpartitioning(edge" in sums
    frame = spark_graph.durations.frame
    by_edge, histogram, window = exchanges(frame)
    assert "hashpartitioning(case_id" in window
    assert "hashpartitioning(edge" in histogram
    assert "duration" in histogram
    assert "hashpartitioning(edge" in by_edge
    assert "duration" not in by_edge
    # What is asked afterwards moves nothing: the histogram lies by edge.
    asked = frame.groupBy("edge").applyInArrow(lambda table: table, frame.schema)
    plan = asked._jdf.queryExecution().executedPlan().toString()
    assert "Exchange" not in plan.partition("InMemoryTableScan")[0]


@pytest.mark.parametrize("histograms", [True, False])
def test_the_events_are_read_for_the_names_and_for_the_graph_and_not_again(
    on_spark, monkeypatch, histograms
):
    session = on_spark.engine.session
    asked = []
    plain = type(session).sql
    monkeypatch.setattr(
        type(session), "sql", lambda own, query: asked.append(query) or plain(own, query)
    )
    hm.discover(on_spark, histograms=histograms)
    names, graph = asked
    assert names.startswith("SELECT DISTINCT activity")
    assert "WINDOW w" in graph


def test_no_event_comes_to_the_driver(on_spark, monkeypatch, fifty_logs):
    from pyspark.sql import DataFrame

    sizes = []
    for name in ("collect", "toArrow", "toPandas"):
        plain = getattr(type(on_spark.engine.session.range(1)), name)

        def counted(frame, plain=plain):
            found = plain(frame)
            sizes.append(len(found))
            return found

        monkeypatch.setattr(type(on_spark.engine.session.range(1)), name, counted)
    assert DataFrame.collect is not None
    graph = hm.discover(on_spark)
    hm.plan(graph, max_risk=0.1, annotate="mean", attacker="empirical")
    assert sizes
    assert max(sizes) <= graph.size < len(fifty_logs) / 2


ONE_MOMENT = [Event("1", f"step {n:04}", 0) for n in range(400)]


def test_rows_of_a_csv_keep_their_order_however_it_is_split(spark, tmp_path, monkeypatch):
    """All events at one time: the order of rows is all there is."""
    events = ONE_MOMENT[:]
    random.Random(3).shuffle(events)
    truth = brute_force(events)
    write_csv(events, tmp_path / "one.csv")
    (tmp_path / "many").mkdir()
    for number, start in enumerate(range(0, 400, 100)):  # of different sizes: Spark packs by size
        rows = events[start : start + 100]
        write_csv(rows, tmp_path / f"many/{number} part.csv{'.gz' * (number % 2)}")
    monkeypatch.setattr(spark_files, "_WORTH_SPLITTING", 0)
    kept = spark.conf.get("spark.sql.files.maxPartitionBytes")
    spark.conf.set("spark.sql.files.maxPartitionBytes", "1500")
    try:
        split = hm.read_log(tmp_path / "one.csv", engine="spark")
        assert (
            split.engine.session.table(split.relation).select("seq._block").distinct().count() > 5
        )
        assert left_on_the_cluster(hm.discover(split)) == truth
    finally:
        spark.conf.set("spark.sql.files.maxPartitionBytes", kept)
    log = hm.read_log(tmp_path / "many", engine="spark")
    assert left_on_the_cluster(hm.discover(log)) == truth
    assert log.quality.ties == 399


def test_a_csv_whose_values_hold_line_ends_is_not_split(spark, tmp_path, monkeypatch):
    monkeypatch.setattr(spark_files, "_WORTH_SPLITTING", 0)
    events = [Event("1", f'one\nline,{n} "more" é', n * 10**6) for n in range(5)]
    path = write_csv(events, tmp_path / "log.csv")
    graph = hm.discover(hm.read_log(path, engine="spark"))
    assert left_on_the_cluster(graph) == brute_force(events)


MESSY = '''case;activity;timestamp;lifecycle:transition
1;a;13/02/2026 10:00;complete
1;b;13/02/2026 10:05;START
1;b;03/02/2026 11:00;Complete
;b;03/02/2026 11:00;complete
1;;03/02/2026 11:00;complete
2;a;;complete
2;a; ;complete
2;a;next week;complete
2;"a ""b""";01/02/2026 11:00:30;complete
2;c;01/02/2026 11:00;complete
2;d;01/02/2026 11:00;complete
'''


def test_what_is_dropped_and_why_is_the_same(spark, tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("\ufeff" + MESSY)
    here, there = hm.read_log(path), hm.read_log(path, engine="spark")
    assert asdict(here.quality) | {"notes": ()} == asdict(there.quality) | {"notes": ()}
    assert here.columns == there.columns
    assert set(here.notes) <= set(there.notes)
    assert same_graph(hm.discover(here), hm.discover(there))


def test_a_spark_frame_is_a_log(spark, fifty_logs, in_files, spark_graph):
    pattern = spark_files.spark_pattern(in_files)
    assert same_graph(hm.discover(spark.read.parquet(pattern)), spark_graph)
    rows = pd.DataFrame(columns(fifty_logs) | {"row": range(len(fifty_logs))})
    frame = spark.createDataFrame(rows).repartition(5, "activity")
    log = hm.from_frame(frame, order="row")
    assert same_graph(hm.discover(log), spark_graph)
    assert log.notes[0] == "Spark frame, order by 'row'"
    with pytest.raises(UsageError, match="order"):
        hm.from_frame(frame, order="rows")
    with pytest.raises(UsageError, match="order"):
        hm.from_frame(pl.DataFrame(columns(fifty_logs)), order="row")


def test_a_frame_without_an_order_goes_by_the_name_of_the_activity_and_says_so(spark):
    events = [Event("1", name, 0) for name in ("c", "a", "b")]
    log = hm.from_frame(spark.createDataFrame(pd.DataFrame(columns(events))))
    assert any("have no order" in note for note in log.notes)
    assert log.quality.out_of_order == 0
    assert left_on_the_cluster(hm.discover(log)) == brute_force(
        sorted(events, key=lambda event: event.activity)
    )


@pytest.mark.parametrize(
    ("name", "content", "kind", "message"),
    [
        ("log.csv", b"case,activity,timestamp\n1,a,2026-01-05\ngeheim,b\n", LogError, "RFC 4180"),
        ("log.csv", b'case,activity,timestamp\n1,a,2026-01-05\n1,"geheim,b,2026\n', LogError, "RFC 4180"),
        ("log.csv", b"case,activity,timestamp\n1,geheim\xe4,2026-01-05\n", LogError, "not UTF-8"),
        ("log.csv", b"case,act\xe4vity,timestamp\n1,geheim,2026-01-05\n" + b"x" * 9, LogError, "not UTF-8"),
        ("log.csv", "case,activity,timestamp\n".encode("utf-16"), LogError, "UTF-8 only"),
        ("log.csv", b"", LogError, "empty"),
        ("log.csv", b"case,activity,timestamp\n1,a,geheim\n", LogError, "no form"),
        ("log.csv", b"case,what,timestamp\n1,geheim,2026-01-05\n", ColumnError, "activity"),
        ("log.parquet", b"geheim", LogError, "no Parquet"),
        ("log.xes", b"<log/>", UsageError, "Parquet or CSV"),
        ("_log.csv", b"case,activity,timestamp\n1,a,2026-01-05\n", LogError, "begin with _"),
    ],
)  # fmt: skip
def test_what_spark_cannot_read_is_said_without_quoting_the_log(
    spark, tmp_path, name, content, kind, message
):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(kind) as error:
        hm.read_log(tmp_path / name, engine="spark")
    assert message in str(error.value)
    assert "geheim" not in str(error.value)


def test_files_of_different_columns_are_refused(spark, tmp_path):
    (tmp_path / "1.csv").write_text("case,activity,timestamp\n1,a,2026-01-05\n")
    (tmp_path / "2.csv").write_text("case,timestamp,activity\n1,2026-01-05,a\n")
    with pytest.raises(ColumnError, match="different columns"):
        hm.read_log(tmp_path, engine="spark")


def test_spark_and_duckdb_cannot_be_confused(tmp_path):
    for arguments, message in (
        ({"source": "examples/hospital.csv", "master": "local[2]"}, "--master"),
        ({"source": "examples/hospital.csv", "engine": "sparks"}, "--engine"),
        ({"source": "-", "engine": "spark"}, "standard input"),
        ({"source": "sqlite:///x.db", "engine": "spark", "table": "t"}, "database"),
    ):
        with pytest.raises(UsageError, match=message):
            hm.read_log(**arguments)
    with pytest.raises(LogError, match="no such file"):
        hm.read_log(tmp_path / "nowhere.parquet", engine="spark")


@pytest.fixture
def printed(capsys):
    def call(*arguments):
        with pytest.raises(SystemExit) as stopped:
            main([str(argument) for argument in arguments])
        out = capsys.readouterr()
        assert stopped.value.code == 0, out.err
        return json.loads(out.out)

    return call


def test_every_verb_takes_the_engine(spark, printed, tmp_path):
    log, there = "examples/hospital.csv", ("--engine", "spark", "--json")
    assert printed("inspect", log, *there)["cases"] == 11
    wish = ("--max-risk", "0.1", "--annotate", "mean", "--attacker", "paper")
    plans = [printed("plan", log, *wish, *engine) for engine in (there, ("--json",))]
    for plan in plans:
        assert any(
            "Spark" in note or "CSV" in note for note in plan.pop("notes")
        )  # how it was read
    assert plans[0] == plans[1]
    made = printed("release", log, *wish[:4], "--range", "observed", "--out", tmp_path / "o",
                   "--no-picture", *there)  # fmt: skip
    assert "map.json" in made["public"]
    assert len(hm.read_release(tmp_path / "o").graph.edges) == 8


def test_ctrl_c_stops_what_spark_does_and_leaves_the_session(spark):
    """A query that would take for ever ends at once, and the next one is answered."""
    from hushmap.log.spark_session import SparkEngine

    engine = SparkEngine(spark)
    for_ever = "SELECT count(*) FROM range(1000000000000) WHERE sqrt(id) % 3.5 = 1.25"
    timer = threading.Timer(2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        engine.rows(for_ever)
    assert time.monotonic() - begin < 120
    assert not spark.sparkContext.statusTracker().getActiveJobsIds()
    assert engine.rows("SELECT 1") == [(1,)]
    assert not spark.sparkContext.getJobTags()


def test_the_command_ends_with_130_writes_nothing_and_says_one_line(
    spark, tmp_path, monkeypatch, capfd
):
    """Ctrl-C while Spark counts the edges."""
    from hushmap.discovery import spark as engine

    plain = engine.attended

    def interrupted(session, work):
        timer = threading.Timer(0, os.kill, (os.getpid(), signal.SIGINT))
        return plain(session, lambda: (timer.start(), time.sleep(1), work()))

    monkeypatch.setattr(engine, "attended", interrupted)
    wish = ("--max-risk", "0.1", "--annotate", "mean", "--attacker", "paper", "--range", "observed")
    with pytest.raises(SystemExit) as stopped:
        main(["release", "examples/hospital.csv", *wish, "--engine", "spark", "--out",
              str(tmp_path / "o")])  # fmt: skip
    assert stopped.value.code == 130
    assert capfd.readouterr().err == "hushmap: interrupted; nothing was written.\n"
    assert not (tmp_path / "o").exists()
