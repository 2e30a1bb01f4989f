"""What a map says at each edge and activity: labels, colours, widths, titles.

A `View` is a choice of the reader: which number comes first, which second. Everything is derived
from the released graph and the certificate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from hushmap.exceptions import UsageError
from hushmap.graph import END_LABEL, START_LABEL, Annotation
from hushmap.picture.lettering import isolated
from hushmap.picture.palette import EDGE_LEVELS, NODE_LEVELS
from hushmap.picture.scales import WORDS, Scale, human_count, human_weight
from hushmap.picture.selection import activity_flow
from hushmap.picture.uncertainty import (
    half_width,
    interval,
    mean_interval,
    noise_dominates,
    time_bound,
    time_epsilon,
    time_interval,
)

if TYPE_CHECKING:
    from hushmap.graph import _DrawnGraph
    from hushmap.release.certificate import Certificate

NO_SECOND = "none"
_THINNEST, _THICKEST, _PLAIN = 1.0, 6.0, 1.6


@dataclass(frozen=True, slots=True)
class View:
    """Which numbers are shown.

    Attributes:
        primary: The first line of a label; None if the graph has no numbers.
        secondary: The second line, if any.
        intervals: Whether numbers carry their 95 % interval, where it is public.
    """

    primary: Annotation | None
    secondary: Annotation | None
    intervals: bool = False

    @property
    def shown(self) -> tuple[Annotation, ...]:
        """The annotations of a label, from top to bottom."""
        return tuple(kind for kind in (self.primary, self.secondary) if kind is not None)

    @property
    def coloured_by(self) -> Annotation | None:
        """What the colour of an edge says: a time where one is shown."""
        return next((kind for kind in self.shown if kind.is_time), self.primary)


def choose_view(
    graph: _DrawnGraph,
    primary: Annotation | str | None,
    secondary: Annotation | str | None,
    *,
    intervals: bool,
) -> View:
    """Check a choice, or make one: the frequency first, then the mean or another time.

    Args:
        graph: The released graph.
        primary: The first line; None leaves the choice to the program.
        secondary: The second; None likewise, ``"none"`` for no second line.
        intervals: Whether numbers carry their interval.

    Raises:
        UsageError: The graph has no such annotation.
    """
    kinds = graph.annotations
    first = _named(graph, primary) if primary is not None else next(iter(kinds), None)
    if secondary == NO_SECOND:
        return View(first, None, intervals)
    if secondary is not None:
        second: Annotation | None = _named(graph, secondary)
    else:
        rest = [kind for kind in kinds if kind is not first]
        second = Annotation.MEAN if Annotation.MEAN in rest else next(iter(rest), None)
    return View(first, None if second is first else second, intervals)


def _named(graph: _DrawnGraph, name: Annotation | str) -> Annotation:
    shown = [kind.value for kind in graph.annotations]
    if name not in shown:
        raise UsageError(
            f"The map does not show {str(name)!r}.", hint=f"It shows {', '.join(shown)}."
        )
    return Annotation(name)


@dataclass(frozen=True)
class MapFacts:
    """The released numbers of a map with their scales.

    Attributes:
        graph: The released graph.
        certificate: Its certificate, if at hand.
    """

    graph: _DrawnGraph
    certificate: Certificate | None

    @cached_property
    def flow(self) -> dict[str, int]:
        """How often each activity happened, by the released edges."""
        return activity_flow(self.graph)

    @cached_property
    def flow_scale(self) -> Scale | None:
        """The scale of the activities."""
        return Scale.over(self.flow.values())

    @cached_property
    def scales(self) -> dict[Annotation, Scale]:
        """The scale of each annotation."""
        found = {kind: Scale.over(self.graph.weights[kind]) for kind in self.graph.annotations}
        return {kind: scale for kind, scale in found.items() if scale is not None}

    @cached_property
    def spread(self) -> int | None:
        """Half of the 95 % interval of a frequency, where its noise is public."""
        if self.certificate is None or self.certificate.epsilon is None:
            return None
        return half_width(self.certificate.epsilon)

    @cached_property
    def _time_epsilon(self) -> float | None:
        """ε per tick of every time, where it is public."""
        if self.certificate is None:
            return None
        return time_epsilon(self.certificate, self.graph.resolution)

    @cached_property
    def _time_spread(self) -> int:
        return half_width(self._time_epsilon) if self._time_epsilon else 0

    def has_intervals(self, kind: Annotation) -> bool:
        """Whether it is public how far the numbers of an annotation may be off.

        A mean without a released frequency is over the number of occurrences, which is secret.
        """
        if not kind.is_time:
            return self.spread is not None
        if kind is Annotation.MEAN and self.spread is None:
            return False
        return self._time_epsilon is not None

    def interval(self, place: int, kind: Annotation) -> tuple[int, int] | None:
        """Where the true number of an edge is, with a probability of 95 %, where that is public.

        Times are those of the certificate: cut to its bound.
        """
        weight = self.weight(place, kind)
        if weight is None or self.certificate is None or not self.has_intervals(kind):
            return None
        if not kind.is_time:
            return interval(weight, self.spread or 0)
        bound = time_bound(self.certificate, self.graph.resolution)
        assert bound is not None
        if kind is not Annotation.MEAN:
            return time_interval(
                weight, self._time_spread, None if kind is Annotation.SUM else bound
            )
        assert self.certificate.epsilon is not None
        assert self._time_epsilon is not None
        frequency = self.weight(place, Annotation.FREQUENCY) or 1
        return mean_interval(
            weight, frequency, (self.certificate.epsilon, self._time_epsilon), bound
        )

    def off_text(self, place: int, kind: Annotation) -> str:
        """How far a number may be off, as it stands on a label; empty where that is not public."""
        found, weight = self.interval(place, kind), self.weight(place, kind)
        if found is None or weight is None:
            return ""
        off = max(weight - found[0], found[1] - weight)
        return f"±{human_weight(kind, off, self.graph.resolution)}"

    def interval_text(self, place: int, kind: Annotation) -> str:
        """The interval of a number in human units; empty where it is not public."""
        ends = self.interval(place, kind)
        if ends is None:
            return ""
        return " to ".join(human_weight(kind, end, self.graph.resolution) for end in ends)

    def weight(self, place: int, kind: Annotation | None) -> int | None:
        """A weight of an edge."""
        return None if kind is None else self.graph.weights[kind][place]

    def edge_text(self, place: int, kind: Annotation, *, intervals: bool = False) -> str:
        """One number of an edge in human units; empty where it has none."""
        weight = self.weight(place, kind)
        if weight is None:
            return ""
        text = human_weight(kind, weight, self.graph.resolution)
        if intervals and (off := self.off_text(place, kind)):
            text += f" {off}"
        return text

    def edge_lines(self, place: int, view: View) -> list[str]:
        """The label of an edge."""
        lines = [self.edge_text(place, kind, intervals=view.intervals) for kind in view.shown]
        return [line for line in lines if line]

    def edge_colour(self, place: int, kind: Annotation | None) -> str:
        """The colour of an edge, by one annotation."""
        weight = self.weight(place, kind)
        if kind is None or weight is None:
            return "w1"
        level = self.scales[kind].level(weight, EDGE_LEVELS)
        return f"d{level}" if kind.is_time else f"w{level}"

    def edge_width(self, place: int) -> float:
        """The width of an edge, by its frequency; all are equal where none is shown."""
        weight = self.weight(place, Annotation.FREQUENCY) if self.flow else None
        scale = self.scales.get(Annotation.FREQUENCY)
        if weight is None or scale is None:
            return _PLAIN
        return stroke_width(weight, scale.high)

    def number_faint(self, place: int, kind: Annotation) -> bool:
        """Whether the noise may be larger than a number, as far as that is public.

        Times are faint, too, where it may be larger than the frequency: they are of next to none.
        """
        for one in dict.fromkeys((Annotation.FREQUENCY, kind)):
            if one in self.graph.weights:
                weight, ends = self.weight(place, one), self.interval(place, one)
                if weight is not None and ends is not None and noise_dominates(weight, *ends):
                    return True
        return False

    def edge_faint(self, place: int, coloured_by: Annotation | None) -> bool:
        """Whether the noise may be larger than the frequency, or than what the colour says."""
        return self.number_faint(place, coloured_by or Annotation.FREQUENCY)

    def node_level(self, name: str) -> int:
        """The colour of an activity, by how often it happened."""
        if self.flow_scale is None:
            return 1
        return self.flow_scale.level(self.flow[name], NODE_LEVELS)

    def node_text(self, name: str) -> str:
        """How often an activity happened; empty for a map without frequencies."""
        return human_count(self.flow[name]) if self.flow else ""

    def edge_name(self, place: int) -> str:
        """An edge by its ends."""
        source, target = self.graph.edges[place]
        first = f"{START_LABEL} start" if source is None else isolated(source)
        last = f"{END_LABEL} end" if target is None else isolated(target)
        return f"{first} → {last}"

    def edge_title(self, place: int) -> str:
        """Everything that is released of an edge, in words."""
        parts = []
        for kind in self.graph.annotations:
            weight = self.weight(place, kind)
            if weight is None:
                continue
            part = f"{WORDS[kind]} {human_weight(kind, weight, self.graph.resolution)}"
            if ends := self.interval_text(place, kind):
                part += f" (95 %: {ends})"
            parts.append(part)
        return ": ".join([self.edge_name(place), *(["; ".join(parts)] if parts else [])])

    def node_title(self, name: str) -> str:
        """An activity in words."""
        shown = isolated(name)
        if not self.flow:
            return shown
        return f"{shown}: {human_count(self.flow[name])} times, by the released edges"


def stroke_width(weight: int, high: int) -> float:
    """The width of an edge: its area of ink grows with the square root of the frequency."""
    share = math.sqrt(max(0, weight) / max(1, high))
    return _THINNEST + (_THICKEST - _THINNEST) * min(1.0, share)
