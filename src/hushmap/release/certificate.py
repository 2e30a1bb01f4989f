"""The certificate: what a published map promises, to whom, against whom, and what it does not.

Everything here is public. A certificate is made from the owner's *parameters* and from the names
of what is shown, never from the exact graph or the plan's findings: under P2 the risk that was
found is a function of the private data and stays out (method.md §8).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from hushmap.graph import Annotation
from hushmap.planning.draws import draws_of, whether_loss
from hushmap.planning.parameters import Attacker
from hushmap.release.sentences import not_promised, promised
from hushmap.risk import epsilon_any, repeated_risk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hushmap.planning.parameters import PlanParameters

CERTIFICATE_FORMAT = "hushmap/certificate/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """What a released map promises. Public.

    Attributes:
        version: Of the program that made it.
        date: Of the release, ISO 8601 (UTC).
        problem: ``max_risk`` or ``max_error``: which limit the owner chose.
        limit: The limit.
        risk: The largest guessing advantage; None under ``max_error``, where it depends on the
            private data.
        max_risk_any: Cap on the guessing advantage of an attacker with any belief, kept to by
            all times of an edge together, or by each kind alone where ``scope`` is
            ``annotation``. Where the limit itself is against any, only a cap below it; None under
            ``max_error``, where no gain is limited.
        attacker: Whom the owner wanted to be protected against; ``against_any`` says whether that
            comes to more.
        precision: When a guess of a duration counts as right; None for ``any`` (every precision).
        annotations: What the map shows.
        scope: ``release`` if the limit holds for everything together, ``annotation`` if for each
            annotation alone.
        goals: Which questions the limit covers: ``whether``, ``how long``.
        protects: The unit of protection.
        edge_set: How the edges shown were chosen.
        range_kind: ``observed`` or ``declared``; None where no time is shown.
        max_duration: The declared bound, if one holds for all edges.
        resolution: The tick in which durations are counted.
        error_reading: Under ``max_error``: ``mean`` or ``per-edge``.
        confidence: For ``per-edge``.
        min_occurrences: Edges with fewer are protected as against any.
        epsilon: ε of every frequency under ``max_risk``: it depends on the limit and the number
            of draws alone. None otherwise.
        unit_limits: Largest guessing advantage against any about one event and one timestamp
            (method.md §2); empty where nothing public can be said: under ``max_error``, and where
            the strength of the noise follows from the durations of the edge.
        mechanisms: Per annotation how it was protected, in words.
        promised: What is promised, in sentences.
        not_promised: What is not, in sentences.
        files: SHA-256 of every public file; filled when the bundle is written.

    Example:
        >>> import hushmap as hm
        >>> graph = hm.discover(hm.read_log("examples/hospital.csv"))
        >>> certificate = hm.release(hm.plan(graph, max_risk=0.2)).certificate
        >>> certificate.promised[1], certificate.goals
        ('The secret may be whether the step took place at all.', ('whether',))
    """

    version: str
    date: str
    problem: str
    limit: float
    risk: float | None
    max_risk_any: float | None
    attacker: str
    precision: str | None
    annotations: tuple[str, ...]
    scope: str
    goals: tuple[str, ...]
    protects: str
    edge_set: str
    range_kind: str | None
    max_duration: str | None
    resolution: str
    error_reading: str | None
    confidence: float | None
    min_occurrences: int
    epsilon: float | None
    unit_limits: Mapping[str, float]
    mechanisms: Mapping[str, str]
    promised: tuple[str, ...]
    not_promised: tuple[str, ...]
    files: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("annotations", "goals", "promised", "not_promised"):
            object.__setattr__(self, name, tuple(getattr(self, name)))

    @property
    def against_any(self) -> bool:
        """Whether the noise is that against any belief, whichever attacker was chosen (§2, §9)."""
        kinds = set(self.annotations)
        beside_frequency = Annotation.FREQUENCY.value in kinds and self.scope == "release"
        no_times = kinds == {Annotation.FREQUENCY.value}
        return self.attacker == Attacker.ANY.value or beside_frequency or no_times


def public_epsilon(parameters: PlanParameters) -> float | None:
    """ε of every frequency, where it depends on public choices alone.

    Example:
        >>> from hushmap.planning.parameters import PlanParameters
        >>> round(public_epsilon(PlanParameters.of(max_risk=0.4)), 3)
        1.695
    """
    if parameters.max_risk is None or not parameters.has_frequency:
        return None
    risk = parameters.max_risk
    share = 1
    if parameters.scope == "release":
        share = whether_loss(draws_of(parameters.annotations))
    risk = min(risk, parameters.max_risk_any or Fraction(1))
    return epsilon_any(risk) / share


def goals_of(parameters: PlanParameters) -> tuple[str, ...]:
    """Which questions the limit covers (method.md §9).

    Example:
        >>> from hushmap.planning.parameters import PlanParameters
        >>> goals_of(PlanParameters.of(max_risk=0.1, annotate=["frequency", "mean"]))
        ('whether', 'how long')
    """
    goals = []
    if parameters.has_frequency:
        goals.append("whether")
    if parameters.times:
        goals.append("how long")
    return tuple(goals)


def make_certificate(
    parameters: PlanParameters,
    *,
    version: str,
    date: str,
    resolution: str,
    max_duration: str | None,
) -> Certificate:
    """State what a release with these parameters promises.

    Args:
        parameters: What the owner asked for.
        version: Of the program.
        date: Of the release.
        resolution: The tick.
        max_duration: The declared bound, if one holds for all edges.
    """
    risk = None if parameters.max_risk is None else float(parameters.max_risk)
    cap = _public_cap(parameters)
    whole = parameters.max_risk if risk is not None else parameters.max_error
    assert whole is not None
    against_any = parameters.against_any
    per_edge = parameters.max_error is not None and parameters.error_reading == "per-edge"
    return Certificate(
        version=version,
        date=date,
        problem="max_error" if risk is None else "max_risk",
        limit=float(whole),
        risk=risk,
        max_risk_any=cap,
        attacker=parameters.attacker.value,
        precision=None if parameters.precision is None else str(parameters.precision),
        annotations=tuple(kind.value for kind in parameters.annotations),
        scope=parameters.scope,
        goals=goals_of(parameters),
        protects="occurrence",
        edge_set="observed",
        range_kind=parameters.range_kind,
        max_duration=max_duration,
        resolution=resolution,
        error_reading=parameters.error_reading if parameters.max_error is not None else None,
        confidence=float(parameters.confidence) if per_edge else None,
        min_occurrences=parameters.min_occurrences,
        epsilon=public_epsilon(parameters),
        unit_limits=_unit_limits(parameters, cap),
        mechanisms={kind.value: _mechanism(kind, parameters) for kind in parameters.annotations},
        promised=promised(parameters, cap, against_any=against_any, max_duration=max_duration),
        not_promised=not_promised(parameters, against_any=against_any),
    )


def _public_cap(parameters: PlanParameters) -> float | None:
    """The cap on the risk against any, where it says more than the limit does."""
    if parameters.max_risk is None:
        return None
    risk = float(parameters.max_risk)
    cap = parameters.cap(risk)
    return None if cap is None or (parameters.against_any and cap >= risk) else cap


def _unit_limits(parameters: PlanParameters, cap: float | None) -> dict[str, float]:
    """Limits for an event (three occurrences) and a timestamp (two), where they follow publicly."""
    apart = parameters.scope == "annotation" and len(draws_of(parameters.annotations)) > 1
    if parameters.max_risk is None or apart or not parameters.against_any:
        return {}
    limit = min(float(parameters.max_risk), cap or 1.0)
    limits = {}
    if parameters.has_frequency:
        limits["event"] = repeated_risk(limit, 3)
    if parameters.times:
        limits["timestamp"] = repeated_risk(limit, 2)
    return limits


def _mechanism(kind: Annotation, parameters: PlanParameters) -> str:
    if kind is Annotation.FREQUENCY:
        return "count + discrete Laplace noise on whole occurrences, then at least 1"
    if kind is Annotation.MEAN and parameters.has_frequency:
        return (
            "sum of durations + discrete Laplace noise on whole ticks, divided by the released "
            "frequency, rounded to the tick, at least one tick"
        )
    if kind is Annotation.MEAN:
        return (
            "sum of durations + discrete Laplace noise on whole ticks, divided by the number of "
            "occurrences, rounded to the tick, at least one tick"
        )
    name = {"sum": "sum of durations", "min": "shortest duration", "max": "longest duration"}[kind]
    return f"{name} + discrete Laplace noise on whole ticks, then at least one tick"
