"""The reader of blocks answers what expat answers, or leaves the block to expat."""

from __future__ import annotations

import io
import random
import threading
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from xes_documents import read_whole, whole

from hushmap.exceptions import LogError
from hushmap.log import xes, xes_text
from hushmap.log.xes_blocks import can_read, read_block
from hushmap.log.xes_events import MISSING, Batch, PartsBuilder, XesKeys
from hushmap.log.xes_text import PADDING, Text, Values, distinct_values


class Drip(io.BytesIO):
    """A stream that hands over a few bytes at a time, so that small logs have many blocks."""

    def __init__(self, content: bytes, size: int) -> None:
        super().__init__(content)
        self._size = size

    def read(self, size=-1):
        return super().read(min(size, self._size) if size >= 0 else self._size)


def outcome(document: bytes, size: int, **keys):
    """Everything that can be seen of reading a document, errors with their places included."""
    try:
        events = read_whole(Drip(document, size), **keys)
    except LogError as error:
        return str(error)
    return (
        events.case.tolist(),
        events.activity.tolist(),
        events.time.tolist(),
        events.lifecycle.tolist(),
        events.activities,
        events.lifecycles,
        events.case_count,
        asdict(events.quality),
    )


class Comparison:
    """Reads documents with blocks and with expat alone, and counts the blocks that were read."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._patch = patch
        self.blocks_read = 0

        def counting(block, keys):
            read = read_block(block, keys)
            self.blocks_read += read is not None
            return read

        patch.setattr(xes, "read_block", counting)
        patch.setattr(xes, "_ENOUGH_FAILURES", 10**9)
        patch.setattr(xes, "_MANY", 3)

    def check(self, document: bytes, size: int = 40, **keys) -> object:
        fast = outcome(document, size, **keys)
        with self._patch.context() as patch:
            patch.setattr(xes, "can_read", lambda _: False)
            slow = outcome(document, size, **keys)
        assert fast == slow
        return fast


@pytest.fixture(scope="module")
def comparison():
    with pytest.MonkeyPatch.context() as patch:
        yield Comparison(patch)


names = st.sampled_from(
    ["A", "B", "Ärzte", "日本", "a b", "R&amp;D", "x&#10;y", "&#x20AC;", "&lt;b&gt;", "it's", "a>b",
     "", " ", "tab\there", "line\nbreak", "cr\r\nlf", "]]", "A" * 9, "B" * 300, "&#128;", "😀"]
)  # fmt: skip
times = st.sampled_from(
    ["2014-10-22T11:15:41.000+02:00", "2014-10-22T11:15:41+0200", "2014-10-22T11:15:41.1234567Z",
     "2014-10-22T11:15:41", "2014-10-22", "2014-10-22 11:15", "2014-02-30T00:00:00.000+02:00",
     "2016-12-31T23:59:60Z", "2014-10-22T24:00:00Z", "", " 2014-10-22T11:15:41.000+02:00\n",
     "soon", "2014&#45;10-22T11:15:41.000+02:00", "2014-10-22\r\n11:15:41.000"]
)  # fmt: skip
elements = st.sampled_from(["string", "date", "int", "float", "boolean", "id"])
keys = st.sampled_from(
    ["concept:name", "time:timestamp", "lifecycle:transition", "org:resource", "concept&#58;name",
     "cost\ttotal", "é"]
)  # fmt: skip


@st.composite
def attributes(draw, depth=0):
    """One attribute element: usually written the usual way, sometimes in a legal other way."""
    key = draw(keys)
    value = draw(times if key == "time:timestamp" else names)
    element = draw(elements)
    way = draw(st.integers(0, 110 if depth < 3 else 100))
    gap = draw(st.sampled_from(["", "\n", "\n\t\t", " text "]))
    if way == 0:
        return f"<{element} key='{key}' value='{value.replace(chr(39), '')}'/>{gap}"
    if way == 1:
        return f'<{element} value="{value}" key="{key}"/>{gap}'
    if way == 2:
        return f'<{element} key="{key}"/>{gap}'
    if way == 3:
        return f'<list key="{key}"><values><string key="{key}" value="{value}"/></values></list>'
    if way == 4:
        return draw(
            st.sampled_from(
                [
                    "<!-- <event></event></trace> -->",
                    "<![CDATA[</trace><trace>]]>",
                    "<?pi </trace>?>",
                    '<container key="concept:name" value="no"/>',
                    '<x:string key="concept:name" value="prefixed" xmlns:x="urn:x"/>',
                    f'<{element} key="{key}" value="{value}" ></{element} >',
                    '<string key="concept:name" value="a" more="b"/>',
                    '<strings key="concept:name" value="a"/>',
                    '<boolean\nkey="concept:name" value="a"/>',
                    '<string key="concept:name"  value="a"/>',
                    '"quoted" text "here"',
                    "&amp; &lt;",
                    "<event/>",
                ]
            )
        )
    if way < 25:
        return f'<{element} key="{key}" value="{value}" />{gap}'
    if way > 100:
        inner = "".join(draw(st.lists(attributes(depth=depth + 1), max_size=2)))
        return f'<{element} key="{key}" value="{value}">{inner}</{element}>{gap}'
    return f'<{element} key="{key}" value="{value}"/>{gap}'


some_attributes = st.lists(attributes(), max_size=4).map("".join)
events = st.tuples(some_attributes).map(lambda inner: f"<event>{inner[0]}</event>\n")
usual_id = st.sampled_from("abcdef").map(lambda i: f'<string key="concept:name" value="{i}"/>')
traces = st.tuples(
    st.one_of(usual_id, some_attributes),
    st.lists(st.one_of(events, events, some_attributes), max_size=4).map("".join),
).map(lambda parts: f"<trace>{''.join(parts)}</trace>\n")
between = st.sampled_from(
    ["", "", "", "", "", "", "\n\n  ", "\r", '<string key="concept:name" value="of the log"/>',
     '<event><string key="concept:name" value="orphan"/></event>', "<trace/>",
     '<global scope="event"><string key="concept:name" value="G"/></global>']
)  # fmt: skip
documents = st.lists(st.tuples(traces, between).map("".join), max_size=12).map(
    lambda parts: f'<?xml version="1.0"?>\n<log>{"".join(parts)}</log>\n'.encode()
)

fuzzing = settings(
    max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)


@fuzzing
@given(document=documents, size=st.integers(1, 400))
def test_every_way_to_write_xes_is_read_as_expat_reads_it(comparison, document, size):
    comparison.check(document, size)


USUAL = "".join(
    f'\t<trace>\n\t\t<string key="concept:name" value="case {trace % 5}"/>\n'
    + "".join(
        f'\t\t<event>\n\t\t\t<string key="concept:name" value="Step &amp; {event}"/>\n'
        f'\t\t\t<date key="time:timestamp" value="2020-01-0{event + 1}T10:00:00.000+01:00"/>\n'
        '\t\t\t<string key="org:resource" value="Grün"><int key="level" value="3"/></string>\n'
        '\t\t\t<string key="lifecycle:transition" value="complete"/>\n\t\t</event>\n'
        for event in range(trace % 4)
    )
    + "\t</trace>\n"
    for trace in range(8)
)
USUAL_LOG = f'<?xml version="1.0" encoding="UTF-8"?>\n<log>\n{USUAL}</log>\n'.encode()

damages = st.sampled_from(
    [b"", b"<", b">", b"&", b'"', b"'", b"/", b"]]>", b"\0", b"\x1f", b"\x7f", b"\xff", b"\xc3",
     b"\xed\xa0\x80", b"\xef\xbf\xbf", b"\xef\xbf\xbd", b"\xf4\x90\x80\x80", b"&#0;", b"&#xD800;",
     b"&#xFFFE;", b"&nbsp;", b"&#65;", b"&#0000000065;", b"&amp", b"\r", b"\r\n", b"\n", b" ",
     b"</trace>", b"<trace>", b"</event>", b"<event>", b"</log>", b"<!--", b"-->", b"<![CDATA[",
     b"<?x", b"<x/>", b' x="1"', b' key="k"', b"=", b"string", b"</string>", b"</int>", b"\x0c"]
)  # fmt: skip


@fuzzing
@given(
    hits=st.lists(
        st.tuples(st.integers(0, len(USUAL_LOG)), st.integers(0, 12), damages),
        min_size=1,
        max_size=3,
    ),
    size=st.integers(20, 900),
)
@example(hits=[(1000, 0, b"&#0;")], size=200)
def test_every_damage_is_found_at_the_same_place(comparison, hits, size):
    document = USUAL_LOG
    for at, length, damage in hits:
        document = document[:at] + damage + document[at + length :]
    comparison.check(document, size)


def test_the_usual_way_is_read_in_blocks(comparison):
    before = comparison.blocks_read
    comparison.check(USUAL_LOG, 400)
    assert comparison.blocks_read >= before + 4


@pytest.mark.parametrize(
    "odd",
    [
        "<!-- a comment with </trace> in it -->",
        "<![CDATA[</trace><trace><event></event></trace>]]>",
        "<?instruction </trace><trace> ?>",
        "<trace><string key='concept:name' value='single'/><event/></trace>",
        '<event><string key="concept:name" value="orphan"/></event>',
    ],
)
def test_after_an_odd_block_the_next_are_read_fast_again(comparison, odd):
    before = comparison.blocks_read
    document = f"<log>{USUAL}{odd}{USUAL}</log>".encode()
    result = comparison.check(document, 500)
    assert not isinstance(result, str)
    assert comparison.blocks_read >= before + 6


def test_the_place_of_an_error_after_blocks_is_that_of_the_whole_file(comparison):
    at = USUAL_LOG.index(b"case 4")
    damaged = USUAL_LOG[:at] + b"<" + USUAL_LOG[at:]
    line = damaged[:at].count(b"\n") + 1
    message = comparison.check(damaged, 300)
    column = at - damaged.rindex(b"\n", 0, at)
    assert f"line {line}, column {column}" in message


def test_other_keys_are_read_too(comparison):
    comparison.check(
        USUAL_LOG, 300, activity="org:resource", case="time:timestamp", lifecycle="concept:name"
    )


UNSURE = [
    "<trace>]]></trace>",
    "<trace><string key='a' value='b'/></trace>",
    '<trace><string key="a" value="\ufffe"/></trace>',
    '<trace><string key="a" value="\x0b"/></trace>',
    '<trace><string key="a" value="&nbsp;"/></trace>',
    '<trace><string key="a" value="a & b"/></trace>',
    '<trace><string key="a" value="&#0;"/></trace>',
    '<trace><string key="a" value="&#xD800;"/></trace>',
    '<trace><string key="a" value="&#X41;"/></trace>',
    '<trace><string key="concept&#58;name" value="b"/></trace>',
    '<trace><string key="concept:name" value="b"/>&amp;</trace>',
    "<trace>&amp;</trace>",
    '<trace><string key="a" value="<event>"/></event></trace>',
    '<trace><string xey="a" value="b"/></trace>',
    '<trace><string key="a" xalue="b"/></trace>',
    '<trace><string key="a" value="b"x/></trace>',
    '<trace><string key="a" value="b"/ ></trace>',
    '<trace><string key="a" value="b" more="c"/></trace>',
    '<trace><string key="a" value="b"></date></trace>',
    '<trace><string key="a" value="b"><int key="c" value="d"></string></int></trace>',
    '<trace><boolean key="a" value="b"></booleans></trace>',
    '<trace><string key="a" value="b"></trace>',
    "<trace></string></trace>",
    '<trace><string key="a" value="b"><event></event></string></trace>',
    '<trace><event><string key="a" value="b"></event></string></trace>',
    "<trace><event><event></event></event></trace>",
    "<trace><event></trace></event>",
    "<trace><event></trace>",
    "<trace></event></trace>",
    "<trace><trace></trace></trace>",
    "<event></event><trace></trace>",
    "</trace><trace></trace>",
    "<trace></trace></log><trace></trace>",
    '<trace xmlns="urn:x"></trace>',
    "<trace><events></events></trace>",
    '<trace>"text" and "more"</trace>',
]


@pytest.mark.parametrize("traces", UNSURE)
def test_what_is_not_surely_usual_is_left_to_expat(comparison, traces):
    assert read_block(traces.encode() + PADDING, XesKeys()) is None
    comparison.check(f"<log>{USUAL}{traces}{USUAL}</log>".encode(), 500)


def test_bytes_that_are_no_utf8_are_left_to_expat():
    for byte in (b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"):
        block = b'<trace><string key="a" value="' + byte + b'"/></trace>'
        assert read_block(block + PADDING, XesKeys()) is None


def test_a_block_that_goes_on_after_its_last_trace_is_left_to_expat():
    block = b'<trace></trace><string key="a" value="b"/>'
    assert read_block(block + PADDING, XesKeys()) is None
    assert read_block(b"<trace></trace>" + PADDING, XesKeys()) is not None


@pytest.mark.parametrize("encoding", ["ISO-8859-1", "US-ASCII", "UTF-8", "utf-8"])
def test_bytes_mean_what_the_declared_encoding_says(comparison, encoding):
    result = comparison.check(USUAL_LOG.replace(b"UTF-8", encoding.encode()), 300)
    assert isinstance(result, str) == (encoding == "US-ASCII")


@pytest.mark.parametrize("name", ["a b", "a&b", 'a"b', "a<b", "a\nb", "\ud800"])
def test_keys_that_a_file_may_spell_in_two_ways_are_left_to_expat(name):
    assert not can_read(XesKeys(activity=name))


def test_no_damage_makes_the_block_reader_raise():
    chance = random.Random(1)
    traces = USUAL.encode()
    for _ in range(300):
        at = chance.randrange(len(traces))
        cut = traces[:at] + bytes([chance.randrange(256)]) + traces[at + 1 :]
        read_block(cut + PADDING, XesKeys())
    for block in (b"", b"<", b"</trace>", b"no tag", b'"' * 8):
        assert read_block(block + PADDING, XesKeys()) is None


def test_a_very_deep_nesting_is_left_to_expat():
    depth = 20_000
    nested = '<string key="k" value="v">' * depth + "</string>" * depth
    assert read_block(f"<trace>{nested}</trace>".encode() + PADDING, XesKeys()) is None


def numbered(words: list[bytes]):
    """What ``distinct_values`` should answer, from the definition."""
    known: dict[bytes, int] = {}
    return [known.setdefault(word, len(known)) for word in words], list(known)


def distinct(words: list[bytes]):
    lengths = np.array([len(word) for word in words], dtype=np.int64)
    values = Values(np.cumsum(lengths) - lengths, lengths)
    codes, names = distinct_values(Text(b"".join(words) + PADDING), values)
    return codes.tolist(), names


words = st.integers(0, 5_000).map(lambda n: b"%d%s" % (n, b"x" * (n % 40)))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.lists(words, min_size=1, max_size=60), st.integers(1, 200), st.randoms())
def test_names_are_numbered_in_the_order_of_their_first(some, repeat, chance):
    listed = some * repeat
    chance.shuffle(listed)
    assert distinct(listed) == numbered(listed)


@pytest.mark.parametrize("count", [1, 100, 5_000, 20_000])
def test_many_distinct_names_are_told_apart(count):
    listed = [b"name %d" % (n * 7 % count) for n in range(2 * count)]
    assert distinct(listed) == numbered(listed)


@pytest.mark.parametrize("kept_bits", [0, 3])
def test_colliding_hashes_do_not_merge_names(monkeypatch, kept_bits):
    listed = [b"aaaa", b"bbbb", b"aaaa", b"cccc", b"dddd", b"eeee"] * 3
    hashed = xes_text._hashed
    monkeypatch.setattr(
        xes_text, "_hashed", lambda rows: hashed(rows) & np.uint64((1 << kept_bits) - 1)
    )
    assert distinct(listed) == numbered(listed)


@pytest.mark.parametrize("byte", [*range(9), 11, 12, *range(14, 32)])
def test_a_control_character_anywhere_is_left_to_expat(byte):
    for place in ("<trace>{}</trace>", '<trace><string key="a" value="{}"/></trace>'):
        assert read_block(place.format(chr(byte)).encode() + PADDING, XesKeys()) is None
        for legal in "\t\r\n":
            block = place.format("\t\r\n" + legal).encode() + PADDING
            assert read_block(block, XesKeys()) is not None


@pytest.mark.parametrize("after", ["<", "&", "</log", "<x></y>"])
def test_the_place_of_an_error_on_a_long_line_counts_characters(comparison, after):
    one_line = (
        USUAL.replace("\n", "").replace("case", "日本 Ärzte").replace("</trace>", "</trace>é")
    )
    before = comparison.blocks_read
    message = comparison.check(f"<log>\n<a/>{one_line}{one_line}{after}".encode(), 700)
    assert "line 2, column" in message
    assert comparison.blocks_read > before + 2


def test_an_interrupt_while_reading_ends_it_and_its_threads():
    class Interrupted(Drip):
        def read(self, size=-1):
            if self.tell() > 4_000:
                raise KeyboardInterrupt
            return super().read(size)

    document = f"<log>{USUAL * 20}</log>".encode()
    with pytest.raises(KeyboardInterrupt):
        read_whole(Interrupted(document, 600))
    assert not [t for t in threading.enumerate() if t.name.startswith("hushmap-xes")]


@fuzzing
@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from([None, "a", "b", "c", "d"]), st.integers(0, 2))),
        max_size=4,
    ),
    st.integers(1, 6),
)
def test_traces_of_all_batches_become_cases_as_the_definition_says(monkeypatch, batches, size):
    monkeypatch.setattr("hushmap.log.xes_events.PART", size)
    parts = []
    builder = PartsBuilder(parts.append)
    cases, lengths, known = [], [], {}
    for batch in batches:
        ids, sizes = [trace_id for trace_id, _ in batch], [length for _, length in batch]
        builder.add(batch_of(ids, sizes, sum(sizes)))
        for trace_id, length in batch:
            if length:
                name = object() if trace_id is None else trace_id
                cases.append(known.setdefault(name, len(known)))
                lengths.append(length)
    names = builder.finish()
    read = whole(parts, names)
    assert all(len(part.time) >= size for part in parts[:-1])
    assert read.case.tolist() == np.repeat(np.array(cases, dtype=int), lengths).tolist()
    traces = [trace for batch in batches for trace in batch]
    assert read.case_count == len(known)
    assert names.quality.events == sum(lengths)
    assert names.quality.traces == len(traces)
    assert names.quality.traces_without_event == sum(length == 0 for _, length in traces)
    assert names.quality.traces_without_id == sum(not t and bool(n) for t, n in traces)


@fuzzing
@given(st.lists(st.integers(1, 9), min_size=1, max_size=8), st.data())
def test_a_trace_in_several_parts_stays_one_trace(monkeypatch, lengths, data):
    monkeypatch.setattr("hushmap.log.xes_events.PART", data.draw(st.integers(1, 5)))
    parts = []
    builder = PartsBuilder(parts.append)
    ends, done, told = np.cumsum(lengths).tolist(), 0, 0
    while done < ends[-1]:
        step = data.draw(st.integers(1, ends[-1] - done))
        done += step
        ended = sum(end <= done for end in ends)
        builder.add(batch_of([f"c{n}" for n in range(told, ended)], lengths[told:ended], step))
        told = ended
    read = whole(parts, builder.finish())
    assert read.case.tolist() == np.repeat(np.arange(len(lengths)), lengths).tolist()


def batch_of(ids, lengths, events):
    """What a reader answers of so many events and of the traces that ended."""
    return Batch(
        trace_ids=ids,
        trace_lengths=np.array(lengths, dtype=np.int64),
        activity=np.zeros(events, dtype=np.int32),
        activities=["A"],
        lifecycle=np.full(events, MISSING, dtype=np.int32),
        lifecycles=[],
        time=np.zeros(events, dtype=np.int64),
        events_outside_traces=0,
        events_without_timestamp=0,
        events_with_unreadable_timestamp=0,
        timestamps_without_offset=0,
        timestamps_truncated=0,
    )
