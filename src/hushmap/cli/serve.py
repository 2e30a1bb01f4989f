"""``hushmap serve``: the wizard, in the browser, on this machine alone."""

from __future__ import annotations

from contextlib import suppress
from importlib.util import find_spec
from typing import Annotated

import typer

from hushmap.exceptions import HushmapError
from hushmap.web.limits import DEFAULT_MAX_UPLOAD

# What the extra `web` installs, by the names under which it is imported.
_PACKAGES = ("jinja2", "python_multipart", "starlette", "uvicorn")


def register(app: typer.Typer) -> None:
    """Add the verb to the program."""
    app.command("serve", short_help="Open the wizard: from a file to a bundle, in the browser.")(
        serve
    )


def serve(
    port: Annotated[
        int,
        typer.Option(
            "--port", metavar="N", min=0, max=65535, help="Where to listen; 0 takes a free port."
        ),
    ] = 0,
    max_upload: Annotated[
        str,
        typer.Option(
            "--max-upload",
            metavar="SIZE",
            help="Largest file that may be uploaded; larger logs are named by their path.",
        ),
    ] = DEFAULT_MAX_UPLOAD,
    open_browser: Annotated[
        bool, typer.Option("--open", help="Open the browser, too, instead of only the address.")
    ] = False,
) -> None:
    """From a file to a bundle in the browser, step by step, on this machine alone.

    Prints an address that lets one browser in, once. Nothing is sent anywhere; uploads stay in a
    private folder that is wiped at the end. Stop it with Ctrl-C.
    """
    from hushmap.log.options import parse_size

    size = parse_size(max_upload, "--max-upload")
    missing = [name for name in _PACKAGES if find_spec(name) is None]
    if missing:
        raise HushmapError(
            f"The wizard needs more packages: {', '.join(missing)}.",
            hint="Install them with: pip install 'hushmap[web]'",
        )
    from hushmap.web.server import serve as serve_wizard

    def announce(address: str) -> None:
        typer.echo("hushmap is ready, on this machine alone. Open this address, once:")
        typer.echo(f"\n    {address}\n")
        typer.echo("Stop it with Ctrl-C; what was uploaded is then wiped.")
        if open_browser:
            import webbrowser

            webbrowser.open(address)

    with suppress(KeyboardInterrupt):  # Ctrl-C is how it ends
        serve_wizard(port, size, announce)
    typer.echo("\nStopped; what was uploaded is wiped.")
