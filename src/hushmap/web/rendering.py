"""Pages from templates; everything that comes from outside is escaped."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse

from hushmap.picture.page import asset as picture_asset
from hushmap.picture.page import inert_json
from hushmap.picture.palette import all_rules
from hushmap.picture.scales import WORDS
from hushmap.timespan import human_seconds
from hushmap.web import wording
from hushmap.web.project import STEPS
from hushmap.web.upload import size

if TYPE_CHECKING:
    from starlette.requests import Request

    from hushmap.web.project import Project

_STEP_NAMES = {
    "log": "Log",
    "columns": "Columns",
    "protect": "Protect",
    "review": "Review",
    "release": "Release",
}


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("hushmap.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "percent": wording.percent,
        "points": wording.points,
        "size": size,
        "moment": wording.moment,
        "counted": wording.counted,
        "seconds": human_seconds,
        "in_words": wording.in_words_of_the_page,
        "inert_json": inert_json,
    }
    environment.globals |= {
        "glossary": wording.GLOSSARY,
        "steps": [(step, _STEP_NAMES[step]) for step in STEPS],
        "kinds": {kind.value: words for kind, words in WORDS.items()},
    }
    return environment


def render(name: str, *, status: int = 200, **context: Any) -> HTMLResponse:  # noqa: ANN401
    """A page."""
    return HTMLResponse(_environment().get_template(name).render(**context), status_code=status)


def project_page(
    request: Request,
    project: Project,
    name: str,
    *,
    status: int = 200,
    **context: Any,  # noqa: ANN401 - whatever the template shows
) -> HTMLResponse:
    """A page of a project."""
    return render(
        name,
        status=status,
        base=request.app.state.wizard.base,
        session=request.state.session,
        project=project,
        **context,
    )


@cache
def assets() -> dict[str, tuple[bytes, str]]:
    """The files that pages load: content and type. They tell nothing of anybody."""
    own = files("hushmap.web").joinpath("assets")
    style = "\n".join(
        [picture_asset("base.css"), own.joinpath("wizard.css").read_text("utf-8"), all_rules()]
    )
    script = own.joinpath("wizard.js").read_bytes()
    icon = own.joinpath("icon.svg").read_bytes()
    return {
        "wizard.css": (style.encode(), "text/css; charset=utf-8"),
        "wizard.js": (script, "text/javascript; charset=utf-8"),
        "icon.svg": (icon, "image/svg+xml"),
    }
