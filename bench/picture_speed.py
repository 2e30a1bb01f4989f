"""How long the pictures take and how large they are: `python bench/picture_speed.py LOG…`.

Without logs, random maps of the sizes of the example, Sepsis, BPI12 and BPIC15_1 are drawn.
"""

from __future__ import annotations

import json
import random
import sys
import time

from hushmap.graph import Annotation, Edge, ReleasedGraph, canonical_order
from hushmap.picture import map_html, map_png, map_svg
from hushmap.planning.parameters import PlanParameters
from hushmap.release.certificate import make_certificate

SIZES = {"hospital": (4, 8), "Sepsis": (16, 135), "BPI12": (23, 149), "BPIC15_1": (398, 4821)}


def random_map(activities: int, size: int) -> ReleasedGraph:
    draw = random.Random(1)
    names = tuple(f"Activity {place:03d}" for place in range(activities))
    pairs = {Edge(None, names[0]), Edge(names[-1], None), *map(Edge, names, names[1:])}
    while len(pairs) < size:
        pairs.add(Edge(draw.choice(names), draw.choice(names)))
    edges = sorted(pairs, key=str)
    edges = [edges[place] for place in canonical_order(edges)]
    weights = {Annotation.FREQUENCY: tuple(int(3000 ** draw.random()) for _ in edges)}
    return ReleasedGraph(names, tuple(edges), weights, 1_000_000)


def main() -> None:
    maps = {}
    for path in sys.argv[1:]:
        import hushmap as hm

        released = hm.release(hm.plan(hm.discover(hm.read_log(path)), max_risk=0.2))
        maps[path.rsplit("/", 1)[-1]] = (released.graph, released.certificate)
    if not maps:
        certificate = make_certificate(
            PlanParameters.of(max_risk=0.2),
            version="0", date="2026-11-30", resolution="1s", max_duration=None,
        )  # fmt: skip
        maps = {name: (random_map(*size), certificate) for name, size in SIZES.items()}
    steps = {}
    print(f"{'map':24}{'edges':>7}{'picture':>9}{'seconds':>9}{'kB':>9}")
    for name, (graph, certificate) in maps.items():
        for kind, draw in (("svg", map_svg), ("png", map_png), ("html", map_html)):
            begin = time.perf_counter()
            size = len(draw(graph, certificate))
            seconds = time.perf_counter() - begin
            steps[f"{name} {kind}"] = seconds
            print(f"{name:24}{len(graph.edges):>7}{kind:>9}{seconds:>9.2f}{size / 1000:>9.0f}")
    print("FIGURES " + json.dumps({"steps": steps}))


if __name__ == "__main__":
    main()
