"""How long the noise of one release takes: `python bench/noise_speed.py`."""

from __future__ import annotations

import json
import sys
import time

import numpy as np

from hushmap.noise import NoiseSource, ReleaseNoise, SimulatedNoise

EDGES = 5_000


def seconds(source: NoiseSource, epsilons: np.ndarray) -> float:
    source.draw(epsilons[:1])  # imports apart
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        source.draw(epsilons)
        best = min(best, time.perf_counter() - start)
    return best


def main() -> None:
    equal = np.full(EDGES, 0.4)
    distinct = 0.4 / np.arange(1.0, EDGES + 1)
    wide = 10.0 ** -np.linspace(6, 15, EDGES)
    cases = {"of one scale": equal, "of distinct scales": distinct, "up to 1e15 ticks wide": wide}
    steps = {}
    for name, epsilons in cases.items():
        real = seconds(ReleaseNoise(), epsilons)
        simulated = seconds(SimulatedNoise(seed=1), epsilons)
        steps[name] = real
        print(f"{EDGES:,} edges {name}: OpenDP {real:.3f} s, simulated {simulated:.5f} s")
    print("FIGURES " + json.dumps({"steps": steps}))


if __name__ == "__main__":
    sys.exit(main())
