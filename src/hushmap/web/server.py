"""The server: on this machine alone, on a free port, with a private folder that it wipes."""

from __future__ import annotations

import signal
import socket
import tempfile
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hushmap.exceptions import HushmapError
from hushmap.web.limits import Limits
from hushmap.web.private_folder import PrivateFolder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LOOPBACK = "127.0.0.1"
_GRACE = 3


def serve(port: int, max_upload: int, announce: Callable[[str], None]) -> None:
    """Serve the wizard until it is interrupted.

    Args:
        port: Where to listen; 0 takes a free one.
        max_upload: Largest upload in bytes.
        announce: Is told the address that lets one browser in, once the server listens.

    Raises:
        HushmapError: The port is taken.
    """
    import uvicorn

    from hushmap.web.app import make_app

    listener = _listen(port)
    folder = PrivateFolder()
    usual = tempfile.tempdir
    try:
        # The engine spills into the folder for temporary files: that is this private one, too.
        tempfile.tempdir = str(folder.path)
        app = make_app(folder, listener.getsockname()[1], Limits(upload=max_upload))

        class Server(uvicorn.Server):
            """Says where it is once it answers."""

            async def startup(self, sockets: list[socket.socket] | None = None) -> None:
                await super().startup(sockets)
                announce(app.state.wizard.address())

        # No access log: addresses hold tokens.
        config = uvicorn.Config(
            app,
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            ws="none",
            lifespan="on",
            timeout_graceful_shutdown=_GRACE,
        )
        with _tidy_when_the_terminal_closes():
            Server(config).run(sockets=[listener])
    finally:
        tempfile.tempdir = usual
        folder.close()
        listener.close()


@contextmanager
def _tidy_when_the_terminal_closes() -> Iterator[None]:
    """Closing the terminal ends the server as being told to end does: it wipes what it holds.

    Where the hang-up is ignored (nohup), it stays so.
    """
    hang_up = getattr(signal, "SIGHUP", None)  # Windows has none
    if (
        hang_up is None
        or threading.current_thread() is not threading.main_thread()
        or signal.getsignal(hang_up) is signal.SIG_IGN
    ):
        yield
        return
    before = signal.signal(hang_up, lambda *_: signal.raise_signal(signal.SIGTERM))
    try:
        yield
    finally:
        signal.signal(hang_up, before)


def _listen(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.bind((LOOPBACK, port))
    except OSError as error:
        listener.close()
        raise HushmapError(
            f"The port {port} cannot be used: {error.strerror}.",
            hint="Choose another with --port, or leave it out for a free one.",
        ) from None
    return listener
