"""Draw the pictures of the documentation from the released maps in `docs/pictures/maps`.

python docs/make_pictures.py            # hospital.svg, sepsis.svg
python docs/make_pictures.py --screen   # and sepsis-map-html.png, with Playwright and Chromium

The maps are released ones, as `hushmap release LOG --max-risk 0.2` wrote them, so drawing them
again draws no noise. A test compares the pictures with what the program draws.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from hushmap.bundle.certificate_json import read_certificate
from hushmap.bundle.checks import resolution_of
from hushmap.bundle.map_json import read_map
from hushmap.picture import map_html, map_svg

if TYPE_CHECKING:
    from hushmap.graph import ReleasedGraph
    from hushmap.release.certificate import Certificate

PICTURES = Path(__file__).resolve().parent / "pictures"
NAMES = ("hospital", "sepsis")
_PATHS = 45  # so many of the sepsis map's paths can be read on one screen


def released(name: str) -> tuple[ReleasedGraph, Certificate]:
    """A released map with its certificate, as it lies in the documentation."""
    folder = PICTURES / "maps" / name
    certificate = read_certificate((folder / "certificate.json").read_bytes())
    graph = read_map((folder / "map.json").read_bytes(), resolution_of(certificate))
    return graph, certificate


def picture(name: str) -> bytes:
    """What `map.svg` of this map is."""
    return map_svg(*released(name))


def screen(name: str, target: Path) -> None:
    """Photograph `map.html`, with the sliders set to what one screen can show."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder) / "map.html"
        page_file.write_bytes(map_html(*released(name)))
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 1000})
        page.goto(page_file.as_uri())
        page.get_by_role("slider", name="Paths").evaluate(
            "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input')) }",
            str(_PATHS),
        )
        page.get_by_role("button", name="Fit the whole map").click()
        page.mouse.move(0, 0)
        page.screenshot(path=target)
        browser.close()


def main() -> None:
    """Write the pictures."""
    for name in NAMES:
        (PICTURES / f"{name}.svg").write_bytes(picture(name))
    if "--screen" in sys.argv[1:]:
        screen("sepsis", PICTURES / "sepsis-map-html.png")


if __name__ == "__main__":
    main()
