"""``hushmap audit [LOG]``: attacks the mechanisms, and says what came of it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from hushmap.cli import options
from hushmap.cli.options import LogOptions, OutputOptions, PlanOptions
from hushmap.cli.printing import print_json
from hushmap.cli.progress import step

if TYPE_CHECKING:
    from rich.console import Console

    from hushmap.audit import AuditReport, Check
    from hushmap.audit.suite import Attack

_KINDS = {
    "promise": ("What is promised: privacy loss", "holds", "BROKEN"),
    "control": (
        "Controls: mechanisms known to be broken, which must be caught",
        "caught",
        "MISSED",
    ),
    "not promised": ("What is not promised, and what it loses", "", ""),
}
_HEADINGS = ("", "claimed", "measured", "from", "to", "")
_DEFAULT_RISK = "0.2"
_DEFAULT_DRAWS = 50_000  # that of the audit, which is too heavy to be imported for --help


def register(app: typer.Typer) -> None:
    """Add the verb to the program."""
    app.command(
        "audit", short_help="Attack the mechanisms, and compare the loss with the promise."
    )(audit)


@options.takes(options.PlanOptions, options.LogOptions, options.OutputOptions)
def audit(
    log: Annotated[
        str | None,
        typer.Argument(
            metavar="[LOG]",
            help="A log whose own edges are attacked too, under the limit and options given "
            "(--max-risk 0.2 if none). For its owner.",
            show_default=False,
        ),
    ] = None,
    draws: Annotated[
        int, typer.Option("--draws", metavar="N", help="Releases per check.")
    ] = _DEFAULT_DRAWS,
    plan_options: PlanOptions = PlanOptions(),  # noqa: B008 - frozen
    log_options: LogOptions = LogOptions(),  # noqa: B008
    output: OutputOptions = OutputOptions(),  # noqa: B008
) -> None:
    """Attack the mechanisms with many releases, and compare what they lose with what is promised.

    Exit status 0 only if every promise holds and every broken mechanism is caught. A mechanism
    that keeps its promises fails with a probability of at most one in a million.
    """
    from hushmap.audit import audit as run

    more = _on(log, plan_options, log_options, output)
    with step("Attacking", quiet=output.silent):
        report = run(draws=draws, more=more)
    if output.as_json:
        print_json(report.as_json())
    else:
        _print(report, of_a_log=log is not None, quiet=output.quiet)
    if not report.holds:
        raise typer.Exit(1)


def _on(
    log: str | None, given: PlanOptions, log_options: LogOptions, output: OutputOptions
) -> list[Attack]:
    """The attacks on the owner's own log, if there is one."""
    from hushmap.audit.on_log import attacks_on
    from hushmap.exceptions import UsageError

    if log is None:
        if (given, log_options) != (PlanOptions(), LogOptions()):
            raise UsageError(
                "Options of a release are given, and no LOG to which they would apply.",
                hint="Name a LOG, or give --draws, --json and --quiet alone.",
            )
        return []
    if given.max_risk is None and given.max_error is None:
        given = replace(given, max_risk=_DEFAULT_RISK)
    parameters = given.parameters()
    graph = given.discover(log_options.read(log, output), parameters, output, compare=True)
    return attacks_on(graph, parameters)


def _print(report: AuditReport, *, of_a_log: bool, quiet: bool) -> None:
    from rich.console import Console

    from hushmap.cli.tables import print_table

    console = Console(highlight=False)
    guesses = [check for check in report.checks if check.measure == "advantage"]
    guesses = [check for check in guesses if check.kind == "promise"]
    print_table(
        console,
        "What is promised: by how much the chance of guessing right rises",
        ("", "limit", "average", "worst", "from", "to", "reached", ""),
        map(_question, guesses[::2], guesses[1::2]),
    )
    for kind, (title, well, ill) in _KINDS.items():
        checks = [check for check in report.checks if check.kind == kind and check not in guesses]
        if not quiet or kind == "promise" or not all(check.holds for check in checks):
            rows = [(*_figures(check), well if check.holds else ill) for check in checks]
            print_table(console, title, _HEADINGS, rows)
    _explain(console, report, quiet=quiet)
    if of_a_log:
        console.print("The log's own edges are named above: this is for its owner only.")


def _question(average: Check, worst: Check) -> tuple[str, ...]:
    """Both measures of one question in one row."""
    name, claimed, *figures = _figures(worst)
    verdict = "holds" if average.holds and worst.holds else "BROKEN"
    assert worst.claimed is not None
    reached = f"{worst.measured / worst.claimed:.0%}"
    name = name.removesuffix(" (at worst)")
    return (name, claimed, f"{average.measured:.3f}", *figures, reached, verdict)


def _figures(check: Check) -> tuple[str, ...]:
    name = check.name.removeprefix("control, ").removeprefix("not promised: ")
    name = name.removeprefix("black box, ")
    claimed = "nothing" if check.claimed is None else f"{check.claimed:.3f}"
    figures = (check.measured, check.low, check.high)
    return (name, claimed, *(f"{x:.3f}" if math.isfinite(x) else "∞" for x in figures))


def _explain(console: Console, report: AuditReport, *, quiet: bool) -> None:
    if not quiet:
        console.print(
            "Average: over all releases. Worst: among those that spoke most strongly. From and to: "
            "confidence limits; a promise is broken where its lower limit lies above the claim. "
            "Reached: how much of the limit the worst comes to. Near 100 % no less noise would do. "
            "Far below, the attacker is paper, whose bound overstates what he learns, or releases "
            "that say so much are rarer than one in 200."
        )
    promises, controls = report.of("promise"), report.of("control")
    held, caught = sum(c.holds for c in promises), sum(c.holds for c in controls)
    console.print(
        f"{held} of {len(promises)} checks of what is promised hold; {caught} of {len(controls)} "
        f"broken mechanisms were caught. {report.draws:,} releases per check."
    )
