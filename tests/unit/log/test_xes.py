"""Reading XES: every trap of the format, and the real logs."""

from __future__ import annotations

import codecs
import gzip
import io
import re
from pathlib import Path

import numpy as np
import pytest
from xes_documents import (
    NAME,
    TIME,
    activities,
    attribute,
    document,
    event,
    micros,
    noticed,
    read,
    read_whole,
    trace,
)

from hushmap.exceptions import ColumnError
from hushmap.log.xes import (
    MISSING,
    NO_TIME,
    UNREADABLE_TIME,
    XesAttributes,
    read_xes,
    xes_attributes,
)

SHARED = Path(__file__).parents[4] / "shared" / "data"

TRAPS = """<?xml version='1.0' encoding='UTF-8'?>
<!-- <trace><event><string key="concept:name" value="comment"/></event></trace> -->
<log xes.version="1.0" xmlns="http://www.xes-standard.org/">
  <extension name="Concept" prefix="concept" uri="http://www.xes-standard.org/concept.xesext"/>
  <global scope="trace"><string key="concept:name" value="GLOBAL"/></global>
  <global scope="event">
    <string key="concept:name" value="GLOBAL"/>
    <date key="time:timestamp" value="1970-01-01T00:00:00.000+00:00"/>
  </global>
  <classifier name="Activity" keys="concept:name"/>
  <string key="concept:name" value="the log"/>
  <trace>
    <string key="concept:name" value="nested">
      <string key="concept:name" value="not this one"/>
    </string>
    <event>
      <string key="concept:name" value="Check &amp; pay">
        <string key="concept:name" value="inner"/>
        <date key="time:timestamp" value="1999-01-01T00:00:00Z"/>
      </string>
      <date key="time:timestamp" value="2020-01-01T02:00:00+02:00"/>
      <list key="concept:name"><values>
        <string key="concept:name" value="in a list"/>
      </values></list>
      <container key="x"><date key="time:timestamp" value="1999-01-01T00:00:00Z"/></container>
    </event>
    <event><!-- nothing is known of this one --></event>
    <event>
      <date key='time:timestamp' value='2020-01-01T00:00:00.1234567Z'/>
      <string key='concept:name' value='said "yes"'/>
    </event>
    <event>
      <string value="turned round" key="concept:name"/>
      <date key="time:timestamp" value="yesterday"/>
    </event>
    <event>
      <string key="concept:name" value="&lt;A&gt;&#10;&#x20AC;
B"/>
      <date key="time:timestamp" value="2020-01-01T00:00:00"/>
    </event>
  </trace>
  <trace>
    <event><string key="concept:name" value="before the name"/>
      <date key="time:timestamp" value="2020-01-01"/></event>
    <int key="concept:name" value="5"/>
  </trace>
  <trace><string key="concept:name" value="empty"/></trace>
  <trace/>
  <event><string key="concept:name" value="orphan"/></event>
  <trace>
    <event><int key="concept:name" value="7"/>
      <string key="time:timestamp" value="2020-01-01 00:00:01"/></event>
  </trace>
  <trace>
    <string key="concept:name" value="5"/>
    <event><string key="concept:name" value=""/>
      <date key="time:timestamp" value=""/></event>
    <event><string key="concept:name"/><![CDATA[<event></event>]]><?look </trace>?></event>
  </trace>
</log>
"""


class TestTraps:
    def test_a_file_full_of_them_is_read_right(self):
        events = read(TRAPS)
        assert activities(events) == [
            "Check & pay", None, 'said "yes"', "turned round", "<A>\n€ B",
            "before the name", "7", None, None,
        ]  # fmt: skip
        start = micros(2020, 1, 1)
        assert events.time.tolist() == [
            start, NO_TIME, start + 123_456, UNREADABLE_TIME, start,
            start, start + 1_000_000, NO_TIME, NO_TIME,
        ]  # fmt: skip
        assert events.case.tolist() == [0, 0, 0, 0, 0, 1, 2, 1, 1]
        assert events.case_count == 3
        assert events.lifecycles == ()
        assert noticed(events) == {
            "traces": 6,
            "traces_without_id": 1,
            "traces_without_event": 2,
            "events": 9,
            "events_outside_traces": 1,
            "events_without_activity": 3,
            "events_without_lifecycle": 9,
            "events_without_timestamp": 3,
            "events_with_unreadable_timestamp": 1,
            "timestamps_without_offset": 3,
            "timestamps_truncated": 1,
        }

    def test_columns_have_the_types_that_are_promised(self):
        events = read(
            document(trace("c", event(more=attribute("lifecycle:transition", "complete"))))
        )
        kinds = (events.case, events.activity, events.time, events.lifecycle)
        assert [kind.dtype for kind in kinds] == [np.int32, np.int32, np.int64, np.int16]

    @pytest.mark.parametrize(
        "head",
        ['<log xmlns="http://www.xes-standard.org/">', '<log xmlns="urn:other" xmlns:y="urn:y">'],
    )
    def test_any_namespace_will_do(self, head):
        assert activities(read(document(trace("c", event("X")), head))) == ["X"]

    def test_prefixed_elements_are_read(self):
        body = re.sub("<(/?)", r"<\1xes:", trace("c", event("X")))
        text = f'<xes:log xmlns:xes="http://www.xes-standard.org/">{body}</xes:log>'
        assert activities(read(text)) == ["X"]

    def test_the_last_of_several_attributes_of_one_key_counts(self):
        events = read(document(trace("c", event("first", more=attribute(NAME, "last")))))
        assert activities(events) == ["last"]

    def test_lifecycle_steps_are_coded_and_may_be_missing(self):
        step = attribute("lifecycle:transition", "start")
        done = attribute("lifecycle:transition", "complete")
        events = read(document(trace("c", event(more=step), event(), event(more=done))))
        assert events.lifecycles == ("start", "complete")
        assert events.lifecycle.tolist() == [0, MISSING, 1]
        assert noticed(events)["events_without_lifecycle"] == 1

    def test_a_lifecycle_of_too_many_steps_is_another_attribute(self):
        body = "".join(
            f'<event><string key="k" value="{number}"/></event>' for number in range(33_000)
        )
        with pytest.raises(ColumnError, match="lifecycle attribute has more than 32767"):
            read(document(f"<trace>{body}</trace>"), lifecycle="k")

    def test_other_keys_can_be_named(self):
        body = (
            '<trace><string key="customer" value="x"/><string key="concept:name" value="1"/>'
            '<event><string key="act" value="go"/><string key="when" value="2020-01-01"/>'
            '<int key="step" value="3"/><string key="concept:name" value="no"/></event></trace>'
            '<trace><string key="customer" value="x"/><event/></trace>'
        )
        events = read(
            document(body), case="customer", activity="act", timestamp="when", lifecycle="step"
        )
        assert activities(events) == ["go", None]
        assert events.case.tolist() == [0, 0]
        assert events.time.tolist() == [micros(2020, 1, 1), NO_TIME]
        assert events.lifecycles == ("3",)

    def test_one_attribute_can_serve_twice(self):
        events = read(document(trace("c", event("X"))), lifecycle=NAME)
        assert events.lifecycles == events.activities == ("X",)

    @pytest.mark.parametrize(
        "encode",
        [
            lambda text: codecs.BOM_UTF8 + text.encode(),
            lambda text: text.replace("UTF-8", "UTF-16").encode("utf-16"),
            lambda text: text.replace("UTF-8", "ISO-8859-1").encode("latin-1"),
            lambda text: text.replace("UTF-8", "windows-1252").encode("cp1252"),
            lambda text: text.replace("\n", "\r\n").encode(),
        ],
        ids=["BOM", "UTF-16", "ISO-8859-1", "windows-1252", "CRLF"],
    )
    def test_encodings(self, encode):
        text = document("\n".join(trace(f"ü{number}", event("Prüfung ß")) for number in range(50)))
        events = read(encode(text))
        assert events.activities == ("Prüfung ß",)
        assert events.case_count == 50

    def test_a_doctype_that_names_a_file_is_passed_over(self):
        text = document(trace("c", event("X"))).replace(
            "<log>", '<!DOCTYPE log SYSTEM "file:///etc/passwd">\n<log>'
        )
        assert activities(read(text)) == ["X"]

    def test_a_log_without_events_is_read(self):
        events = read(document(""))
        assert len(events.case) == events.case_count == 0
        assert events.activities == ()

    def test_repr_shows_no_value(self):
        parts = []
        text = document(trace("secret case", event("secret activity")))
        names = read_xes(io.BytesIO(text.encode()), parts.append)
        assert f"{parts} {names}" == (
            "[XesPart(1 events, owner only)] XesNames(1 activities, owner only)"
        )

    def test_a_trace_longer_than_a_block_is_read(self, monkeypatch):
        monkeypatch.setattr("hushmap.log.xes._MAX_BLOCK", 1 << 20)
        long = trace("c", *(event(f"N{number % 7}") for number in range(60_000)))
        text = document("\n".join([trace("a", event()), long, trace("c", event())]))
        assert len(text) > 3 << 21
        events = read(text)
        assert events.case_count == 2
        assert len(events.case) == 60_002
        assert np.bincount(events.case).tolist() == [1, 60_001]


class TestFiles:
    def test_gzip_is_known_by_its_bytes_not_by_its_name(self, tmp_path):
        text = document(trace("c", event("X"))).encode()
        for name, content in [("plain.xes.gz", text), ("packed.xes", gzip.compress(text))]:
            path = tmp_path / name
            path.write_bytes(content)
            assert activities(read_whole(path)) == ["X"]
            assert activities(read_whole(str(path))) == ["X"]

    def test_a_gzip_file_of_several_members_is_one_file(self):
        text = document("".join(trace(f"c{number}", event()) for number in range(9))).encode()
        parts = [gzip.compress(text[at : at + 100]) for at in range(0, len(text), 100)]
        assert read(b"".join(parts) + b"\0" * 512).case_count == 9
        assert read(b"\0\0".join(parts)).case_count == 9

    def test_several_files_are_one_log(self, tmp_path):
        paths = []
        for number, body in enumerate(
            [trace("a", event("X"), event("Y")), trace("b", event("Y")), trace("a", event("Z"))]
        ):
            paths.append(tmp_path / f"{number}.xes")
            paths[-1].write_text(document(body))
        events = read_whole(paths)
        assert events.case.tolist() == [0, 0, 1, 0]
        assert activities(events) == ["X", "Y", "Y", "Z"]

    def test_progress_counts_the_bytes_on_disk(self, tmp_path):
        chance = np.random.default_rng(0)
        body = "".join(
            trace(f"c{number}", event(chance.bytes(100).hex())) for number in range(20_000)
        )
        packed = tmp_path / "log.xes.gz"
        packed.write_bytes(gzip.compress(document(body).encode(), 1))
        seen = []
        read_whole([packed, packed], on_progress=seen.append)
        assert seen == sorted(seen)
        assert len(seen) >= 4
        assert seen[-1] == 2 * packed.stat().st_size

    def test_a_stream_that_hands_over_single_bytes_is_read(self):
        class Slow(io.BytesIO):
            def read(self, _size=-1):
                return super().read(1)

        text = document(trace("c", event("X"))).encode()
        assert activities(read_whole(Slow(text))) == ["X"]
        assert activities(read_whole(Slow(gzip.compress(text)))) == ["X"]

    def test_attributes_are_listed_with_the_elements_that_hold_them(self, tmp_path):
        path = tmp_path / "log.xes"
        path.write_text(TRAPS)
        assert xes_attributes(path) == XesAttributes(
            of_traces={NAME: "string"}, of_events={NAME: "string", TIME: "date"}
        )

    def test_attributes_are_looked_for_in_the_first_events_only(self):
        usual = "".join(trace(f"c{number}", event()) for number in range(5_000))
        late = trace("late", event(more=attribute("late", "x")))
        text = document(usual + late).encode()
        assert "late" not in xes_attributes(io.BytesIO(text), events=100).of_events
        assert "late" in xes_attributes(io.BytesIO(text)).of_events


REAL = {
    "Sepsis.xes": (1050, 16, 15214, None),
    "Sepsis.xes.gz": (1050, 16, 15214, None),
    "CCC19.xes": (20, 29, 697, None),
    "BPI12.xes.gz": (13087, 24, 262200, 164506),
    "Traffic_fines.xes.gz": (150370, 11, 561470, 561470),
    "BPIC15_1.xes.gz": (1199, 398, 52217, 52217),
}


@pytest.mark.shared_logs
@pytest.mark.parametrize("name", REAL)
def test_real_logs_are_counted_right_by_both_readers(name, monkeypatch):
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"{path} is absent")
    cases, activity_count, count, completes = REAL[name]
    fast = read_whole(path)
    assert (fast.case_count, len(fast.activities), len(fast.case)) == (cases, activity_count, count)
    assert fast.quality.traces == cases
    assert fast.quality.events_without_timestamp == 0
    assert fast.quality.events_with_unreadable_timestamp == 0
    if completes is not None:
        steps = [step.lower() for step in fast.lifecycles]
        assert np.count_nonzero(fast.lifecycle == steps.index("complete")) == completes

    monkeypatch.setattr("hushmap.log.xes.can_read", lambda _: False)
    slow = read_whole(path)
    for column in ("case", "activity", "time", "lifecycle"):
        assert np.array_equal(getattr(fast, column), getattr(slow, column))
    assert (fast.activities, fast.lifecycles) == (slow.activities, slow.lifecycles)
    assert fast.quality == slow.quality
