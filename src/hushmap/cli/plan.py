"""``hushmap plan LOG``: what each limit costs, before anything is drawn. For the owner."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hushmap.cli import options
from hushmap.cli.options import LogOptions, OutputOptions, PlanOptions
from hushmap.cli.printing import print_json
from hushmap.cli.progress import step
from hushmap.cli.saving import save_for_owner

if TYPE_CHECKING:
    from rich.console import Console

    from hushmap.graph import ExactGraph
    from hushmap.planning.frontier import ErrorPoint, Frontier
    from hushmap.planning.parameters import PlanParameters
    from hushmap.planning.plan import Plan

_SHOWN_EDGES = 5
_READINGS = {
    "mean": "on average",
    "per-edge": "on every edge",
    "paper": "every edge, continuous noise",
}


def register(app: typer.Typer) -> None:
    """Add the verb to the program."""
    app.command("plan")(plan)


@options.takes(options.PlanOptions, options.LogOptions, options.OutputOptions)
def plan(
    log: options.Log,
    compare: Annotated[
        bool, typer.Option("--compare", help="Set the three attackers side by side.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            parser=options.directory,
            help="Write tables (CSV) and plots (SVG) there.",
        ),
    ] = None,
    plan_options: PlanOptions = PlanOptions(),  # noqa: B008 - frozen
    log_options: LogOptions = LogOptions(),  # noqa: B008
    output: OutputOptions = OutputOptions(),  # noqa: B008
) -> None:
    """Show what each risk costs in error and each error in risk. Nothing is drawn.

    Without a limit: the whole frontier. With --max-risk or --max-error: that one point, edge by
    edge. Everything shown is computed from the private log: it is for its owner.
    """
    parameters = plan_options.parameters(compare=compare)
    read = log_options.read(log, output)
    graph = plan_options.discover(read, parameters, output, compare=compare)
    others = _others(plan_options, parameters) if compare else [parameters]
    if parameters.max_risk is None and parameters.max_error is None:
        _whole_frontier(graph, others, out, output)
    else:
        _one_point(graph, others, out, output)


def _others(given: PlanOptions, parameters: PlanParameters) -> list[PlanParameters]:
    """The wish against each attacker, with the precision and the cap that were given."""
    from hushmap.planning.frontier import compared
    from hushmap.planning.parameters import PlanParameters

    weak = PlanParameters.of(
        attacker="empirical", precision=given.precision, max_risk_any=given.max_risk_any
    )
    return [
        wish
        if wish.attacker.value == "any"
        else replace(wish, precision=weak.precision, max_risk_any=weak.max_risk_any)
        for wish in compared(parameters)
    ]


def _whole_frontier(
    graph: ExactGraph, wishes: list[PlanParameters], out: Path | None, output: OutputOptions
) -> None:
    from rich.console import Console

    from hushmap.cli.tables import print_origin
    from hushmap.planning.frontier import frontier

    with step("Planning", quiet=output.silent, unit="points") as on_progress:
        table = frontier(graph, wishes, on_progress=on_progress)
    document = table.as_json()
    if out is not None:
        tables = {"risks.csv": document["risks"], "errors.csv": document["errors"]}
        save_for_owner(out, _tables(tables) | _frontier_plots(document["risks"]))
    if output.as_json:
        print_json(document)
        return
    console = Console(highlight=False)
    if not output.quiet:
        print_origin(console, graph.origin)
    _print_frontier(console, table)
    if out is not None:
        console.print(f"Written for the owner: tables and plots in {out}", markup=False)
    _for_the_owner(console)


def _one_point(
    graph: ExactGraph, wishes: list[PlanParameters], out: Path | None, output: OutputOptions
) -> None:
    from rich.console import Console

    from hushmap.cli.tables import print_origin
    from hushmap.planning.frontier import error_points
    from hushmap.planning.plan import plan_with

    plans = []
    for wish in wishes:
        with step("Planning", quiet=output.silent, unit="steps") as on_progress:
            plans.append(plan_with(graph, wish, on_progress))
    document: dict[str, Any] = {
        "format": "hushmap/plan/1",
        "summary": plans[0].summary,
        "edges": plans[0].edges,
        "notes": [*graph.origin, *plans[0].warnings],
    }
    needs: tuple[ErrorPoint, ...] = ()
    if len(plans) > 1:
        document["compare"] = {made.parameters.attacker.value: made.summary for made in plans}
        needs = error_points(graph, wishes)
        if needs:
            document["errors"] = [asdict(need) for need in needs]
    if out is not None:
        save_for_owner(out, _tables({"edges.csv": plans[0].edges}) | _edge_plots(plans[0]))
    if output.as_json:
        print_json(document)
        return
    console = Console(highlight=False)
    if not output.quiet:
        print_origin(console, graph.origin)
    _print_plans(console, plans)
    for annotation in dict.fromkeys(need.annotation for need in needs):
        _print_needs(console, annotation, [n for n in needs if n.annotation == annotation])
    for warning in () if output.quiet else plans[0].warnings:
        console.print(f"Note: {warning}", markup=False)
    if out is not None:
        console.print(f"Written for the owner: the edges and plots of them in {out}", markup=False)
    _for_the_owner(console)


def _tables(tables: Mapping[str, Iterable[Mapping[str, Any]]]) -> dict[str, bytes]:
    """Records as files of CSV."""
    files = {}
    for name, records in tables.items():
        rows = list(records)
        columns = list(dict.fromkeys(column for row in rows for column in row))
        stream = io.StringIO(newline="")
        writer = csv.DictWriter(stream, columns)
        writer.writeheader()
        writer.writerows(rows)
        files[name] = stream.getvalue().encode()
    return files


def _frontier_plots(risks: Sequence[Mapping[str, Any]]) -> dict[str, bytes]:
    """The frontier, and the paper's heat map with a row per annotation and attacker."""
    from hushmap.picture import frontier_svg, heat_map_svg

    rows = [
        {
            "log": f"{point['annotation']}, {point['attacker']}",
            "risk": point["risk"],
            "smape": point["expected_smape"],
            "epsilon": point["median_epsilon_range"],
        }
        for point in risks
    ]
    return {"frontier.svg": frontier_svg(risks), "heat-map.svg": heat_map_svg(rows)}


def _edge_plots(made: Plan) -> dict[str, bytes]:
    """Distributions over the edges, per annotation."""
    from hushmap.picture import histogram_svg

    plots = {}
    for annotation in made.parameters.annotations:
        rows = [row for row in made.edges if row["annotation"] == annotation.value]
        for column, title, label, shares in (
            ("expected_ape", "Expected error", "APE", True),
            ("epsilon_range", "Noise", "ε·r", False),
            ("risk", "Risk", "δ", False),
        ):
            plots[f"{annotation.value}-{column}.svg"] = histogram_svg(
                [row[column] for row in rows],
                title=f"{title} of the edges: {annotation.value}",
                label=label,
                shares=shares,
            )
    return plots


def _print_frontier(console: Console, table: Frontier) -> None:
    from hushmap.cli.tables import percent, print_table

    for annotation in dict.fromkeys(point.annotation for point in table.risks):
        against = _distinct_attackers(table, annotation)
        print_table(
            console,
            f"{annotation}: what each risk costs",
            ("risk", "against", "expected error", "SMAPE", "median edge", "worst edge", "median ε"),
            (
                (
                    f"{point.risk:g}", against[point.attacker], percent(point.expected_mape),
                    percent(point.expected_smape), percent(point.median_ape),
                    percent(point.worst_ape), f"{point.median_epsilon:.3g}",
                )
                for point in table.risks
                if point.annotation == annotation and point.attacker in against
            ),
            left=2,
            whole=True,
        )  # fmt: skip
        needs = [
            replace(need, attacker=against[need.attacker])
            for need in table.errors
            if need.annotation == annotation and need.attacker in against
        ]
        _print_needs(console, annotation, needs)


def _print_needs(console: Console, annotation: str, needs: Sequence[ErrorPoint]) -> None:
    """The least risk for each error, in every reading of it."""
    from hushmap.cli.tables import percent, print_table

    rows: dict[tuple[str, float], dict[str, float | None]] = {}
    for need in needs:
        rows.setdefault((need.attacker, need.error), {})[need.reading] = need.risk
    readings = list(dict.fromkeys(need.reading for need in needs))
    print_table(
        console,
        f"{annotation}: the least risk for each error",
        ("error", "against", *(_READINGS[reading] for reading in readings)),
        (
            (percent(error), attacker, *(_risk(row[reading]) for reading in readings))
            for (attacker, error), row in rows.items()
        ),
        left=2,
        whole=True,
    )


def _distinct_attackers(table: Frontier, annotation: str) -> dict[str, str]:
    """How each attacker is called, less those who cost the same as one before, as for counts."""
    costs: dict[str, list[object]] = {}
    for point in table.risks:
        if point.annotation == annotation:
            costs.setdefault(point.attacker, []).append(replace(point, attacker=""))
    names = list(costs)
    if len(names) > 1 and all(costs[name] == costs[names[0]] for name in names):
        return {names[0]: "all three"}
    return {name: name for name in names}


def _risk(risk: float | None) -> str:
    return "not reached" if risk is None else f"{risk:.3f}"


def _print_plans(console: Console, plans: Sequence[Plan]) -> None:
    """The figures of each attacker side by side, and the details of the first."""
    from hushmap.cli.tables import percent, plain, print_table
    from hushmap.release.report import about_a_case

    rows = [
        (
            name, made.parameters.attacker.value, f"{figures['max_risk']:.3f}",
            f"{figures['max_risk_any']:.3f}", percent(figures["expected_mape"]),
            percent(figures["expected_smape"]), percent(figures["median_ape"]),
            percent(figures["worst_ape"]), f"{figures['median_epsilon']:.3g}",
        )
        for made in plans
        for name, figures in made.summary.items()
        if name != "release"
    ]  # fmt: skip
    headings = ("", "against", "risk", "risk any", "error", "SMAPE", "median", "worst", "median ε")
    print_table(console, f"Plan: {plans[0].wish}", headings, rows, left=2, whole=True)
    whole = plans[0].summary["release"]
    draws = "one draw" if whole["draws"] == 1 else f"{whole['draws']} draws"
    anyone = whole["risk_any"]
    beyond = "" if anyone == whole["risk"] else f" ({anyone:.3f} against any belief)"
    console.print(
        f"Everything released of an edge together: risk {whole['risk']:.3f}{beyond}, from "
        f"{draws} of noise per edge."
    )
    several = {
        "one event": whole["risk_of_an_event"],
        "one timestamp": whole["risk_of_a_timestamp"],
    }
    limits = [f"{what}: {risk:.3f}" for what, risk in several.items() if risk is not None]
    if limits:
        console.print(f"{'; '.join(limits).capitalize()}.")
    console.print(about_a_case(whole))
    worst = sorted(plans[0].edges, key=lambda row: -(row["expected_ape"] or 0))[:_SHOWN_EDGES]
    console.print("Edges with the largest expected error:")
    for row in worst:
        source, target = row["source"] or "▶", row["target"] or "■"
        error = percent(row["expected_ape"])
        edge = plain(f"{source} → {target}")
        console.print(f"  {edge} ({row['annotation']}): {error}", markup=False)
    console.print()


def _for_the_owner(console: Console) -> None:
    console.print("These figures come from the exact log. They are for its owner only.")
