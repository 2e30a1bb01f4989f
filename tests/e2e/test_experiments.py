"""The paper's evaluation runs on any log, can be taken up again, and ends in pages with figures."""

import csv
import math
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from conftest import ROOT

RISKS = 11


def evaluate(out, *more):
    command = [sys.executable, "experiments/run.py", "examples/hospital.csv", "--out", out,
               "--workers", "1", *more]  # fmt: skip
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)


def rows(path):
    with path.open() as stream:
        return list(csv.DictReader(stream))


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("experiments")
    evaluate(folder, "--publish", folder / "published")
    return folder


def test_p1_has_every_risk_annotation_and_attacker_with_expected_and_simulated_errors(out):
    table = rows(out / "p1.csv")
    # Frequencies cost the same against all three attackers.
    assert len(table) == RISKS * (1 + 4 * 3)
    for row in table:
        assert float(row["expected_smape"]) > 0
        assert float(row["simulated_mape"]) >= 0
    by_attacker = {
        (row["attacker"], row["annotation"], row["risk"]): float(row["median_epsilon_range"])
        for row in table
    }
    for (attacker, annotation, risk), e in by_attacker.items():
        if attacker == "any" and annotation != "frequency":
            # Whatever the attacker, no edge gets less than against any.
            assert by_attacker["empirical", annotation, risk] >= e * (1 - 1e-12)
            assert by_attacker["paper", annotation, risk] >= e * (1 - 1e-12)


def test_p2_has_every_error_in_both_readings_and_as_in_the_paper(out):
    table = rows(out / "p2.csv")
    assert len(table) == 3 * RISKS * (1 + 4 * 3)
    for row in table:
        if row["reading"] == "paper":
            assert float(row["max_risk"]) >= float(row["median_risk"]) > 0
    mean = [row for row in table if row["reading"] == "mean" and row["annotation"] == "frequency"]
    assert [float(row["max_risk"]) for row in mean] == sorted(
        (float(row["max_risk"]) for row in mean), reverse=True
    )


def test_distributions_are_ordered_and_cover_errors_noise_and_risk(out):
    table = rows(out / "distributions.csv")
    assert {row["measure"] for row in table} == {"ape", "epsilon_range", "risk", "risk_any"}
    for row in table:
        spread = [
            float(row[key]) for key in ("least", "low", "lower", "median", "upper", "high", "most")
        ]
        assert spread == sorted(spread)


def test_every_table_is_written_as_parquet_too(out):
    import duckdb

    for table in (
        "logs",
        "p1",
        "frequencies",
        "p2",
        "distributions",
        "edges",
        "times",
        "prototype",
    ):
        count = duckdb.read_parquet(str(out / f"{table}.parquet")).count("*").fetchall()[0][0]
        assert count == len(rows(out / f"{table}.csv")) > 0


def test_the_pages_have_their_chapters_and_every_figure_they_name(out):
    page = (out / "evaluation.md").read_text()
    for part in ("## The logs", "the same risk with less error", "the same error with less risk",
                 "Mind the attacker", "## Expected against simulated", "## Execution time"):  # fmt: skip
        assert part in page
    assert "None of these logs" in (out / "comparison.md").read_text()
    figures = sorted((out / "figures").glob("*.svg"))
    assert {figure.name for figure in figures} >= {
        "p1-mean-paper.svg", "p2-frequency-mean.svg", "spread-hospital-risk-ape.svg",
        "spread-hospital-error-paper-risk.svg", "frontier-hospital.svg", "times.svg",
    }  # fmt: skip
    for figure in figures:
        assert ET.parse(figure).getroot().tag.endswith("svg")
        assert figure.name == "times.svg" or f"figures/{figure.name}" in page


def test_what_is_published_are_pages_figures_and_small_tables(out):
    published = {path.name for path in (out / "published").iterdir()}
    assert published == {"evaluation.md", "comparison.md", "figures", "tables"}
    assert not (out / "published/tables/edges.csv").exists()


def test_it_is_taken_up_where_it_was_left(out):
    kept = out / "parts/hospital/mean/p1.csv"
    before = kept.stat().st_mtime_ns
    lost = out / "parts/hospital/log"
    for file in lost.iterdir():
        file.unlink()
    lost.rmdir()
    shown = evaluate(out).stderr
    assert "hospital: log" in shown
    assert "hospital: mean" not in shown
    assert kept.stat().st_mtime_ns == before
    assert (lost / "logs.csv").exists()


def test_the_expected_smape_of_one_sided_noise_is_that_of_many_draws(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "experiments"))
    from prototype import _smape_of

    noise = np.random.default_rng(7).exponential(size=400_000)
    for scale in (0.01, 0.5, 20.0):
        drawn = scale * noise / (2 + scale * noise)
        mean, spread = _smape_of(np.array([scale]))
        assert abs(mean[0] - drawn.mean()) < 5 * drawn.std() / math.sqrt(len(noise))
        assert abs(spread[0] / drawn.std() - 1) < 0.01
    assert _smape_of(np.array([0.0, math.inf]))[0].tolist() == pytest.approx([0.0, 1.0])


def test_the_prototype_counts_one_of_those_on_a_border(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "experiments"))
    from prototype import PrototypeEdge, e_of

    edge = PrototypeEdge({}, np.array([2, 4, 6, 8]), np.array([2, 3, 2, 1]))
    # Around 2, 4, 6 and 8 by 4, in milliseconds. Counted within: up to the border, one of those
    # on the upper one, and all on the lower one but one.
    wanted = {2 + 3 + 1, 2 + 3 + 2 + 1, 1 + 3 + 2 + 1, 2 + 2 + 1}
    assert edge.shares(1) == pytest.approx(sorted(count / 8 for count in wanted))
    assert PrototypeEdge({}, np.array([5]), np.array([3])).shares(1) == []
    # 1 - P, rounded to two decimals, has to be above the risk.
    assert e_of([0.296], 0.7) == math.inf
    assert e_of([0.294], 0.7) == pytest.approx(-math.log(0.294 / 0.706 * (1 / 0.994 - 1)))


def test_discrete_noise_never_costs_a_frequency_more_than_continuous(out):
    table = rows(out / "frequencies.csv")
    assert len(table) == RISKS
    for row in table:
        assert 0 < float(row["discrete_mape"]) < float(row["continuous_mape"])
        assert 0 < float(row["discrete_median_ape"]) < float(row["continuous_median_ape"])


@pytest.mark.golden
def test_the_prototypes_published_medians_of_sepsis_are_reproduced(monkeypatch):
    log = ROOT.parent / "shared/data/Sepsis.xes"
    golden = ROOT.parent / "shared/golden/published_p1.csv"
    if not (log.exists() and golden.exists()):
        pytest.skip("the log or the published figures are absent")
    monkeypatch.syspath_prepend(str(ROOT / "experiments"))
    from compare import compared
    from prototype import prototype_of

    records = compared([{key: str(value) for key, value in row.items()}
                        for row in prototype_of("Sepsis", Path(log))])  # fmt: skip
    assert len(records) == 5 * RISKS
    assert {row["median_epsilon"] for row in records} == {"equal"}  # to nine digits
    assert {row["mape"] for row in records} == {"chance"}
    assert {row["smape"] for row in records} == {"chance", "zero"}
