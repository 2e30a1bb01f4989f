"""What follows from the public fields of a certificate, computed again (method.md §2, §9).

It holds for every version of the format. The private rooms are not asked: who receives a map has
nothing but the certificate.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from hushmap.exceptions import TamperedBundleError
from hushmap.graph import Annotation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hushmap.release.certificate import Certificate

# For a limit of 1 − 1e-12, the double that is nearest to it says no more about ε.
_CLOSE = 1e-5
# So many occurrences does an event touch, and so many durations a timestamp.
_EVENT, _TIMESTAMP = 3, 2


def check_consistent(certificate: Certificate) -> None:
    """Whether ε, the limits of units and the questions follow from the rest.

    Args:
        certificate: As read, or as it is to be written.

    Raises:
        TamperedBundleError: They do not.
    """
    if certificate.goals != _goals(certificate):
        raise _contradiction("goals", "the annotations")
    if not _agree(_by_name(certificate.epsilon), _by_name(_epsilon(certificate))):
        raise _contradiction("epsilon", "the limit, the annotations and the scope")
    if not _agree(certificate.unit_limits, _unit_limits(certificate)):
        raise _contradiction("unit_limits", "the limit, the annotations and the scope")


def _contradiction(field: str, sources: str) -> TamperedBundleError:
    return TamperedBundleError(
        f"The certificate contradicts itself: {field} is not what follows from {sources}.",
        where="certificate.json",
        hint="Ask for a fresh copy of the bundle, and change nothing in it.",
    )


def _by_name(epsilon: float | None) -> dict[str, float]:
    return {} if epsilon is None else {"epsilon": epsilon}


def _agree(stated: Mapping[str, float], expected: Mapping[str, float]) -> bool:
    return stated.keys() == expected.keys() and all(
        math.isclose(stated[name], number, rel_tol=_CLOSE) for name, number in expected.items()
    )


def _has_frequency(certificate: Certificate) -> bool:
    return Annotation.FREQUENCY.value in certificate.annotations


def _drawn_times(certificate: Certificate) -> set[str]:
    """The times that noise is drawn for: a sum and a mean come from the same draw."""
    kinds = {"sum" if kind == "mean" else kind for kind in certificate.annotations}
    return kinds - {Annotation.FREQUENCY.value}


def _goals(certificate: Certificate) -> tuple[str, ...]:
    whether = ("whether",) if _has_frequency(certificate) else ()
    return (*whether, "how long") if _drawn_times(certificate) else whether


def _any_limit(certificate: Certificate) -> float | None:
    """The limit against any belief, which frequencies keep to; None under ``max_error``."""
    if certificate.risk is None:
        return None
    return min(certificate.risk, certificate.max_risk_any or 1.0)


def _epsilon(certificate: Certificate) -> float | None:
    """ε of every frequency: ``4·artanh(δ)/L``, L the draws that an occurrence moves at most."""
    limit = _any_limit(certificate)
    if limit is None or not _has_frequency(certificate):
        return None
    shares = 1
    if certificate.scope == "release":
        times = _drawn_times(certificate)
        # An added occurrence moves the minimum or the maximum; below the minimum, it moves the
        # sum and the minimum by at most the range together.
        shares += 2 if {"sum", "max"} <= times else 1 if times else 0
    risk = Fraction(str(limit))
    return 2 * math.log1p(2 * risk / (1 - risk)) / shares


def _unit_limits(certificate: Certificate) -> dict[str, float]:
    """``tanh(m·artanh δ)`` of what touches m occurrences, where the limit is for all together."""
    limit = _any_limit(certificate)
    times = _drawn_times(certificate)
    draws = len(times) + _has_frequency(certificate)
    apart = certificate.scope == "annotation" and draws > 1
    if limit is None or apart or not certificate.against_any:
        return {}
    touched = {}
    if _has_frequency(certificate):
        touched["event"] = _EVENT
    if times:
        touched["timestamp"] = _TIMESTAMP
    return {unit: math.tanh(m * math.atanh(limit)) for unit, m in touched.items()}
