"""The wizard as an application: its addresses, and what all pages share."""

from __future__ import annotations

import asyncio
import secrets
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route

from hushmap.web.guard import Guard
from hushmap.web.jobs import Jobs
from hushmap.web.limits import Limits
from hushmap.web.pages import columns, log, protect, release, review
from hushmap.web.pages.shared import checked_form, project_of, with_project
from hushmap.web.rendering import assets, render
from hushmap.web.sessions import Sessions

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request

    from hushmap.web.private_folder import PrivateFolder

_SWEEP_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Wizard:
    """What a running server holds.

    Attributes:
        base: The path under which everything lives.
        port: Where it listens.
        folder: Where uploads are kept.
        limits: How much and how long.
        sessions: Who may enter.
        jobs: Where work is done.
    """

    base: str
    port: int
    folder: PrivateFolder
    limits: Limits
    sessions: Sessions
    jobs: Jobs

    def address(self) -> str:
        """A new address that lets one browser in, once."""
        return f"http://127.0.0.1:{self.port}/?token={self.sessions.invite()}"


def make_app(folder: PrivateFolder, port: int, limits: Limits | None = None) -> Starlette:
    """The application of one server.

    Args:
        folder: Where uploads are kept; wiped when the application ends.
        port: Where it will listen: the only one that requests may name.
        limits: How much and how long.
    """
    limits = limits or Limits()
    wizard = Wizard(
        base=f"/{secrets.token_urlsafe(9)}",
        port=port,
        folder=folder,
        limits=limits,
        sessions=Sessions(folder, limits),
        jobs=Jobs(),
    )

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        sweeping = asyncio.create_task(_sweep(wizard))
        try:
            yield
        finally:
            sweeping.cancel()
            with suppress(asyncio.CancelledError):
                await sweeping
            wizard.jobs.close()
            wizard.sessions.close()
            folder.close()

    def refuse(status: int, title: str, words: str) -> Response:
        return render("refused.html", status=status, base=wizard.base, title=title, words=words)

    def on_error(_request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        status = error.status_code
        titles = {403: "Not from here", 404: "Not here", 405: "Not so"}
        words = {
            403: "The form was not one of this window. Reload the page and try again.",
            404: "There is no such page, or its project has ended.",
            405: "This page cannot be asked in this way.",
        }
        return refuse(
            status,
            titles.get(status, "Something went wrong"),
            words.get(status, "Go back and try again."),
        )

    app = Starlette(
        routes=[Mount(wizard.base, routes=_routes())],
        lifespan=lifespan,
        exception_handlers={HTTPException: on_error},
        middleware=[
            Middleware(
                Guard,
                hosts=frozenset({f"127.0.0.1:{port}", f"localhost:{port}"}),
                base=wizard.base,
                cookie=f"hushmap-{port}",
                sessions=wizard.sessions,
                limits=limits,
                refuse=refuse,
            )
        ],
    )
    app.state.wizard = wizard
    return app


async def _sweep(wizard: Wizard) -> None:
    """Now and then, wipe what nobody looks at."""
    while True:
        await asyncio.sleep(_SWEEP_SECONDS)
        await asyncio.to_thread(wizard.sessions.end_idle)


def _routes() -> list[Route]:
    get, post, both = ["GET"], ["POST"], ["GET", "POST"]
    here = "/p/{project}"
    return [
        Route("/", _new_window, methods=get),
        Route("/assets/{name}", _asset, methods=get),
        Route("/invite", _invite, methods=post),
        Route(f"{here}/log", with_project(log.page), methods=both),
        Route(f"{here}/columns", with_project(columns.page), methods=both),
        Route(f"{here}/protect", with_project(protect.page), methods=both),
        Route(f"{here}/limit", with_project(protect.limit), methods=post),
        Route(f"{here}/point", with_project(protect.point), methods=get),
        Route(f"{here}/review", with_project(review.page), methods=get),
        Route(f"{here}/release", with_project(release.page), methods=both),
        Route(f"{here}/public.zip", with_project(release.public_zip), methods=get),
        Route(f"{here}/owner.zip", with_project(release.owner_zip), methods=get),
        Route(f"{here}/public/{{name}}", with_project(release.public_page), methods=get),
        Route(f"{here}/progress", _progress, methods=get),
        Route(f"{here}/end", _end, methods=post),
    ]


async def _new_window(request: Request) -> Response:
    """Every window that opens the address without a project gets one of its own."""
    wizard: Wizard = request.app.state.wizard
    from hushmap.exceptions import UsageError

    try:
        project = wizard.sessions.new_project(request.state.session)
    except UsageError as error:
        return render(
            "refused.html", status=429, base=wizard.base, title=error.what, words=error.hint or ""
        )
    return RedirectResponse(f"{wizard.base}/p/{project.id}/log", status_code=303)


async def _asset(request: Request) -> Response:
    found = assets().get(request.path_params["name"])
    if found is None:
        raise HTTPException(404)
    return Response(found[0], media_type=found[1])


async def _invite(request: Request) -> Response:
    await checked_form(request)
    wizard: Wizard = request.app.state.wizard
    return render("invited.html", base=wizard.base, address=wizard.address())


async def _progress(request: Request) -> Response:
    from starlette.responses import JSONResponse

    project = project_of(request)
    return JSONResponse(project.job.report() if project.job else {"running": False})


async def _end(request: Request) -> Response:
    await checked_form(request)
    wizard: Wizard = request.app.state.wizard
    project = project_of(request)
    await asyncio.to_thread(wizard.sessions.end, request.state.session, project)
    return render("ended.html", base=wizard.base)
