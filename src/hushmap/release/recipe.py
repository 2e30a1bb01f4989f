"""A release written down as a command and as Python: the same choices, to be made again.

Whoever clicked a release together can so repeat, automate or hand over what was done. Running
either draws anew, and every draw adds to the risk.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import TYPE_CHECKING

from hushmap.log.options import ReadOptions
from hushmap.planning.parameters import DEFAULT_CONFIDENCE, DEFAULT_PRECISION, Attacker

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from hushmap.graph import Annotation
    from hushmap.planning.parameters import PlanParameters

DEFAULT_RESOLUTION = "1s"
_COMMAND_WIDTH = 78


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that a release was made of, but the draw.

    Attributes:
        source: The log, as it would be named.
        reading: How it was read.
        parameters: What was asked for.
        resolution: The tick.
        max_duration: The declared bound: a span, or a CSV; None where the range was observed.
        out: Where the bundle would go.

    Example:
        >>> from hushmap.planning.parameters import PlanParameters
        >>> recipe = Recipe("log.csv", ReadOptions(), PlanParameters.of(max_risk="0.2"))
        >>> print(recipe.command())
        hushmap release log.csv --max-risk 0.2 --out map
    """

    source: str
    reading: ReadOptions
    parameters: PlanParameters
    resolution: str = DEFAULT_RESOLUTION
    max_duration: str | None = None
    out: str = "map"

    def command(self) -> str:
        """The command line, in lines that a shell joins."""
        options = [
            *_flags(self._limit()),
            *(f"--annotate {kind.value}" for kind in self._annotations()),
            *_flags(self._wishes()),
            *_flags(self._range()),
            *_flags(self._discovery()),
            *_flags(self._reading()),
            f"--out {shlex.quote(self.out)}",
        ]
        # A name that begins with a dash would be taken for an option.
        source = f"./{self.source}" if self.source.startswith("-") else self.source
        lines = [f"hushmap release {shlex.quote(source)}"]
        for option in options:
            if len(lines[-1]) + len(option) + 1 > _COMMAND_WIDTH:
                lines[-1] += " \\"
                lines.append(f"  {option}")
            else:
                lines[-1] += f" {option}"
        return "\n".join(lines)

    def python(self) -> str:
        """The same in Python."""
        bound = {} if self.max_duration is None else {"max_duration": self.max_duration}
        annotate = {"annotate": [kind.value for kind in self._annotations()]}
        discovery = {**self._discovery(), **bound, "histograms": self.parameters.histograms}
        wishes = {
            **self._limit(),
            **(annotate if annotate["annotate"] else {}),
            **self._wishes(),
            **({} if bound else self._range()),
        }
        return "\n".join(
            [
                "import hushmap as hm",
                "",
                _call("log = hm.read_log", _literal(self.source), self._reading()),
                _call("graph = hm.discover", "log", discovery),
                _call("plan = hm.plan", "graph", wishes),
                "release = hm.release(plan)  # draws once",
                f"release.write({_literal(self.out)})",
            ]
        )

    def _limit(self) -> dict[str, object]:
        parameters = self.parameters
        if parameters.max_risk is not None:
            return {"max_risk": decimal(parameters.max_risk)}
        assert parameters.max_error is not None
        limit: dict[str, object] = {"max_error": decimal(parameters.max_error)}
        if parameters.error_reading != "mean":
            limit["error_reading"] = parameters.error_reading
            confidence = decimal(parameters.confidence)
            if confidence != DEFAULT_CONFIDENCE:
                limit["confidence"] = confidence
        return limit

    def _annotations(self) -> list[Annotation]:
        kinds = list(self.parameters.annotations)
        return [] if [kind.value for kind in kinds] == ["frequency"] else kinds

    def _wishes(self) -> dict[str, object]:
        parameters = self.parameters
        found: dict[str, object] = {}
        if parameters.attacker is not Attacker.ANY:
            found["attacker"] = parameters.attacker.value
            assert parameters.precision is not None
            precision = str(parameters.precision)
            if precision != DEFAULT_PRECISION:
                found["precision"] = precision
            if parameters.max_risk_any is not None:
                found["max_risk_any"] = decimal(parameters.max_risk_any)
        if parameters.min_occurrences != 2:
            found["min_occurrences"] = parameters.min_occurrences
        if parameters.scope != "release":
            found["scope"] = parameters.scope
        return found

    def _range(self) -> dict[str, object]:
        if self.max_duration is not None:
            return {"max_duration": self.max_duration}
        return {"range": "observed"} if self.parameters.range_kind == "observed" else {}

    def _discovery(self) -> dict[str, object]:
        return {} if self.resolution == DEFAULT_RESOLUTION else {"resolution": self.resolution}

    def _reading(self) -> dict[str, object]:
        plain = ReadOptions()
        return {
            field.name: getattr(self.reading, field.name)
            for field in fields(ReadOptions)
            if getattr(self.reading, field.name) != getattr(plain, field.name)
        }


def decimal(value: Fraction) -> str:
    """A limit as it is written: exactly, where it has an end.

    Example:
        >>> from fractions import Fraction
        >>> decimal(Fraction(1, 5)), decimal(Fraction(125, 1000))
        ('0.2', '0.125')
    """
    return f"{Decimal(value.numerator) / Decimal(value.denominator):f}"


def _flags(values: Mapping[str, object]) -> list[str]:
    return [
        f"--{name.replace('_', '-')} {shlex.quote(str(value))}" for name, value in values.items()
    ]


def _call(what: str, first: str, values: Mapping[str, object]) -> str:
    """A call on one line, or with one argument on each where that is too long."""
    arguments = [first, *(f"{name}={_literal(value)}" for name, value in values.items())]
    line = f"{what}({', '.join(arguments)})"
    if len(line) <= _COMMAND_WIDTH:
        return line
    return "\n".join([f"{what}(", *(f"    {one}," for one in arguments), ")"])


def _literal(value: object) -> str:
    """A value as Python writes it, with double quotes; what cannot be seen is escaped."""
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, str):
        return "".join(
            character if character.isprintable() else _escaped(character)
            for character in json.dumps(value, ensure_ascii=False)
        )
    return repr(value)


def _escaped(character: str) -> str:
    r"""One that cannot be seen, as Python writes it.

    Example:
        >>> _escaped("\u202e")
        '\\u202e'
    """
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")
