"""Make `hospital.csv` and `hospital_transitions.csv`, the worked example of the documentation.

Eleven cases of a small hospital. The first five are Table 1 of Elkoumy, Pankova and Dumas (2020);
P3 gets its D, and six more cases follow, so that the graph is exactly the one of the paper. The
transitions carry, beside it, the durations that the paper gives to the start and end of a case.

    python examples/make_hospital.py
"""

from __future__ import annotations

import csv
from datetime import UTC, datetime, timedelta
from pathlib import Path

MONDAY = datetime(2026, 1, 5, tzinfo=UTC)

# Per case its activities with the hour at which each happened.
CASES = {
    "P1": [("A", 1), ("B", 1.2), ("C", 2.2), ("D", 2.4)],
    "P2": [("A", 5), ("B", 8), ("C", 13), ("D", 13.25)],
    "P3": [("A", 7), ("C", 8), ("D", 8.4)],
    "P4": [("A", 20), ("D", 27)],
    "P5": [("A", 30)],
    "P6": [("A", 31), ("B", 39), ("C", 50), ("D", 51.5)],
    "P7": [("A", 33), ("B", 45), ("C", 60), ("D", 62.6)],
    "P8": [("A", 36), ("B", 52), ("C", 72), ("D", 75.65)],
    "P9": [("A", 38), ("C", 44), ("D", 48.7)],
    "P10": [("A", 41), ("C", 56), ("D", 62)],
    "P11": [("A", 46)],
}

# Per edge its durations in hours; None is the start or the end of a case.
TRANSITIONS = {
    (None, "A"): [1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 10],
    ("A", "B"): [0.2, 3, 8, 12, 16],
    ("A", "C"): [1, 6, 15],
    ("A", "D"): [7],
    ("A", None): [0.5, 3],
    ("B", "C"): [1, 5, 11, 15, 20],
    ("C", "D"): [0.2, 0.25, 0.4, 1.5, 2.6, 3.65, 4.7, 6],
    ("D", None): [0.5, 0.7, 0.9, 0.9, 0.9, 1.3, 1.3, 1.7, 4],
}


def main() -> None:
    """Write both files beside this script."""
    folder = Path(__file__).parent
    with (folder / "hospital.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["case", "activity", "timestamp"])
        for case, events in CASES.items():
            for activity, hour in events:
                time = MONDAY + timedelta(seconds=round(hour * 3600))
                writer.writerow([case, activity, time.strftime("%Y-%m-%dT%H:%M:%SZ")])
    with (folder / "hospital_transitions.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["source", "target", "duration_seconds"])
        for (source, target), hours in TRANSITIONS.items():
            for hour in hours:
                writer.writerow([source, target, round(hour * 3600)])


if __name__ == "__main__":
    main()
