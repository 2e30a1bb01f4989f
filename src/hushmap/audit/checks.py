"""What an audit says: one check per attack, and whether all that was promised holds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["promise", "control", "not promised"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One attack and what it measured.

    Attributes:
        name: What was attacked, and with what question.
        claimed: The limit that is promised; None where nothing is promised.
        measured: What the attack came to.
        low: Lower confidence limit of the truth behind it.
        high: Upper confidence limit; infinite where nothing bounds it.
        holds: Whether the lower limit stays within the claim. For a control: whether the broken
            mechanism was caught. Always true where nothing is promised.
        kind: ``promise``, ``control`` (a mechanism that is known to be broken) or
            ``not promised``.
        measure: What the figures are: a gain in the chance of guessing (``advantage``), a privacy
            loss (``loss``, the ε that the releases show), or a ``share``.

    Example:
        >>> Check(name="frequency", claimed=0.4, measured=0.39, low=0.38, high=0.41,
        ...       holds=True).as_json()["holds"]
        True
    """

    name: str
    claimed: float | None
    measured: float
    low: float
    high: float
    holds: bool
    kind: Kind = "promise"
    measure: str = "loss"

    def as_json(self) -> dict[str, Any]:
        """The check as ``audit --json`` prints it; null stands for no claim and for no bound."""
        figures = {"measured": self.measured, "low": self.low, "high": self.high}
        return {
            "name": self.name,
            "claimed": self.claimed,
            **{key: value if math.isfinite(value) else None for key, value in figures.items()},
            "holds": self.holds,
        }


@dataclass(frozen=True, slots=True)
class AuditReport:
    """All checks of an audit.

    Attributes:
        checks: In the order in which they were made.
        draws: Releases per check.

    Example:
        >>> AuditReport((), 10).holds
        True
    """

    checks: tuple[Check, ...]
    draws: int

    @property
    def holds(self) -> bool:
        """Whether every promise was kept and every control was caught."""
        return all(check.holds for check in self.checks)

    def of(self, kind: Kind) -> tuple[Check, ...]:
        """The checks of one kind."""
        return tuple(check for check in self.checks if check.kind == kind)

    def as_json(self) -> dict[str, Any]:
        """The report in the shape of ``audit --json``."""
        return {"holds": self.holds, "checks": [check.as_json() for check in self.checks]}
