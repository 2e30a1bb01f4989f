"""The certificate cannot hash itself; a change of it is noticed all the same."""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
from decimal import Decimal
from fractions import Fraction

import pytest
from forging import sealed

from hushmap.bundle.certificate_html import certificate_html, fingerprint_in
from hushmap.bundle.certificate_json import certificate_json, fingerprint, read_certificate
from hushmap.bundle.consistency import check_consistent
from hushmap.bundle.map_json import read_map
from hushmap.bundle.reading import is_of_this_version, read_release
from hushmap.bundle.writing import public_files, write_bundle
from hushmap.exceptions import BundleError, TamperedBundleError

OPTIONS = [
    {"max_risk": "0.2"},
    {"max_risk": "0.2", "range_kind": "declared"},
    {"max_risk": "0.2", "scope": "annotation"},
    {"max_risk": "0.05", "attacker": "empirical"},
    {"max_risk": "0.5", "attacker": "paper", "precision": "30min", "max_risk_any": "0.3"},
    {"max_risk": "0.05", "attacker": "empirical", "scope": "annotation", "max_risk_any": "0.01"},
    {"max_risk": "0.000000000001"},
    {"max_risk": "0.999999999999"},
    {"max_risk": "0.99999999999876543210987654321", "scope": "annotation"},
    {"max_risk": Fraction(1, 3), "attacker": "empirical"},
    {"max_error": "0.3"},
    {"max_error": "1.5", "error_reading": "per-edge", "confidence": "0.9"},
    {"max_error": "0.3", "attacker": "empirical", "range_kind": "declared"},
]
ALL = ("frequency", "sum", "mean", "min", "max")
KINDS = [
    kinds
    for size in range(1, 6)
    for kinds in itertools.combinations(ALL, size)
    if "frequency" in kinds or not {"sum", "mean"} <= set(kinds)
]


@pytest.fixture
def publish(tmp_path, make_graph, make_certificate_of, report):
    def publish(kinds=("frequency", "mean"), **options):
        graph = make_graph(["Billing", "Discharge"], kinds)
        certificate = make_certificate_of(graph, **options)
        write_bundle(tmp_path / "out", graph, certificate, report, extra_public={"map.svg": b""})
        return tmp_path / "out/public"

    return publish


def change(public, changed):
    """Edit `certificate.json` and nothing else, as it would be written."""
    record = json.loads((public / "certificate.json").read_bytes())
    record = {key: value for key, value in (record | changed).items() if value is not None}
    text = json.dumps(record, ensure_ascii=False, indent=1)
    (public / "certificate.json").write_text(f"{text}\n")


def seal(public, **style):
    """Let hashes and the fingerprint fit what was changed, and render nothing anew."""
    files = {path.name: path.read_bytes() for path in public.iterdir()}
    for name, content in sealed(files, **style).items():
        (public / name).write_bytes(content)


def rewrite(public, **changed):
    """Make every file anew for another certificate, as the program would."""
    certificate = read_certificate((public / "certificate.json").read_bytes())
    graph = read_map((public / "map.json").read_bytes(), 1_000_000)
    files, _ = public_files(graph, dataclasses.replace(certificate, **changed), {"map.svg": b""})
    for name, content in files.items():
        (public / name).write_bytes(content)


def other(value):
    """Another value of the same kind."""
    if isinstance(value, str):
        return f"{value} " if " " in value else f"{value}x"
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return float(Decimal(str(value)) * Decimal("0.99999999"))
    if isinstance(value, list):
        return value[::-1] if len(value) > 1 else [other(value[0])]
    return value | {next(iter(value)): other(next(iter(value.values())))}


@pytest.mark.parametrize("kinds", [("frequency",), ("mean",), ("frequency", "mean")])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("version", [None, "0.0.1"])
def test_a_change_of_any_field_is_noticed(publish, kinds, options, version):
    options = options | ({} if version is None else {"program_version": version})
    public = publish(kinds, **options)
    genuine = (public / "certificate.json").read_bytes()
    record = json.loads(genuine)
    read_release(public)
    for key, value in record.items():
        if value in ([], {}):
            continue
        change(public, {key: other(value)})
        assert (public / "certificate.json").read_bytes() != genuine
        with pytest.raises(BundleError):
            read_release(public)
    (public / "certificate.json").write_bytes(genuine)
    read_release(public)


LEGAL = [
    {"limit": 0.1, "risk": 0.1},
    {"limit": 0.05, "risk": 0.05, "epsilon": {"frequency": 2 * 0.05004172927849131},
     "unit_limits": {"event": 0.14888337, "timestamp": 0.09975062}},
    {"epsilon": {"frequency": 0.01}},
    {"epsilon": None},
    {"scope": "annotation"},
    {"protects": "case"},
    {"goals": ["whether"]},
    {"goals": []},
    {"unit_limits": {}},
    {"unit_limits": {"event": 0.01, "timestamp": 0.01}},
    {"unit_limits": {"event": 0.5172413793103449, "timestamp": 0.3846153846153847, "case": 0.2}},
    {"date": "2027-01-01"},
    {"version": "0.0.1"},
    {"version": "0.0.1", "limit": 0.1, "risk": 0.1},
    {"edge_set": "protected"},
    {"attacker": "empirical", "precision": 0.1},
    {"precision": 0.1},
    {"max_risk_any": 0.1},
    {"range": "observed"},
    {"max_duration": "1d"},
    {"max_duration": None},
    {"min_occurrences": 3},
    {"error_reading": "mean"},
    {"confidence": 0.5},
    {"problem": "max_error", "risk": None, "epsilon": None, "unit_limits": {}},
    {"promised": ["Nobody learns anything at all."]},
    {"promised": []},
    {"not_promised": []},
    {"mechanisms": {"frequency": "magic", "mean": "magic"}},
]  # fmt: skip


@pytest.mark.parametrize("changed", LEGAL, ids=str)
def test_a_forged_promise_is_not_believed(publish, changed):
    public = publish(range_kind="declared")
    change(public, changed)
    with pytest.raises(TamperedBundleError) as raised:
        read_release(public.parent)
    assert "certificate.json" in raised.value.where
    assert "0.0.1" not in str(raised.value)


@pytest.mark.parametrize("version", [None, "0.0.1"])
@pytest.mark.parametrize(
    "edit",
    [
        lambda content: content + b" ",
        lambda content: b"\n" + content,
        lambda content: content.replace(b"\n", b"\r\n"),
        lambda content: content.replace(b": ", b":"),
        lambda content: content.replace(b'"limit": 0.2', b'"limit": 0.20'),
        lambda content: content.replace(b'"limit": 0.2', b'"limit": 2e-1'),
        lambda content: content.replace(b"\xce\xb4", rb"\u03b4"),
        lambda content: json.dumps(json.loads(content)).encode(),
        lambda content: json.dumps(json.loads(content), indent=1, sort_keys=True).encode(),
    ],
)
def test_not_a_byte_of_the_certificate_can_be_changed(publish, edit, version):
    public = publish(**({} if version is None else {"program_version": version}))
    path = public / "certificate.json"
    genuine = path.read_bytes()
    path.write_bytes(edit(genuine))
    if path.read_bytes() == genuine:
        pytest.skip("nothing to change")
    with pytest.raises(TamperedBundleError):
        read_release(public)


def test_a_page_that_was_left_as_it_was_is_noticed_though_its_hashes_fit(publish):
    public = publish()
    change(public, {"promised": ["Nobody learns anything at all."]})
    seal(public)
    with pytest.raises(TamperedBundleError, match="not the page that hushmap"):
        read_release(public)


def test_a_certificate_in_another_style_is_noticed_though_its_hashes_fit(publish):
    public = publish()
    seal(public, indent=2)
    with pytest.raises(TamperedBundleError, match="not written as hushmap"):
        read_release(public)


def test_what_another_version_wrote_is_held_against_its_page_but_not_rendered_again(
    publish,
):
    public = publish(program_version="0.0.1")
    seal(public, indent=2)  # its own style
    page = (public / "certificate.html").read_bytes()
    (public / "certificate.html").write_bytes(page.replace(b"</main>", b"<p>More</p></main>"))
    seal(public, indent=2)
    release = read_release(public)
    assert not is_of_this_version(release.certificate)
    assert release.certificate.version == "0.0.1"


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"limit": 0.1, "risk": 0.1}, "epsilon"),
        ({"epsilon": {"frequency": 0.4}}, "epsilon"),
        ({"epsilon": None}, "epsilon"),
        ({"scope": "annotation"}, "epsilon"),
        ({"max_risk_any": 0.1}, "epsilon"),
        ({"goals": ["how long", "whether"]}, "goals"),
        ({"goals": ["how long"]}, "goals"),
        ({"unit_limits": {}}, "unit_limits"),
        ({"unit_limits": {"event": 0.5172413793103449, "timestamp": 0.38}}, "unit_limits"),
        ({"unit_limits": {"event": 0.5172413793103449}}, "unit_limits"),
    ],
    ids=str,
)
def test_what_follows_from_the_limit_is_computed_again_whatever_the_version(
    publish, changed, field
):
    public = publish(program_version="0.0.1")
    change(public, changed)
    seal(public)
    with pytest.raises(TamperedBundleError, match=f"contradicts itself: {field}"):
        read_release(public)


@pytest.mark.parametrize("kinds", KINDS, ids="-".join)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_every_certificate_that_is_made_agrees_with_itself(
    options, kinds, make_graph, make_certificate_of
):
    certificate = make_certificate_of(make_graph(["A"], kinds), **options)
    check_consistent(certificate)
    check_consistent(read_certificate(certificate_json(certificate)))


@pytest.mark.parametrize(
    "changed",
    [
        {"limit": 0.1, "risk": 0.1},
        {"epsilon": None},
        {"epsilon": 0.5},
        {"goals": ("whether",)},
        {"unit_limits": {"event": 0.1}},
    ],
)
def test_a_certificate_that_contradicts_itself_is_not_written(
    tmp_path, small, small_certificate, report, changed
):
    wrong = dataclasses.replace(small_certificate, **changed)
    with pytest.raises(BundleError, match="contradicts itself"):
        write_bundle(tmp_path / "out", small, wrong, report)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("version", [None, "0.0.1"])
@pytest.mark.parametrize("page", [b"", b"<html></html>", None])
def test_without_the_page_of_the_certificate_nothing_is_believed(publish, page, version):
    public = publish(**({} if version is None else {"program_version": version}))
    path = public / "certificate.html"
    record = json.loads((public / "certificate.json").read_bytes())
    if page is None:
        path.unlink()
        del record["files"]["certificate.html"]
    else:
        path.write_bytes(page)
        record["files"]["certificate.html"] = hashlib.sha256(page).hexdigest()
    change(public, record)
    with pytest.raises(BundleError, match=r"certificate\.html"):
        read_release(public)


def test_a_page_names_the_certificate_it_was_made_with_and_that_names_the_page(
    small, small_certificate
):
    files, certified = public_files(small, small_certificate, {})
    page, content = files["certificate.html"], files["certificate.json"]
    own = dict(certified.files).pop("certificate.html")
    assert own == hashlib.sha256(page).hexdigest()
    assert fingerprint_in(page) == fingerprint(content, own)
    assert page.count(fingerprint_in(page).encode()) == 1
    maps = {name: digest for name, digest in certified.files.items() if name != "certificate.html"}
    assert certificate_html(certified, small, maps) == page
    assert fingerprint_in(b"no page") is None


def test_whoever_rewrites_every_file_and_every_hash_goes_unnoticed(publish):
    """What the check cannot tell, as `show` and the guide say: nothing is signed."""
    public = publish(("frequency",))
    rewrite(public, promised=("Nobody learns anything at all.",))
    assert read_release(public).certificate.promised == ("Nobody learns anything at all.",)
