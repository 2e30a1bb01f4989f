"""Tools of the tests from outside: the program, a browser, and the checker of accessibility."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from conftest import missing_tool
from hushmap.cli import main

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync",
    "--disable-component-update", "--no-first-run",
]  # fmt: skip
AXE = "axe-core@4"


@pytest.fixture(scope="module")  # its event loop runs as long, and other tests need none to run
def browser():
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        missing_tool("Chromium is not installed (apt-get install chromium)")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing_tool("playwright is not installed (uv pip install playwright)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core (MPL-2.0), fetched into a folder that git ignores and not shipped."""
    folder = Path(__file__).resolve().parents[2] / "artefacts" / "axe-core"
    source = folder / "package" / "axe.min.js"
    if not source.exists():
        if shutil.which("npm") is None:
            missing_tool("npm is not installed, which fetches axe-core (apt-get install npm)")
        folder.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            ["npm", "pack", AXE, "--silent", "--pack-destination", folder],
            capture_output=True, text=True, check=False, timeout=120, cwd=folder,
        )  # fmt: skip
        if done.returncode:
            missing_tool(f"axe-core cannot be fetched: {done.stderr.strip()[-200:]}")
        with tarfile.open(folder / done.stdout.strip().splitlines()[-1]) as archive:
            archive.extract("package/axe.min.js", folder, filter="data")
    return source.read_text(encoding="utf-8")


@pytest.fixture
def run(capsys):
    """The program as a function: its exit status, and what it printed on both streams."""

    def call(*arguments):
        with pytest.raises(SystemExit) as stopped:
            main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return stopped.value.code, printed.out, printed.err

    return call
