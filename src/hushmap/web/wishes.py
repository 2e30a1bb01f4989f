"""What the owner asks for on the page, as text; the rules are those of `PlanParameters`.

Field names are those of the options of the command line, so that one error fits both.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from hushmap.exceptions import UsageError
from hushmap.log.options import ReadOptions
from hushmap.planning.parameters import DEFAULT_CONFIDENCE, PlanParameters
from hushmap.release.recipe import DEFAULT_RESOLUTION

if TYPE_CHECKING:
    from starlette.datastructures import FormData


@dataclass(frozen=True, slots=True)
class Wish:
    """The fields of the page *Protect*.

    Attributes:
        annotate: What the map shows.
        attacker: Whom against.
        precision: When a guess counts as right: ``10 %`` of the longest time, or ``30min``.
        range_kind: ``declared`` or ``observed``.
        max_duration: The declared bound.
        error_reading: How an error limit is read.
        confidence: For ``per-edge``, in percent.
        resolution: The tick.
        scope: Whether the limit holds for all together.
        min_occurrences: Edges with fewer are protected as against any.
        max_risk_any: Cap against any belief in percentage points; empty for the default.
    """

    annotate: tuple[str, ...] = ("frequency",)
    attacker: str = "any"
    precision: str = "10 %"
    range_kind: str = "declared"
    max_duration: str = ""
    error_reading: str = "mean"
    confidence: str = "95"
    resolution: str = DEFAULT_RESOLUTION
    scope: str = "release"
    min_occurrences: str = "2"
    max_risk_any: str = ""

    @classmethod
    def of(cls, form: FormData) -> Wish:
        """From the fields of the form."""
        given: dict[str, Any] = {
            one.name: str(form[one.name]).strip()
            for one in fields(cls)
            if one.name != "annotate" and one.name in form
        }
        dropped = form.get("drop")
        chosen = [str(kind) for kind in form.getlist("annotate") if kind != dropped]
        return cls(annotate=tuple(chosen), **given)

    @property
    def times(self) -> bool:
        """Whether any time is shown."""
        return any(kind != "frequency" for kind in self.annotate)

    @property
    def bound(self) -> str | None:
        """The declared bound, where one is needed.

        Raises:
            UsageError: It is needed and missing.
        """
        if not self.times or self.range_kind != "declared":
            return None
        if not self.max_duration:
            raise UsageError(
                "To show times, name the longest that a step can take, in --max-duration.",
                hint="Take it from what you know of the process, not from this log: for example "
                "30d, 12h or 90min. Or choose the range observed.",
            )
        return self.max_duration

    def parameters(self, limit: Limit | None = None) -> PlanParameters:
        """The checked parameters.

        Args:
            limit: The limit; None before it was chosen.

        Raises:
            HushmapError: A field is outside its legal range, or two contradict each other.
        """
        weak = self.attacker != "any"
        per_edge = self.error_reading == "per-edge"
        try:
            least = int(self.min_occurrences)
        except ValueError:
            raise UsageError(
                f"--min-occurrences is {self.min_occurrences!r}.",
                hint="Write a whole number from 1 on.",
            ) from None
        return PlanParameters.of(
            annotate=self.annotate,
            attacker=self.attacker,
            precision=_precision(self.precision) if weak else None,
            max_risk_any=(
                share(self.max_risk_any, "--max-risk-any") if weak and self.max_risk_any else None
            ),
            error_reading=self.error_reading,
            confidence=(share(self.confidence, "--confidence") if per_edge else DEFAULT_CONFIDENCE),
            min_occurrences=least,
            range_kind=self.range_kind if self.times else None,
            scope=self.scope,
            **({} if limit is None else limit.named),
        )


@dataclass(frozen=True, slots=True)
class Limit:
    """The limit that the owner fixed.

    Attributes:
        kind: ``risk`` or ``error``.
        percent: Its value in percent (points), as it was written.
    """

    kind: str = "risk"
    percent: str = "20"

    @property
    def option(self) -> str:
        """Its name on the command line."""
        return "--max-risk" if self.kind == "risk" else "--max-error"

    @property
    def share(self) -> str:
        """Its value as the command line takes it.

        Raises:
            UsageError: It is no number.
        """
        return share(self.percent, self.option)

    @property
    def named(self) -> dict[str, str]:
        """Its name and value for `PlanParameters.of`."""
        return {"max_risk" if self.kind == "risk" else "max_error": self.share}


def share(percent: str, option: str) -> str:
    """Percent as a share, exactly as written.

    Raises:
        UsageError: It is no number.

    Example:
        >>> share("12.5", "--max-risk"), share(" 20 % ", "--max-risk")
        ('0.125', '0.2')
    """
    text = percent.strip().removesuffix("%").strip().replace(",", ".")
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite() or len(text) > 30:
        raise UsageError(
            f"{option} is {percent!r}, which is no number.", hint="Write for example 20."
        )
    return f"{(number / 100).normalize():f}"


def _precision(text: str) -> str:
    if not text:
        raise UsageError(
            "--precision is empty.", hint="Write a share such as 10 %, or a time such as 30min."
        )
    if text.endswith("%"):
        return share(text, "--precision")
    if not text[-1:].isalpha():
        raise UsageError(
            f"--precision is {text!r}; it is not clear of what.",
            hint="Write a share such as 10 % (of the longest time), or a time such as 30min.",
        )
    return text


@dataclass(frozen=True, slots=True)
class Reading:
    """The fields of the page *Columns*; empty for what is recognised.

    Attributes:
        case: Column of the case, and so on as in `ReadOptions`.
    """

    case: str = ""
    activity: str = ""
    timestamp: str = ""
    lifecycle: str = ""
    lifecycle_column: str = ""
    timestamp_format: str = ""
    delimiter: str = ""
    encoding: str = ""

    @classmethod
    def of(cls, form: FormData) -> Reading:
        """From the fields of the form."""
        names = [one.name for one in fields(cls)]
        return cls(**{name: str(form.get(name, "")).strip(" ") for name in names})

    def options(self) -> ReadOptions:
        """The checked options.

        Raises:
            UsageError: A value is outside its legal range.
        """
        given = {
            one.name: getattr(self, one.name) for one in fields(self) if getattr(self, one.name)
        }
        if given.get("delimiter") == "tab":
            given["delimiter"] = "\t"
        return ReadOptions(**given)
