"""Every request passes here: the right host, the right browser, the right page, strict headers.

A server on 127.0.0.1 is reached by every page that the owner's browser shows and by every program
on his machine. So: the Host must be ours (400: another name may be made to point here), a session
must be proven by its cookie (403), what changes something must come from our own pages (403), and
no answer may load, frame or tell anything outside.
"""

from __future__ import annotations

import sys
import traceback
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse, Response

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from hushmap.web.limits import Limits
    from hushmap.web.sessions import Session, Sessions

POLICY = (
    "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not no-referrer: browsers would then hide the Origin of our own forms from us.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), usb=()",
    "Cache-Control": "no-store",
}
_SAFE = {"GET", "HEAD"}
WITH_FILE = "/log"  # the one page whose form holds a file
_OUR_OWN = {"same-origin", "none"}  # "none": typed, or opened from the terminal


def _tell_where(error: Exception) -> None:
    """Where a defect is, on the terminal: places in the program, and no value of the log."""
    places = "".join(traceback.format_tb(error.__traceback__))
    sys.stderr.write(f"hushmap: this should not have happened ({type(error).__name__}):\n{places}")


class Guard:
    """The middleware around the wizard.

    Args:
        app: The wizard.
        hosts: The values of Host that are ours.
        base: The path under which everything lives; the cookie is sent there alone, so that other
            servers on this machine, which share the host, do not get to see it.
        cookie: The name of the cookie.
        sessions: Who may enter.
        limits: How large a form may be.
        refuse: Makes the page of a refusal from its status and its words.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: frozenset[str],
        base: str,
        cookie: str,
        sessions: Sessions,
        limits: Limits,
        refuse: Callable[[int, str, str], Response],
    ) -> None:
        self._app = app
        self._hosts = hosts
        self._base = base
        self._cookie = cookie
        self._sessions = sessions
        self._limits = limits
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it here."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = Headers(scope=scope)
        begun = False

        async def send_guarded(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                given = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    given.setdefault(name, value)
            await send(message)

        try:
            await (self._answer(scope, headers) or self._app)(scope, receive, send_guarded)
        except Exception as error:  # noqa: BLE001 - its words may quote the log
            _tell_where(error)
            if not begun:
                answer = self._refuse(
                    500,
                    "Something went wrong",
                    "This should not have happened; it is a defect. Nothing was released by this "
                    "page. The terminal says where it happened; please report it.",
                )
                await answer(scope, receive, send_guarded)

    def _answer(self, scope: Scope, headers: Headers) -> Response | None:
        """What is said without the wizard; None where the request may pass."""
        if len(headers.getlist("host")) != 1 or headers["host"] not in self._hosts:
            return self._refuse(
                400, "Wrong address", "Open the address that hushmap serve printed, as it is."
            )
        method, path = scope["method"], scope["path"]
        if path == "/" and method == "GET":
            token = parse_qs(scope["query_string"].decode("latin-1")).get("token")
            if token:
                return self._enter(token[0])
        if path.startswith(f"{self._base}/assets/") and method in _SAFE:
            return None  # nothing of anybody
        session = self._session(headers)
        if session is None:
            return self._refuse(
                403,
                "Not let in",
                "This page belongs to the browser that first opened the address printed by "
                "hushmap serve. An address lets one browser in, once. In that browser, choose "
                "“Another browser” at the foot of a page for a new address; or stop hushmap serve "
                "and start it again.",
            )
        foreign = headers.get("sec-fetch-site", "none") not in _OUR_OWN
        if method not in _SAFE:
            foreign = foreign or headers.get("origin") != f"http://{headers['host']}"
        if foreign:
            return self._refuse(
                403, "Not from here", "The request came from another page, so nothing was done."
            )
        scope.setdefault("state", {})["session"] = session
        return self._too_large(method, path, headers)

    def _too_large(self, method: str, path: str, headers: Headers) -> Response | None:
        """Forms say how long they are, and only the one with a file may be long."""
        if method in _SAFE:
            return None
        length = headers.get("content-length", "")
        if not length.isdecimal():
            return self._refuse(411, "No length", "The form did not say how long it is.")
        multipart = headers.get("content-type", "").startswith("multipart/form-data")
        with_file = multipart and path.endswith(WITH_FILE)
        if not with_file and int(length) > self._limits.form:
            return self._refuse(413, "Too large", "The form is too large.")
        return None

    def _session(self, headers: Headers) -> Session | None:
        """The session that a cookie proves.

        Other servers on this machine share the host, and their cookies come along: whatever they
        hold, and even if one has our name, ours is found.
        """
        for line in headers.getlist("cookie"):
            for pair in line.split(";"):
                name, _, value = pair.strip().partition("=")
                if name == self._cookie and (session := self._sessions.of(value)):
                    return session
        return None

    def _enter(self, token: str) -> Response:
        if self._sessions.full:
            return self._refuse(
                429,
                "Too many browsers",
                "As many browsers as hushmap serve takes were let in already. Go on in one of "
                "them, or stop hushmap serve and start it again.",
            )
        session = self._sessions.enter(token)
        if session is None:
            return self._refuse(
                403,
                "This address was used already",
                "The address that hushmap serve prints lets one browser in, once. If that was "
                "you, go on in the window that it opened; otherwise stop hushmap serve and start "
                "it again.",
            )
        answer = RedirectResponse(f"{self._base}/", status_code=303)
        answer.set_cookie(
            self._cookie, session.cookie, path=f"{self._base}/", httponly=True, samesite="strict"
        )
        return answer
