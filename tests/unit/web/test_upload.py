"""An upload is taken as it arrives, within its limits, under a name of ours."""

import asyncio
import re

import pytest
from starlette.requests import Request

from hushmap.exceptions import UsageError
from hushmap.web.limits import Limits
from hushmap.web.upload import plain_name, receive_form

BOUNDARY = b"xyz"
NAMES = [
    "../../../../etc/cron.d/log.csv", "..\\..\\log.csv", "/etc/log.csv", "C:\\Windows\\log.csv",
    "log.csv/../../x.csv", "%2e%2e%2flog.csv", "~/.ssh/log.csv", "log\x00.csv", "a" * 300 + ".csv",
    "<script>alert(1)</script>.csv", "'; DROP TABLE events; --.csv", "*.csv", "[a].csv", ".csv",
]  # fmt: skip


def body(*parts):
    lines = b""
    for head, content in parts:
        lines += b"--" + BOUNDARY + b"\r\nContent-Disposition: form-data; " + head
        lines += b"\r\n\r\n" + content + b"\r\n"
    return lines + b"--" + BOUNDARY + b"--\r\n"


def receive(folder, content, *, pieces=7, limits=None, pause=0.0, kind=None):
    chunks = [content[start : start + pieces] for start in range(0, len(content), pieces)]

    async def given():
        if not chunks:
            return {"type": "http.request", "body": b"", "more_body": False}
        if pause and len(chunks) == 3:
            await asyncio.sleep(pause)
        return {"type": "http.request", "body": chunks.pop(0), "more_body": bool(chunks)}

    kind = kind or b"multipart/form-data; boundary=" + BOUNDARY
    scope = {"type": "http", "method": "POST", "path": "/", "headers": [(b"content-type", kind)]}
    return asyncio.run(receive_form(Request(scope, given), folder, limits or Limits(upload=1000)))


def file_part(name, content=b"case,activity,timestamp\n"):
    return b'name="file"; filename="' + name.encode() + b'"', content


@pytest.mark.parametrize("pieces", [1, 2, 10_000])
def test_fields_and_file_arrive_whatever_the_pieces(tmp_path, pieces):
    content = bytes(range(256)) + b"\r\n--xy\r\n"
    got = receive(
        tmp_path, body((b'name="a"', "ü".encode()), file_part("L.CSV", content)), pieces=pieces
    )
    assert got.fields == {"a": "ü"}
    assert got.file.read_bytes() == content
    assert got.name == "L.CSV"


@pytest.mark.parametrize("name", NAMES)
def test_no_name_leads_out_of_the_folder(tmp_path, window, name):
    folder = tmp_path / "folder"
    folder.mkdir()
    got = receive(folder, body(file_part(name)))
    assert got.file.parent == folder
    assert re.fullmatch(r"log-[0-9a-f]{16}\.csv", got.file.name)
    assert [path for path in tmp_path.iterdir() if path.name == "log.csv"] == []
    # The name itself is text for people, wherever it is shown.
    answer = window.upload(name)
    assert answer.status_code == 200
    assert "<script>alert" not in answer.text


def test_what_exceeds_the_limit_is_not_kept(tmp_path):
    got = receive(tmp_path, body(file_part("a.csv", b"x" * 1001)), pieces=100)
    assert got.file is None
    assert "larger than the limit" in got.error.what
    assert list(tmp_path.iterdir()) == []
    assert receive(tmp_path, body(file_part("a.csv", b"x" * 1000))).file.stat().st_size == 1000


def test_an_unknown_ending_is_refused_by_the_name_the_owner_knows(tmp_path):
    got = receive(tmp_path, body(file_part("../letter.docx")))
    assert got.file is None
    assert got.error.where == "letter.docx"
    assert list(tmp_path.iterdir()) == []


def test_no_file_is_no_file(tmp_path):
    got = receive(tmp_path, body(file_part("", b""), (b'name="path"', b"/data/log.csv")))
    assert (got.file, got.error) == (None, None)
    assert got.fields == {"path": "/data/log.csv"}


@pytest.mark.parametrize(
    "content",
    [
        body(file_part("a.csv"))[:-20],
        body(*[(b'name="a"', b"")] * 9),
        body((b'name="a"', b"x" * 20_000)),
        body(file_part("a.csv"), file_part("b.csv")),
        b"no form at all",
    ],
    ids=["cut short", "many parts", "long field", "two files", "nonsense"],
)
def test_a_broken_form_leaves_nothing_behind(tmp_path, content):
    with pytest.raises(UsageError):
        receive(tmp_path, content, pieces=64)
    assert list(tmp_path.iterdir()) == []


def test_another_kind_of_form_is_refused(tmp_path):
    with pytest.raises(UsageError):
        receive(tmp_path, b"", kind=b"text/plain")


@pytest.mark.parametrize("limits", [Limits(stalled=0.05), Limits(upload_time=0.05)])
def test_an_upload_that_stalls_is_given_up_and_wiped(tmp_path, limits):
    with pytest.raises(UsageError, match="given up"):
        receive(tmp_path, body(file_part("a.csv")), limits=limits, pause=5.0, pieces=16)
    assert list(tmp_path.iterdir()) == []


def test_a_plain_name_is_short_and_printable():
    for name in NAMES:
        shown = plain_name(name)
        assert len(shown) <= 120
        assert shown.isprintable()
        assert "/" not in shown


def test_a_full_disk_is_said_and_leaves_nothing_behind(tmp_path, monkeypatch):
    import errno

    from hushmap.exceptions import HushmapError
    from hushmap.web.upload import _Form

    write = _Form.on_part_data

    def full(form, data, start, end):
        write(form, data, start, end)
        if form.received.file is not None:
            raise OSError(errno.ENOSPC, "No space left on device", "/secret/place")

    monkeypatch.setattr(_Form, "on_part_data", full)
    with pytest.raises(HushmapError, match="No space left on device") as refused:
        receive(tmp_path, body(file_part("a.csv")))
    assert "secret" not in str(refused.value)
    assert "path" in refused.value.hint
    assert list(tmp_path.iterdir()) == []
