"""Hostile logs: whatever the bytes, a log is read or refused in a few lines, and nothing else."""

import csv
import gzip
import io

import pytest
from fuzzing import SECRET, acceptable, damaged, fuzz
from hypothesis import assume, example, given
from hypothesis import strategies as st

import hushmap as hm
from hushmap.exceptions import HushmapError

XES = f"""<?xml version="1.0" encoding="UTF-8"?>
<log xes.version="1.0" xmlns="http://www.xes-standard.org/">
<extension name="Time" prefix="time" uri="http://www.xes-standard.org/time.xesext"/>
<global scope="event"><string key="concept:name" value="__INVALID__"/></global>
<classifier name="Activity" keys="concept:name lifecycle:transition"/>
<string key="concept:name" value="a log"/>
<trace><string key="concept:name" value="{SECRET}"/>
<event><string key="concept:name" value="A"/><date key="time:timestamp" value="2020-01-01T00:00:00.5+02:00"/>
<string key="lifecycle:transition" value="complete"/><list key="l"><values><int key="x" value="3"/></values></list></event>
<event><string key="concept:name" value="B &amp; C"/><date key="time:timestamp" value="2020-01-02T00:00:00Z"/>
<string key="lifecycle:transition" value="COMPLETE"/></event>
</trace><trace><string key="concept:name" value="2"/>
<event><date key="time:timestamp" value="2020-01-01T10:00:00Z"/><string key='concept:name' value='A'/>
<string key="lifecycle:transition" value="complete"/></event></trace>
</log>
""".encode()
XES_TOKENS = [
    f'<!DOCTYPE log [<!ENTITY who "{SECRET}">]>'.encode(),
    b"<", b">", b"/>", b'"', b"'", b"&", b"&who;", b"&#0;", b"&#x110000;", b"<![CDATA[", b"]]>", b"<!--",
    b"-->", b"\x00", b"\xff\xfe", b"<trace>", b"</trace>", b"<event>", b"</event>", b"</log>", b"<log>",
    b'<string key="concept:name" value="', b"<?xml version='1.0' encoding='UTF-16'?>", b"0000-00-00",
    b"9999-12-31T23:59:59.9999999+14:00", b"-1", b"\xc3\x28", b"\r", b"\t", "🙂".encode(),
]  # fmt: skip

CSV = f"""case,activity,timestamp,lifecycle
{SECRET},A,2020-01-01T00:00:00Z,complete
{SECRET},"B, ""quoted""\n and long",2020-01-01T00:05:00Z,complete
2,A,2020-01-02T00:00:00Z,start
2,C,2020-01-02T00:00:00Z,complete
""".encode()
CSV_TOKENS = [
    b",", b";", b"\t", b'"', b'""', b"\n", b"\r\n", b"\r", b"\x00", b"\xff", b"\xef\xbb\xbf", b"=1+1",
    b"1577836800", b"01/02/2020 10:00", b"31.12.2019", b"NaN", b"1e400", b"-9223372036854775809",
    b"0001-01-01", b"9999-12-31T23:59:59+14:00", b"2020-02-30", b"case", b"' OR 1=1 --", b"'); DROP TABLE x;",
    "Ä".encode("latin-1"), "🙂".encode(),
]  # fmt: skip


def read_and_discover(path):
    """All of the owner's way up to the graph; only our own errors may stop it."""
    try:
        log = hm.read_log(path)
        graph = hm.discover(log)
        hm.inspect(log)
        plan = hm.plan(graph, max_risk=0.2)
    except HushmapError as error:
        acceptable(error)
        return None
    assert SECRET not in repr((log, graph, plan))
    return graph


def test_the_undamaged_logs_are_read(tmp_path):
    for name, content, edges in (("log.xes", XES, 4), ("log.csv", CSV, 3)):
        (tmp_path / name).write_bytes(content)
        graph = read_and_discover(tmp_path / name)
        assert graph is not None
        assert graph.size >= edges


@fuzz(60)
@given(damaged(XES, XES_TOKENS))
def test_a_damaged_xes_is_read_or_refused(tmp_path, content):
    path = tmp_path / "log.xes"
    path.write_bytes(content)
    read_and_discover(path)


@fuzz(15)
@given(damaged(gzip.compress(XES, mtime=0), [b"\x1f\x8b", b"\x00" * 8]))
def test_a_damaged_archive_is_read_or_refused(tmp_path, content):
    path = tmp_path / "log.xes.gz"
    path.write_bytes(content)
    read_and_discover(path)


@fuzz(60)
@given(damaged(CSV, CSV_TOKENS))
@example(b"")
@example(b"\n\n\n")
@example(b"case,activity,timestamp\n")
def test_a_damaged_csv_is_read_or_refused(tmp_path, content):
    # Where the damage joins a row to the header, its cells are names of columns, which errors list.
    head = next(csv.reader(io.StringIO(content.decode(errors="replace"), newline="")), [])
    assume(not any(SECRET in cell for cell in head))
    path = tmp_path / "log.csv"
    path.write_bytes(content)
    read_and_discover(path)


@fuzz(25)
@given(
    st.binary(max_size=300), st.sampled_from(["x.xes", "x.csv", "x.tsv", "x.parquet", "x.csv.gz"])
)
def test_any_bytes_under_any_name_are_refused_or_read(tmp_path, content, name):
    path = tmp_path / name
    path.write_bytes(content)
    read_and_discover(path)


names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)


@fuzz(30)
@given(st.lists(st.tuples(names, names), min_size=1, max_size=8))
def test_any_names_of_cases_and_activities_come_through_a_release(tmp_path, rows):
    """Whatever the names are: they are shown as they are, or the log is refused."""
    import shutil

    path = tmp_path / "log.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["case", "activity", "timestamp"])
        writer.writerows([*row, f"2020-01-01T00:00:{n:02}Z"] for n, row in enumerate(rows))
    graph = read_and_discover(path)
    if graph is None:
        return
    shutil.rmtree(tmp_path / "out", ignore_errors=True)
    hm.release(hm.plan(graph, max_risk=0.2)).write(tmp_path / "out", picture=False)
    assert hm.read_release(tmp_path / "out").graph.activities == graph.activities


@fuzz(25)
@given(st.lists(st.lists(st.one_of(names, st.sampled_from(["A", "B", "", "3", "-1", "1e999", "nan"])),
                         max_size=5), max_size=6))  # fmt: skip
def test_any_table_of_transitions_is_read_or_refused(tmp_path, rows):
    import csv

    path = tmp_path / "table.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["source", "target", "duration_seconds", "count"])
        writer.writerows(rows)
    try:
        hm.from_transitions(str(path))
    except HushmapError as error:
        acceptable(error)


pytestmark = pytest.mark.filterwarnings("default::pytest.PytestUnraisableExceptionWarning")
