"""What the wizard keeps on disk is private while it runs, and gone afterwards."""

import subprocess
import sys

import pytest

from hushmap.exceptions import HushmapError
from hushmap.web.private_folder import PrivateFolder


def test_only_the_owner_may_enter(tmp_path):
    folder = PrivateFolder(tmp_path / "private")
    for path in (tmp_path / "private", folder.path, folder.new()):
        assert path.stat().st_mode & 0o777 == 0o700
    folder.close()
    assert not folder.path.exists()


def test_a_folder_that_was_open_is_closed_to_others(tmp_path):
    (tmp_path / "private").mkdir(mode=0o755)
    PrivateFolder(tmp_path / "private").close()
    assert (tmp_path / "private").stat().st_mode & 0o777 == 0o700


def test_a_link_in_its_place_is_refused(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "private").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(HushmapError, match="belongs to somebody else, or is none"):
        PrivateFolder(tmp_path / "private")
    assert list((tmp_path / "elsewhere").iterdir()) == []


CRASHING = """
import os, sys
from pathlib import Path
from hushmap.web.private_folder import PrivateFolder
folder = PrivateFolder(Path(sys.argv[1]))
(folder.new() / "log.csv").write_text("secret")
print(folder.path, flush=True)
if sys.argv[2] == "crash":
    os._exit(1)
sys.stdin.read()
"""


def other(tmp_path, how):
    return subprocess.Popen(
        [sys.executable, "-c", CRASHING, str(tmp_path / "private"), how],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def test_what_a_crash_left_is_wiped_at_the_next_start(tmp_path):
    crashed = other(tmp_path, "crash")
    left, _ = crashed.communicate()
    files = list((tmp_path / "private").rglob("log.csv"))
    assert len(files) == 1
    assert str(files[0]).startswith(left.strip())
    folder = PrivateFolder(tmp_path / "private")
    assert list((tmp_path / "private").rglob("log.csv")) == []
    assert folder.path.exists()
    folder.close()


def test_a_server_that_runs_is_left_alone(tmp_path):
    running = other(tmp_path, "wait")
    path = running.stdout.readline().strip()
    mine = PrivateFolder(tmp_path / "private")
    mine.close()
    assert len(list((tmp_path / "private").rglob("log.csv"))) == 1
    assert path in str(next((tmp_path / "private").rglob("log.csv")))
    running.communicate("")
    PrivateFolder(tmp_path / "private").close()
    assert list((tmp_path / "private").rglob("log.csv")) == []


def test_a_folder_from_before_its_lock_is_wiped(tmp_path):
    (tmp_path / "private" / "run-x").mkdir(parents=True)
    PrivateFolder(tmp_path / "private").close()
    assert [path.name for path in (tmp_path / "private").iterdir()] == ["gate"]
