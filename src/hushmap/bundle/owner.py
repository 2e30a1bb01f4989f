"""`owner/report.json` and `report.csv`: exact against released. Never for `public/`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, SupportsFloat

from hushmap.bundle.map_csv import csv_file
from hushmap.release.report import REPORT_FORMAT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hushmap.release.report import OwnerReport

_COLUMNS = (
    "source",
    "target",
    "annotation",
    "occurrences",
    "range",
    "actual",
    "released",
    "derived",
    "epsilon",
    "epsilon_range",
    "risk",
    "risk_any",
    "expected_ape",
    "realised_ape",
    "attacker",
)


def report_json(report: OwnerReport, files: Iterable[str] = ()) -> bytes:
    """The report as JSON, one line per edge and annotation; what is not finite becomes null.

    Args:
        report: What the owner sees.
        files: The files of `owner/`, so that a later release can tell its own from others.
    """
    edges = ",\n  ".join(_text(_plain_record(row)) for row in report.edges)
    summary = {name: _plain_record(figures) for name, figures in report.summary.items()}
    return (
        f'{{"format": {_text(REPORT_FORMAT)},\n'
        f' "summary": {_text(summary)},\n'
        f' "notes": {_text(list(report.notes))},\n'
        f' "origin": {_text(list(report.origin))},\n'
        f' "files": {_text(sorted(files))},\n'
        f' "edges": [\n  {edges}]}}\n'
    ).encode()


def report_csv(report: OwnerReport) -> bytes:
    """The edges of the report as CSV, in the columns of ``report.json``."""
    others = {key: None for row in report.edges for key in row if key not in _COLUMNS}
    columns = [*_COLUMNS, *others]
    rows: list[list[str | None]] = [list(columns)]
    for row in report.edges:
        plain = _plain_record(row)
        rows.append([_field(plain.get(key)) for key in columns])
    return csv_file(rows)


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _plain_record(record: Mapping[str, object]) -> dict[str, object]:
    return {str(key): _plain(value) for key, value in record.items()}


def _plain(value: object) -> object:
    """A value as JSON knows it: NumPy's and exact numbers become Python's."""
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Mapping):
        return _plain_record(value)
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if not isinstance(value, float) and hasattr(value, "item"):
        return _plain(value.item())
    assert isinstance(value, SupportsFloat)
    number = float(value)
    return number if math.isfinite(number) else None


def _field(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value)
