"""The owner's report is complete, valid and readable, whatever figures it holds."""

from __future__ import annotations

import csv
import io
import json
from fractions import Fraction

import jsonschema
import numpy as np

from hushmap.bundle.owner import report_csv, report_json
from hushmap.bundle.schema import schema
from hushmap.release.report import OwnerReport


def test_report_json_is_as_the_interface_shows_it(report):
    record = json.loads(report_json(report, ["report.json", "report.csv"]))
    assert record["format"] == "hushmap/report/1"
    assert record["summary"] == report.summary
    assert record["edges"] == [dict(row) for row in report.edges]
    assert record["notes"] == ["A note."]
    assert record["files"] == ["report.csv", "report.json"]
    jsonschema.validate(record, schema("report"), cls=jsonschema.Draft202012Validator)


def test_report_takes_the_numbers_of_numpy_and_exact_ones():
    row = {
        "source": np.str_("A"), "target": None, "annotation": "mean", "occurrences": np.int64(3),
        "actual": Fraction(1, 4), "epsilon": np.float64(0.5), "derived": np.bool_(True),
        "expected_ape": float("inf"), "realised_ape": float("nan"),
    }  # fmt: skip
    report = OwnerReport({"mean": {"worst": np.float64("inf"), "edges": np.int32(1)}}, (row,))
    record = json.loads(report_json(report), parse_constant=lambda name: 1 / 0)
    assert record["summary"] == {"mean": {"worst": None, "edges": 1}}
    (read,) = record["edges"]
    assert read == row | {
        "source": "A", "occurrences": 3, "actual": 0.25, "derived": True, "epsilon": 0.5,
        "expected_ape": None, "realised_ape": None,
    }  # fmt: skip
    jsonschema.validate(record, schema("report"), cls=jsonschema.Draft202012Validator)


def test_report_csv_holds_the_same_rows(report):
    (row,) = csv.DictReader(io.StringIO(report_csv(report).decode(), newline=""))
    (expected,) = report.edges
    assert list(row) == list(expected)
    for name, value in expected.items():
        text = "" if value is None else "false" if value is False else str(value)
        assert row[name] == text or float(row[name]) == value


def test_report_csv_carries_every_name_and_further_columns(nasty_names):
    rows = tuple(
        {"source": name, "target": None, "annotation": "max", "note": name} for name in nasty_names
    )
    content = report_csv(OwnerReport({}, rows))
    read = list(csv.DictReader(io.StringIO(content.decode(), newline="")))
    assert [row["source"] for row in read] == list(nasty_names)
    assert [row["note"] for row in read] == list(nasty_names)


def test_an_empty_report_is_valid():
    record = json.loads(report_json(OwnerReport({}, ())))
    assert record["edges"] == []
    jsonschema.validate(record, schema("report"), cls=jsonschema.Draft202012Validator)
