"""Hostile bundles: whatever the JSON says, it is read or refused as a bundle, and nothing else."""

import copy
import json
from functools import cache
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from forging import sealed
from fuzzing import acceptable, damaged, fuzz
from hypothesis import example, given
from hypothesis import strategies as st

import hushmap as hm
from hushmap.exceptions import BundleError

VERSIONS = st.sampled_from([None, "0.0.1"])
anything = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=6),
        st.sampled_from(["A", "frequency", "hushmap/map/1", "../x", "map.json", -1, 0, 2**70, 1e308]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=5,
)  # fmt: skip


@cache
def genuine():
    """The public files of a release with every annotation."""
    graph = hm.discover(hm.read_log("examples/hospital.csv"), max_duration="2d")
    plan = hm.plan(graph, max_risk=0.2, annotate=["frequency", "sum", "mean", "min", "max"])
    with TemporaryDirectory() as folder:
        hm.release(plan).write(folder, picture=False)
        return {file.name: file.read_bytes() for file in (Path(folder) / "public").iterdir()}


def places(value, path=()):
    """Every place in a JSON document."""
    yield path
    if isinstance(value, (dict, list)):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in items:
            yield from places(inner, (*path, key))


@st.composite
def altered(draw, name):
    """The document with a value replaced, taken out or added."""
    document = copy.deepcopy(json.loads(genuine()[name]))
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(list(places(document))))
        if not path:
            return draw(anything)
        holder = document
        for key in path[:-1]:
            holder = holder[key]
        how = draw(st.sampled_from(["replace", "delete", "add"]))
        if how == "replace":
            holder[path[-1]] = draw(anything)
        elif how == "delete":
            del holder[path[-1]]
        elif isinstance(holder, dict):
            holder[draw(st.text(max_size=6))] = draw(anything)
        else:
            holder.append(draw(anything))
    return document


def receive(files):
    """What a receiver does; every hash is right, so that the content itself is looked at."""
    with TemporaryDirectory() as folder:
        for name, content in files.items():
            (Path(folder) / name).write_bytes(content)
        try:
            bundle = hm.read_release(folder)
            bundle.summary()
            bundle.records()
            bundle.graph.to_pm4py()
        except BundleError as error:
            acceptable(error)
        except hm.exceptions.UsageError as error:  # a map without frequencies has no such view
            acceptable(error)


def with_hashes(files, version=None):
    """Hashes that fit; of another version, so that nothing is rendered again and compared."""
    try:
        certificate = json.loads(files["certificate.json"])
        if version is not None and isinstance(certificate["version"], str):
            certificate["version"] = version
        content = json.dumps(certificate, ensure_ascii=False).encode()
        return sealed(files | {"certificate.json": content})
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return files


@pytest.mark.parametrize("version", [None, "0.0.1"])
def test_the_genuine_bundle_is_read(version, tmp_path):
    for name, content in with_hashes(dict(genuine()), version).items():
        (tmp_path / name).write_bytes(content)
    assert hm.read_release(tmp_path).certificate.version == (version or metadata.version("hushmap"))
    assert len(genuine()) > 5


@fuzz(120)
@given(altered("map.json"), VERSIONS)
def test_an_altered_map_is_read_or_refused(document, version):
    content = json.dumps(document, ensure_ascii=False).encode("utf-8", "surrogatepass")
    receive(with_hashes(genuine() | {"map.json": content}, version))


@fuzz(120)
@given(altered("certificate.json"), VERSIONS)
def test_an_altered_certificate_is_read_or_refused(document, version):
    content = json.dumps(document, ensure_ascii=False).encode("utf-8", "surrogatepass")
    receive(with_hashes(genuine() | {"certificate.json": content}, version))


TOKENS = [b"{", b"}", b"[", b"]", b",", b'"', b"NaN", b"-Infinity", b"1e999", b"\\ud800", b"\xff", b"0" * 5000,
          b"9" * 400, b"[" * 2000, b'"a":1,"a":2', b"-0", b"1E5", b"true"]  # fmt: skip


@fuzz(80)
@given(st.sampled_from(["map.json", "certificate.json"]).flatmap(
    lambda name: st.tuples(st.just(name), damaged(genuine()[name], TOKENS))
))  # fmt: skip
@example(("map.json", b"[" * 100_000))
@example(("certificate.json", b'{"format":' * 50_000))
def test_damaged_json_is_refused(given_):
    name, content = given_
    receive(with_hashes(genuine() | {name: content}))
