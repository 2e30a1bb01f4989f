"""The owner's report: exact against released, edge by edge. Never leaves ``owner/``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hushmap.owner import OwnerOnly

if TYPE_CHECKING:
    from collections.abc import Mapping

REPORT_FORMAT = "hushmap/report/1"
_CERTAIN = 0.999


@dataclass(frozen=True, slots=True, repr=False)
class OwnerReport(OwnerOnly):
    """What the owner sees of a release: risks, scales, exact and released weights, errors.

    Attributes:
        summary: Per annotation, and for the ``release`` as a whole, named figures.
        edges: One record per edge and annotation, in the shape of ``owner/report.json``.
        notes: What the owner should know, in sentences.
        origin: How the log was read, in sentences.
    """

    summary: Mapping[str, Mapping[str, float | int | None]]
    edges: tuple[Mapping[str, object], ...]
    notes: tuple[str, ...] = ()
    origin: tuple[str, ...] = ()


def about_a_case(release: Mapping[str, float | int | None]) -> str:
    """What one case that walks several edges stands to lose, in words. Owner only.

    Args:
        release: The figures of the release as a whole, ``summary["release"]``.

    Example:
        >>> about_a_case({"mean_occurrences_per_case": 4.0, "mean_epsilon_of_a_case": 3.2,
        ...               "risk_of_a_mean_case": 0.664, "largest_epsilon_of_a_case": None})
        'It is not a limit for a person. A case of average length (4.0 edges) has a risk of 0.664
        (its ε·r add up to 3.2).'
    """
    said = "It is not a limit for a person."
    mean, largest = release.get("mean_epsilon_of_a_case"), release.get("largest_epsilon_of_a_case")
    if mean is not None:
        said += (
            f" A case of average length ({release['mean_occurrences_per_case']:.1f} edges) has a "
            f"risk of {_risk(release['risk_of_a_mean_case'])} (its ε·r add up to {mean:.3g})"
        )
        said += ";" if largest is not None else "."
    if largest is not None:
        said += (
            f" the longest ({release['most_occurrences_of_a_case']:,} edges) one of "
            f"{_risk(release['risk_of_the_largest_case'])} ({largest:.3g} at most)."
        )
    return said


def _risk(risk: float | None) -> str:
    """No risk is certain, so none is rounded to 1."""
    assert risk is not None
    return f"{risk:.3f}" if risk < _CERTAIN else f"more than {_CERTAIN}"
