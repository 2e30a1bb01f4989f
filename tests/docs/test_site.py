"""The built documentation: strict, complete, no broken link or anchor, nothing from elsewhere."""

import shutil
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from conftest import ROOT

LOADING = {
    ("script", "src"),
    ("link", "href"),
    ("img", "src"),
    ("iframe", "src"),
    ("source", "src"),
}


class Page(HTMLParser):
    """Links, anchors and what a page loads by itself."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.anchors = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors |= {given[key] for key in ("id", "name") if given.get(key)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        for key in ("src", "href"):
            if (tag, key) in LOADING and given.get(key) and given.get("rel") != "canonical":
                self.loads.append(given[key])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Built apart, so that the tests leave the working copy alone."""
    folder = tmp_path_factory.mktemp("docs")
    shutil.copytree(ROOT / "docs", folder / "docs")
    (folder / "bench").mkdir()
    for name in ("zensical.toml", "CONTRIBUTING.md", "bench/RESULTS.md"):
        shutil.copy(ROOT / name, folder / name)
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict", "--clean"], cwd=folder,
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


@pytest.fixture(scope="module")
def pages(site):
    return {path: Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}


def test_every_page_is_in_the_navigation_and_the_navigation_has_every_page():
    def files(entry):
        if isinstance(entry, str):
            return [entry]
        return [file for part in (entry.values() if isinstance(entry, dict) else entry)
                for file in files(part)]  # fmt: skip

    listed = files(tomllib.loads((ROOT / "zensical.toml").read_text())["project"]["nav"])
    there = {str(path.relative_to(ROOT / "docs")) for path in ROOT.glob("docs/**/*.md")}
    assert sorted(listed) == sorted(there)


def test_no_link_and_no_anchor_of_the_site_is_broken(site, pages):
    for path, page in pages.items():
        if path.name == "404.html":
            continue  # its links are absolute: it is served from anywhere
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            assert target.is_file(), f"{path.relative_to(site)}: {link}"
            if parts.fragment and target in pages:
                anchors = pages[target].anchors
                assert unquote(parts.fragment) in anchors, f"{path.relative_to(site)}: {link}"


def test_the_site_loads_nothing_from_elsewhere(pages):
    for path, page in pages.items():
        for address in page.loads:
            assert not urlsplit(address).netloc, f"{path.name}: {address}"


def test_every_picture_is_described(site):
    for path in Path(ROOT / "docs").rglob("*.md"):
        assert "![](" not in path.read_text(), path
