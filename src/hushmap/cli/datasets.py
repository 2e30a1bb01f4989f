"""``hushmap datasets``: the public logs of the paper, and how to get each."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hushmap.cli import options
from hushmap.cli.options import OutputOptions
from hushmap.cli.printing import print_json

if TYPE_CHECKING:
    from hushmap.log.public_logs import DistributedFile, PublicLog


def register(app: typer.Typer) -> None:
    """Add the verb to the program."""
    app.command(
        "datasets", short_help="List the public event logs of the paper, and recognise one."
    )(datasets)


@options.takes(options.OutputOptions)
def datasets(
    check: Annotated[
        Path | None,
        typer.Option(
            "--check",
            metavar="FILE",
            help="Say which of the logs a downloaded file is, by its checksum.",
            show_default=False,
        ),
    ] = None,
    output: OutputOptions = OutputOptions(),  # noqa: B008 - frozen
) -> None:
    """List the public event logs of the paper: DOI, terms of use, checksum.

    Nothing is downloaded: open the DOI in a browser, accept the terms, and save the file.
    """
    from hushmap.log.public_logs import public_logs, recognised

    if check is None:
        _print_all(public_logs(), output)
        return
    found = recognised(check)
    if output.as_json:
        name = None if found is None else found[0].name
        print_json({"file": str(check), "log": name})
    elif found is None:
        typer.echo(
            f"{check} is none of the distributed files whose checksums are known. It may be "
            "unpacked, converted or damaged, or its checksum may not be known."
        )
    else:
        log, file = found
        typer.echo(f"{check} is {log.name}, as it is distributed: {file.name}.")


def _print_all(logs: tuple[PublicLog, ...], output: OutputOptions) -> None:
    from rich.console import Console

    from hushmap.cli.tables import print_table

    if output.as_json:
        records: list[dict[str, Any]] = [asdict(log) | {"page": log.page} for log in logs]
        print_json({"logs": records})
        return
    console = Console(highlight=False)
    print_table(
        console,
        "The logs of the paper's evaluation",
        ("name", "title", "terms of use", "checksum"),
        ((log.name, log.title, log.licence or "unknown", _checksum(log)) for log in logs),
        left=4,
    )
    if output.quiet:
        return
    for log in logs:
        where = log.page or "no public source known"
        console.print(f"{log.name}: {log.about}\n  {where}", markup=False, soft_wrap=True)
        for file in log.files:
            console.print(f"  {_described(file)}", markup=False, soft_wrap=True)
        if log.note:
            console.print(f"  {log.note}", markup=False, soft_wrap=True)
    console.print(
        "\nNothing is downloaded: open the address in a browser, read the terms, save the file, "
        "and check it with hushmap datasets --check FILE. --json has the whole checksums.",
        soft_wrap=True,
    )


def _checksum(log: PublicLog) -> str:
    known = [file for file in log.files if file.sha256 or file.md5]
    if not known:
        return "unknown"
    if len(log.files) > 1:
        return f"of {len(known)} files"
    return _digest(known[0])


def _digest(file: DistributedFile) -> str:
    if file.sha256:
        return f"SHA-256 {file.sha256[:12]}…"
    return f"MD5 {file.md5[:12]}…" if file.md5 else "checksum unknown"


def _described(file: DistributedFile) -> str:
    size = [] if file.bytes is None else [f"{file.bytes:,} bytes"]
    return ", ".join([file.name, *size, _digest(file)])
