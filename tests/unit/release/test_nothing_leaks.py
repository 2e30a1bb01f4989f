"""Nothing private reaches a public file, a repr or a message; planted leaks are found.

Two kinds of test. *Searching*: every true weight, ε, range, risk, case id and path is looked for
in everything public. *Twins*: two logs that share nothing but their edges are released with noise
that makes the released weights equal; then every public byte must be equal, which finds whatever
a search cannot name (a rounded figure, a width of a line, an order, a size).
"""

import dataclasses
import importlib
import json
import pickle
import pkgutil
import re
import socket
from html import unescape
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sources import RecordedNoise, Silence

import hushmap as hm
from hushmap.graph import Annotation
from hushmap.planning.draws import Draw
from hushmap.release.release import _release

ALL = ["frequency", "sum", "mean", "min", "max"]
NAMES = "ABC"
EDGES = [(None, "A"), *((a, b) for a in NAMES for b in NAMES if a <= b), ("C", None)]
WISHES = [
    {"annotate": ["frequency"]},
    {"annotate": ALL},
    {"annotate": ALL, "scope": "annotation"},
    {"annotate": ["mean"], "range": "observed"},
    {"annotate": ["min", "max"], "range": "observed", "attacker": "empirical"},
    {"annotate": ["sum"], "range": "observed", "attacker": "paper", "precision": "1h"},
    {"annotate": ["sum", "min", "max"], "attacker": "empirical", "scope": "annotation"},
]
COMBINATIONS = [(wish, {"max_risk": "0.15"}) for wish in WISHES] + [
    (WISHES[number], limit)
    for number, limit in (
        (1, {"max_error": "0.7"}),
        (1, {"max_error": "0.95", "error_reading": "per-edge"}),
        (3, {"max_error": "0.95", "error_reading": "per-edge"}),
        (4, {"max_error": "0.7"}),
    )
]


def secret_graph(seed, bound):
    """Each weight is a number of six digits and more, which does not turn up by itself."""
    rng = np.random.default_rng(seed)
    rows = []
    for source, target in EDGES:
        if source is None or target is None:
            rows.append((source, target, None, int(rng.integers(123_457, 987_654))))
            continue
        for _ in range(4):
            duration = int(rng.integers(123_457, 987_654))
            rows.append((source, target, float(duration), int(rng.integers(101_003, 323_456))))
    names = {"source": pl.String, "target": pl.String, "duration_seconds": pl.Float64,
             "count": pl.Int64}  # fmt: skip
    frame = pl.DataFrame(rows, schema=names, orient="row")
    return hm.from_transitions(frame, max_duration=bound)


def planned(graph, wish, limit):
    """The plan, with an error limit that can be reached."""
    try:
        return hm.plan(graph, **wish, **limit)
    except hm.exceptions.UnreachableLimitError:
        return hm.plan(graph, **wish, max_error=50)


def bound_of(wish):
    return None if "range" in wish else "9d"


def secrets_of(plan):
    """Every private number of a plan: in its unit, in ticks, and per tick."""
    numbers = set()
    for row in plan.edges:
        for key in ("occurrences", "range", "actual", "epsilon", "epsilon_range", "risk", "risk_any",
                    "expected_ape", "expected_smape"):  # fmt: skip
            # A declared range is public, and a range of one is that of every count.
            public = is_public(plan, row, key) or (key == "range" and plan.graph.bounds is not None)
            if row[key] is not None and not public:
                numbers.add(row[key])
    graph = plan.graph
    for values in (graph.sums, graph.minima, graph.maxima, graph.counts, graph.unclipped_sums,
                   graph.unclipped_minima, graph.unclipped_maxima):  # fmt: skip
        numbers |= {int(value) for value in values}
    if plan.graph.bounds is not None:
        numbers -= {int(bound) for bound in plan.graph.bounds}
    if plan.parameters.max_error is not None:
        numbers |= {plan.risk, *plan.summary["release"].values()}
    return {spelled(number) for number in numbers if number is not None and long(number)}


def is_public(plan, row, key):
    """Under P1, ε of frequencies and the risks follow from the limit alone (interface.md)."""
    if plan.parameters.max_error is not None:
        return False
    return key in {"risk", "risk_any", "epsilon_range"} or (
        row["annotation"] == "frequency" and key == "epsilon"
    )


def long(number):
    """Short numbers turn up by chance; the secrets of these graphs have six digits and more."""
    return len(re.sub(r"\D", "", f"{float(number):.6g}".split("e")[0]).strip("0")) >= 6


def spelled(number):
    """One spelling of a number for all the ways in which it may be written."""
    return f"{float(number):.6g}"


def numbers_in(text):
    """Every number of a text, thousands separators or none."""
    text = unescape(re.sub(r"\b[0-9a-f]{64}\b|#[0-9a-fA-F]{6}\b", "", text))
    plain = re.findall(r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?", text)
    parted = re.findall(r"\d{1,3}(?:[,.\u00a0\u2009\u202f '_]\d{3})+(?:\.\d+)?", text)
    found = {spelled(one) for one in plain}
    return found | {spelled(re.sub(r"[^\d.]", "", one.replace(".", "", one.count(".") - 1)))
                    for one in parted}  # fmt: skip


def own_numbers(graph):
    """What was released may be equal to a private value by chance."""
    values = [value for kind in graph.annotations for value in graph.values(kind)]
    ticks = [value for kind in graph.annotations for value in graph.weights[kind]]
    return {spelled(value) for value in (*values, *ticks) if value is not None}


@pytest.mark.parametrize(("wish", "limit"), COMBINATIONS, ids=str)
def test_no_public_file_and_no_repr_holds_a_private_value(tmp_path, wish, limit):
    plan = planned(secret_graph(3, bound_of(wish)), wish, limit)
    release = hm.release(plan)
    release.write(tmp_path / "out")
    secrets = secrets_of(plan)
    assert len(secrets) > 20
    shown = {file.name: file.read_text() for file in (tmp_path / "out/public").iterdir()}
    assert len(shown) >= 8
    shown["summary"] = json.dumps(hm.read_release(tmp_path / "out").summary())
    shown["picture"] = str(release.graph._repr_mimebundle_())
    shown["cell"] = str(release.public._repr_mimebundle_())
    for name, text in shown.items():
        assert not numbers_in(text) & (secrets - own_numbers(release.graph)), name
    public = repr(pickle.loads(pickle.dumps(release.public)).graph.weights)
    assert not numbers_in(public) & (secrets - own_numbers(release.graph))


@pytest.mark.parametrize(("wish", "limit"), COMBINATIONS, ids=str)
def test_no_repr_of_the_owners_objects_holds_a_private_value(wish, limit):
    """Of a release, and of every object of ours that it is made of: a notebook shows reprs."""
    plan = planned(secret_graph(3, bound_of(wish)), wish, limit)
    secrets, seen = secrets_of(plan), {}
    hold(hm.release(plan), seen)
    assert {"Release", "Plan", "ExactGraph", "Calibration", "ExpectedErrors"} <= {
        type(thing).__name__ for thing in seen.values()
    }
    for thing in seen.values():
        if type(thing).__name__ not in {"ReleasedGraph", "Certificate"}:
            assert not numbers_in(f"{thing!r} {thing}") & secrets, type(thing)


def hold(thing, seen):
    """Everything of our own types that can be reached from a thing."""
    if id(thing) in seen:
        return
    if isinstance(thing, dict):
        for value in thing.values():
            hold(value, seen)
    elif type(thing).__module__.startswith("hushmap"):
        seen[id(thing)] = thing
        slots = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
        for name in {*slots, *getattr(thing, "__dict__", {})}:
            if not name.startswith("__") and hasattr(thing, name):
                hold(getattr(thing, name), seen)


def test_the_dataclasses_of_the_private_rooms_show_no_figures():
    """What they hold is exact: a repr made by `dataclass` would print it."""
    from hushmap.discovery.assemble import EdgeTotals, Histogram

    numbers = np.array([123_457, 987_643])
    for made in (
        Histogram(numbers, numbers, numbers),
        EdgeTotals([], *([[123_457]] * 7)),
    ):
        assert dataclasses.is_dataclass(made)
        assert not numbers_in(repr(made)) & {"123457", "987643"}, type(made)


CHOICES = {  # what they hold is the owner's choice, the program's own, or says what was found amiss
    "Precision", "PlanParameters", "DeclaredBounds", "XesKeys", "DistributedFile", "PublicLog",
    "CsvDialect", "Dialect", "TimestampReading", "ColumnChoice", "ReadOptions", "SparkRows",
    "SparkFiles", "RawRows", "XesAttributes", "Broken", "Mechanism", "Neighbours", "WholeNumbers",
    "Event", "Features", "Check", "AuditReport", "Fineness", "EventLog",
}  # fmt: skip


def test_every_dataclass_of_the_private_rooms_is_owner_only_or_known_to_tell_nothing():
    made = {}
    for name in ("log", "discovery", "risk", "accuracy", "planning", "audit", "web"):
        package = importlib.import_module(f"hushmap.{name}")
        for module in pkgutil.walk_packages(package.__path__, f"hushmap.{name}."):
            for thing in vars(importlib.import_module(module.name)).values():
                if not isinstance(thing, type) or thing.__module__ != module.name:
                    continue
                if dataclasses.is_dataclass(thing):
                    made[thing.__name__] = thing
    assert len(made) > 50
    telling = {name for name, thing in made.items() if thing.__dataclass_params__.repr}
    assert telling <= CHOICES | {"Limits", "Wish", "Limit", "Reading", "Received", "Source",
                                 "Problem", "Wizard"}  # fmt: skip


def secret_log(seed, folder):
    """A log of a few cases in a file whose name is nobody's business."""
    rng = np.random.default_rng(seed)
    rows = []
    for case in range(60):
        start = 1_700_000_000 + int(rng.integers(0, 10**7))
        for activity in ("A", "B", "C", *rng.choice(["A", "B", "C"], 3)):
            start += int(rng.integers(100_000, 999_999))
            rows.append((f"secret-case-{case:05}", activity, start))
    frame = pl.DataFrame(rows, schema=["case", "activity", "timestamp"], orient="row")
    path = folder / "secret-folder-name.csv"
    frame.write_csv(path)
    return path


def test_no_public_file_names_a_case_a_path_or_the_machine(tmp_path):
    path = secret_log(3, tmp_path)
    graph = hm.discover(hm.read_log(path, timestamp_format="epoch-s"), max_duration="12d")
    release = hm.release(hm.plan(graph, max_risk=0.2, annotate=ALL))
    release.write(tmp_path / "out", png=True)
    words = ["secret-case", "secret-folder", str(tmp_path), str(Path.cwd())]
    words += [socket.gethostname()] if len(socket.gethostname()) > 5 else []  # "vm" is anywhere
    files = sorted((tmp_path / "out/public").iterdir())
    assert len(files) >= 10
    for file in files:
        content = file.read_bytes()
        assert not [word for word in words if word.encode() in content], file.name
    for word in words:
        assert word not in repr([release, release.graph, graph, release.certificate])


SPELLINGS = {
    "map.json": ('"sum":{},', "[{},{}]"),
    "map.csv": ("A,B,{},{}.0\r\n", ",{}\r\n"),
    "map.dfg": ("A/{}\n", "0>1:{}\n"),
    "map.dot": ('label="{:,}"', "penwidth={};"),
    "map.graphml": ("<data key='f'>{}</data>", 'id="n{}"'),
    "map.svg": ("<title>{:,}</title>", 'data-n="{}"', "M{},{}"),
    "map.html": ("{{&#34;n&#34;:{}}}", "<td>{:,}</td>", "x{}px"),
    "certificate.json": ('"epsilon":{:e}', '"limit":{}'),
    "certificate.html": ("<p>{:.1f}</p>", "<!--{}-->"),
}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A plan, and the text of every public file of a release of it."""
    folder = tmp_path_factory.mktemp("written") / "out"
    plan = hm.plan(secret_graph(4, "9d"), max_risk=0.2, annotate=ALL)
    hm.release(plan).write(folder)
    return plan, {file.name: file.read_text() for file in (folder / "public").iterdir()}


@pytest.mark.parametrize(
    ("name", "spelling"), [(name, one) for name, ways in SPELLINGS.items() for one in ways]
)
def test_a_leak_planted_in_any_file_is_found(written, name, spelling):
    plan, texts = written
    text = texts[name]
    count = int(plan.graph.counts[1])
    half = len(text) // 2
    leaky = text[:half] + " " + spelling.format(count, count) + " " + text[half:]
    assert spelled(count) in numbers_in(leaky) & secrets_of(plan)


def test_a_release_without_noise_is_found_in_every_map(tmp_path):
    plan = hm.plan(secret_graph(4, "9d"), max_risk=0.2, annotate=["frequency", "sum"])
    _release(plan, Silence(), "2026-01-05").write(tmp_path / "out")
    for name in ("map.json", "map.csv", "map.dfg", "map.dot", "map.graphml"):
        found = numbers_in((tmp_path / "out/public" / name).read_text()) & secrets_of(plan)
        assert len(found) >= 8, name
    p2 = hm.plan(secret_graph(4, "9d"), max_error=0.2)
    assert numbers_in(f"risk {p2.risk!r}") & secrets_of(p2)


def steered(plan):
    """Noise that makes the released weights of every graph the same."""
    graph, timed = plan.graph, plan.graph.timed
    exact = {Draw.FREQUENCY: graph.counts.tolist(),
             Draw.SUM: [total for total, has in zip(graph.sums, timed, strict=True) if has],
             Draw.MIN: graph.minima[timed].tolist(), Draw.MAX: graph.maxima[timed].tolist()}  # fmt: skip
    draws = []
    for draw in plan.draws:
        wanted = [1_000_000 + 7_919 * place for place in range(len(exact[draw]))]
        if draw is Draw.SUM and Draw.FREQUENCY not in plan.draws and mean_shown(plan):
            wanted = [n * w for n, w in zip(graph.counts[timed].tolist(), wanted, strict=True)]
        draws.append([w - a for w, a in zip(wanted, exact[draw], strict=True)])
    return RecordedNoise(*draws)


def mean_shown(plan):
    return Annotation.MEAN in plan.parameters.annotations


def public_bytes(plan, folder):
    made = _release(plan, steered(plan), "2026-01-05")
    made.write(folder, png=len(plan.parameters.annotations) == len(Annotation))
    files = {file.name: file.read_bytes() for file in (folder / "public").iterdir()}
    return files | {"picture": repr(made.graph._repr_mimebundle_()), "repr": repr(made),
                    "pickle": pickle.dumps(made.public)}  # fmt: skip


@pytest.mark.parametrize(("wish", "limit"), COMBINATIONS, ids=str)
def test_logs_with_the_same_released_values_give_the_same_bytes(tmp_path, wish, limit):
    """Two logs that share nothing but their edges."""
    twins = [secret_graph(seed, bound_of(wish)) for seed in (5, 6)]
    assert twins[0].edges == twins[1].edges
    assert not set(twins[0].counts.tolist()) & set(twins[1].counts.tolist())
    one, other = (
        public_bytes(planned(graph, wish, limit), tmp_path / str(number))
        for number, graph in enumerate(twins)
    )
    assert sorted(one) == sorted(other)
    for name in one:
        assert one[name] == other[name], name


def test_a_leak_that_no_search_can_name_makes_the_bytes_differ(tmp_path, monkeypatch):
    from hushmap.release import release as door

    # As a bound that is rounded from the data would: a few digits only.
    monkeypatch.setattr(door, "_one_bound", lambda plan: f"{sum(plan.graph.sums) // 10**9}h")
    plans = [hm.plan(secret_graph(seed, "9d"), max_risk=0.2, annotate=ALL) for seed in (5, 6)]
    one, other = (public_bytes(plan, tmp_path / str(i)) for i, plan in enumerate(plans))
    assert one["certificate.json"] != other["certificate.json"]


def test_the_rooms_that_write_public_files_do_not_name_the_private_side():
    """The import contract of .importlinter, and no mention of the private types."""
    root = Path("src/hushmap")
    for room in ("bundle", "picture"):
        for file in (root / room).rglob("*.py"):
            source = file.read_text()
            assert not re.search(r"\b(ExactGraph|Plan|EventLog|Calibrator)\b", source), file
            assert not re.search(
                r"^\s*(from|import) hushmap\.(log|discovery|risk|noise|planning|accuracy)",
                source,
                re.MULTILINE,
            ), file


def test_a_log_that_cannot_be_read_is_not_quoted_by_the_certificate_either(tmp_path):
    with pytest.raises(hm.exceptions.BundleError) as error:
        hm.read_release(tmp_path)
    assert "Hint" in str(error.value)
