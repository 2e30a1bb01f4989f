"""The paper's evaluation of one log and annotation: P1, P2, distributions and times.

As in the paper: precision 0.5, the observed range, one annotation at a time (``scope annotation``),
but against all three attackers. All of it is computed from the exact log and is the owner's; the
noise is simulated and seeded.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from prototype import prototype_of

import hushmap as hm
from hushmap.accuracy import ape, mape, smape, smape_edge
from hushmap.graph import Annotation, ExactGraph
from hushmap.noise import SimulatedNoise
from hushmap.planning.calibration import Calibrator
from hushmap.planning.draws import draw_of
from hushmap.planning.expectation import Expectation
from hushmap.planning.frontier import GRID
from hushmap.planning.limits import LOWEST_RISK, least_risk_for_mean
from hushmap.planning.parameters import HIGHEST_RISK, PlanParameters
from hushmap.planning.per_edge import continuous_e, continuous_risks, least_risks
from hushmap.planning.plan import plan_with
from hushmap.release.drawing import draw_weights
from hushmap.risk import risk_any

ATTACKERS = ("any", "empirical", "paper")
PRECISION = "0.5"
REPETITIONS = 10
SEED = 20_201_102
# The figures of every edge are kept at these limits; at all others their quantiles.
KEPT = (Fraction("0.1"), Fraction("0.3"), Fraction("0.5"))
QUANTILES = {"least": 0.0, "low": 0.05, "lower": 0.25, "median": 0.5, "upper": 0.75, "high": 0.95,
             "most": 1.0}  # fmt: skip
# What is computed of a log apart: each can be taken up again by itself.
PARTS = ("log", *(kind.value for kind in Annotation), "prototype")
TABLES = ("logs", "p1", "frequencies", "p2", "distributions", "edges", "times", "prototype")
Records = list[dict[str, Any]]
Tables = dict[str, Records]


def wish(annotation: Annotation, attacker: str, **limit: Any) -> PlanParameters:
    """What the paper releases: one annotation, p = 0.5, the observed range."""
    weak = attacker != "any"
    return PlanParameters.of(
        annotate=annotation.value,
        attacker=attacker,
        precision=PRECISION if weak else None,
        scope="annotation",
        range_kind="observed",
        **limit,
    )


def name_of(path: Path) -> str:
    """How the log is called in the tables."""
    return path.name.split(".")[0]


def evaluate(path: Path, part: str) -> Tables:
    """The tables of one part of one log.

    Args:
        path: The log, read with all its events.
        part: One of `PARTS`.

    Returns:
        Tidy records by the name of their table; tables without records are left out.
    """
    tables: Tables = {name: [] for name in TABLES}
    times = Times(name_of(path), part, tables["times"])
    with times.of("read"):
        log = hm.read_log(path, lifecycle="all")
    if part == "log":
        with times.of("inspect"):
            found = hm.inspect(log).as_json()
        kept = ("cases", "activities", "events", "edges", "edges_with_start_end", "variants")
        tables["logs"] = [{"log": name_of(path)} | {key: found[key] for key in kept}]
    elif part == "prototype":
        tables["prototype"] = prototype_of(name_of(path), path)
    else:
        with times.of("discover"):
            graph = hm.discover(log)
        annotation = Annotation(part)
        if annotation.is_time and not graph.timed.any():
            return {}
        for attacker in ATTACKERS:
            if annotation is Annotation.FREQUENCY and attacker != "any":
                continue  # all three coincide (method.md §2)
            with times.of("p1", attacker):
                plans = [plan_with(graph, wish(annotation, attacker, max_risk=risk))
                         for risk in GRID]  # fmt: skip
            risks_of(tables, name_of(path), plans, annotation, attacker)
            if annotation is Annotation.FREQUENCY:
                frequencies_of(tables, name_of(path), plans)
            with times.of("p2", attacker):
                errors_of(tables, name_of(path), graph, annotation, attacker)
    return {name: records for name, records in tables.items() if records}


class Times:
    """Seconds of every step: on the clock, and of the processor."""

    def __init__(self, log: str, part: str, records: Records) -> None:
        self._key = {"log": log, "part": part}
        self._records = records

    @contextmanager
    def of(self, step: str, attacker: str = "") -> Iterator[None]:
        """Measure a step."""
        clock, processor = time.perf_counter(), time.process_time()
        yield
        self._records.append(
            self._key
            | {
                "step": step,
                "attacker": attacker,
                "seconds": time.perf_counter() - clock,
                "cpu_seconds": time.process_time() - processor,
            }
        )


def spread(
    key: dict[str, Any], limit: float, figures: dict[str, NDArray[np.float64]], tables: Tables
) -> None:
    """How figures spread over the edges at one limit."""
    for measure, values in figures.items():
        known = values[np.isfinite(values)]
        if known.size:
            found = np.quantile(known, list(QUANTILES.values()), method="lower").tolist()
            tables["distributions"].append(
                key
                | {"limit": limit, "measure": measure, "edges": int(known.size)}
                | dict(zip(QUANTILES, found, strict=True))
            )


def risks_of(
    tables: Tables, log: str, plans: list[hm.Plan], annotation: Annotation, attacker: str
) -> None:
    """P1: per risk the median ε, the expected errors, and the mean of ten simulated draws."""
    key = {"log": log, "annotation": annotation.value, "attacker": attacker}
    exact = plans[0].exact_weights(annotation)
    for risk, made in zip(GRID, plans, strict=True):
        figures = made.summary[annotation.value]
        seen = np.array(
            [_realised(made, annotation, exact, repeat) for repeat in range(REPETITIONS)]
        )
        names = ("median_epsilon", "median_epsilon_range", "expected_mape", "expected_smape",
                 "median_ape", "worst_ape", "max_risk_any", "zero_edges")  # fmt: skip
        tables["p1"].append(
            key
            | {"risk": float(risk)}
            | {name: figures[name] for name in names}
            | {"simulated_mape": seen[:, 0].mean(), "simulated_smape": seen[:, 1].mean()}
        )
        rows = made.edges
        columns = {
            "ape": _column(rows, "expected_ape"),
            "epsilon_range": _column(rows, "epsilon_range"),
            "risk": _column(rows, "risk"),
            "risk_any": _column(rows, "risk_any"),
        }
        spread(key | {"problem": "risk"}, float(risk), columns, tables)
        if risk in KEPT:
            tables["edges"] += [
                key
                | {"max_risk": float(risk), "occurrences": row["occurrences"]}
                | {name: row[name] for name in ("epsilon_range", "risk", "risk_any")}
                | {"expected_ape": row["expected_ape"]}
                for row in rows
            ]


def frequencies_of(tables: Tables, log: str, plans: list[hm.Plan]) -> None:
    """P1 of frequencies: the expected errors of the paper's continuous noise, and of ours.

    At one risk both have the same ε; the size of continuous noise is 1/ε on average.
    """
    exact = np.array(plans[0].exact_weights(Annotation.FREQUENCY), dtype=np.float64)
    for risk, made in zip(GRID, plans, strict=True):
        theirs = 1 / (_column(made.edges, "epsilon") * exact)
        ours = _column(made.edges, "expected_ape")
        tables["frequencies"].append(
            {
                "log": log,
                "risk": float(risk),
                "continuous_mape": theirs.mean(),
                "discrete_mape": ours.mean(),
                "continuous_median_ape": float(np.median(theirs)),
                "discrete_median_ape": float(np.median(ours)),
            }
        )


def _column(rows: Records, name: str) -> NDArray[np.float64]:
    return np.array([np.nan if row[name] is None else row[name] for row in rows])


def _realised(
    made: hm.Plan, annotation: Annotation, exact: list[Fraction], repeat: int
) -> tuple[float, float]:
    """MAPE and SMAPE of one simulated draw, as released."""
    weights = draw_weights(made, SimulatedNoise(SEED + repeat))[annotation]
    drawn = [value for value in weights if value is not None]
    return mape(ape(exact, drawn)).mean, smape(smape_edge(exact, drawn)).mean


def errors_of(
    tables: Tables, log: str, graph: ExactGraph, annotation: Annotation, attacker: str
) -> None:
    """P2: per error and reading the median ε·r, and the median and the largest risk of the edges.

    The readings: ``mean`` (the expected error on average, the best allocation), ``per-edge`` (every
    edge, discrete noise, released at the largest of the risks) and ``paper`` (every edge by itself,
    continuous noise).
    """
    key = {"log": log, "annotation": annotation.value, "attacker": attacker}
    calibrator = Calibrator(graph, wish(annotation, attacker))
    expectation = Expectation(calibrator)
    places, draw = expectation.edges(annotation), draw_of(annotation)
    for error in GRID:
        limited = calibrator.with_error(error)
        needed = least_risks(limited, expectation, annotation)
        worst = float(np.nanmax(needed)) if not np.isnan(needed).all() else LOWEST_RISK
        least = {
            "mean": least_risk_for_mean(calibrator, expectation, error, (annotation,)),
            "per-edge": worst if worst <= float(HIGHEST_RISK) else None,
        }
        found: dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}
        for reading, risk in least.items():
            if risk is not None:
                e = calibrator.at(max(risk, LOWEST_RISK)).draws[draw]
                found[reading] = e[places], calibrator.risk_of(draw, e)[places]
        found["paper"] = (
            continuous_e(limited, expectation, annotation),
            continuous_risks(limited, expectation, annotation),
        )
        for reading in ("mean", "per-edge", "paper"):
            tables["p2"].append(
                key | {"reading": reading, "error": float(error)} | _figures(found.get(reading))
            )
            if reading in found:
                e, risks = found[reading]
                columns = {
                    "epsilon_range": e,
                    "risk": risks,
                    "risk_any": risk_any(np.nan_to_num(e)),
                }
                spread(key | {"problem": f"error {reading}"}, float(error), columns, tables)


def _figures(
    found: tuple[NDArray[np.float64], NDArray[np.float64]] | None,
) -> dict[str, float | None]:
    """Median ε·r, median and largest risk; None where no risk reaches the error."""
    if found is None:
        return dict.fromkeys(("median_epsilon_range", "median_risk", "max_risk"))
    e, risks = (column[~np.isnan(column)] for column in found)
    if not e.size:
        return dict.fromkeys(("median_epsilon_range", "median_risk", "max_risk"))
    return {
        "median_epsilon_range": float(np.median(e)),
        "median_risk": float(np.median(risks)),
        "max_risk": float(risks.max()),
    }
