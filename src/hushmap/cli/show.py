"""``hushmap show DIR``: reads a public bundle back and checks its hashes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from hushmap.cli import options
from hushmap.cli.options import OutputOptions
from hushmap.cli.printing import print_json
from hushmap.graph import Annotation


def register(app: typer.Typer) -> None:
    """Add the verb to the program."""
    app.command("show", short_help="Read a released map back, and check that no file was changed.")(
        show
    )


@options.takes(options.OutputOptions)
def show(
    folder: Annotated[
        Path,
        typer.Argument(metavar="DIR", help="A bundle, or its public folder.", show_default=False),
    ],
    output: OutputOptions = OutputOptions(),  # noqa: B008 - frozen
) -> None:
    """Read a released map back, check that no file was changed, and say what it promises."""
    from rich.console import Console

    import hushmap as hm
    from hushmap.bundle.certificate_json import certificate_record
    from hushmap.bundle.reading import is_of_this_version, what_was_checked
    from hushmap.cli.tables import plain, print_table

    bundle = hm.read_release(folder)
    graph, certificate = bundle.graph, bundle.certificate
    if output.as_json:
        document = {
            "map": {"activities": list(graph.activities), "edges": graph.records()},
            "certificate": certificate_record(certificate),
            "verified": sorted(certificate.files),
            "rendered_again": is_of_this_version(certificate),
        }
        print_json(document)
        return
    console = Console(highlight=False)
    rows = (
        (edge.source or "▶", edge.target or "■", *(_cell(row, kind) for kind in graph.annotations))
        for edge, row in zip(graph.edges, graph.records(), strict=True)
    )
    headings = ("from", "to", *(kind.value for kind in graph.annotations))
    print_table(console, "", headings, rows, left=2)
    console.print(
        f"Released {certificate.date} with hushmap {plain(certificate.version)}.", markup=False
    )
    for sentence in what_was_checked(certificate):
        console.print(sentence, markup=False)
    console.print("\n[bold]Promised[/bold]")
    for sentence in certificate.promised:
        console.print(f"  {plain(sentence)}", markup=False)
    if not output.quiet:
        console.print("\n[bold]Not promised[/bold]")
        for sentence in certificate.not_promised:
            console.print(f"  {plain(sentence)}", markup=False)


def _cell(row: dict[str, Any], kind: Annotation) -> str:
    from hushmap.timespan import human_seconds

    if kind.value not in row:
        return ""
    return human_seconds(row[kind.value]) if kind.is_time else f"{row[kind.value]:,}"
