"""How often does the audit pass, and how long does it take? Runs it again and again, anew.

    python bench/audit_runs.py --runs 20

Nothing is seeded but the attacks: every run draws fresh noise from OpenDP. Prints one line per run,
and per check the smallest distance between its lower limit and its claim over all runs.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict

from hushmap.audit import DEFAULT_DRAWS, audit


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--draws", type=int, default=DEFAULT_DRAWS)
    given = parser.parse_args()
    passed, rooms = 0, defaultdict(list)
    for run in range(given.runs):
        began, cpu = time.perf_counter(), time.process_time()
        report = audit(draws=given.draws)
        caught = sum(check.holds for check in report.of("control"))
        for check in report.checks:
            if check.claimed is not None:
                rooms[check.kind, check.name].append(check.claimed - check.low)
        passed += report.holds
        seconds = time.perf_counter() - began
        print(
            f"run {run + 1}: {'holds' if report.holds else 'BROKEN'}, {caught} controls caught, "
            f"{seconds:.0f} s ({time.process_time() - cpu:.0f} s of one core)",
            flush=True,
        )
    print(f"{passed} of {given.runs} runs hold; smallest distance of the lower limit to the claim:")
    for (kind, name), values in rooms.items():
        nearest = min(values) if kind == "promise" else max(values)
        print(f"  {nearest:+.3f}  {name}")


if __name__ == "__main__":
    main()
