"""From the tables of `run.py` to its two pages, `evaluation.md` and `comparison.md`, and figures."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from pathlib import Path

from compare import Rows, compared, comparison_page, published_seconds, read, show, table
from figures import number_of, write_figures

SHOWN_RISKS = ("0.1", "0.5")
FREQUENCY_RISKS = ("0.1", "0.5", "0.9")
SHOWN_ERRORS = ("0.1", "0.3")
CHAPTERS = {
    "p1": ("P1: error and noise at every risk", "As in the paper: a row per log, a column per risk; "
           "the area of a bubble is the expected SMAPE, its colour the median ε·r. The paper's "
           "attacker first, then ours."),
    "p2": ("P2: risk and noise at every error", "The area of a bubble is the largest risk of an "
           "edge. The best allocation for the average error (ours), and every edge by itself with "
           "continuous noise (the paper's)."),
    "spread": ("How it spreads over the edges", "A box holds the middle half of the edges and its "
               "line the median; a whisker holds nine of ten."),
    "frontier": ("The frontier", "What each risk costs in expected error, against each attacker."),
}  # fmt: skip
CAVEAT = (
    "**Mind the attacker.** `paper` and `empirical` protect against someone who knows, before he "
    "sees the map, no more than how long such steps usually take. Against any other belief only "
    "`any` holds: there the risk of an edge calibrated for `empirical` or `paper` reaches up to 0.9 "
    "(the cap). So the exact posterior is the honest optimum for its attacker, not a stronger "
    "promise; and under the observed range, as in the paper, no promise is differential privacy."
)


def write_pages(out: Path) -> None:
    """Write figures and pages from the tables that `run.py` gathered."""
    logs, p1, frequencies, p2, spreads, times = (
        read(out / f"{name}.csv")
        for name in ("logs", "p1", "frequencies", "p2", "distributions", "times")
    )
    prototype = read(out / "prototype.csv") if (out / "prototype.csv").exists() else []
    figures = write_figures(out, p1, p2, spreads, times, published_seconds())
    page = evaluation(logs, p1, frequencies, p2, times, figures)
    (out / "evaluation.md").write_text(page, encoding="utf-8")
    records = compared(prototype)
    if records:
        from run import write_csv

        write_csv(out / "comparison.csv", records)
        page = comparison_page(records, p1, times)
    else:
        page = "# Against the published figures\n\nNone of these logs is in them, or they are not at hand.\n"
    (out / "comparison.md").write_text(page, encoding="utf-8")


def evaluation(
    logs: Rows,
    p1: Rows,
    frequencies: Rows,
    p2: Rows,
    times: Rows,
    figures: dict[str, list[str]],
) -> str:
    """The page of the evaluation."""
    parts = [
        "# The paper's evaluation, reproduced and extended",
        "Made by `make experiments`. Precision 0.5, the observed range, one annotation at a time "
        "(`--scope annotation`), all events of each log, three attackers, eleven risks and eleven "
        "errors. These figures are computed from the exact logs: of a log of your own they are for "
        "its owner only.",
        "## The logs",
        table(
            ("log", "cases", "activities", "events", "edges", "with start and end", "variants"),
            (
                (row["log"], *(f"{int(value):,}" for value in list(row.values())[1:]))
                for row in logs
            ),
        ),
        "## Beyond: the same risk with less error",
        less_error(p1),
        less_error_of_frequencies(frequencies),
        "## Beyond: the same error with less risk",
        less_risk(p2),
        CAVEAT,
        "## P1: the most useful map under a risk",
        risks(p1),
        "## Expected against simulated",
        simulated(p1),
        "## P2: the least risky map under an error",
        errors(p2),
        "## Execution time",
        execution(times),
    ]
    for chapter, (title, words) in CHAPTERS.items():
        if chapter in figures:
            parts += [f"## {title}", words]
            for name in figures[chapter]:
                if chapter == "frontier":  # whose picture has a title per annotation, not the log's
                    parts.append(f"### {Path(name).stem.removeprefix('frontier-')}")
                parts.append(f"![{title}: {Path(name).stem}]({name})")
    return "\n\n".join(parts) + "\n"


def _by_attacker(rows: Rows, limit: str, value: str, column: str) -> dict[tuple[str, str], Rows]:
    found: dict[tuple[str, str], Rows] = {}
    for row in rows:
        if float(row[limit]) == float(value) and row[column]:
            found.setdefault((row["log"], row["annotation"]), []).append(row)
    return found


def less_error(p1: Rows) -> str:
    """Median expected APE per log and attacker at one risk."""
    rows = []
    for (log, kind), own in _by_attacker(p1, "risk", "0.1", "median_ape").items():
        ape = {row["attacker"]: number_of(row["median_ape"]) for row in own}
        mean = {row["attacker"]: number_of(row["expected_smape"]) for row in own}
        if "paper" in ape:
            rows.append((log, kind, show(ape["paper"]), show(ape["empirical"]),
                         ratio(ape["paper"], ape["empirical"]), show(ape["any"]),
                         show(mean["paper"]), show(mean["empirical"])))  # fmt: skip
    words = (
        "Every edge at a risk of at most 0.1. The paper's bound against the exact posterior, for "
        "the same attacker, the same (discrete, two-sided) noise and the same cap; `any` beside "
        "them, who may believe anything."
    )
    headings = ("log", "annotation", "median APE: paper's bound", "exact posterior",
                "times less", "(against any)", "SMAPE: paper's bound", "exact posterior")  # fmt: skip
    return f"{words}\n\n{table(headings, rows)}"


def less_error_of_frequencies(frequencies: Rows) -> str:
    """MAPE of the paper's continuous noise and of the discrete, at the same ε."""
    rows = []
    for log in dict.fromkeys(row["log"] for row in frequencies):
        own = {row["risk"]: row for row in frequencies if row["log"] == log}
        cells: list[str] = []
        for risk in FREQUENCY_RISKS:
            theirs, ours = (number_of(own[risk][f"{kind}_mape"])
                            for kind in ("continuous", "discrete"))  # fmt: skip
            cells += [show(theirs), show(ours), ratio(theirs, ours)]
        rows.append((log, *cells))
    words = (
        "For frequencies all attackers are one, and ε follows from the risk alone. What differs is "
        "the noise: continuous as in the paper, or whole numbers, with a count below 1 set to 1. "
        "Expected MAPE at the same risk, and so at the same ε:"
    )
    headings = ["log"]
    for risk in FREQUENCY_RISKS:
        headings += [f"risk {risk}: continuous", "discrete", "times less"]
    return f"{words}\n\n{table(headings, rows)}"


def ratio(top: float | None, bottom: float | None) -> str:
    """How many times the one is the other."""
    return f"{top / bottom:.2f}" if top and bottom else "–"


def less_risk(p2: Rows) -> str:
    """The risk that an error of 30 % needs: the paper's way, and the best allocation."""
    found: dict[tuple[str, str], dict[tuple[str, str], float | None]] = {}
    for row in p2:
        if float(row["error"]) == 0.3:
            figures = found.setdefault((row["log"], row["annotation"]), {})
            figures[row["reading"], row["attacker"]] = number_of(row["max_risk"])
    rows = []
    for (log, kind), risk in found.items():
        theirs = "any" if kind == "frequency" else "paper"
        rows.append((log, kind, *(show_risk(risk.get(key)) for key in (
            ("paper", theirs), ("per-edge", theirs), ("mean", theirs), ("mean", "empirical"),
            ("mean", "any")))))  # fmt: skip
    words = (
        "The largest risk of an edge that an error of 30 % needs; – where no risk up to 0.99 "
        "reaches it (and for frequencies, where all attackers are one). The first two columns read "
        "the error alike (every edge, with 95 % confidence): continuous noise edge by edge as in "
        "the paper, then discrete noise at one risk for all edges. The others read it as the "
        "paper's problem statement does, the error of the map on average, with the risk spread "
        "evenly: against the attacker of the paper by its bound, against the same by the exact "
        "posterior, and against any. (A time is rounded to the tick, here one second, and is at "
        "least one: where the true one is shorter, no risk helps; a finer `--resolution` does.)"
    )
    headings = ("log", "annotation", "every edge, as in the paper", "every edge, discrete noise",
                "on average, paper's bound", "exact posterior", "against any")  # fmt: skip
    return f"{words}\n\n{table(headings, rows)}"


def show_risk(risk: float | None) -> str:
    """A risk for a table: never 1, which none is."""
    return "> 0.999" if risk is not None and risk > 0.9995 else show(risk)


def risks(p1: Rows) -> str:
    """Median ε·r and errors at three of the eleven risks."""
    rows = (
        (row["log"], row["annotation"], row["attacker"], row["risk"],
         show(number_of(row["median_epsilon_range"])), show(number_of(row["expected_mape"])),
         show(number_of(row["simulated_mape"])), show(number_of(row["expected_smape"])),
         show(number_of(row["simulated_smape"])))
        for row in p1
        if row["risk"] in SHOWN_RISKS
    )  # fmt: skip
    headings = ("log", "annotation", "against", "risk", "median ε·r", "MAPE, expected",
                "of 10 draws", "SMAPE, expected", "of 10 draws")  # fmt: skip
    words = f"At {' and '.join(SHOWN_RISKS)}; all: [tables/p1.csv](tables/p1.csv)."
    return f"{words}\n\n{folded(table(headings, rows))}"


def errors(p2: Rows) -> str:
    """Median ε·r, median and largest risk at some of the eleven errors."""
    rows = (
        (row["log"], row["annotation"], row["attacker"], row["error"], row["reading"],
         *(show(number_of(row[name])) for name in
           ("median_epsilon_range", "median_risk", "max_risk")))
        for row in p2
        if row["error"] in SHOWN_ERRORS
        and row["attacker"] == ("any" if row["annotation"] == "frequency" else "empirical")
    )  # fmt: skip
    headings = ("log", "annotation", "against", "error", "reading", "median ε·r", "median risk",
                "largest risk")  # fmt: skip
    words = f"At {' and '.join(SHOWN_ERRORS)}; all: [tables/p2.csv](tables/p2.csv)."
    return f"{words}\n\n{folded(table(headings, rows))}"


def folded(text: str) -> str:
    """A long table that opens on demand."""
    return f"<details markdown><summary>Show the table</summary>\n\n{text}\n\n</details>"


def simulated(p1: Rows) -> str:
    """How far ten simulated draws are from the expectation."""
    ratios = sorted(
        float(row["simulated_smape"]) / float(row["expected_smape"])
        for row in p1
        if float(row["expected_smape"]) > 0
    )
    within = sum(0.9 <= value <= 1.1 for value in ratios)
    return (
        f"Over {len(ratios)} settings the mean SMAPE of ten simulated draws is "
        f"{statistics.median(ratios):.3f} times the expectation at the median; {within} of them lie "
        f"within 10 %, all between {ratios[0]:.3f} and {ratios[-1]:.3f}. The ten seeds are the same "
        "everywhere, so deviations go together; the largest are where the noise is nearly always 0 "
        "and ten draws see it once or never."
    )


def execution(times: Rows) -> str:
    """Seconds per log, all attackers together, on the clock and of the processor."""
    rows = []
    for log in dict.fromkeys(row["log"] for row in times):
        own = [row for row in times if row["log"] == log]
        reading = _sum(row for row in own if row["step"] == "read" and row["part"] == "log")
        rows.append((log, show(reading), *(show(_sum(
            row for row in own if row["step"] == step and row["attacker"] == attacker))
            for step in ("p1", "p2") for attacker in ("any", "empirical", "paper")),
            show(_sum(own), 4)))  # fmt: skip
    headings = ("log", "reading", "P1 any", "P1 empirical", "P1 paper", "P2 any", "P2 empirical",
                "P2 paper", "whole evaluation")  # fmt: skip
    words = (
        "Seconds of the processor for eleven limits and five annotations (frequency is counted "
        "under `any`); the whole also holds the simulated draws, the tables per edge, and reading "
        "the log once per annotation."
    )
    return f"{words}\n\n{table(headings, rows)}"


def _sum(rows: Iterable[dict[str, str]]) -> float:
    return sum(float(row["cpu_seconds"]) for row in rows)
