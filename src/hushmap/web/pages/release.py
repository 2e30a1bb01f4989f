"""Step 5, *Release*: draws once; shows the map; hands out its two halves, apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import Response

from hushmap.exceptions import UsageError
from hushmap.picture.page import policy_of
from hushmap.release.recipe import Recipe
from hushmap.web import steps
from hushmap.web.pages import review
from hushmap.web.pages.shared import checked_form, go, settle, start
from hushmap.web.rendering import project_page
from hushmap.web.wording import problem_of

if TYPE_CHECKING:
    from starlette.requests import Request

    from hushmap.web.project import Project

_TICKS = {
    "once": "that this is one draw",
    "bound": "where the longest time comes from",
    "observed": "that the longest times are not protected",
}
# Pages of the bundle run in a box: no origin, no forms, no way to this server.
_BOX = "sandbox allow-scripts allow-downloads allow-popups; frame-ancestors 'self'"


async def page(request: Request, project: Project) -> Response:
    """The page; and the one form that draws. Sent again, it draws nothing more."""
    if request.method == "POST":
        form = await checked_form(request)
        if project.busy or project.bundle is not None:
            return go(request, project, "release")
        if project.rehearsal is None:
            return go(request, project, "review")
        missing = [tick for tick in needed_ticks(project) if not form.get(tick)]
        if missing and not project.done:
            error = UsageError(
                f"Please confirm {' and '.join(_TICKS[tick] for tick in missing)}.",
                hint="Tick the box, then release.",
            )
            return review.show(request, project, error, status=422)
        project.drawing = True  # before anything waits: a second form finds it set
        await start(request, project, "Drawing and writing", steps.draw)
        return go(request, project, "release")
    settle(project)
    if not project.done:
        return go(request, project, "review")
    return _show(request, project)


def needed_ticks(project: Project) -> list[str]:
    """What the owner has to confirm."""
    wish = project.wish
    if not wish.times:
        return ["once"]
    return ["once", "bound" if wish.range_kind == "declared" else "observed"]


def _show(request: Request, project: Project) -> Response:
    error = project.problem
    recipe = None
    if project.release is not None and project.source is not None and project.limit is not None:
        recipe = Recipe(
            project.source.shown,
            project.reading.options(),
            project.wish.parameters(project.limit),
            project.wish.resolution,
            project.wish.bound,
        )
    return project_page(
        request,
        project,
        "release.html",
        step="release",
        release=project.release,
        bundle=project.bundle,
        recipe=recipe,
        problem=None if error is None else problem_of(error, project.source),
    )


async def public_zip(_request: Request, project: Project) -> Response:
    """The half to share."""
    return _zip(project, "public")


async def owner_zip(_request: Request, project: Project) -> Response:
    """The half to keep."""
    return _zip(project, "owner")


def _zip(project: Project, half: str) -> Response:
    if project.bundle is None:
        raise HTTPException(404)
    content = project.bundle.public_zip if half == "public" else project.bundle.owner_zip
    return Response(
        content,
        media_type="application/zip",
        headers={"Content-Disposition": f'attachment; filename="{half}.zip"'},
    )


async def public_page(request: Request, project: Project) -> Response:
    """A page of the public half, as it will be seen by whoever receives it."""
    name = request.path_params["name"]
    if project.bundle is None or name not in {"map.html", "certificate.html"}:
        raise HTTPException(404)
    content = project.bundle.public[name]
    return Response(
        content,
        media_type="text/html; charset=utf-8",
        headers={
            "Content-Security-Policy": f"{policy_of(content)}; {_BOX}",
            "X-Frame-Options": "SAMEORIGIN",
        },
    )
