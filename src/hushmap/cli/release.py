"""``hushmap release LOG --out DIR``: draws once and writes the bundle."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hushmap.cli import options
from hushmap.cli.options import LogOptions, OutputOptions, PlanOptions
from hushmap.cli.printing import print_json
from hushmap.cli.progress import step
from hushmap.exceptions import BundleError

if TYPE_CHECKING:
    from hushmap.bundle.writing import WrittenBundle
    from hushmap.release.release import Release


def register(app: typer.Typer) -> None:
    """Add the verb to the program."""
    app.command(
        "release", short_help="Draw the noise once; write the map, its certificate and a report."
    )(release)


@options.takes(options.PlanOptions, options.LogOptions, options.OutputOptions)
def release(
    log: options.Log,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            metavar="DIR",
            parser=options.directory,
            help="Where the bundle goes: DIR/public to share, DIR/owner to keep.",
            show_default=False,
        ),
    ],
    overwrite: Annotated[
        bool,
        typer.Option("--overwrite", help="Replace an earlier bundle in DIR; other files stay."),
    ] = False,
    no_picture: Annotated[bool, typer.Option("--no-picture", help="Write no pictures.")] = False,
    png: Annotated[bool, typer.Option("--png", help="Draw the map as a bitmap, too.")] = False,
    plan_options: PlanOptions = PlanOptions(),  # noqa: B008 - frozen
    log_options: LogOptions = LogOptions(),  # noqa: B008
    output: OutputOptions = OutputOptions(),  # noqa: B008
) -> None:
    """Draw the noise once and write the map, its certificate and the owner's report.

    Give --max-risk (no one's chance of guessing right may rise by more) or --max-error (the map may
    be wrong by at most this). Every release spends privacy: look at hushmap plan first, and draw
    once.
    """
    import hushmap as hm
    from hushmap.bundle.earlier import check_replaceable
    from hushmap.planning.plan import plan_with

    parameters = plan_options.parameters()
    parameters.require_limit()
    parameters.require_named_range()
    check_replaceable(out, overwrite=overwrite)
    read = log_options.read(log, output)
    graph = plan_options.discover(read, parameters, output, compare=False)
    with step("Planning", quiet=output.silent, unit="steps") as on_progress:
        planned = plan_with(graph, parameters, on_progress)
    with step("Drawing", quiet=output.silent):
        made = hm.release(planned)
        paths = made.write(out, overwrite=overwrite, picture=not no_picture, png=png)
    with _written(out):
        if output.as_json:
            print_json(
                {
                    "out": str(out),
                    "public": [path.name for path in paths.public],
                    "owner": [path.name for path in paths.owner],
                    "summary": made.report.summary,
                }
            )
        else:
            _print(made, paths, out, quiet=output.quiet)


@contextmanager
def _written(out: Path) -> Iterator[None]:
    """Whoever cannot read the summary must not think that nothing was drawn, and draw again."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except (OSError, KeyboardInterrupt) as error:
        why = getattr(error, "strerror", None) or "interrupted"
        raise BundleError(
            f"The bundle is written, but its summary cannot be printed: {why}.",
            where=str(out),
            hint="Do not draw again: hushmap show reads it.",
        ) from None


def _print(made: Release, paths: WrittenBundle, out: Path, *, quiet: bool) -> None:
    from rich.console import Console

    from hushmap.cli.tables import percent, print_origin, print_table

    console = Console(highlight=False)
    if not quiet:
        print_origin(console, made.report.origin)
    print_table(
        console,
        "For the owner",
        ("", "edges", "risk", "expected error", "realised error", "worst edge expected"),
        (
            (
                name, f"{figures['edges']}", f"{figures['max_risk']:.3f}",
                percent(figures["expected_mape"]), percent(figures["realised_mape"]),
                percent(figures["worst_ape"]),
            )
            for name, figures in made.report.summary.items()
            if name != "release"
        ),
    )  # fmt: skip
    console.print(_limit_and_reached(made), markup=False)
    for note in () if quiet else made.report.notes:
        console.print(f"Note: {note}", markup=False)
    console.print("The promise:")
    console.print(f"  {made.certificate.promised[0]}", markup=False)
    console.print(f"To share: {out / 'public'} ({len(paths.public)} files)", markup=False)
    console.print(f"To keep:  {out / 'owner'} (exact figures; mode 0700)", markup=False)


def _limit_and_reached(made: Release) -> str:
    """What was asked for and what came of it; the second is for the owner."""
    from hushmap.cli.tables import percent

    certificate, release = made.certificate, made.report.summary["release"]
    together = "for everything released of an edge together"
    reached: list[str] = []
    if certificate.problem == "max_risk":
        alone = ""
        if certificate.scope == "annotation" and len(certificate.annotations) > 1:
            alone = " for each annotation alone"
        limit = f"risk {certificate.limit:g}{alone}"
    elif certificate.error_reading == "per-edge":
        limit = f"error {percent(certificate.limit)} on every edge"
    else:
        limit = f"error {percent(certificate.limit)} on average"
        errors = [
            figures["expected_mape"]
            for name, figures in made.report.summary.items()
            if name != "release" and figures["expected_mape"] is not None
        ]
        reached += [f"expected error {percent(max(errors))}"] if errors else []
    if release["risk"] is not None:
        reached.append(f"risk {release['risk']:.3f} {together}")
    return f"Limit: {limit}. Reached: {'; '.join(reached)}." if reached else f"Limit: {limit}."
