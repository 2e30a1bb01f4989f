"""`release`: the only door from the exact graph to the public."""

from __future__ import annotations

import math
import os
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from hushmap.accuracy import ape, mape, smape, smape_edge
from hushmap.exceptions import UsageError
from hushmap.graph import ReleasedGraph, SimulatedGraph
from hushmap.noise import ReleaseNoise, SimulatedNoise
from hushmap.release.certificate import Certificate, make_certificate
from hushmap.release.drawing import draw_weights
from hushmap.release.report import OwnerReport
from hushmap.timespan import exact_timespan

if TYPE_CHECKING:
    from pathlib import Path

    from hushmap.bundle.reading import PublicRelease
    from hushmap.bundle.writing import WrittenBundle
    from hushmap.graph import Annotation
    from hushmap.noise import UnseededNoiseSource
    from hushmap.planning.plan import Plan

    Weights = dict[Annotation, tuple[int | None, ...]]

_DOOR = object()
_MICROSECONDS = 1_000_000


class Release:
    """One draw of a plan: a public side and an owner's side. Made by `release` alone.

    Attributes:
        graph: The map that may be shown to anyone.
        certificate: What it promises.
        report: The owner's: exact against released. Never public.

    `public` and `owner` are its two sides.

    Example:
        >>> import hushmap as hm
        >>> graph = hm.discover(hm.read_log("examples/hospital.csv"))
        >>> hm.release(hm.plan(graph, max_risk=0.2))
        Release(ReleasedGraph(4 activities, 8 edges; frequency))
    """

    __slots__ = ("_plan", "certificate", "graph", "report")

    graph: ReleasedGraph
    certificate: Certificate
    report: OwnerReport

    def __init__(
        self,
        door: object,
        graph: ReleasedGraph,
        certificate: Certificate,
        report: OwnerReport,
        plan: Plan,
    ) -> None:
        if door is not _DOOR:
            raise UsageError(
                "A release is not made by hand.", hint="Call hushmap.release(plan), which draws."
            )
        self.graph = graph
        self.certificate = certificate
        self.report = report
        self._plan = plan

    @property
    def public(self) -> PublicRelease:
        """What may be shown: the map and what it promises."""
        from hushmap.bundle.reading import PublicRelease

        return PublicRelease(self.graph, self.certificate)

    @property
    def owner(self) -> OwnerReport:
        """What may not: exact against released."""
        return self.report

    def write(
        self, out: str | Path, *, overwrite: bool = False, picture: bool = True, png: bool = False
    ) -> WrittenBundle:
        """Write the bundle: ``out/public/`` to share, ``out/owner/`` to keep (mode 0700).

        Args:
            out: A folder that does not exist yet or is empty; else say ``overwrite``.
            overwrite: Replace an earlier bundle; other files in ``out`` stay.
            picture: Draw the map (SVG and an interactive page) and the owner's report as a page.
            png: Draw the map as a bitmap, too.

        Raises:
            BundleError: The folder is not empty, or cannot be written.
        """
        from hushmap.bundle.writing import write_bundle

        public, owner = self._pictures(png=png) if picture else ({}, {})
        return write_bundle(
            out,
            self.graph,
            self.certificate,
            self.report,
            overwrite=overwrite,
            extra_public=public,
            extra_owner=owner,
        )

    def _pictures(self, *, png: bool) -> tuple[dict[str, bytes], dict[str, bytes]]:
        """Pictures of the released map for everyone, and the page of the owner."""
        from concurrent.futures import ThreadPoolExecutor

        from hushmap.picture import map_html, map_png, map_svg, owner_report_html
        from hushmap.planning.frontier import risk_points

        draw = {"map.svg": map_svg, "map.html": map_html} | ({"map.png": map_png} if png else {})
        # Each picture waits for a process that lays it out: no more at once than there are cores.
        with ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
            public = {
                name: pool.submit(picture, self.graph, self.certificate)
                for name, picture in draw.items()
            }
            frontier = risk_points(self._plan.graph, self._plan.parameters)
            report = pool.submit(owner_report_html, self.report, self.graph, frontier)
            return (
                {name: picture.result() for name, picture in public.items()},
                {"report.html": report.result()},
            )

    def __repr__(self) -> str:
        return f"Release({self.graph!r})"


def release(plan: Plan) -> Release:
    """Draw once. The noise comes from OpenDP and cannot be seeded.

    Every call is a release of its own and spends privacy of its own: look at the plan before, not
    at several draws (pitfalls.md, 11).

    Args:
        plan: What to release.

    Raises:
        RefusedError: Times are asked for and the range was not named, or a noise scale is too
            large for the sampler.
        NoiseError: The sampler saturated; nothing was released.

    Example:
        >>> import hushmap as hm
        >>> graph = hm.discover(hm.read_log("examples/hospital.csv"), max_duration="2d")
        >>> shown = hm.release(hm.plan(graph, max_risk=0.2, annotate=["frequency", "mean"])).graph
        >>> sorted(shown.records()[1])
        ['frequency', 'mean', 'source', 'target']
    """
    return _release(plan, ReleaseNoise(), datetime.now(UTC).date().isoformat())


def _release(plan: Plan, noise: UnseededNoiseSource, date: str) -> Release:
    """The same with the source of noise and the date from outside, for the tests alone."""
    _require_plan(plan)
    plan.parameters.require_named_range()
    graph = plan.graph
    weights = draw_weights(plan, noise)
    released = ReleasedGraph(graph.activities, graph.edges, weights, graph.resolution)
    return Release(_DOOR, released, _certificate(plan, date), _report(plan, weights), plan)


def _require_plan(plan: object) -> None:
    from hushmap.planning.plan import Plan

    if not isinstance(plan, Plan):
        raise UsageError(
            f"A release is made of a plan, not of this: {type(plan).__name__}.",
            hint="Call hushmap.plan(graph, max_risk=…) first.",
        )


def promise(plan: Plan) -> Certificate:
    """The certificate as a release of today would carry it; nothing is drawn.

    Example:
        >>> import hushmap as hm
        >>> graph = hm.discover(hm.read_log("examples/hospital.csv"))
        >>> promise(hm.plan(graph, max_risk=0.2)).risk
        0.2
    """
    return _certificate(plan, datetime.now(UTC).date().isoformat())


def _certificate(plan: Plan, date: str) -> Certificate:
    return make_certificate(
        plan.parameters,
        version=version("hushmap"),
        date=date,
        resolution=exact_timespan(plan.graph.resolution),
        max_duration=_one_bound(plan),
    )


def simulate(plan: Plan, seed: int) -> SimulatedGraph:
    """A draw of seeded noise, for planning and teaching. Not protected, and nothing writes it.

    Args:
        plan: What would be released.
        seed: Any whole number.

    Example:
        >>> import hushmap as hm
        >>> graph = hm.discover(hm.read_log("examples/hospital.csv"))
        >>> hm.simulate(hm.plan(graph, max_risk=0.2), seed=1)
        SimulatedGraph(4 activities, 8 edges; frequency)
    """
    weights = draw_weights(plan, SimulatedNoise(seed))
    graph = plan.graph
    return SimulatedGraph(graph.activities, graph.edges, weights, graph.resolution)


def _one_bound(plan: Plan) -> str | None:
    """The declared bound for the certificate, where the declaration was one for all edges.

    It is the one in effect: whole ticks, as durations are.
    """
    graph = plan.graph
    if graph.declared is None or graph.bounds is None or not plan.parameters.times:
        return None
    return exact_timespan(int(graph.bounds.max()) * graph.resolution)


def _defined(error: float) -> float | None:
    """None for an error that is undefined since the true weight is 0 (§6); JSON knows no NaN."""
    return None if math.isnan(error) else error


def _report(plan: Plan, weights: Weights) -> OwnerReport:
    """The owner's report: the plan's figures with what was released and how far it is off."""
    graph = plan.graph
    places = {tuple(edge): place for place, edge in enumerate(graph.edges)}
    records: list[dict[str, Any]] = []
    summary = {name: dict(figures) for name, figures in plan.summary.items()}
    for annotation in plan.parameters.annotations:
        own = [record for record in plan.edges if record["annotation"] == annotation.value]
        exact = plan.exact_weights(annotation)
        drawn = [weights[annotation][places[row["source"], row["target"]]] for row in own]
        relative = ape(exact, [int(value or 0) for value in drawn])
        share = smape_edge(exact, [int(value or 0) for value in drawn])
        unit = graph.resolution / _MICROSECONDS if annotation.is_time else 1
        for row, value, off in zip(own, drawn, relative.tolist(), strict=True):
            assert value is not None
            records.append(row | {"released": value * unit, "realised_ape": _defined(off)})
        summary[annotation.value] |= {
            "realised_mape": _defined(mape(relative).mean),
            "realised_smape": _defined(smape(share).mean),
        }
    return OwnerReport(summary, tuple(records), plan.warnings, graph.origin)
