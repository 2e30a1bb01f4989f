"""The wizard: how fast the sliders answer, and twenty browsers at once.

python bench/wizard_speed.py sliders LOG…     # in Chromium: the picture at once, then exact figures
python bench/wizard_speed.py load LOG         # 20 browsers from file to bundle; memory afterwards
"""

from __future__ import annotations

import io
import statistics
import sys
import tempfile
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))
from wizard import Visitor, wizard

BROWSERS = 20
WISHES = {
    "frequency": [],
    "frequency, mean": ["Mean time"],
    "all five": ["Total time", "Mean time", "Shortest time", "Longest time"],
}
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-sync",
    "--disable-component-update",
    "--no-first-run",
]
# Milliseconds from a movement of the slider to the picture that answers it, and to exact figures.
MEASURE = """async ([name, positions]) => {
  const slider = document.getElementById(name), meaning = document.getElementById("meaning");
  const felt = [], settled = [];
  for (const position of positions) {
    const start = performance.now();
    slider.value = position;
    slider.dispatchEvent(new Event("input"));
    document.querySelector(".chart").getBoundingClientRect();  // laid out, too
    felt.push(performance.now() - start);
    while (meaning.getAttribute("aria-busy") !== "false") await new Promise((go) => setTimeout(go, 4));
    settled.push(performance.now() - start);
  }
  return [felt, settled];
}"""


def sliders(logs: list[str]) -> None:
    from playwright.sync_api import sync_playwright

    with (
        tempfile.TemporaryDirectory() as tmp,
        wizard(Path(tmp)) as server,
        sync_playwright() as play,
    ):
        browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        page = browser.new_page()
        page.set_default_timeout(300_000)
        page.goto(server.address)
        start = page.url.partition("/p/")[0]
        print("log, numbers, slider: at once (worst), exact figures (median, worst), in ms")
        for log in logs:
            page.goto(f"{start}/")
            page.set_input_files("#file", log)
            page.get_by_role("button", name="Read the log").click()
            page.get_by_role("button", name="Continue", exact=True).click()
            page.get_by_role("heading", name="Risk against error", exact=True).wait_for()
            for wish, labels in WISHES.items():
                for label in labels:
                    page.get_by_role("checkbox", name=label).check()
                if labels:
                    page.get_by_label("The longest time in the log").check()
                    page.get_by_role("button", name="Weigh again").click()
                    page.wait_for_function(
                        "number => document.querySelectorAll('.wide-only .mark').length === number",
                        arg=1 + len(labels),
                    )
                page.locator("#error-slider:not([hidden])").wait_for()  # the script is there
                for name, positions in (
                    ("risk", range(20, 180, 10)),
                    ("error", range(200, 900, 50)),
                ):
                    felt, settled = page.evaluate(MEASURE, [f"{name}-slider", list(positions)])
                    exact = f"{statistics.median(settled):.0f}, {max(settled):.0f}"
                    print(f"{Path(log).name}, {wish}, {name}: {max(felt):.1f}; {exact}", flush=True)
        browser.close()


def load(log: str) -> None:
    content = Path(log).read_bytes()
    with tempfile.TemporaryDirectory() as tmp, wizard(Path(tmp)) as server, ExitStack() as stack:
        first = stack.enter_context(Visitor(server.address))
        visitors = [first]
        visitors += [stack.enter_context(Visitor(first.invitation())) for _ in range(BROWSERS - 1)]

        def way(visitor: Visitor) -> tuple[float, bytes]:
            start = time.perf_counter()
            visitor.upload(Path(log).name, content)
            visitor.settled("columns", 600)
            visitor.settled("protect", 600)
            visitor.post("limit", {"fix": "risk", "risk": "20", "next": "review"})
            visitor.settled("review", 600)
            visitor.post("release", {"once": "yes"})
            visitor.settled("release", 600)
            archive = zipfile.ZipFile(io.BytesIO(visitor.get("public.zip").content))
            return time.perf_counter() - start, archive.read("public/map.json")

        print(f"before: {server.memory() / 1e6:.0f} MB")
        for turn in (1, 2, 3):
            with ThreadPoolExecutor(BROWSERS) as pool:
                results = list(pool.map(way, visitors))
            times = [seconds for seconds, _ in results]
            different = len({document for _, document in results})
            during = server.memory() / 1e6
            for place, visitor in enumerate(visitors):
                visitor.post("end")
                visitors[place] = visitor.again()
            files = sum(1 for path in Path(tmp).rglob("log-*"))
            print(
                f"turn {turn}: {BROWSERS} browsers in {max(times):.1f} s, {different} different maps; "
                f"{during:.0f} MB, after the end {server.memory() / 1e6:.0f} MB and {files} files",
                flush=True,
            )


if __name__ == "__main__":
    if sys.argv[1:2] == ["sliders"] and sys.argv[2:]:
        sliders(sys.argv[2:])
    elif sys.argv[1:2] == ["load"] and len(sys.argv) == 3:
        load(sys.argv[2])
    else:
        sys.exit(__doc__)
