"""The tables of docs/guarantee.md: what the attackers gain on logs, and what the audit finds.

    python bench/audit_table.py examples/hospital.csv Sepsis.xes.gz

Prints Markdown. Per log the strong attacker plays on the binding edges of four releases, with the
attacks of `hushmap audit LOG`; below stand the built-in attacks, the controls and what is not
promised. Nothing is seeded but the attacks: the figures vary within their intervals.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import hushmap as hm
from hushmap.audit import DEFAULT_DRAWS, OURS, audit
from hushmap.audit.on_log import attacks_on
from hushmap.audit.run import FALSE_ALARMS
from hushmap.planning.parameters import PlanParameters

if TYPE_CHECKING:
    from hushmap.audit.checks import Check

# What an owner may ask for: annotation, attacker, where the range comes from.
RELEASES = (
    ("frequency", "any", "observed"),
    ("mean", "any", "declared"),
    ("mean", "empirical", "observed"),
    ("mean", "paper", "observed"),
)
ALPHA = FALSE_ALARMS / 200


def on_log(path: str, bound: str, draws: int, risk: str) -> None:
    print(f"\n{Path(path).name}, --max-risk {risk}, --max-duration {bound} where declared\n")
    print("| edge | attacker | limit | average | worst | interval |\n|---|---|---|---|---|---|")
    log = hm.read_log(path)
    for kind, attacker, range_kind in RELEASES:
        declared = range_kind == "declared"
        graph = hm.discover(log, max_duration=bound if declared else None)
        precision = {} if attacker == "any" else {"precision": "0.1"}
        asked = PlanParameters.of(
            max_risk=risk, annotate=[kind], attacker=attacker, range_kind=range_kind, **precision
        )
        for attack in attacks_on(graph, asked):
            average, worst = attack(OURS, draws, np.random.default_rng(1), ALPHA)
            print(
                f"| {attack.name.split(':')[0]} | {attacker} | {worst.claimed:.2f} "
                f"| {average.measured:.3f} | {worst.measured:.3f} | {interval(worst)} |",
                flush=True,
            )


def interval(check: Check) -> str:
    return f"{figure(check.low)} to {figure(check.high)}"


def figure(number: float) -> str:
    return f"{number:.3f}" if math.isfinite(number) else "∞"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("logs", nargs="*")
    parser.add_argument("--bound", default="30d")
    parser.add_argument("--risk", default="0.2")
    parser.add_argument("--draws", type=int, default=DEFAULT_DRAWS)
    given = parser.parse_args()
    for path in given.logs:
        on_log(path, given.bound, given.draws, given.risk)
    print("\n| check | claimed | measured | interval |\n|---|---|---|---|")
    for check in audit(draws=given.draws).checks:
        claimed = "nothing" if check.claimed is None else figure(check.claimed)
        print(f"| {check.name} | {claimed} | {check.measured:.3f} | {interval(check)} |")


if __name__ == "__main__":
    main()
