"""Step 2, *Columns*: what was recognised, the first rows masked, what was dropped and why."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hushmap.exceptions import HushmapError
from hushmap.web import steps
from hushmap.web.pages.shared import checked_form, go, settle, start
from hushmap.web.rendering import project_page
from hushmap.web.wishes import Reading
from hushmap.web.wording import problem_of

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from hushmap.web.project import Project


async def page(request: Request, project: Project) -> Response:
    """The page, and the form that it sends."""
    if request.method == "POST":
        form = await checked_form(request)
        if project.done or project.busy or project.source is None:
            return go(request, project, "columns")
        reading = Reading.of(form)
        try:
            reading.options()
        except HushmapError as error:
            return _show(request, project, error, reading, status=422)
        if form.get("next") == "protect" and reading == _shown(project):
            return go(request, project, "protect")
        project.read_again(reading)
        await start(request, project, "Reading the log", steps.read)
        return go(request, project, "columns")
    settle(project)
    if project.first is None:
        return go(request, project, "log")
    unread = project.log is None
    return _show(request, project, project.problem if unread else None, project.reading)


def _show(
    request: Request,
    project: Project,
    error: HushmapError | None,
    reading: Reading,
    *,
    status: int = 200,
) -> Response:
    assert project.first is not None
    return project_page(
        request,
        project,
        "columns.html",
        status=status,
        step="columns",
        first=project.first,
        taken=_taken(project, reading),
        reading=reading,
        found=project.inspection,
        problem=None if error is None else problem_of(error, project.source, "case"),
    )


def _taken(project: Project, reading: Reading) -> dict[str, str | None]:
    """What was taken for each role, or would be by its name: where the fields stand."""
    assert project.first is not None
    taken: dict[str, str | None] = dict(project.first.recognised)
    if project.log is not None:
        chosen = project.log.columns
        taken = {
            "case": chosen.case, "activity": chosen.activity,
            "timestamp": chosen.timestamp, "lifecycle": chosen.lifecycle,
        }  # fmt: skip
    elif reading.case or reading.activity or reading.timestamp:
        taken |= {
            role: value
            for role, value in (
                ("case", reading.case), ("activity", reading.activity),
                ("timestamp", reading.timestamp), ("lifecycle", reading.lifecycle_column),
            )
            if value
        }  # fmt: skip
    return taken


def _shown(project: Project) -> Reading | None:
    """What the fields of the page stand at, once the log is read; None before."""
    if project.log is None:
        return None
    taken = _taken(project, project.reading)
    return replace(
        project.reading,
        case=taken["case"] or "",
        activity=taken["activity"] or "",
        timestamp=taken["timestamp"] or "",
        lifecycle_column=taken["lifecycle"] or "",
    )
