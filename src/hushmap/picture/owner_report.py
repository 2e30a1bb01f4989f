"""`owner/report.html`: everything an owner wants to see of a release. Exact figures: owner only.

This is the one place of the room where exact figures are drawn. They come in an `OwnerReport` and
in plain records of the caller; the page is marked on every screen and on every printed sheet.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hushmap.graph import END_LABEL, START_LABEL, Annotation, ReleasedGraph, _DrawnGraph
from hushmap.picture.advice import on_error, on_risk, summary_sentence
from hushmap.picture.canvas import Drawing, svg_inline, text
from hushmap.picture.charts import percent, short
from hushmap.picture.composition import PlacedMap, map_shapes, place_map
from hushmap.picture.page import asset, page
from hushmap.picture.palette import all_rules
from hushmap.picture.plots import frontier_drawing, histogram_drawing, scatter_drawing
from hushmap.picture.scales import WORDS, human_count
from hushmap.picture.view import MapFacts, View, choose_view
from hushmap.release.report import about_a_case
from hushmap.timespan import MICROSECONDS_PER_SECOND, human_seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hushmap.release.report import OwnerReport

    Record = Mapping[str, Any]

_WORST, _ROWS, _TITLES = 8, 1000, 1000
_DRAWN = (60, 40, 25)  # edges of the maps, fewer where the map is too wide for half a page
_MARGIN, _PLOT = 16.0, 460.0
_WIDE_MAP, _HALF_A_PAGE = 620.0, 820.0
_FIGURES = (
    ("edges", "Edges", "count"),
    ("max_risk", "Largest risk", "plain"),
    ("max_risk_any", "… against any", "plain"),
    ("median_epsilon_range", "Median ε·r", "plain"),
    ("expected_mape", "Expected MAPE", "percent"),
    ("realised_mape", "Realised MAPE", "percent"),
    ("expected_smape", "Expected SMAPE", "percent"),
    ("realised_smape", "Realised SMAPE", "percent"),
)


@dataclass(frozen=True, slots=True, repr=False)
class _ExactMap(_DrawnGraph):
    """The exact weights on the edges of a release, for this page alone."""


def owner_report_html(
    report: OwnerReport, graph: ReleasedGraph, frontier: Sequence[object] | None = None
) -> bytes:
    """The owner's report as one page that works offline. Never for ``public/``.

    Args:
        report: Exact against released.
        graph: What was released.
        frontier: What each risk costs: records (dictionaries or dataclasses) with
            ``annotation``, ``attacker``, ``risk`` and ``expected_mape``.
    """
    parts = [_header(report)]
    if frontier:
        parts.append(_frontier(report, frontier))
    for annotation in graph.annotations:
        rows = [row for row in report.edges if row["annotation"] == annotation.value]
        if rows:
            parts.append(_annotation(report, annotation, rows))
    parts.append(_maps(report, graph))
    parts += [
        _table(annotation, [row for row in report.edges if row["annotation"] == annotation.value])
        for annotation in graph.annotations
    ]
    banner = (
        '<p class="banner"><span>Owner only: this page holds exact figures of the log. '
        "Do not share it.</span></p>\n"
    )
    return page(
        "Owner only: report of a release · hushmap",
        f"{banner}<main>\n{''.join(parts)}</main>\n",
        style=asset("base.css") + asset("owner.css") + all_rules(),
    )


def _header(report: OwnerReport) -> str:
    names = [name for name in report.summary if name != "release"]
    head = "".join(f'<th scope="col" class="number">{_word(name)}</th>' for name in names)
    lines = []
    for key, label, kind in _FIGURES:
        if any(report.summary[name].get(key) is not None for name in names):
            cells = "".join(
                f'<td class="number">{_figure(report.summary[name].get(key), kind)}</td>'
                for name in names
            )
            lines.append(f'<tr><th scope="row">{label}</th>{cells}</tr>\n')
    whole = report.summary.get("release", {}).get("risk")
    risk = ""
    if whole is not None:
        risk = (
            "<p>Everything released of an edge together: risk "
            f"<strong>{short(round(float(whole), 4))}</strong>. "
            f"{text(about_a_case(report.summary['release']))}</p>\n"
        )
    notes = "".join(f"<li>{text(note)}</li>\n" for note in report.notes)
    origin = "".join(f"<li>{text(sentence)}</li>\n" for sentence in report.origin)
    return (
        '<header>\n<p class="brand">hushmap</p>\n<h1>Report of a release</h1>\n</header>\n'
        f'<section>\n<h2>In short</h2>\n{risk}<div class="scroll fit" tabindex="0" role="region" '
        'aria-label="Figures"><table class="figures">'
        f"<thead><tr><td></td>{head}</tr></thead>\n<tbody>\n{''.join(lines)}</tbody></table></div>\n"
        + (f"<ul class='notes'>\n{notes}</ul>\n" if notes else "")
        + (f"<h3>How the log was read</h3>\n<ul>\n{origin}</ul>\n" if origin else "")
        + "</section>\n"
    )


def _word(annotation: str) -> str:
    return text(WORDS[Annotation(annotation)].capitalize())


def _figure(value: float | None, kind: str) -> str:
    if value is None:
        return "–"
    if kind == "count":
        return human_count(int(value))
    return percent(float(f"{value:.3g}")) if kind == "percent" else short(float(f"{value:.3g}"))


def _frontier(report: OwnerReport, points: Sequence[object]) -> str:
    # The frontier is over the risk that all is calibrated at, not over that of a single draw.
    risk = report.summary.get("release", {}).get("calibrated_at")
    chosen = [
        {"annotation": name, "risk": risk, "expected_mape": figures["expected_mape"]}
        for name, figures in report.summary.items()
        if name != "release" and risk is not None and figures.get("expected_mape") is not None
    ]
    return (
        '<section>\n<h2>What each risk costs</h2>\n<div class="plots">\n'
        f"{svg_inline(frontier_drawing(points, chosen=chosen, width=_PLOT))}</div>\n</section>\n"
    )


def _annotation(report: OwnerReport, annotation: Annotation, rows: Sequence[Record]) -> str:
    limit = report.summary.get(annotation.value, {}).get("max_risk")
    word = WORDS[annotation].capitalize()
    pairs = [
        (float(row["actual"]), float(row["released"]), _dot_words(annotation, row))
        for row in rows
        if row["actual"] > 0 and row["released"] > 0
    ]
    drawings = [
        histogram_drawing(
            [row["expected_ape"] for row in rows], "Expected error", "APE of an edge", shares=True
        ),
        scatter_drawing(
            pairs,
            "Released against exact",
            across=f"exact{' (seconds)' if annotation.is_time else ''}",
            up=f"released{' (seconds)' if annotation.is_time else ''}",
            titles=len(pairs) <= _TITLES,
        ),
        histogram_drawing([row["epsilon_range"] for row in rows], "Noise parameter ε·r", "ε·r"),
        histogram_drawing([row["risk"] for row in rows], "Risk", "risk of an edge", limit=limit),
    ]
    largest = max(row["risk"] for row in rows)
    worst = sorted(rows, key=lambda row: -(row["expected_ape"] or 0.0))[:_WORST]
    riskiest = sorted(rows, key=lambda row: (-row["risk"], -row["risk_any"], row["occurrences"]))
    advised = [(row, on_risk(row, largest)) for row in riskiest[:_WORST]]
    return (
        f"<section>\n<h2>{text(word)}: errors and risks</h2>\n<p>{summary_sentence(rows)}</p>\n"
        f'<div class="plots">\n{"".join(map(svg_inline, drawings))}</div>\n'
        f"<h3>Least accurate edges</h3>\n"
        f"{_advice_table(f'{word}: least accurate', ((row, on_error(row)) for row in worst))}"
        f"<h3>Riskiest edges</h3>\n"
        f"{_advice_table(f'{word}: riskiest', advised)}</section>\n"
    )


def _dot_words(annotation: Annotation, row: Record) -> str:
    exact, released = _human(annotation, row["actual"]), _human(annotation, row["released"])
    source, target = _end(row["source"], START_LABEL), _end(row["target"], END_LABEL)
    return f"{source} → {target}: {exact}, released {released}"


def _end(name: str | None, none: str) -> str:
    return none if name is None else name


def _human(annotation: Annotation, value: float) -> str:
    return human_seconds(float(value)) if annotation.is_time else human_count(round(value))


def _name_cells(row: Record) -> str:
    return "".join(
        f'<td class="name"><bdi>{text(_end(row[key], none))}</bdi></td>'
        for key, none in (("source", START_LABEL), ("target", END_LABEL))
    )


def _advice_table(label: str, rows: Iterable[tuple[Record, str]]) -> str:
    lines = "".join(
        f'<tr>{_name_cells(row)}<td class="number">{human_count(row["occurrences"])}</td>'
        f'<td class="number">{_figure(row["expected_ape"], "percent")}</td>'
        f'<td class="number">{_figure(row["risk"], "plain")}</td>'
        f'<td class="number">{_figure(row["risk_any"], "plain")}</td><td>{text(advice)}</td></tr>\n'
        for row, advice in rows
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">'
        '<table><thead><tr><th scope="col">From</th><th scope="col">To</th>'
        '<th scope="col" class="number">Occurrences</th><th scope="col" class="number">Expected '
        'APE</th><th scope="col" class="number">Risk</th><th scope="col" class="number">… against '
        f'any</th><th scope="col">What to do</th></tr></thead>\n<tbody>\n{lines}</tbody></table>'
        "</div>\n"
    )


def _maps(report: OwnerReport, graph: ReleasedGraph) -> str:
    """The map before and after, with everything at the same place."""
    released = MapFacts(graph, None)
    view = choose_view(graph, None, None, intervals=False)
    placed = _placed(released, view).moved(_MARGIN, _MARGIN)
    before = placed.with_facts(MapFacts(_exact(report, graph), None))
    width, height = placed.layout.width + 2 * _MARGIN, placed.layout.height + 2 * _MARGIN
    wide = " wide" if width > _WIDE_MAP else ""
    missing = placed.selection.sentence()
    panes = []
    for title, one in (("Before: exact", before), ("After: released", placed)):
        drawing = Drawing(width, height, tuple(map_shapes(one, view)), title, title)
        panes.append(
            f'<figure class="pane{wide}"><figcaption>{title}</figcaption>'
            f'<div class="scroll" tabindex="0" role="region" aria-label="{title}">'
            f"{svg_inline(drawing)}</div></figure>\n"
        )
    note = f'<p class="note">{text(missing)}.</p>\n' if missing else ""
    return (
        '<section>\n<h2>The map before and after</h2>\n<div class="maps">\n'
        f"{''.join(panes)}</div>\n{note}</section>\n"
    )


def _placed(facts: MapFacts, view: View) -> PlacedMap:
    """A map for half a page: so many edges that their numbers can still be read."""
    first, *fewer = _DRAWN
    placed = place_map(facts, [view], first)
    for limit in fewer:
        if placed.layout.width <= _HALF_A_PAGE:
            break
        placed = place_map(facts, [view], limit)
    return placed


def _exact(report: OwnerReport, graph: ReleasedGraph) -> _ExactMap:
    """The exact weights in the units of a drawn graph."""
    weights = {}
    known = {
        (row["annotation"], row["source"], row["target"]): row["actual"] for row in report.edges
    }
    for annotation in graph.annotations:
        unit = MICROSECONDS_PER_SECOND / graph.resolution if annotation.is_time else 1
        values = [known.get((annotation.value, *edge)) for edge in graph.edges]
        weights[annotation] = tuple(
            None if value is None else round(float(value) * unit)  # type: ignore[arg-type]
            for value in values
        )
    return _ExactMap(graph.activities, graph.edges, weights, graph.resolution)


def _table(annotation: Annotation, rows: Sequence[Record]) -> str:
    """Every edge, or the least accurate where they are too many."""
    if not rows:
        return ""
    ordered = sorted(rows, key=lambda row: -(row["realised_ape"] or 0.0))[:_ROWS]
    more = ""
    if len(rows) > len(ordered):
        more = (
            f'<p class="note">The {len(ordered):,} least accurate of {len(rows):,} edges; '
            "report.csv holds all.</p>\n"
        )
    lines = "".join(
        f'<tr>{_name_cells(row)}<td class="number">{_human(annotation, row["actual"])}</td>'
        f'<td class="number">{_human(annotation, row["released"])}</td>'
        f'<td class="number">{_figure(row["realised_ape"], "percent")}</td>'
        f'<td class="number">{_figure(row["expected_ape"], "percent")}</td>'
        f'<td class="number">{_figure(row["epsilon_range"], "plain")}</td>'
        f'<td class="number">{_figure(row["risk"], "plain")}</td></tr>\n'
        for row in ordered
    )
    heads = "".join(
        f'<th scope="col" class="number">{head}</th>'
        for head in ("Exact", "Released", "Realised APE", "Expected APE", "ε·r", "Risk")
    )
    return (
        f"<section>\n<h2>{_word(annotation.value)}: exact against released</h2>\n{more}"
        '<div class="scroll long" tabindex="0" role="region" aria-label="Exact against released">'
        '<table><thead><tr><th scope="col">From</th><th scope="col">To</th>'
        f"{heads}</tr></thead>\n<tbody>\n{lines}</tbody></table></div>\n</section>\n"
    )
