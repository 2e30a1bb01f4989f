"""`hushmap datasets`: the 13 logs, what is known of them and what is not, and files recognised."""

import json
import re
from pathlib import Path

import pytest

from hushmap.cli import main
from hushmap.log.public_logs import DistributedFile, PublicLog, public_logs, recognised

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"


def run(capsys, *words):
    with pytest.raises(SystemExit) as ended:
        main(["datasets", *words])
    shown = capsys.readouterr()
    return ended.value.code, shown.out, shown.err


def test_every_log_of_the_paper_is_listed_once():
    names = [log.name for log in public_logs()]
    assert len(names) == len(set(names)) == 13


def test_what_is_known_is_well_formed_and_what_is_not_is_none():
    for log in public_logs():
        assert log.doi is None or re.fullmatch(r"10\.4121/uuid:[0-9a-f-]{36}", log.doi)
        assert "" not in {log.doi, log.licence, log.note}
        for file in log.files:
            assert file.name
            assert file.bytes is None or file.bytes > 0
            assert file.md5 is None or re.fullmatch(r"[0-9a-f]{32}", file.md5)
            assert file.sha256 is None or re.fullmatch(r"[0-9a-f]{64}", file.sha256)


def test_no_two_files_share_a_name_or_a_checksum():
    files = [file for log in public_logs() for file in log.files]
    for key in ("name", "md5", "sha256"):
        known = [getattr(file, key) for file in files if getattr(file, key)]
        assert len(known) == len(set(known)) >= 4, key


def test_json_holds_the_whole_table_and_nothing_else(capsys):
    status, out, err = run(capsys, "--json")
    records = json.loads(out)["logs"]
    assert (status, err) == (0, "")
    assert [record["name"] for record in records] == [log.name for log in public_logs()]
    assert records[0]["page"] == f"https://doi.org/{public_logs()[0].doi}"
    assert records[-1]["doi"] is records[-1]["page"] is None


def test_the_list_says_how_to_get_each(capsys):
    status, out, _ = run(capsys)
    assert status == 0
    for log in public_logs():
        assert (log.page or "no public source known") in out
        for file in log.files:
            assert file.name in out
    assert "Nothing is downloaded" in out


def test_a_file_is_recognised_by_its_checksum_and_another_is_not(tmp_path, monkeypatch, capsys):
    import hashlib

    file = tmp_path / "some.xes"
    file.write_bytes(b"<log/>")
    other = DistributedFile("other.xes", None, None, None)
    strong = DistributedFile("some.xes", 6, "0" * 32, hashlib.sha256(b"<log/>").hexdigest())
    weak = DistributedFile("weak.xes", 9, hashlib.md5(b"<log ></log>").hexdigest(), None)
    known = PublicLog("One", "t", "a", None, None, (other, strong, weak), None)
    monkeypatch.setattr("hushmap.log.public_logs.public_logs", lambda: (known,))
    assert recognised(file) == (known, strong)
    assert "is One, as it is distributed: some.xes" in run(capsys, "--check", str(file))[1]
    assert json.loads(run(capsys, "--check", str(file), "--json")[1])["log"] == "One"
    file.write_bytes(b"<log ></log>")
    assert recognised(file) == (known, weak)  # where no stronger checksum is known
    file.write_bytes(b"<log></log>")
    assert recognised(file) is None
    assert json.loads(run(capsys, "--check", str(file), "--json")[1])["log"] is None


def test_a_file_that_is_not_there_is_an_error_of_one_line_more_or_less(tmp_path, capsys):
    status, out, err = run(capsys, "--check", str(tmp_path / "none.xes"))
    assert (status, out) == (1, "")
    assert 1 <= len(err.strip().splitlines()) <= 3


@pytest.mark.shared_logs
def test_the_distributed_file_at_hand_is_recognised():
    file = SHARED / "BPI12.xes.gz"
    if not file.exists():
        pytest.skip(f"{file} is absent")
    found = recognised(file)
    assert found is not None
    log, known = found
    assert (log.name, known.bytes) == ("BPIC12", file.stat().st_size)
