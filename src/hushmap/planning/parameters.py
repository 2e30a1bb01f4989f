"""What the owner asks of a release: one validated place for the command line, API and wizard.

Numbers are taken as they were written: ``0.1`` is one tenth, exactly (method.md §2), so that no
rounding decides whether a limit is met.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from typing import Literal

from hushmap.exceptions import LeakRefusedError, RefusedError, UsageError
from hushmap.graph import Annotation
from hushmap.timespan import exact_timespan, parse_timespan

Number = str | int | float | Decimal | Fraction
Scope = Literal["release", "annotation"]
ErrorReading = Literal["mean", "per-edge"]
RangeKind = Literal["observed", "declared"]

DEFAULT_PRECISION = "0.1"
DEFAULT_CONFIDENCE = "0.95"
# With another attacker than any, no edge's risk against any may exceed this (method.md §2).
DEFAULT_MAX_RISK_ANY = Fraction(9, 10)
_LEAST_SHARE = Fraction(1, 10**12)
# P2 looks for a risk no higher than this (method.md §8).
HIGHEST_RISK = Fraction(99, 100)


class Attacker(StrEnum):
    """What the attacker believed before he saw the release (method.md §2)."""

    ANY = "any"
    EMPIRICAL = "empirical"
    PAPER = "paper"


def exact_number(value: Number, parameter: str) -> Fraction:
    """A number as it was written: a float stands for its shortest decimal.

    Raises:
        UsageError: It is no number.

    Example:
        >>> exact_number(0.1, "--max-risk")
        Fraction(1, 10)
    """
    try:
        if isinstance(value, (int, Fraction)):
            return Fraction(value)
        return Fraction(str(value).strip())
    except (ValueError, ZeroDivisionError):
        raise UsageError(
            f"{parameter} is {value!r}, which is no number.", hint="Write for example 0.2."
        ) from None


@dataclass(frozen=True, slots=True)
class Precision:
    """When a guess of a duration counts as right: within a share of the range, or within a time.

    Attributes:
        share: Of the edge's range, from 0 to 1; None if ``microseconds`` is given.
        microseconds: An absolute tolerance; None if ``share`` is given.
    """

    share: Fraction | None
    microseconds: int | None

    @classmethod
    def parse(cls, value: Number) -> Precision:
        """Read ``0.1`` or ``30min``.

        Example:
            >>> Precision.parse("30min").microseconds
            1800000000
        """
        if isinstance(value, str) and value.strip()[-1:].isalpha():
            return cls(None, parse_timespan(value, "--precision"))
        share = exact_number(value, "--precision")
        if not 0 <= share <= 1:
            raise UsageError(
                f"--precision is {value}; a share of the range lies between 0 and 1.",
                hint="Write for example 0.1 (a tenth of the longest time), or a time: 30min.",
            )
        return cls(share, None)

    def tolerance(self, range_ticks: int, resolution: int) -> Fraction:
        """The tolerance in ticks for an edge of that range."""
        if self.share is not None:
            return self.share * range_ticks
        assert self.microseconds is not None
        return Fraction(self.microseconds, resolution)

    def __str__(self) -> str:
        if self.share is not None:
            return str(float(self.share))
        assert self.microseconds is not None
        return exact_timespan(self.microseconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanParameters:
    """What the owner asks of a release; checked when it is made, made by `PlanParameters.of`.

    Attributes:
        max_risk: P1: no guessing advantage above this, 0 < δ < 1; None under P2.
        max_error: P2: no error above this, μ > 0; None under P1.
        annotations: What the map shows, in canonical order.
        attacker: Whom against.
        precision: When a guess counts as right; None for `any`, which needs none.
        max_risk_any: Cap on the risk against `any` as given; None where the attacker is `any`, or
            where the default of `cap` holds.
        error_reading: Under P2, ``mean`` (expected MAPE) or ``per-edge`` (each edge's error, with
            ``confidence``).
        confidence: For ``per-edge``.
        min_occurrences: Edges with fewer are calibrated as for `any`.
        range_kind: Whether the range is a declared bound or the longest duration observed; None
            where no time is released.
        range_named: Whether the owner chose the range by name, as a release of times demands.
        scope: Whether the limit holds for the whole release or for each annotation alone.
    """

    max_risk: Fraction | None
    max_error: Fraction | None
    annotations: tuple[Annotation, ...]
    attacker: Attacker
    precision: Precision | None
    max_risk_any: Fraction | None
    error_reading: ErrorReading
    confidence: Fraction
    min_occurrences: int
    range_kind: RangeKind | None
    range_named: bool
    scope: Scope

    @classmethod
    def of(
        cls,
        *,
        max_risk: Number | None = None,
        max_error: Number | None = None,
        annotate: str | Annotation | list[str] | tuple[str, ...] = "frequency",
        attacker: str = "any",
        precision: Number | None = None,
        max_risk_any: Number | None = None,
        error_reading: str = "mean",
        confidence: Number = DEFAULT_CONFIDENCE,
        min_occurrences: int = 2,
        range_kind: str | None = None,
        scope: str = "release",
    ) -> PlanParameters:
        """Check what was asked and put it in exact form.

        Raises:
            UsageError: A value is outside its legal range, or two contradict each other.
            LeakRefusedError: The combination would give away what it is meant to protect.

        Example:
            >>> PlanParameters.of(max_risk=0.2, annotate=["mean", "frequency"]).annotations
            (<Annotation.FREQUENCY: 'frequency'>, <Annotation.MEAN: 'mean'>)
        """
        risk, error = _limits(max_risk, max_error)
        kinds = _annotations(annotate)
        whom = Attacker(_one_of(attacker, "--attacker", [kind.value for kind in Attacker]))
        if whom is Attacker.ANY and (precision is not None or max_risk_any is not None):
            name = "--precision" if precision is not None else "--max-risk-any"
            raise UsageError(
                f"{name} does not go with the attacker any, who is protected against at every "
                "precision.",
                hint=f"Leave {name} out, or choose --attacker empirical.",
            )
        if whom is not Attacker.ANY and precision is None:
            precision = DEFAULT_PRECISION
        if range_kind is not None:
            _one_of(range_kind, "--range", ["observed", "declared"])
        if min_occurrences < 1:
            raise UsageError(
                f"--min-occurrences is {min_occurrences!r}.", hint="Write a whole number from 1 on."
            )
        timed = any(kind.is_time for kind in kinds)
        return cls(
            max_risk=risk,
            max_error=error,
            annotations=kinds,
            attacker=whom,
            precision=None if precision is None else Precision.parse(precision),
            max_risk_any=(
                None if max_risk_any is None else _between(max_risk_any, "--max-risk-any")
            ),
            error_reading=_one_of(error_reading, "--error-reading", ["mean", "per-edge"]),  # type: ignore[arg-type]
            confidence=_between(confidence, "--confidence"),
            min_occurrences=min_occurrences,
            range_kind=(range_kind or "observed") if timed else None,  # type: ignore[arg-type]
            range_named=range_kind is not None,
            scope=_one_of(scope, "--scope", ["release", "annotation"]),  # type: ignore[arg-type]
        )

    def require_limit(self) -> None:
        """Refuse parameters without a limit.

        Raises:
            UsageError: Neither a risk nor an error is limited.
        """
        if self.max_risk is None and self.max_error is None:
            raise UsageError(
                "No limit is given.", hint="Give --max-risk (0 to 1) or --max-error (above 0)."
            )

    def require_named_range(self) -> None:
        """Refuse to release times whose noise is scaled to something that was not chosen by name.

        Raises:
            RefusedError: Times are asked for and no range was named.
        """
        if self.times and not self.range_named:
            raise RefusedError(
                "A release of times needs to know what the noise is scaled to: a public bound from "
                "knowledge of the process, which protects every duration, or each edge's longest "
                "duration, which is then not protected itself.",
                hint="Name one: --max-duration 30d (better) or --range observed.",
            )

    def cap(self, risk: float) -> float | None:
        """The largest risk against `any` that an edge calibrated at a risk may have (§2).

        Returns:
            The cap; None where the attacker is `any`, whose own limit it would be.
        """
        if self.attacker is Attacker.ANY:
            return None
        if self.max_risk_any is not None:
            return float(self.max_risk_any)
        return max(risk, float(DEFAULT_MAX_RISK_ANY))

    @property
    def has_frequency(self) -> bool:
        """Whether frequencies are released."""
        return Annotation.FREQUENCY in self.annotations

    @property
    def against_any(self) -> bool:
        """Whether every edge is calibrated as for `any`, whichever attacker was chosen (§2, §9)."""
        beside_frequency = self.has_frequency and self.scope == "release"
        return self.attacker is Attacker.ANY or beside_frequency or not self.times

    @property
    def histograms(self) -> bool:
        """Whether the graph has to keep the distribution of durations for this attacker."""
        return self.attacker is not Attacker.ANY and bool(self.times)

    @property
    def times(self) -> tuple[Annotation, ...]:
        """The annotations that are times."""
        return tuple(kind for kind in self.annotations if kind.is_time)


def _limits(
    max_risk: Number | None, max_error: Number | None
) -> tuple[Fraction | None, Fraction | None]:
    if max_risk is not None and max_error is not None:
        raise UsageError(
            "Both a risk and an error are limited; one follows from the other.",
            hint="Give --max-risk or --max-error, not both.",
        )
    error = None
    if max_error is not None:
        error = exact_number(max_error, "--max-error")
        if error <= 0:
            raise UsageError(
                f"--max-error is {max_error}; it must be above 0.",
                hint="Write for example 0.1 for an error of 10 %.",
            )
    return (None if max_risk is None else _between(max_risk, "--max-risk")), error


def _between(value: Number, parameter: str) -> Fraction:
    number = exact_number(value, parameter)
    if not _LEAST_SHARE <= number <= 1 - _LEAST_SHARE:
        raise UsageError(
            f"{parameter} is {value}; it must lie between 0 and 1, both left out (and not nearer "
            "to them than 1e-12).",
            hint="Write for example 0.2.",
        )
    return number


def _one_of(value: str, parameter: str, legal: list[str], more: str = "") -> str:
    if value not in legal:
        raise UsageError(
            f"{parameter} is {str(value)!r}.", hint=f"Write one of {', '.join(legal)}{more}."
        )
    return value


def _annotations(annotate: str | list[str] | tuple[str, ...]) -> tuple[Annotation, ...]:
    asked = [annotate] if isinstance(annotate, str) else list(annotate)
    legal = [kind.value for kind in Annotation]
    several = "; for several, repeat --annotate"
    kinds = {Annotation(_one_of(kind, "--annotate", legal, several)) for kind in asked}
    if not kinds:
        raise UsageError("No annotation is asked for.", hint="Write --annotate frequency.")
    if {Annotation.SUM, Annotation.MEAN} <= kinds and Annotation.FREQUENCY not in kinds:
        raise LeakRefusedError(
            "sum and mean come from one draw; together, and without a frequency, their ratio "
            "gives the exact number of occurrences away.",
            hint="Add --annotate frequency, or leave out sum or mean.",
        )
    return tuple(kind for kind in Annotation if kind in kinds)
