"""A bundle comes back as it went, and whatever was done to it ends in an error that says so."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
import shutil
import tempfile
from fractions import Fraction
from pathlib import Path

import pytest
from forging import sealed
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hushmap.bundle import reading
from hushmap.bundle.certificate_json import read_certificate
from hushmap.bundle.map_json import read_map
from hushmap.bundle.reading import read_release
from hushmap.bundle.strict_json import shown, strict_json
from hushmap.bundle.writing import write_bundle
from hushmap.exceptions import BundleError, TamperedBundleError
from hushmap.graph import Annotation

SETTINGS = settings(
    derandomize=True,
    deadline=None,
    max_examples=150,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.fixture
def bundle(tmp_path, small, small_certificate, report):
    write_bundle(
        tmp_path / "out", small, small_certificate, report, extra_public={"map.svg": b"<svg/>"}
    )
    return tmp_path / "out"


def certify(public):
    """Make the certificate name the files as they are now: the forger's bundle."""
    record = json.loads((public / "certificate.json").read_bytes())
    record["files"] = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in public.iterdir()
        if path.name != "certificate.json"
    }
    (public / "certificate.json").write_text(json.dumps(record))


def forge(public, name, change):
    path = public / name
    path.write_text(json.dumps(change(json.loads(path.read_bytes()))))
    if name != "certificate.json":
        certify(public)


@pytest.mark.parametrize("kinds", [("frequency",), ("frequency", "sum", "mean", "min", "max")])
@pytest.mark.parametrize("resolution", [1, 1_000_000, 60_000_000])
def test_a_release_comes_back_as_it_went(
    tmp_path, nasty_names, make_graph, make_certificate_of, report, kinds, resolution
):
    graph = make_graph(nasty_names, kinds, resolution)
    written = write_bundle(tmp_path / "out", graph, make_certificate_of(graph), report)
    for place in (tmp_path / "out", tmp_path / "out/public", str(tmp_path / "out")):
        release = read_release(place)
        assert release.graph == graph
        assert release.graph.annotations == graph.annotations
        assert release.graph.resolution == resolution
        assert release.certificate == written.certificate
        assert release.records() == graph.records()


def test_a_relative_path_is_read(bundle, monkeypatch):
    monkeypatch.chdir(bundle)
    assert read_release(".").graph == read_release("public").graph


def test_a_release_shows_what_it_is(bundle):
    release = read_release(bundle)
    assert repr(release) == (
        "PublicRelease(3 activities, 7 edges; frequency, mean; risk at most 0.2, 2026-11-30)"
    )
    summary = release.summary()
    assert summary["activities"] == 3
    assert summary["edges"] == 7
    assert summary["certificate"]["risk"] == 0.2
    json.dumps(summary)


def test_a_published_half_alone_is_read(bundle, tmp_path):
    (bundle / "public").rename(tmp_path / "received")
    read_release(tmp_path / "received")


@pytest.mark.parametrize(
    "name",
    ["map.json", "map.csv", "map.dfg", "map.graphml", "map.dot", "map.svg", "certificate.html"],
)
def test_every_changed_file_is_named(bundle, name):
    path = bundle / "public" / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(TamperedBundleError, match=name.replace(".", "[.]")):
        read_release(bundle)


@pytest.mark.parametrize("name", ["map.json", "map.svg", "certificate.html"])
def test_every_missing_file_is_named(bundle, name):
    (bundle / "public" / name).unlink()
    with pytest.raises(TamperedBundleError, match=f"{name} is missing"):
        read_release(bundle)


@pytest.mark.parametrize("name", ["extra.txt", ".hidden", "folder/", "\x1b[2J", "é"])
def test_every_added_file_is_named(bundle, name):
    path = bundle / "public" / name
    if name.endswith("/"):
        path.mkdir()
    else:
        path.write_text("x")
    with pytest.raises(TamperedBundleError, match="not named in the certificate") as raised:
        read_release(bundle)
    assert str(raised.value).isascii()
    assert "\x1b" not in str(raised.value)


def test_without_a_certificate_there_is_no_bundle(bundle, tmp_path):
    for place in (bundle / "owner", tmp_path, tmp_path / "absent", bundle / "public/map.json"):
        with pytest.raises(BundleError, match=r"certificate[.]json is missing"):
            read_release(place)
    with pytest.raises(BundleError):
        read_release("a\0b")


@pytest.mark.parametrize("named", ["out", "out/public"])
@pytest.mark.parametrize("closed", ["out", "out/public", "out/public/certificate.json"])
@pytest.mark.parametrize("mode", [0o000, 0o444])
def test_a_bundle_that_cannot_be_read_for_lack_of_permission_is_not_called_absent(
    tmp_path, small, small_certificate, report, nobody, own_directory, named, closed, mode
):
    with nobody():
        write_bundle(own_directory / "out", small, small_certificate, report)
        (own_directory / closed).chmod(mode)
        if mode == 0o444 and closed.endswith("json"):
            assert read_release(own_directory / named).graph == small
            return
        with pytest.raises(BundleError, match="cannot be read: Permission denied") as raised:
            read_release(own_directory / named)
        assert str(own_directory / "out") in raised.value.where
        (own_directory / closed).chmod(0o700)


def test_no_link_is_followed(bundle, tmp_path):
    secret = tmp_path / "map.svg"
    (bundle / "public/map.svg").rename(secret)
    (bundle / "public/map.svg").symlink_to(secret)
    with pytest.raises(TamperedBundleError, match="symbolic link"):
        read_release(bundle)


def test_a_linked_certificate_or_half_is_not_followed(bundle, tmp_path):
    (bundle / "public").rename(tmp_path / "elsewhere")
    (bundle / "public").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BundleError, match="missing"):
        read_release(bundle)
    (tmp_path / "elsewhere/certificate.json").rename(tmp_path / "certificate.json")
    (tmp_path / "elsewhere/certificate.json").symlink_to(tmp_path / "certificate.json")
    with pytest.raises(BundleError, match="missing"):
        read_release(tmp_path / "elsewhere")


def test_a_pipe_or_a_directory_does_not_block_the_reader(bundle):
    (bundle / "public/map.svg").unlink()
    os.mkfifo(bundle / "public/map.svg")
    with pytest.raises(TamperedBundleError, match="no file"):
        read_release(bundle)
    (bundle / "public/map.svg").unlink()
    (bundle / "public/map.svg").mkdir()
    with pytest.raises(TamperedBundleError, match="no file"):
        read_release(bundle)


@pytest.mark.parametrize(
    "name",
    ["../owner/report.json", "/etc/passwd", "..", ".", "", "a/b", "a\\b", "certificate.json",
     "\x1b[2J", "C:x", "map.json ", "x" * 300],
)  # fmt: skip
def test_a_path_in_the_certificate_is_refused(bundle, name):
    forge(
        bundle / "public",
        "certificate.json",
        lambda record: record | {"files": record["files"] | {name: "0" * 64}},
    )
    with pytest.raises(BundleError, match="no name of a file") as raised:
        read_release(bundle)
    assert "\x1b" not in str(raised.value)


def test_a_certificate_without_the_map_is_refused(bundle):
    (bundle / "public/map.json").unlink()
    certify(bundle / "public")
    with pytest.raises(BundleError, match=r"names no map[.]json"):
        read_release(bundle)


def test_a_certificate_of_thousands_of_files_is_refused(bundle):
    files = {f"f{number}": "0" * 64 for number in range(5000)}
    forge(
        bundle / "public",
        "certificate.json",
        lambda record: record | {"files": record["files"] | files},
    )
    with pytest.raises(BundleError, match="names 5007 files"):
        read_release(bundle)


@pytest.mark.parametrize(
    ("limit", "name"),
    [("MAX_FILE_BYTES", "map.svg"), ("MAX_JSON_BYTES", "map.json"),
     ("MAX_CERTIFICATE_BYTES", "certificate.json")],
)  # fmt: skip
def test_a_gigantic_file_is_refused_before_it_is_read(bundle, limit, name):
    with (bundle / "public" / name).open("r+b") as file:
        file.truncate(getattr(reading, limit) + 1)  # a sparse file
    with pytest.raises(BundleError, match="is larger than"):
        read_release(bundle)


def edge(record, **change):
    return record | {"edges": [*record["edges"][:-1], record["edges"][-1] | change]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda r: r | {"format": "hushmap/map/2"}, "Update hushmap"),
        (lambda r: r | {"format": "hushmap/plan/1"}, "does not say"),
        (lambda r: r | {"format": ["hushmap/map/1"]}, "does not say"),
        (lambda r: [r], "does not say"),
        (lambda r: r | {"more": 1}, "unknown"),
        (lambda r: {k: v for k, v in r.items() if k != "edges"}, "'edges' is missing"),
        (lambda r: r | {"activities": [*r["activities"], r["activities"][-1]]}, "twice"),
        (lambda r: r | {"activities": [*reversed(r["activities"])]}, "canonical order"),
        (lambda r: r | {"activities": [1]}, "no text"),
        (lambda r: r | {"activities": {}}, "no list"),
        (lambda r: r | {"activities": ["\ud800"]}, "no text"),
        (lambda r: r | {"edges": r["edges"] + r["edges"][-1:]}, "twice"),
        (lambda r: r | {"edges": r["edges"][::-1]}, "canonical order"),
        (lambda r: r | {"edges": 7}, "no list"),
        (lambda r: r | {"edges": [7]}, "object was expected"),
        (lambda r: edge(r, source="Nobody"), "not among"),
        (lambda r: edge(r, source=None, target=None), "straight"),
        (lambda r: edge(r, source=3), "no text"),
        (lambda r: edge(r, epsilon=1), "unknown"),
        (lambda r: edge(r, frequency=-1), "negative"),
        (lambda r: edge(r, frequency=0), "frequency is 0"),
        (lambda r: edge(r, mean=0), "mean is 0"),
        (lambda r: edge(r, mean=0.0), "mean is 0"),
        (lambda r: edge(r, frequency=1.5), "no whole number"),
        (lambda r: edge(r, frequency=True), "no whole number"),
        (lambda r: edge(r, frequency="5"), "no whole number"),
        (lambda r: edge(r, frequency=None), "no whole number"),
        (lambda r: edge(r, mean=-1.0), "negative"),
        (lambda r: edge(r, mean=True), "no number"),
        (lambda r: edge(r, mean=0.5), "finer than the resolution"),
        (lambda r: edge(r, mean=float("nan")), "NaN"),
        (lambda r: edge(r, mean=float("inf")), "Infinity"),
        (lambda r: edge(r, mean=1e300), "1e"),
        (lambda r: r | {"units": {"frequency": "occurrences"}}, "unknown"),
        (lambda r: r | {"units": r["units"] | {"mean": "hours"}}, "unit of mean"),
        (lambda r: r | {"units": r["units"] | {"median": "seconds"}}, "unknown"),
        (lambda r: r | {"units": r["units"] | {"max": "seconds"}}, "other annotations"),
    ],
)  # fmt: skip
def test_a_forged_map_is_refused(bundle, change, message):
    forge(bundle / "public", "map.json", change)
    with pytest.raises(BundleError, match=message) as raised:
        read_release(bundle)
    assert str(bundle) in str(raised.value)
    assert len(str(raised.value)) < 1000


def test_a_certificate_of_another_map_is_refused(
    bundle, tmp_path, make_graph, make_certificate_of, report
):
    other = make_graph(["Other"])
    write_bundle(tmp_path / "other", other, make_certificate_of(other), report)
    shutil.copy(tmp_path / "other/public/map.json", bundle / "public/map.json")
    with pytest.raises(TamperedBundleError, match=r"map[.]json"):
        read_release(bundle)
    certify(bundle / "public")
    with pytest.raises(BundleError, match="not of this map"):
        read_release(bundle)


@pytest.mark.parametrize(
    "resolution", ["0s", "1", "s", "-1s", "1 s", "60s", "١s", "1" * 5000 + "s", "9" * 29 + "s", ""]
)
def test_a_forged_resolution_is_refused(bundle, resolution):
    forge(bundle / "public", "certificate.json", lambda record: record | {"resolution": resolution})
    with pytest.raises(BundleError):
        read_release(bundle)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expecting value"),
        ("{", "line 1"),
        ('{"a": 1, "a": 2}', "twice"),
        ('{"a": {"\\u001b": 1, "\\u001b": 2}}', "twice"),
        ("NaN", "NaN"),
        ("[-Infinity]", "Infinity"),
        ("1" * 5000, "5000 digits"),
        ("1." + "1" * 5000, "digits"),
        ("1e999999999", "1e9"),
        ("1e-999999999", "1e-9"),
        ("1e99999999999999999999999", "1e9"),
        ("[" * 200_000, "nested"),
        ('{"a":' * 100_000, "nested"),
        ('"\x01"', "control character"),
        ("{} {}", "extra data"),
    ],
    ids=lambda text: text[:12],
)
def test_hostile_json_is_refused(text, message):
    with pytest.raises(BundleError, match=message) as raised:
        strict_json(text.encode(), "map.json")
    assert len(str(raised.value)) < 400
    assert "\x1b" not in str(raised.value)


@pytest.mark.parametrize(
    "content", [b"\xff", b"\xef\xbb\xbf{}", "{}".encode("utf-16"), b'"\xed\xa0\x80"']
)
def test_what_is_not_utf_8_is_refused(content):
    with pytest.raises(BundleError):
        strict_json(content, "map.json")


@pytest.mark.parametrize("number", ["0.0", "-0.0", "0e0", "0e999999999", "1E2", "28224.0", "0.1"])
def test_harmless_numbers_are_read_exactly(number):
    assert strict_json(number.encode(), "x") == Fraction(number.replace("e999999999", ""))


def test_what_is_shown_of_a_file_is_short_and_harmless():
    assert shown("\x1b]0;x\x07") == r"'\x1b]0;x\x07'"
    assert len(shown("x" * 10_000)) == 78
    assert shown([1]) == "'list'"


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["A", "hushmap/map/1", "seconds", "frequency", 10**400, "0" * 64]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


@st.composite
def mutated(draw, record):
    """A valid document with one or two values anywhere in it replaced, removed or renamed."""
    document = json.loads(json.dumps(record))
    for _ in range(draw(st.integers(1, 2))):
        place = document
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            if not keys:
                break
            key = draw(st.sampled_from(keys))
            if isinstance(place[key], (dict, list)) and place[key] and draw(st.booleans()):
                place = place[key]
                continue
            if draw(st.integers(0, 4)) == 0:
                del place[key]
            elif isinstance(place, dict) and draw(st.integers(0, 4)) == 0:
                place[draw(st.text(max_size=4))] = place.pop(key)
            else:
                place[key] = draw(JSON)
            break
    return document


MAP = {
    "format": "hushmap/map/1",
    "activities": ["A", "B"],
    "edges": [
        {"source": None, "target": "A", "frequency": 11},
        {"source": "A", "target": "B", "frequency": 5, "mean": 28224.0, "sum": 1},
        {"source": "B", "target": None, "frequency": 5},
    ],
    "units": {"frequency": "occurrences", "mean": "seconds", "sum": "seconds"},
}


def only_bundle_errors(read, content):
    with contextlib.suppress(BundleError):
        return read(content)


@SETTINGS
@given(content=st.binary() | JSON.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_end_in_a_bundle_error(content):
    only_bundle_errors(lambda found: read_map(found, 1_000_000), content)
    only_bundle_errors(read_certificate, content)


@settings(SETTINGS, max_examples=600)
@given(document=mutated(MAP))
def test_a_mutated_map_is_read_or_refused(document):
    graph = only_bundle_errors(
        lambda found: read_map(found, 1_000_000), json.dumps(document).encode()
    )
    if graph is not None:  # whatever was accepted is a sound map
        assert len(set(graph.activities)) == len(graph.activities)
        for kind in graph.annotations:
            assert isinstance(kind, Annotation)
            assert all(w is None or (type(w) is int and w >= 1) for w in graph.weights[kind])
        graph.records()


@settings(SETTINGS, max_examples=400)
@given(data=st.data())
def test_a_mutated_certificate_is_read_or_refused(data, bundle_record):
    document = data.draw(mutated(bundle_record))
    certificate = only_bundle_errors(read_certificate, json.dumps(document).encode())
    if certificate is not None:
        assert all(type(text) is str for text in certificate.promised)
        assert certificate.limit > 0


@pytest.fixture(scope="session")
def bundle_record(small, small_certificate):
    from hushmap.bundle.certificate_json import certificate_json

    full = dataclasses.replace(
        small_certificate,
        files={"map.json": "0" * 64},
        precision="0.1",
        max_risk_any=0.5,
        confidence=0.9,
        error_reading="mean",
    )
    return json.loads(certificate_json(full))


def received(directory, document, record):
    """A bundle of another version with these two files, and hashes that fit."""
    files = {
        "map.json": json.dumps(document).encode(),
        "certificate.html": b'<meta name="certificate.json" content="%b">' % (b"0" * 64),
        "certificate.json": json.dumps(record).encode(),
    }
    with contextlib.suppress(KeyError, TypeError, AttributeError):
        files = sealed(files)
    for name, content in files.items():
        (Path(directory) / name).write_bytes(content)
    return read_release(directory)


@pytest.fixture(scope="session")
def map_record(bundle_record):
    """The certificate of `MAP`."""
    return bundle_record | {
        "version": "0.0.1",
        "annotations": ["frequency", "sum", "mean"],
        "mechanisms": dict.fromkeys(["frequency", "sum", "mean"], "noise"),
        "files": dict.fromkeys(["map.json", "certificate.html"], "0" * 64),
    }


def test_the_bundle_that_is_mutated_below_is_read(map_record, tmp_path):
    assert len(received(tmp_path, MAP, map_record).graph.edges) == 3


@settings(SETTINGS, max_examples=100)
@given(data=st.data())
def test_a_mutated_bundle_on_disk_is_read_or_refused(data, map_record):
    document, record = data.draw(st.sampled_from([(MAP, None), (None, map_record)]))
    with tempfile.TemporaryDirectory() as directory, contextlib.suppress(BundleError):
        received(
            directory,
            MAP if document is None else data.draw(mutated(document)),
            map_record if record is None else data.draw(mutated(record)),
        )
