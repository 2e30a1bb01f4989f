"""``hushmap inspect LOG``: statistics and quality of a log, for its owner."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hushmap.cli import options
from hushmap.cli.options import LogOptions, OutputOptions
from hushmap.cli.printing import print_json
from hushmap.cli.progress import step

if TYPE_CHECKING:
    import typer

    from hushmap.inspection import Inspection, Spread


def register(app: typer.Typer) -> None:
    """Add the verb to the program."""
    app.command(
        "inspect", short_help="Show what is in a log, and what makes its cases recognisable."
    )(inspect)


@options.takes(options.LogOptions, options.OutputOptions)
def inspect(log: options.Log, log_options: LogOptions, output: OutputOptions) -> None:
    """Show what a log is made of, how well it reads, and what makes its cases recognisable.

    Everything shown is exact: it is for the owner of the log, and not to be published.
    """
    import hushmap as hm

    read = log_options.read(log, output)
    with step("Counting", quiet=output.silent):
        found = hm.inspect(read)
    if output.as_json:
        print_json(found.as_json())
        return
    _print(found, shown_source(log), quiet=output.quiet)


def shown_source(log: str) -> str:
    """The log as it was named, without a password.

    Example:
        >>> shown_source("log.csv")
        'log.csv'
    """
    from hushmap.log.databases import is_database_url, without_password

    return without_password(log) if is_database_url(log) else log


def _print(found: Inspection, source: str, *, quiet: bool) -> None:
    from rich.console import Console

    from hushmap.cli.tables import print_table

    console = Console(highlight=False)
    console.print(source, style="bold", markup=False)
    for title, rows in (
        ("The log", _counts(found)),
        ("What makes cases recognisable", _uniqueness(found)),
        ("Quality", _quality(found)),
    ):
        print_table(console, title, ("", ""), rows)
    if not quiet:
        console.print("How it was read", style="bold")
        for sentence in (*found.columns, *found.quality.notes):
            console.print(f"  {sentence}", markup=False)
    if found.resolution != "1s":
        console.print(
            f"\nMany durations are short: use --resolution {found.resolution} to keep them apart."
        )
    console.print("\nThese figures are exact. They are for the owner of the log only.")


def _spread(spread: Spread, unit: str = "") -> str:
    from hushmap.timespan import human_seconds

    if unit == "seconds":
        low, high, mean = map(human_seconds, (spread.min, spread.max, spread.mean))
    else:
        low, high, mean = f"{spread.min:,.0f}", f"{spread.max:,.0f}", f"{spread.mean:,.1f}"
    return f"{low} to {high}, {mean} on average"


def _counts(found: Inspection) -> list[tuple[str, str]]:
    return [
        ("Cases", f"{found.cases:,}"),
        ("Activities", f"{found.activities:,}"),
        ("Events", f"{found.events:,}"),
        ("Edges", f"{found.edges:,}"),
        ("Edges with start and end", f"{found.edges_with_start_end:,}"),
        ("Variants", f"{found.variants:,}"),
        ("Events per case", _spread(found.trace_length)),
        ("Duration of a case", _spread(found.case_duration_seconds, "seconds")),
    ]


def _uniqueness(found: Inspection) -> list[tuple[str, str]]:
    unique = found.uniqueness
    alone = f"{unique.cases_with_a_variant_of_their_own:,} ({unique.share_of_cases:.0%})"
    return [
        ("Cases with a variant of their own", alone),
        ("Edges that only one case walks", f"{unique.edges_seen_in_one_case:,}"),
        ("Edges walked once", f"{unique.edges_walked_once:,}"),
        ("Edges that one case walks", _spread(unique.edges_per_case)),
    ]


def _quality(found: Inspection) -> list[tuple[str, str]]:
    quality = found.quality
    dropped = [
        (f"Dropped: {reason}", f"{rows:,}") for reason, rows in quality.dropped.items() if rows
    ]
    return [
        ("Rows read", f"{quality.rows_read:,}"),
        *dropped,
        ("Rows with the time of the one before", f"{quality.ties:,}"),
        ("Rows out of order", f"{quality.out_of_order:,}"),
        ("First time", quality.first),
        ("Last time", quality.last),
        ("Finest unit of time", quality.finest_unit),
        ("Resolution to use", found.resolution),
    ]
