"""Reading XES that is broken or hostile: an error that quotes nothing, and little memory."""

from __future__ import annotations

import functools
import gzip
import io
import tracemalloc
import zlib

import pytest
from xes_documents import document, event, failure, read, read_whole, trace

import hushmap as hm
from hushmap.exceptions import EmptyLogError, LogError, LogTooLargeError
from hushmap.log.xes import xes_attributes
from hushmap.log.xes_source import Unpacker

SECRET = document(trace("secret-case", event("secret-activity", "2019-05-05T05:05:05Z")) * 3)


class TestErrors:
    def test_missing_file(self, tmp_path):
        with pytest.raises(LogError, match=r"There is no such file\.\nWhere: .*nowhere\.xes"):
            read_whole(tmp_path / "nowhere.xes")

    def test_folder(self, tmp_path):
        with pytest.raises(LogError, match="a folder, not a file"):
            read_whole(tmp_path)

    def test_empty_file(self):
        assert "The file is empty." in failure(b"", EmptyLogError)
        assert "part of it is missing" not in failure(gzip.compress(b""))

    @pytest.mark.parametrize(
        ("content", "what"),
        [
            (b"PK\x03\x04" + bytes(40), "a ZIP archive"),
            (b"BZh91AY&SY" + bytes(40), "compressed with bzip2"),
            (b"\xfd7zXZ\x00" + bytes(40), "compressed with xz"),
            (b"\x28\xb5\x2f\xfd" + bytes(40), "compressed with Zstandard"),
            (b"PAR1" + bytes(40), "a Parquet file"),
        ],
    )
    def test_other_formats_are_named(self, content, what):
        assert f"The file is {what}, not XES." in failure(content)

    @pytest.mark.parametrize(
        "content",
        [
            b"\x00\x01\x02\x03" * 50,
            b"case,activity\n1,A\n",
            b"\x89PNG\r\n\x1a\n" + bytes(99),
            b"\n\n",
        ],
    )
    def test_what_is_not_xml(self, content):
        assert "This is not an XML file." in failure(content)

    def test_xml_that_is_no_log(self):
        message = failure("<html><body/></html>")
        assert "its outermost element is not <log>" in message
        assert "html" not in message

    @pytest.mark.parametrize("cut", [0.3, 0.5, 0.97])
    def test_truncated_xml(self, cut):
        message = failure(SECRET[: int(len(SECRET) * cut)])
        assert "ends in the middle of the log" in message
        assert ", line " in message
        assert "secret" not in message

    def test_truncated_gzip(self):
        packed = gzip.compress(document(trace("c", event()) * 500).encode())
        for kept in (12, len(packed) // 2, len(packed) - 4):
            assert "The gzip file ends too early" in failure(packed[:kept])

    def test_damaged_gzip(self):
        packed = bytearray(gzip.compress(SECRET.encode()))
        packed[-6] ^= 0xFF  # the checksum
        assert "The gzip data is damaged" in failure(bytes(packed))
        assert "something else follows" in failure(gzip.compress(SECRET.encode()) + b"more")

    def test_malformed_xml_names_the_place_and_nothing_of_the_log(self):
        broken = SECRET.replace("</event>", "</even>", 1)
        message = failure(broken)
        assert "The XML is malformed: mismatched tag." in message
        assert "line 3, column" in message
        assert "secret" not in message
        assert "2019" not in message

    @pytest.mark.parametrize("encoding", ["no-such-encoding", "gb18030", "utf-7"])
    def test_unknown_encodings(self, encoding):
        message = failure(SECRET.replace("UTF-8", encoding))
        assert "declares an encoding that cannot be read" in message
        assert "secret" not in message

    @pytest.mark.parametrize(
        "declarations",
        [
            '<!ENTITY a "x">',
            '<!ENTITY a SYSTEM "file:///etc/passwd">',
            '<!ENTITY % a SYSTEM "http://example.org/a"> %a;',
            '<!ATTLIST string value CDATA "forged">',
            "<!ELEMENT log ANY>",
        ],
    )
    def test_declarations_in_a_doctype_are_refused(self, declarations):
        text = SECRET.replace("<log>", f"<!DOCTYPE log [{declarations}]>\n<log>")
        message = failure(text)
        assert "DOCTYPE with declarations of its own" in message
        assert "secret" not in message

    def test_a_billion_laughs_are_refused_before_the_first(self):
        laughs = '<!ENTITY l0 "ha">' + "".join(
            f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10)
        )
        text = document(trace("c", event("&l9;"))).replace(
            "<log>", f"<!DOCTYPE log [{laughs}]><log>"
        )
        assert "DOCTYPE" in failure(text)

    def test_attributes_of_a_broken_file_fail_alike(self, tmp_path):
        for content, what in [
            (b"", "empty"),
            (b"<html/>", "not an XES log"),
            (SECRET[:200].encode(), "in the middle"),
            (b"<log>" + b"<a>" * 5000, "nested"),
        ]:
            path = tmp_path / "broken.xes"
            path.write_bytes(content)
            with pytest.raises(LogError, match=what):
                xes_attributes(path)


class Endless(io.RawIOBase):
    """Hands over a head and then one byte again and again, and counts."""

    def __init__(self, head, filler, total):
        super().__init__()
        self._head, self._filler, self._left = head, filler, total
        self.handed = 0

    def read(self, size=-1):
        part = self._head or self._filler * min(size, self._left)
        self._head = b""
        self._left -= len(part)
        self.handed += len(part)
        return part


def gzip_of(head, filler, count):
    """A gzip file of a head and ``count`` bytes of filler, made without holding them."""
    packer = zlib.compressobj(9, wbits=31)
    parts = [packer.compress(head)]
    parts += [packer.compress(filler * (1 << 20)) for _ in range(count >> 20)]
    return b"".join([*parts, packer.flush()])


@pytest.fixture
def peak():
    """The most memory that Python held since the fixture began, in MiB."""
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    yield lambda: (tracemalloc.get_traced_memory()[1] - before) / (1 << 20)
    tracemalloc.stop()


@pytest.mark.parametrize("blocks", [True, False], ids=["blocks", "expat"])
def test_memory_does_not_grow_with_the_number_of_events(monkeypatch, tmp_path, blocks):
    """What Python and NumPy hold at the peak; the engine's tables have a limit of their own."""
    monkeypatch.setattr("hushmap.log.xes.can_read", lambda _: blocks)
    monkeypatch.setattr("hushmap.log.xes._MANY", 5_000)
    monkeypatch.setattr("hushmap.log.xes._keep_freed_memory", lambda: None)  # 32 MiB at once
    monkeypatch.setattr("hushmap.log.xes_events.PART", 10_000)
    monkeypatch.setattr("hushmap.log.xes.Unpacker", functools.partial(Unpacker, piece=1 << 18))

    def peak_of(traces):
        path = tmp_path / f"{traces}.xes"
        with path.open("w") as file:
            file.write("<log>")
            for number in range(traces):
                file.write(trace(f"a name of a case that takes some room {number}", event() * 10))
            file.write("</log>")
        tracemalloc.start()
        try:
            log = hm.read_log(path)
            return tracemalloc.get_traced_memory()[1], log.kept
        finally:
            tracemalloc.stop()

    peak_of(100)  # what is imported and remembered once
    (small, few), (large, many) = peak_of(4_000), peak_of(20_000)
    assert (few, many) == (40_000, 200_000)
    assert large < 1.3 * small


class TestBombs:
    def test_a_gzip_bomb_is_an_error_that_names_the_option(self, peak):
        bomb = gzip_of(b"<log>", b" ", 40 << 20)
        message = failure(bomb, LogTooLargeError, max_unpacked_bytes=10 << 20)
        assert "--max-unpacked" in message
        assert peak() < 30

    def test_the_default_limit_looks_at_the_ratio(self, monkeypatch):
        bomb = gzip_of(b"<log>", b"<a/>", 8 << 20)
        assert len(bomb) * 200 < 32 << 20
        monkeypatch.setattr("hushmap.log.xes_source._RATIO_MATTERS_ABOVE", 4 << 20)
        assert "unpacks to more than" in failure(bomb, LogTooLargeError)

    @pytest.mark.parametrize(
        ("name", "head", "filler"),
        [
            ("bomb.xes.gz", b"<log>", b"<trace></trace>"),
            ("bomb.csv.gz", b"case,activity,timestamp\n", b"\n"),
        ],
    )
    def test_the_default_limits_hold_for_whoever_names_none(
        self, monkeypatch, tmp_path, name, head, filler
    ):
        monkeypatch.setattr("hushmap.log.xes_source._RATIO_MATTERS_ABOVE", 4 << 20)
        bomb = tmp_path / name
        bomb.write_bytes(gzip_of(head, filler, 16 << 20))
        with pytest.raises(LogTooLargeError, match="--max-unpacked"):
            hm.read_log(bomb)

    def test_a_named_limit_replaces_the_default_ones(self, monkeypatch):
        packed = gzip.compress(document(trace("c", event()) * 40_000).encode(), 9)
        monkeypatch.setattr("hushmap.log.xes_source._RATIO_MATTERS_ABOVE", 1 << 20)
        monkeypatch.setattr("hushmap.log.xes_source._MAX_RATIO", 2)
        failure(packed, LogTooLargeError)
        assert len(read(packed, max_unpacked_bytes=1 << 30).case) == 40_000

    @pytest.mark.parametrize(
        "head",
        [
            b'<log><trace><event><string key="concept:name" value="',
            b"<log><!-- ",
            b"<log><",
            b"<log>",
            b"<log><trace/><![CDATA[",
        ],
        ids=["value", "comment", "name", "text", "CDATA"],
    )
    def test_endless_text_does_not_fill_memory(self, head, peak):
        stream = Endless(head, b"x", 10 << 30)
        with pytest.raises(LogError, match="without a tag"):
            read_whole(stream)
        assert stream.handed < 50 << 20
        assert peak() < 200

    def test_endless_nesting_is_refused(self):
        message = failure(b"<log><trace>" + b"<a>" * 100_000)
        assert "nested in one another" in message
