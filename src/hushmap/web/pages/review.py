"""Step 4, *Review*: the promise as it will stand, what it leaves out, and a simulated map."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hushmap.web import steps
from hushmap.web.pages.shared import go, settle, start
from hushmap.web.rendering import project_page
from hushmap.web.wording import about_a_person, problem_of

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from hushmap.exceptions import HushmapError
    from hushmap.web.project import Project


async def page(request: Request, project: Project) -> Response:
    """The page; what it shows is computed when it is first asked for."""
    settle(project)
    if project.limit is None or project.tradeoff is None:
        return go(request, project, "protect")
    if project.rehearsal is None:
        if project.problem is not None:
            return go(request, project, "protect")
        await start(request, project, "Planning", steps.rehearse)
        return go(request, project, "review")
    return show(request, project, project.problem)


def show(
    request: Request, project: Project, error: HushmapError | None, *, status: int = 200
) -> Response:
    """The page with an error, if there is one."""
    assert project.rehearsal is not None
    return project_page(
        request,
        project,
        "review.html",
        status=status,
        step="review",
        wish=project.wish,
        plan=project.rehearsal.plan,
        certificate=project.rehearsal.certificate,
        person=about_a_person(project.rehearsal.plan.summary["release"]),
        picture=project.rehearsal.picture,
        problem=None if error is None else problem_of(error, project.source, "once"),
    )
