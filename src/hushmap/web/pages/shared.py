"""What the pages share: whose project it is, whether a form is ours, waiting for work."""

from __future__ import annotations

import secrets
import time
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse

from hushmap.web import steps
from hushmap.web.rendering import project_page

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.datastructures import FormData
    from starlette.requests import Request
    from starlette.responses import Response

    from hushmap.web.jobs import Job
    from hushmap.web.project import Project

_MOST_FIELDS = 60


def project_of(request: Request) -> Project:
    """The project of the address, if it is one of this browser's.

    Raises:
        HTTPException: 404 otherwise; whether it exists elsewhere is not told.
    """
    project: Project | None = request.state.session.projects.get(request.path_params["project"])
    if project is None:
        raise HTTPException(404)
    project.touched = time.monotonic()
    return project


def with_project(
    page: Callable[[Request, Project], Awaitable[Response]],
) -> Callable[[Request], Awaitable[Response]]:
    """Give a page its project; while work is under way it shows how far that is."""

    async def endpoint(request: Request) -> Response:
        project = project_of(request)
        if project.busy and request.method == "GET":
            assert project.job is not None
            step = request.url.path.rpartition("/")[2]
            report = project.job.report()
            return project_page(request, project, "working.html", step=step, job=report)
        return await page(request, project)

    return endpoint


async def checked_form(request: Request) -> FormData:
    """A form of ours.

    Raises:
        HTTPException: 403 where it lacks the token of this browser's forms.
    """
    form = await request.form(max_files=0, max_fields=_MOST_FIELDS)
    require_token(request, str(form.get("form_token", "")))
    return form


def require_token(request: Request, given: str) -> None:
    """Refuse a form of another page.

    Raises:
        HTTPException: 403.
    """
    if not secrets.compare_digest(given.encode(), request.state.session.form_token.encode()):
        raise HTTPException(403)


async def start(
    request: Request, project: Project, name: str, work: Callable[[Project, Job], None]
) -> None:
    """Have a step done, and wait a moment: short work needs no progress bar."""
    wizard = request.app.state.wizard
    job = steps.start(wizard.jobs, project, name, work)
    await run_in_threadpool(job.wait, wizard.limits.patience)
    settle(project)


def settle(project: Project) -> None:
    """Take over what a finished job has to say."""
    if project.job is not None and not project.job.running:
        project.problem = project.job.error or project.problem
        project.job = None


def go(request: Request, project: Project, step: str, query: str = "") -> Response:
    """On to a page."""
    base = request.app.state.wizard.base
    return RedirectResponse(f"{base}/p/{project.id}/{step}{query}", status_code=303)
