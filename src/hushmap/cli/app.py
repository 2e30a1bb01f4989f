"""The program: its verbs, and how errors become one to three lines and an exit status."""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Annotated

import typer
from typer.exceptions import TyperException

from hushmap.exceptions import HushmapError

if TYPE_CHECKING:
    from collections.abc import Iterator

INTERRUPTED = 130
# Somebody ends the program, or closes its terminal (where the system knows that).
_ENDINGS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]

app = typer.Typer(
    name="hushmap",
    help="Publish the process map of an event log without exposing the people in it.",
    epilog="Start with: hushmap inspect LOG, then hushmap plan LOG, then hushmap release LOG.",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"hushmap {version('hushmap')}")
        raise typer.Exit


@app.callback()
def _program(
    _: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Publish the process map of an event log without exposing the people in it."""


for _verb in ("inspect", "plan", "release", "show", "audit", "serve", "datasets"):
    import_module(f"hushmap.cli.{_verb}").register(app)


def run(arguments: list[str]) -> int:
    """Run the program; answers its exit status."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal without Unicode gets question marks for what it cannot show.
        with suppress(AttributeError, OSError, ValueError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    with _tidy_when_terminated():
        return _run(arguments)


@contextmanager
def _tidy_when_terminated() -> Iterator[None]:
    """Python would stop at once and leave its temporary files behind, which hold the log."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {
        sign: signal.signal(sign, lambda number, _: sys.exit(128 + number))
        for sign in _ENDINGS
        if signal.getsignal(sign) is not signal.SIG_IGN  # nohup
    }
    try:
        yield
    finally:
        for sign, handler in before.items():
            signal.signal(sign, handler)


def _run(arguments: list[str]) -> int:
    details = "--owner-details" in arguments
    if not arguments:
        app(["--help"], standalone_mode=False)
        return 2
    try:
        status = app(arguments, standalone_mode=False)
    except HushmapError as error:
        typer.echo(f"hushmap: {_harmless(str(error))}", err=True)
        if details and error.owner_details:
            typer.echo(f"For the owner: {_harmless(error.owner_details)}", err=True)
        return error.exit_status
    except TyperException as error:
        message = error.format_message()
        typer.echo(f"hushmap: {message}\nHint: see hushmap {_verb_of(arguments)}--help", err=True)
        return 2
    except (KeyboardInterrupt, typer.Abort):
        status = INTERRUPTED
    except BrokenPipeError:
        # The reader of our output went away (| head); there is nobody to tell.
        _discard_output()
        return 1
    except OSError as error:  # no room, no permission: the system says why, and of the log nothing
        _discard_output()
        typer.echo(f"hushmap: {_refused_by_the_system(error)}", err=True)
        return 1
    except Exception as error:  # noqa: BLE001 - a traceback may quote the log
        typer.echo(
            f"hushmap: this should not have happened ({type(error).__name__}). It is a defect; "
            "please report it.\nHint: --owner-details shows where; it may quote your log.",
            err=True,
        )
        if details:
            traceback.print_exc()
        return 1
    if status == INTERRUPTED:  # Typer may have turned Ctrl-C into this status by itself
        typer.echo("hushmap: interrupted; nothing was written.", err=True)
    return status if isinstance(status, int) else 0


def _discard_output() -> None:
    """Drop what is still to be written, so that the end of the process does not stumble on it."""
    with suppress(AttributeError, OSError):  # closed, or no file at all
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _refused_by_the_system(error: OSError) -> str:
    where = "" if error.filename is None else f"\nWhere: {_harmless(str(error.filename))}"
    return (
        f"A file cannot be read or written: {error.strerror or type(error).__name__}.{where}\n"
        "Hint: Check the path, its permissions and the room on the disk."
    )


def _harmless(text: str) -> str:
    """The lines of a message without what a terminal would obey: column names may hold anything."""
    return "\n".join(
        "".join(c if c.isprintable() else "�" for c in line) for line in text.split("\n")
    )


def _verb_of(arguments: list[str]) -> str:
    known = {command.name for command in app.registered_commands}
    return "".join(f"{word} " for word in arguments[:1] if word in known)
