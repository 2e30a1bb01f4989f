"""A bundle is written whole or not at all, closed where it must be, and over nothing foreign."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import hashlib
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from hushmap.bundle import writing
from hushmap.bundle.writing import public_files, write_bundle
from hushmap.exceptions import BundleError
from hushmap.graph import ReleasedGraph

PUBLIC = {
    "map.json", "map.csv", "map.dfg", "map.graphml", "map.dot", "certificate.json",
    "certificate.html",
}  # fmt: skip
OWNER = {"report.json", "report.csv"}


@contextlib.contextmanager
def umask(mask):
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def tree(directory):
    """Every file and directory beneath, with contents: nothing may be left behind or changed."""
    return {
        path.relative_to(directory): path.read_bytes() if path.is_file() else None
        for path in directory.rglob("*")
    }


@pytest.fixture
def write(small, small_certificate, report):
    def write(out, **options):
        return write_bundle(out, small, small_certificate, report, **options)

    return write


def test_a_bundle_holds_the_files_of_the_interface(tmp_path, write):
    written = write(tmp_path / "out")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"public", "owner"}
    assert {path.name for path in (tmp_path / "out/public").iterdir()} == PUBLIC
    assert {path.name for path in (tmp_path / "out/owner").iterdir()} == OWNER
    assert set(written.public) == {tmp_path / "out/public" / name for name in PUBLIC}
    assert set(written.owner) == {tmp_path / "out/owner" / name for name in OWNER}
    assert written.directory == tmp_path / "out"


def test_a_map_of_times_alone_has_no_dfg(make_graph, make_certificate_of):
    graph = make_graph(["A", "B"], ["mean"])
    files, _ = public_files(graph, make_certificate_of(graph), {})
    assert set(files) == PUBLIC - {"map.dfg"}


def test_the_certificate_holds_the_hash_of_every_other_public_file(tmp_path, write):
    written = write(
        tmp_path / "out",
        extra_public={"map.svg": b"<svg/>"},
        extra_owner={"frontier.csv": b"risk\r\n"},
    )
    public = tmp_path / "out/public"
    files = json.loads((public / "certificate.json").read_bytes())["files"]
    hashes = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in public.iterdir()
        if path.name != "certificate.json"
    }
    assert files == hashes == dict(written.certificate.files)
    page = (public / "certificate.html").read_text()
    for name, digest in hashes.items():
        assert (digest in page) is (name != "certificate.html")
    assert (tmp_path / "out/owner/frontier.csv").read_bytes() == b"risk\r\n"


def test_equal_releases_make_equal_bytes(nasty_names, make_graph, make_certificate_of):
    kinds = ["frequency", "sum", "mean", "min", "max"]
    graph = make_graph(nasty_names, kinds)
    certificate = make_certificate_of(graph, range_kind="declared")
    reordered = ReleasedGraph(
        graph.activities, graph.edges, dict(reversed(graph.weights.items())), graph.resolution
    )
    shuffled = dataclasses.replace(
        certificate,
        mechanisms=dict(reversed(certificate.mechanisms.items())),
        unit_limits=dict(reversed(certificate.unit_limits.items())),
        files={"old": "hash"},
    )
    extra = {"map.svg": b"<svg/>", "map.html": b"<p>"}
    first, _ = public_files(graph, certificate, extra)
    second, _ = public_files(reordered, shuffled, dict(reversed(extra.items())))
    assert first == second
    assert list(first) == sorted(first)


def test_bytes_do_not_depend_on_hash_seed_place_or_environment(tmp_path):
    program = """
import hashlib, sys
from hushmap.bundle.writing import write_bundle
from hushmap.graph import Annotation, Edge, ReleasedGraph
from hushmap.planning.parameters import PlanParameters
from hushmap.release.certificate import make_certificate
from hushmap.release.report import OwnerReport
names = tuple(sorted("abcdefgh"))
graph = ReleasedGraph(names, tuple(Edge(name, name) for name in names),
                      {Annotation.FREQUENCY: tuple(range(1, 9))}, 1_000_000)
certificate = make_certificate(PlanParameters.of(max_risk="0.2"), version="1", date="2026-11-30",
                               resolution="1s", max_duration=None)
written = write_bundle(sys.argv[1], graph, certificate, OwnerReport({}, ()))
for path in written.public:
    print(path.name, hashlib.sha256(path.read_bytes()).hexdigest())
"""
    outputs = [
        subprocess.run(
            [sys.executable, "-c", program, tmp_path / f"secret-place-{seed}"],
            env={**os.environ, "PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": "C", "USER": seed},
            check=True, capture_output=True, cwd=tmp_path, text=True,
        ).stdout
        for seed, zone in [("1", "UTC"), ("2", "Asia/Tokyo")]
    ]  # fmt: skip
    assert outputs[0] == outputs[1]
    assert outputs[0].count("\n") == len(PUBLIC)
    for path in tmp_path.rglob("public/*"):
        assert b"secret-place" not in path.read_bytes()


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
@pytest.mark.parametrize("existing", [False, True])
def test_owner_is_closed_whatever_the_umask(tmp_path, write, mask, existing):
    out = tmp_path / "out"
    with umask(mask):
        if existing:
            out.mkdir()
        write(out, extra_public={"map.svg": b"<svg/>"}, extra_owner={"x.csv": b"1"})
    assert mode(out / "owner") == 0o700
    assert {mode(path) for path in (out / "owner").iterdir()} == {0o600}
    assert mode(out) == mode(out / "public") == 0o777 & ~mask
    assert {mode(path) for path in (out / "public").iterdir()} == {0o666 & ~mask}


def test_owner_is_closed_from_the_first_moment(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "chmod", lambda *path_and_mode: None)
    with umask(0):
        writing._write_owner(tmp_path / "owner", {"report.json": b"{}"})
    assert mode(tmp_path / "owner") == 0o700
    assert mode(tmp_path / "owner/report.json") == 0o600


def test_owner_can_be_opened_by_its_owner_under_a_strange_umask(tmp_path):
    with umask(0o777):
        writing._write_owner(tmp_path / "owner", {"report.json": b"{}"})
    assert mode(tmp_path / "owner") == 0o700
    assert mode(tmp_path / "owner/report.json") == 0o600


def test_the_mode_of_an_empty_directory_is_kept(tmp_path, write):
    (tmp_path / "out").mkdir(mode=0o700)
    write(tmp_path / "out")
    assert mode(tmp_path / "out") == 0o700


@pytest.mark.parametrize("existing", [False, True])
def test_the_group_of_a_shared_directory_is_taken_over(tmp_path, write, existing):
    (tmp_path / "team").mkdir()
    (tmp_path / "team").chmod(0o2775)
    if existing:
        (tmp_path / "team/out").mkdir()
    write(tmp_path / "team/out")
    assert mode(tmp_path / "team/out") & stat.S_ISGID
    assert mode(tmp_path / "team/out/public") & stat.S_ISGID


def test_nobody_can_look_in_while_it_is_written(tmp_path, write, monkeypatch):
    seen = []
    flush = writing._flush_directory

    def look(directory):
        staging = [path for path in tmp_path.iterdir() if path.name.startswith(".hushmap-")]
        seen.extend(mode(path) for path in staging)
        flush(directory)

    monkeypatch.setattr(writing, "_flush_directory", look)
    with umask(0):
        write(tmp_path / "out")
    assert set(seen) == {0o700}


def test_everything_is_flushed_before_it_is_renamed(tmp_path, write, monkeypatch):
    order = []
    fsync, rename = os.fsync, os.rename
    monkeypatch.setattr(os, "fsync", lambda handle: (order.append("fsync"), fsync(handle)))
    monkeypatch.setattr(os, "rename", lambda *two: (order.append("rename"), rename(*two)))
    write(tmp_path / "out")
    assert order.count("rename") == 1
    assert order.index("rename") >= len(PUBLIC | OWNER) + 3
    assert order[-1] == "fsync"


@pytest.mark.parametrize("place", ["out", "a/b/out", "a/../out", "./out/"])
def test_relative_paths_and_missing_parents_are_made(tmp_path, write, monkeypatch, place):
    monkeypatch.chdir(tmp_path)
    if place == "a/../out":
        (tmp_path / "a").mkdir()
    written = write(place)
    assert (tmp_path / place / "public/map.json").is_file()
    assert written.directory.is_absolute()


def test_the_working_directory_stays_the_same_directory(tmp_path, write, monkeypatch):
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path / "out")
    inode = (tmp_path / "out").stat().st_ino
    write(".")
    assert (tmp_path / "out").stat().st_ino == inode
    assert {path.name for path in Path().iterdir()} == {"public", "owner"}
    write(Path(), overwrite=True)
    assert {path.name for path in Path().iterdir()} == {"public", "owner"}


def fail_at(monkeypatch, function, call, error):
    """Let the call of that number to a function of os fail."""
    real, calls = getattr(os, function), []

    def failing(*args, **options):
        calls.append(args)
        if len(calls) == call:
            raise error
        return real(*args, **options)

    monkeypatch.setattr(os, function, failing)
    return calls


@pytest.mark.parametrize("function", ["rename", "fsync", "open"])
@pytest.mark.parametrize("call", [1, 3, 5])
@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()], ids=repr
)
@pytest.mark.parametrize("start", ["absent", "nested", "empty", "bundle", "here", "foreign"])
def test_a_failure_in_the_middle_leaves_everything_as_it_was(
    tmp_path, write, monkeypatch, function, call, error, start
):
    out = tmp_path / ("a/b/out" if start == "nested" else "out")
    if start in {"empty", "here", "foreign"}:
        out.mkdir()
    if start == "foreign":
        (out / "thesis.txt").write_text("mine")
    if start == "here":
        monkeypatch.chdir(out)
    if start == "bundle":
        write(out, extra_public={"map.svg": b"<svg/>"}, extra_owner={"old.csv": b"1"})
    before = tree(tmp_path)
    with monkeypatch.context() as patch:
        calls = fail_at(patch, function, call, error)
        message = None
        try:
            write(out, overwrite=start in {"bundle", "foreign"})
        except (BundleError, KeyboardInterrupt) as raised:
            message = str(raised)
    failed = message is not None
    assert not failed or ("No space left on device" in message) is isinstance(error, OSError)
    whole = (out / "public/map.json").exists() and (out / "owner/report.json").exists()
    # Calls of rename are few, and what fails after the last of them no longer matters.
    assert failed or whole
    assert not failed or len(calls) >= call
    if failed and tree(tmp_path) != before:
        pytest.fail(f"left behind: {sorted(map(str, tree(tmp_path).keys() ^ before.keys()))}")
    assert not list(tmp_path.rglob(".hushmap-*"))


@pytest.mark.parametrize("start", ["bundle", "here", "foreign"])
def test_where_there_is_a_public_half_the_bundle_is_whole(tmp_path, write, monkeypatch, start):
    out = tmp_path / "out"
    out.mkdir()
    if start == "here":
        monkeypatch.chdir(out)
    elif start == "foreign":
        (out / "thesis.txt").write_text("mine")
    else:
        write(out, extra_public={"first.svg": b""}, extra_owner={"first.csv": b""})
    rename, states = os.rename, []

    def watched(*two):
        rename(*two)
        public, owner = out / "public", out / "owner"
        states.append((public.exists(), owner.exists()))
        if public.exists():
            assert (public / "second.svg").exists()
            assert (owner / "second.csv").exists()

    monkeypatch.setattr(os, "rename", watched)
    write(out, overwrite=True, extra_public={"second.svg": b""}, extra_owner={"second.csv": b""})
    assert states[-2:] == [(False, True), (True, True)]
    assert len(states) == (4 if start == "bundle" else 2)


def test_a_failing_format_leaves_nothing_behind(tmp_path, write, monkeypatch):
    def broken(graph):
        raise RuntimeError("planted")

    monkeypatch.setattr(writing, "map_dot", broken)
    with pytest.raises(RuntimeError, match="planted"):
        write(tmp_path / "a/out")
    assert tree(tmp_path) == {}


def test_a_killed_run_leaves_nothing_that_others_can_read(tmp_path):
    program = """
import os, signal, sys
from pathlib import Path
from hushmap.bundle import writing
from hushmap.graph import Annotation, Edge, ReleasedGraph
from hushmap.planning.parameters import PlanParameters
from hushmap.release.certificate import make_certificate
from hushmap.release.report import OwnerReport
os.umask(0)
os.rename = lambda *two: os.kill(os.getpid(), signal.SIGKILL)
graph = ReleasedGraph(("A",), (Edge("A", "A"),), {Annotation.FREQUENCY: (1,)}, 1_000_000)
certificate = make_certificate(PlanParameters.of(max_risk="0.2"), version="1", date="2026-11-30",
                               resolution="1s", max_duration=None)
writing.write_bundle(sys.argv[1], graph, certificate, OwnerReport({}, ()))
"""
    out = tmp_path / "out"
    killed = subprocess.run([sys.executable, "-c", program, out], check=False)
    assert killed.returncode == -9
    assert not out.exists()
    (left,) = tmp_path.iterdir()
    assert mode(left) == 0o700
