"""Where a bundle is not written: what stands there already, what is no map, what is private."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import os
import stat
import tempfile
from pathlib import Path

import pytest

from hushmap.bundle import earlier, writing
from hushmap.bundle.writing import write_bundle
from hushmap.exceptions import BundleError, UsageError
from hushmap.graph import Annotation, Edge, ReleasedGraph, SimulatedGraph

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


def test_a_directory_with_foreign_files_is_refused(tmp_path, write):
    out = tmp_path / "out"
    out.mkdir()
    (out / "thesis.txt").write_text("mine")
    before = tree(tmp_path)
    with pytest.raises(BundleError, match="--overwrite, which replaces an earlier bundle"):
        write(out)
    assert tree(tmp_path) == before


FOREIGN = ["notes.md", ".git/config", "Publication/notes.md", "PUBLIC.md", ".hushmap-left/bundle/x"]


@pytest.mark.parametrize("earlier", [False, True])
def test_overwrite_leaves_foreign_files_beside_the_bundle_as_they_are(tmp_path, write, earlier):
    out = tmp_path / "out"
    if earlier:
        write(out, extra_public={"map.svg": b"old"}, extra_owner={"old.csv": b"old"})
    for name in FOREIGN:
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text("mine")
    (out / "link").symlink_to(tmp_path)
    (out / "notes.md").chmod(0o640)
    out.chmod(0o750)
    inode = out.stat().st_ino
    write(out, overwrite=True, extra_public={"map.html": b"new"})
    assert {path.name for path in (out / "public").iterdir()} == PUBLIC | {"map.html"}
    assert {path.name for path in (out / "owner").iterdir()} == OWNER
    assert mode(out / "owner") == 0o700
    tops = {name.split("/")[0] for name in FOREIGN} | {"link"}
    assert {path.name for path in out.iterdir()} == {"public", "owner"} | tops
    assert {(out / name).read_text() for name in FOREIGN} == {"mine"}
    assert (out / "link").readlink() == tmp_path
    assert (mode(out), mode(out / "notes.md"), out.stat().st_ino) == (0o750, 0o640, inode)


def test_an_earlier_bundle_is_replaced_only_on_request(tmp_path, write):
    out = tmp_path / "out"
    write(out)
    before = tree(tmp_path)
    with pytest.raises(BundleError, match="--overwrite") as raised:
        write(out)
    assert raised.value.exit_status == 1
    assert tree(tmp_path) == before


def test_overwrite_leaves_nothing_of_the_earlier_bundle(tmp_path, write):
    out = tmp_path / "out"
    write(out, extra_public={"map.svg": b"old"}, extra_owner={"old.csv": b"old"})
    write(out, overwrite=True, extra_public={"map.html": b"new"})
    assert {path.name for path in (out / "public").iterdir()} == PUBLIC | {"map.html"}
    assert {path.name for path in (out / "owner").iterdir()} == OWNER
    assert {path.name for path in out.iterdir()} == {"public", "owner"}
    assert mode(out / "owner") == 0o700
    write(tmp_path / "new", overwrite=True)


@pytest.mark.parametrize("part", ["public", "owner"])
def test_overwrite_replaces_what_is_left_of_a_bundle(tmp_path, write, part):
    out = tmp_path / "out"
    write(out)
    (out / part).rename(tmp_path / "published")
    write(out, overwrite=True)
    assert {path.name for path in out.iterdir()} == {"public", "owner"}


@pytest.mark.parametrize(
    "foreign",
    [
        "public/notes.md",
        "owner/decision.md",
        "public/deep/notes.md",
        "owner/deep/notes.md",
    ],
)
def test_overwrite_never_deletes_a_foreign_file(tmp_path, write, foreign):
    out = tmp_path / "out"
    write(out)
    (out / foreign).parent.mkdir(exist_ok=True)
    (out / foreign).write_text("mine")
    before = tree(tmp_path)
    rule = r"no part of an earlier bundle; --overwrite replaces public/ and owner/ as a whole"
    with pytest.raises(BundleError, match=rule) as raised:
        write(out, overwrite=True)
    assert str(out) in str(raised.value)
    assert tree(tmp_path) == before


@pytest.mark.parametrize("part", ["public", "owner"])
@pytest.mark.parametrize("kind", ["file", "empty", "dangling"])
def test_overwrite_replaces_no_half_that_is_none(tmp_path, write, part, kind):
    out = tmp_path / "out"
    out.mkdir()
    if kind == "file":
        (out / part).write_text("mine")
    elif kind == "empty":
        (out / part).mkdir()
    else:
        (out / part).symlink_to(tmp_path / "absent")
    before = tree(tmp_path)
    with pytest.raises(BundleError, match="no part of an earlier bundle"):
        write(out, overwrite=True)
    assert tree(tmp_path) == before


def test_overwrite_asks_for_public_by_name_where_names_differ_in_case_alone(
    tmp_path, write, monkeypatch
):
    out = tmp_path / "out"
    (out / "Public").mkdir(parents=True)
    (out / "Public/holiday.jpg").write_text("mine")
    # As on a file system that takes both names for one.
    monkeypatch.setattr(earlier.os.path, "lexists", lambda path: Path(path).name == "public")
    monkeypatch.setattr(earlier, "_files_in", lambda directory: {"holiday.jpg"})
    with pytest.raises(BundleError, match="no part of an earlier bundle"):
        write(out, overwrite=True)


def test_an_empty_out_is_refused_and_not_taken_for_the_working_directory(
    tmp_path, write, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="--out is empty") as raised:
        write("")
    assert raised.value.exit_status == 2
    assert tree(tmp_path) == {}
    write(".")
    assert (tmp_path / "public/map.json").exists()


@pytest.mark.parametrize("part", ["public", "owner"])
@pytest.mark.parametrize(
    "content", [None, "", "{}", '{"format": "other/1"}', "[]", '{"format": "hushmap/report/1"}']
)
def test_overwrite_replaces_no_directory_that_only_has_the_name(tmp_path, write, part, content):
    out = tmp_path / "out"
    (out / part).mkdir(parents=True)
    (out / part / "mine.txt").write_text("mine")
    if content is not None:
        name = {"public": "certificate.json", "owner": "report.json"}[part]
        (out / part / name).write_text(content)
    before = tree(tmp_path)
    with pytest.raises(BundleError):
        write(out, overwrite=True)
    assert tree(tmp_path) == before


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("target", ["empty", "bundle", "missing"])
def test_a_symbolic_link_is_refused(tmp_path, write, overwrite, target):
    if target != "missing":
        (tmp_path / target).mkdir()
    if target == "bundle":
        write(tmp_path / target)
    (tmp_path / "out").symlink_to(tmp_path / target)
    before = tree(tmp_path)
    with pytest.raises(BundleError, match="symbolic link"):
        write(tmp_path / "out", overwrite=overwrite)
    assert tree(tmp_path) == before


@pytest.mark.parametrize("part", ["public", "owner"])
def test_a_linked_half_of_a_bundle_is_not_replaced(tmp_path, write, part):
    out = tmp_path / "out"
    write(out)
    (out / part).rename(tmp_path / "elsewhere")
    (out / part).symlink_to(tmp_path / "elsewhere")
    before = tree(tmp_path)
    with pytest.raises(BundleError, match="no part of an earlier bundle"):
        write(out, overwrite=True)
    assert tree(tmp_path) == before


def test_a_file_in_place_of_the_directory_is_refused(tmp_path, write):
    (tmp_path / "out").write_text("mine")
    for out in (tmp_path / "out", tmp_path / "out/below"):
        with pytest.raises(BundleError):
            write(out, overwrite=True)
    assert (tmp_path / "out").read_text() == "mine"


def test_an_unwritable_parent_is_refused(tmp_path, write, monkeypatch):
    def refuse(**options):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(writing.tempfile, "mkdtemp", refuse)
    with pytest.raises(BundleError, match="Permission denied") as raised:
        write(tmp_path / "new/out")
    assert raised.value.exit_status == 1
    assert tree(tmp_path) == {}


def test_an_unwritable_parent_is_refused_by_the_system(write):
    with tempfile.TemporaryDirectory() as parent:
        Path(parent).chmod(0o555)
        if os.getuid() == 0:  # root may write everywhere
            os.seteuid(65534)
        try:
            with pytest.raises(BundleError, match="Permission denied"):
                write(Path(parent) / "out")
        finally:
            os.seteuid(os.getuid())
            Path(parent).chmod(0o700)


@pytest.mark.parametrize("closed", [0o555, 0o000, 0o300])
@pytest.mark.parametrize("overwrite", [False, True])
def test_a_directory_that_may_not_be_written_to_is_refused_and_nothing_left(
    own_directory, nobody, write, closed, overwrite
):
    with nobody():
        (own_directory / "out").mkdir()
        (own_directory / "out").chmod(closed)
        with pytest.raises(BundleError, match="Permission denied"):
            write(own_directory / "out", overwrite=overwrite)
    assert [path.name for path in own_directory.iterdir()] == ["out"]
    assert mode(own_directory / "out") == closed
    assert list((own_directory / "out").iterdir()) == []


def test_what_stages_a_bundle_never_takes_a_mode_in_which_it_cannot_be_removed(
    own_directory, nobody, write, monkeypatch
):
    monkeypatch.setattr(earlier, "_may_write", lambda directory: True)  # it was, a moment ago
    real = os.rename

    def refuse(here, there):
        raise PermissionError(errno.EACCES, "Permission denied")

    with nobody():
        (own_directory / "out").mkdir()
        (own_directory / "out").chmod(0o555)
        monkeypatch.setattr(os, "rename", refuse)
        with pytest.raises(BundleError, match="Nothing was left behind"):
            write(own_directory / "out")
        assert [path.name for path in own_directory.iterdir()] == ["out"]
        monkeypatch.setattr(os, "rename", real)
        write(own_directory / "out")
    assert mode(own_directory / "out") == 0o555
    assert {path.name for path in (own_directory / "out").iterdir()} == {"public", "owner"}


def test_a_published_half_that_may_not_be_moved_stays(own_directory, nobody, write):
    out = own_directory / "out"
    with nobody():
        write(out)
        (out / "public").chmod(0o555)
        before = tree(out)
        with pytest.raises(BundleError, match="Nothing was left behind"):
            write(out, overwrite=True)
    assert tree(out) == before


def test_whatever_umask_makes_of_the_parts_nothing_is_left_behind(own_directory, nobody, write):
    with nobody(), umask(0o777), pytest.raises(BundleError, match="Nothing was left behind"):
        write(own_directory / "out")
    assert list(own_directory.iterdir()) == []


def test_what_cannot_be_removed_is_named(tmp_path, write, monkeypatch):
    monkeypatch.setattr(writing.shutil, "rmtree", lambda *args, **options: None)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", lambda handle: (_ for _ in ()).throw(OSError(5, "I/O error")))
        with pytest.raises(BundleError, match="Remove what was left behind") as raised:
            write(tmp_path / "a/out")
    (staging,) = (tmp_path / "a").iterdir()
    assert str(staging) in str(raised.value)
    assert "Nothing was left" not in str(raised.value)
    with pytest.raises(BundleError, match="The bundle was written") as raised:
        write(tmp_path / "out")
    assert (tmp_path / "out/public/map.json").exists()
    assert raised.value.where.startswith(str(tmp_path / ".hushmap-"))


def test_an_earlier_bundle_that_cannot_be_put_back_is_kept_and_named(tmp_path, write, monkeypatch):
    out = tmp_path / "out"
    write(out, extra_public={"map.svg": b"old"})
    old = tree(out)
    rename, calls = os.rename, []

    def failing(*two):
        calls.append(two)
        if len(calls) > 2:
            raise OSError(errno.EIO, "I/O error")
        rename(*two)

    monkeypatch.setattr(os, "rename", failing)
    with pytest.raises(BundleError, match="left behind") as raised:
        write(out, overwrite=True)
    (staging,) = out.iterdir()
    assert str(staging) in str(raised.value)
    assert tree(staging / "earlier") == old
    assert mode(staging) == 0o700


@pytest.mark.parametrize("out", ["a\0b", "loop/out"])
def test_what_is_no_path_is_refused(tmp_path, write, monkeypatch, out):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(BundleError):
        write(out)


@pytest.mark.parametrize(
    "name",
    ["../x", "a/b", "", ".", "..", "map.json", "MAP.JSON", "certificate.json", "certificate.html",
     ".hidden", "a b", "a\\b", "x\0", "-x"],
)  # fmt: skip
def test_no_further_file_takes_a_name_or_leaves_the_directory(tmp_path, write, name):
    with pytest.raises(BundleError, match="can be named"):
        write(tmp_path / "out", extra_public={name: b""})
    assert tree(tmp_path) == {}


def test_a_simulated_graph_cannot_be_written(tmp_path, small, small_certificate, report):
    simulated = SimulatedGraph(small.activities, small.edges, small.weights, small.resolution)
    with pytest.raises(TypeError):
        write_bundle(tmp_path / "out", simulated, small_certificate, report)
    assert tree(tmp_path) == {}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"annotations": ("frequency",)}, "other annotations"),
        ({"resolution": "1min"}, "another resolution"),
        ({"resolution": "soon"}, "no span of time"),
        ({"date": "2026-11-30T12:34:56Z"}, "without a time of day"),
        ({"date": "2026-13-45"}, "without a time of day"),
    ],
)
def test_a_certificate_of_another_map_is_refused(
    tmp_path, small, small_certificate, report, change, message
):
    other = dataclasses.replace(small_certificate, **change)
    with pytest.raises(BundleError, match=message):
        write_bundle(tmp_path / "out", small, other, report)
    assert tree(tmp_path) == {}


@pytest.mark.parametrize(
    ("activities", "edges", "weights", "message"),
    [
        (("B", "A"), (), (), "canonical order"),
        (("A", "A"), (), (), "twice"),
        (("A\ud800",), (), (), "no text"),
        (("A",), (Edge("A", "B"),), (1,), "not among the activities"),
        (("A",), (Edge(None, None),), (1,), "straight to its end"),
        (("A",), (Edge("A", None), Edge(None, "A")), (1, 1), "canonical order"),
        (("A",), (Edge("A", "A"), Edge("A", "A")), (1, 1), "twice"),
        (("A",), (Edge("A", "A"),), (-1,), "negative"),
        (("A",), (Edge("A", "A"),), (0,), "at least 1"),
        (("A",), (Edge("A", "A"),), (None,), "no frequency"),
        (("A",), (Edge("A", "A"),), (1, 2), "as many"),
    ],
)
def test_a_malformed_map_is_refused(
    tmp_path, make_graph, make_certificate_of, report, activities, edges, weights, message
):
    graph = ReleasedGraph(activities, edges, {Annotation.FREQUENCY: weights}, 1_000_000)
    certificate = make_certificate_of(make_graph(["A"]))
    with pytest.raises(BundleError, match=message):
        write_bundle(tmp_path / "out", graph, certificate, report)


def test_nothing_private_goes_into_a_public_file(tmp_path, write, report):
    written = write(tmp_path / "out", extra_owner={"x.csv": b"1"})
    (row,) = report.edges
    private = [str(row[key]) for key in ("actual", "released", "epsilon", "epsilon_range", "range")]
    private += [str(tmp_path), "A note."]
    for path in written.public:
        text = path.read_text()
        for secret in private:
            assert secret not in text, (path.name, secret)
