"""What an owner can do about the riskiest and the least accurate edges, in plain sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Record = Mapping[str, Any]

_FEW, _WIDE_RANGE, _RISK_ANY, _CLOSE, _TOO_FAR = 5, 10.0, 0.8, 0.1, 0.5
_EQUAL = 1e-9


def on_error(record: Record) -> str:
    """Why an edge is far off, and what would help.

    Args:
        record: A row of the owner's report.

    Example:
        >>> on_error({"annotation": "frequency", "occurrences": 1, "expected_ape": 1.2})
        'Walked once: any noise that hides it is as large as the number. Leave such edges out, ...'
    """
    error = record["expected_ape"]
    if error is None:
        return "The true value is 0, so a percentage says nothing."
    if error < _CLOSE:
        return "Close to the truth: nothing to do."
    if error < _TOO_FAR:
        return "Right in its order of magnitude. A higher --max-risk brings it closer."
    time = record["annotation"] != "frequency"
    actual = record.get("actual") or 0.0
    span = record.get("range") or 0.0
    share = record["annotation"] == "mean" and record["occurrences"]
    typical = actual if not share else actual * record["occurrences"]
    if time and typical and span / typical > _WIDE_RANGE:
        return (
            f"The noise is scaled to the range, which is {span / typical:,.0f} times the weight. "
            "Declare a tighter --max-duration for it, if knowledge of the process allows."
        )
    if record["occurrences"] < _FEW:
        times = "once" if record["occurrences"] == 1 else f"{record['occurrences']} times"
        return (
            f"Walked {times}: any noise that hides it is as large as the number. Leave such edges "
            "out, or read them as “rare”."
        )
    if time:
        return "Allow a higher --max-risk, or drop another annotation that shares the budget."
    return "Allow a higher --max-risk; times shown beside it take half of the budget or more."


def on_risk(record: Record, largest: float) -> str:
    """What the risk of an edge means, and what would lower it.

    Args:
        record: A row of the owner's report.
        largest: The largest risk of all edges.
    """
    if record["occurrences"] == 1:
        return (
            "Its only occurrence: that the edge is shown at all says that somebody walked it. "
            "Leave it out if that is a secret."
        )
    if record["risk_any"] > _RISK_ANY and record["risk_any"] > record["risk"] + _EQUAL:
        return (
            "Someone who knows more than how such times are distributed gains far more. "
            "--max-risk-any limits that."
        )
    if record["risk"] >= largest - _EQUAL:
        return "At the limit, as intended. Only a lower --max-risk changes it."
    return "Below the limit."


def summary_sentence(records: Sequence[Record]) -> str:
    """How many edges are in trouble, in one sentence."""
    known = [record for record in records if record["expected_ape"] is not None]
    far = sum(record["expected_ape"] >= _TOO_FAR for record in known)
    if not far:
        return "Every edge is expected to be within 50 % of the truth."
    rare = sum(
        record["expected_ape"] >= _TOO_FAR and record["occurrences"] < _FEW for record in known
    )
    return (
        f"{far:,} of {len(known):,} numbers are expected to be off by 50 % or more; {rare:,} of "
        f"these belong to edges walked fewer than {_FEW} times."
    )
