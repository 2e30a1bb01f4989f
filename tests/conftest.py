"""What several tests share: tools that may be missing, and the real logs."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def missing_tool(reason: str) -> None:
    """Skip a test whose tool is not installed; in CI nothing may be skipped for that."""
    if os.environ.get("HUSHMAP_REQUIRE_TOOLS") == "1":
        pytest.fail(f"{reason}; .ci/run must install it")
    pytest.skip(reason)


@pytest.fixture(autouse=True)
def _at_the_root(monkeypatch):
    """Examples in docstrings and documents name files from the root of the project."""
    monkeypatch.chdir(ROOT)


@pytest.fixture(scope="session")
def postgres():
    """The URL of a PostgreSQL server of our own on a loopback port, stopped at the end."""
    import socket
    import subprocess
    import tempfile

    servers = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not servers or not shutil.which("runuser"):
        missing_tool("PostgreSQL is not installed (apt-get install postgresql)")
    # Not in pytest's folder, which every other session of pytest closes to other users anew.
    folder = Path(tempfile.mkdtemp(prefix="hushmap-postgres-"))
    folder.chmod(0o755)
    data = folder / "data"
    data.mkdir()
    # PostgreSQL refuses to run as root.
    as_user = []
    if os.getuid() == 0:
        shutil.chown(data, "postgres")
        as_user = ["runuser", "-u", "postgres", "--"]
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    subprocess.run(
        [*as_user, servers[-1] / "initdb", "-D", data, "-A", "trust", "-U", "owner", "-E", "UTF8"],
        check=True, capture_output=True, cwd="/",
    )  # fmt: skip
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off"
    control = [*as_user, servers[-1] / "pg_ctl", "-D", data, "-w"]
    subprocess.run(
        [*control, "-o", options, "-l", data / "log", "start"],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/",
    )  # fmt: skip
    yield f"postgresql://owner@127.0.0.1:{port}/postgres"
    subprocess.run([*control, "-m", "immediate", "stop"], check=False, capture_output=True, cwd="/")
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def spark():
    """A Spark session on this machine with two threads, started once."""
    if not shutil.which("java"):
        missing_tool("Java is not installed (apt-get install openjdk-17-jre-headless)")
    from hushmap.log.spark_session import spark_session

    session = spark_session("local[2]", None)
    session.conf.set("spark.sql.shuffle.partitions", "3")
    yield session
    session.stop()
