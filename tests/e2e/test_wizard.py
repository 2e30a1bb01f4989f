"""`hushmap serve` as a process: where it listens, what it leaves behind, twenty at once."""

import io
import json
import re
import signal
import socket
import sys
import tomllib
import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from logs import SHARED, real_logs
from wizard import Visitor, wizard

from hushmap.cli import main


def left(tmp_path):
    """What stands in the private folders."""
    return [
        path for path in tmp_path.rglob("*") if path.is_file() and path.name not in {"gate", "lock"}
    ]


def hospital():
    return Path("examples/hospital.csv").read_bytes()


def listening(port):
    """The addresses on which a port is listened to, in the words of the kernel."""
    rows = [
        line.split()
        for table in ("tcp", "tcp6")
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]
    ]
    return [row[1] for row in rows if row[3] == "0A" and row[1].endswith(f":{port:04X}")]


def released(visitor, **wish):
    """The whole way; the files of the public half."""
    visitor.post("protect", {"annotate": ["frequency"], **wish})
    visitor.settled("protect")
    visitor.post("limit", {"fix": "risk", "risk": "20", "next": "review"})
    visitor.settled("review")
    visitor.post("release", {"once": "yes", "observed": "yes"})
    assert "Download public.zip" in visitor.settled("release").text
    archive = zipfile.ZipFile(io.BytesIO(visitor.get("public.zip").content))
    return {name.removeprefix("public/"): archive.read(name) for name in archive.namelist()}


def test_it_listens_on_this_machine_alone(tmp_path):
    with wizard(tmp_path) as server:
        port = int(server.origin.rpartition(":")[2])
        assert listening(port) == [f"0100007F:{port:04X}"]
        with socket.socket() as probe, pytest.raises(OSError, match="refused"):
            probe.connect(("127.0.0.2", port))


def uploads(tmp_path):
    return [path for path in left(tmp_path) if path.name.startswith("log-")]


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_whatever_ends_it_nothing_is_left(tmp_path, sign):
    with wizard(tmp_path) as server:
        with Visitor(server.address) as visitor:
            visitor.upload("hospital.csv", hospital())
            visitor.settled("columns")
            assert uploads(tmp_path)
            assert all(path.stat().st_mode & 0o077 == 0 for path in tmp_path.rglob("run-*"))
        status = server.stop(sign)
    # A terminal that closes (SIGHUP) is answered as being told to end.
    assert status == (0 if sign == signal.SIGINT else 128 + signal.SIGTERM)
    assert left(tmp_path) == []
    said = "\n".join(server.said)
    assert said.count("token=") == 1  # no address of a request is written down
    assert "hospital" not in said
    assert "Traceback" not in said


def test_what_a_crash_left_is_wiped_at_the_next_start_and_a_neighbour_is_left_alone(tmp_path):
    with (
        wizard(tmp_path) as neighbour,
        wizard(tmp_path) as server,
        Visitor(neighbour.address) as kept,
        Visitor(server.address) as lost,
    ):
        for visitor in (kept, lost):
            visitor.upload("hospital.csv", hospital())
            visitor.settled("columns")
        server.stop(signal.SIGKILL)
        assert len(uploads(tmp_path)) == 2
        with wizard(tmp_path):
            assert len(uploads(tmp_path)) == 1
            assert released(kept)["map.json"]


def test_a_port_that_is_taken_is_said(tmp_path, capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(SystemExit) as ended:
            main(["serve", "--port", str(taken.getsockname()[1])])
    assert ended.value.code == 1
    assert "--port" in capsys.readouterr().err


@pytest.mark.parametrize("package", ["jinja2", "python_multipart", "starlette", "uvicorn"])
def test_without_its_packages_it_says_what_to_install(package, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, package, None)  # as if it were not installed
    with pytest.raises(SystemExit) as ended:
        main(["serve"])
    assert ended.value.code == 1
    error = capsys.readouterr().err
    assert package in error
    assert "hushmap[web]" in error


def test_the_packages_asked_for_are_those_of_the_extra():
    from hushmap.cli.serve import _PACKAGES

    extra = tomllib.loads(Path("pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = {re.split(r"[>=<]", requirement)[0].replace("-", "_") for requirement in extra["web"]}
    assert named == set(_PACKAGES)


def test_a_limit_on_uploads_can_be_set_and_is_kept(tmp_path):
    with wizard(tmp_path, "--max-upload", "1MB") as server, Visitor(server.address) as visitor:
        answer = visitor.upload("big.csv", b"x" * 1_100_000)
        assert answer.status_code == 422
        assert "larger than the limit for uploads, 1 MB" in answer.text
        assert left(tmp_path) == []


def own_log(place):
    """A log of which every activity and the number of cases say whose it is."""
    rows = ["case,activity,timestamp"]
    for case in range(10 + place):
        rows += [
            f"{case},{step} in ward-{place:02d},2026-01-05T0{hour}:00:00Z"
            for hour, step in enumerate("ABC")
        ]
    return "\n".join(rows).encode()


def test_twenty_at_once_get_their_own_and_leave_nothing(tmp_path):
    with wizard(tmp_path) as server, ExitStack() as stack:
        first = stack.enter_context(Visitor(server.address))
        visitors = [first]
        for _ in range(19):
            address = first.invitation()
            visitors.append(stack.enter_context(Visitor(address)))

        def way(place):
            visitor = visitors[place]
            visitor.upload(f"log-of-ward-{place:02d}.csv", own_log(place))
            page = visitor.settled("columns").text
            assert f">{10 + place}<" in page
            files = released(visitor, annotate=["frequency", "max"], range_kind="observed")
            pages = [visitor.get(name).text for name in ("log", "protect", "review", "release")]
            return files["map.json"].decode(), "".join([page, *pages])

        with ThreadPoolExecutor(20) as pool:
            results = list(pool.map(way, range(20)))
        for place, (document, pages) in enumerate(results):
            names = json.loads(document)["activities"]
            assert names == [f"{step} in ward-{place:02d}" for step in "ABC"]
            assert set(re.findall(r"ward-(\d\d)", pages)) == {f"{place:02d}"}
        for visitor in visitors:
            visitor.post("end")
        assert left(tmp_path) == []
        server.stop()
    assert "defect" not in "\n".join(server.said)


@real_logs
@pytest.mark.shared_logs
def test_sepsis_from_a_path_on_this_machine(tmp_path):
    path = str((SHARED / "data" / "Sepsis.xes.gz").resolve())
    with wizard(tmp_path) as server, Visitor(server.address) as visitor:
        visitor.post("log", {"path": path}, files={"file": ("", b"")})
        assert "1,050" in visitor.settled("columns").text
        assert uploads(tmp_path) == []
        files = released(visitor)
        certificate = json.loads(files["certificate.json"])
        assert certificate["risk"] == 0.2
        assert len(json.loads(files["map.json"])["edges"]) == 135
        assert path not in "".join(map(str, files.values()))


@real_logs
@pytest.mark.shared_logs
def test_twenty_at_once_with_sepsis_and_the_memory_is_free_again(tmp_path):
    content = (SHARED / "data" / "Sepsis.xes.gz").read_bytes()
    with wizard(tmp_path) as server, ExitStack() as stack:
        first = stack.enter_context(Visitor(server.address))
        visitors = [first]
        visitors += [stack.enter_context(Visitor(first.invitation())) for _ in range(19)]

        def way(place):
            visitor, risk = visitors[place], 5 + 4 * place
            visitor.upload(f"ward-{place:02d}.xes.gz", content)
            visitor.settled("columns", 240)
            visitor.settled("protect", 240)
            visitor.post("limit", {"fix": "risk", "risk": str(risk), "next": "review"})
            visitor.settled("review", 240)
            visitor.post("release", {"once": "yes"})
            page = visitor.settled("release", 240).text
            archive = zipfile.ZipFile(io.BytesIO(visitor.get("public.zip").content))
            certificate = json.loads(archive.read("public/certificate.json"))
            return certificate["risk"], archive.read("public/map.json"), page

        left_behind = []
        for _ in range(2):
            with ThreadPoolExecutor(20) as pool:
                results = list(pool.map(way, range(20)))
            for place, (risk, document, page) in enumerate(results):
                assert risk == pytest.approx((5 + 4 * place) / 100)
                assert len(json.loads(document)["edges"]) == 135
                assert set(re.findall(r"ward-(\d\d)", page)) == {f"{place:02d}"}
            assert len({document for _, document, _ in results}) == 20
            held = server.memory()
            for place, visitor in enumerate(visitors):
                visitor.post("end")
                visitors[place] = visitor.again()
            assert left(tmp_path) == []
            left_behind.append(server.memory())
            assert left_behind[-1] < held - 20 * 2_000_000  # what twenty projects held is gone
        assert left_behind[1] - left_behind[0] < 40_000_000  # and twenty more add nothing


def test_two_hundred_megabytes_flow_through_to_the_disk(tmp_path):
    """Streamed: the server's memory does not grow with the file."""
    size, padding = 200_000_000, b"x" * 960
    block = b"".join(
        b"%d,Step %d,2026-01-%02dT10:00:00Z,%s\n" % (case, case % 7, case % 28 + 1, padding)
        for case in range(2_000)
    )
    log = tmp_path / "large.csv"
    with log.open("wb") as file:
        file.write(b"case,activity,timestamp,remark\n")
        while file.tell() < size:
            file.write(block)
    rows = (log.stat().st_size // len(block)) * 2_000
    folder = tmp_path / "private"
    folder.mkdir()
    with wizard(folder) as server, Visitor(server.address) as visitor, log.open("rb") as file:
        before = server.memory("VmHWM")
        refused = visitor.upload("large.csv", file, form_token="not ours")
        assert refused.status_code == 403  # it was read to its end, and thrown away
        assert server.memory("VmHWM") - before < 60_000_000
        assert left(folder) == []
        file.seek(0)
        visitor.upload("large.csv", file)
        assert f">{rows:,}<" in visitor.settled("columns", 240).text
        server.stop()
    assert left(folder) == []
