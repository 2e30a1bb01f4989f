"""How the program ends: interrupted, terminated, with a full disk, in a terminal of another time."""

import importlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

EXAMPLE = "examples/hospital.csv"


def test_a_terminated_release_leaves_no_temporary_files(tmp_path):
    """Killed by SIGTERM between two files; what lies around then would hold the log."""
    code = (
        "import os, signal; from hushmap.cli import main; done = []; real = os.fsync\n"
        "def stop(handle):\n"
        "    done.append(real(handle))\n"
        "    if len(done) == 2: os.kill(os.getpid(), signal.SIGTERM)\n"
        "os.fsync = stop\n"
        f"main(['release', {EXAMPLE!r}, '--max-risk', '0.3', '--no-picture', '--out', "
        f"{str(tmp_path / 'out')!r}])"
    )
    made = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | {"TMPDIR": str(tmp_path)}, check=False
    )
    assert made.returncode == 143
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [["inspect", EXAMPLE, "--json"], ["plan", EXAMPLE]])
def test_a_full_disk_is_no_defect(arguments):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "hushmap", *arguments],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert "No space left" in done.stderr
    assert "defect" not in done.stderr
    assert 1 <= len(done.stderr.strip().splitlines()) <= 3


def test_ctrl_c_leaves_nothing_and_exits_130(tmp_path):
    """The log is a pipe that never ends, so the program is surely still at work."""
    process = subprocess.Popen(
        [sys.executable, "-m", "hushmap", "release", "-", "--max-risk", "0.2", "--out", tmp_path / "o"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    )  # fmt: skip
    deadline = time.monotonic() + 20
    while not list(tmp_path.glob("hushmap-*/standard-input.csv")) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert b"interrupted" in err
    assert not (tmp_path / "o").exists()
    assert not list(tmp_path.glob("hushmap-*"))


@pytest.fixture
def ctrl_c():
    """Press Ctrl-C as soon as a function is called, and let it go on."""

    def during(function):
        def interrupted(*arguments, **named):
            timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            try:
                return function(*arguments, **named)
            finally:
                timer.cancel()

        return interrupted

    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield during
    signal.signal(signal.SIGINT, previous)


def wait(*_arguments, **_named):
    """Work that would take a minute."""
    for _ in range(6000):
        time.sleep(0.01)


def count_for_ever(log, **_options):
    """Work within the engine that would take hours: every pair of a hundred thousand million."""
    log.engine.row(
        "SELECT count(*) FROM range(1000000) AS a, range(1000000) AS b WHERE a.range % 7 = b.range % 5"
    )


@pytest.mark.parametrize(
    ("verb", "at", "work"),
    [
        ("release", "hushmap.discovery.discover", count_for_ever),
        ("plan", "hushmap.discovery.discover", count_for_ever),
        ("release", "hushmap.planning.plan.plan_with", wait),
        ("plan", "hushmap.planning.frontier.frontier", wait),
        ("release", "hushmap.bundle.writing._write_owner", wait),
        ("release", "hushmap.bundle.writing._write_public", wait),
        ("plan", "hushmap.picture.heat_map_svg", wait),
        ("plan", "pathlib.Path.chmod", wait),
    ],
)
def test_ctrl_c_at_any_step_leaves_nothing_half_written(
    run, monkeypatch, tmp_path, ctrl_c, verb, at, work
):
    """Also within the engine, whose own word for it is another error."""
    monkeypatch.setattr(at, ctrl_c(work))
    limit = ("--max-risk", "0.2") if verb == "release" else ()
    began = time.monotonic()
    status, out, err = run(verb, EXAMPLE, *limit, "--out", tmp_path / "o")
    assert status == 130
    assert "interrupted; nothing was written" in err
    assert "Traceback" not in err
    assert out == ""
    assert time.monotonic() - began < 30
    assert list(tmp_path.iterdir()) == []


def test_a_plan_that_is_interrupted_leaves_the_files_of_an_earlier_one(
    run, monkeypatch, tmp_path, ctrl_c
):
    assert run("plan", EXAMPLE, "--out", tmp_path)[0] == 0
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    monkeypatch.setattr("pathlib.Path.chmod", ctrl_c(wait))
    assert run("plan", EXAMPLE, "--attacker", "empirical", "--out", tmp_path)[0] == 130
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_a_terminal_without_unicode_is_no_defect(tmp_path, encoding):
    log = tmp_path / "log.csv"
    log.write_text("case,activity,time\n1,Prüfung ▶,2026-01-01\n1,B,2026-01-02\n")
    environment = os.environ | {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}

    def call(*arguments):
        done = subprocess.run(
            [sys.executable, "-m", "hushmap", *arguments],
            env=environment, capture_output=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout

    edges = json.loads(call("plan", str(log), "--max-risk", "0.2", "--json"))["edges"]
    assert "Prüfung ▶" in {edge["source"] for edge in edges}
    for arguments in (["release", "--help"], ["plan", str(log), "--max-risk", "0.2"]):
        assert call(*arguments)


def test_a_closed_terminal_leaves_nothing_of_the_log_behind(tmp_path):
    script = (
        "import os, signal, sys\n"
        "from hushmap.log import reading\n"
        "from hushmap.cli import main\n"
        "real = reading._read\n"
        "def stopped(*args):\n"
        "    os.kill(os.getpid(), signal.SIGHUP)\n"
        "    return real(*args)\n"
        "reading._read = stopped\n"
        "main(['inspect', 'examples/hospital.csv'])\n"
    )
    made = subprocess.run(
        [sys.executable, "-c", script], env=os.environ | {"TMPDIR": str(tmp_path)}, check=False
    )
    assert made.returncode == 128 + signal.SIGHUP
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_while_the_program_starts_is_no_traceback():
    script = (
        "import sys\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'typer':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "from hushmap.cli import main\n"
        "main(['--help'])\n"
    )
    made = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert (made.returncode, made.stderr) == (130, "hushmap: interrupted; nothing was written.\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_summary_that_cannot_be_printed_does_not_hide_that_the_map_is_written(tmp_path):
    for more in ([], ["--json"]):
        out = tmp_path / f"map{len(more)}"
        with Path("/dev/full").open("w") as full:
            made = subprocess.run(
                [sys.executable, "-m", "hushmap", "release", EXAMPLE, "--max-risk", "0.2",
                 "--no-picture", "--out", str(out), *more],
                stdout=full, stderr=subprocess.PIPE, text=True, check=False,
            )  # fmt: skip
        assert made.returncode == 1
        assert "The bundle is written" in made.stderr
        assert "Do not draw again" in made.stderr
        assert (out / "public" / "map.json").exists()


def test_ctrl_c_after_the_draw_does_not_say_that_nothing_was_written(tmp_path, monkeypatch, run):
    module = importlib.import_module("hushmap.cli.release")

    def interrupted(*_arguments, **_named):
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "_print", interrupted)
    out = tmp_path / "map"
    status, _, err = run("release", EXAMPLE, "--max-risk", "0.2", "--no-picture", "--out", out)
    assert status == 1
    assert "The bundle is written" in err
    assert "nothing was written" not in err
    assert (out / "public" / "map.json").exists()
