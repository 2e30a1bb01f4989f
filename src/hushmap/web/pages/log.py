"""Step 1, *Log*: a file is dropped, or a path on this machine named."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hushmap.exceptions import HushmapError, UsageError
from hushmap.log.reading import expand, file_format
from hushmap.web import steps
from hushmap.web.pages.shared import go, require_token, settle, start
from hushmap.web.project import Source
from hushmap.web.rendering import project_page
from hushmap.web.upload import Received, receive_form
from hushmap.web.wording import problem_of

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from hushmap.web.project import Project


async def page(request: Request, project: Project) -> Response:
    """The page, and the form that it sends."""
    if request.method == "GET":
        settle(project)
        unread = project.first is None
        return _show(request, project, project.problem if unread else None)
    if project.done or project.busy:
        return go(request, project, "release" if project.done else "log")
    try:
        received = await receive_form(request, project.folder, request.app.state.wizard.limits)
    except HushmapError as error:
        return _show(request, project, error, status=422)
    try:
        require_token(request, received.fields.get("form_token", ""))
        source = _source(received)
    except BaseException as error:
        received.discard()
        if isinstance(error, HushmapError):
            return _show(request, project, error, status=422)
        raise
    if not source.uploaded:
        received.discard()
    project.take(source)
    await start(request, project, "Reading the log", steps.read)
    # Where not even the columns can be seen, it is the file that has to be another.
    return go(request, project, "log" if project.problem and not project.first else "columns")


def _show(
    request: Request, project: Project, error: HushmapError | None, *, status: int = 200
) -> Response:
    return project_page(
        request,
        project,
        "log.html",
        status=status,
        step="log",
        limit=request.app.state.wizard.limits.upload,
        problem=None if error is None else problem_of(error, project.source, "file"),
    )


def _source(received: Received) -> Source:
    """Where the log is; the path that was written counts if there is one.

    Raises:
        HushmapError: There is neither a file nor a path, or none can be read.
    """
    path = received.fields.get("path", "").strip()
    if path:
        if "://" in path or path == "-":
            raise UsageError(
                "This is no path of a file.",
                hint="Write where the file is on this machine, for example /data/log.xes.gz. "
                "Databases are read by hushmap on the command line.",
            )
        named = str(Path(path).expanduser())
        for found in expand(named):
            file_format(found)
        return Source(named, path, uploaded=False)
    if received.error is not None:
        raise received.error
    if received.file is None:
        raise UsageError("No file is chosen.", hint="Choose a file, or write its path.")
    return Source(str(received.file), received.name, uploaded=True)
