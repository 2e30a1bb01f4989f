"""Step 3, *Protect*: what the map shows, whom against, and where to stand on the curve."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse

from hushmap.exceptions import HushmapError, UnreachableLimitError
from hushmap.graph import Annotation
from hushmap.picture.advice import on_error
from hushmap.picture.scales import WORDS
from hushmap.picture.tradeoff import EVERY_EDGE, tradeoff_picture
from hushmap.release.headline import error_sentence, risk_sentence
from hushmap.web import steps
from hushmap.web.pages.shared import checked_form, go, settle, start
from hushmap.web.rendering import project_page
from hushmap.web.wishes import Limit, Wish
from hushmap.web.wording import in_words_of_the_page, percent, points, problem_of

if TYPE_CHECKING:
    from starlette.datastructures import FormData
    from starlette.requests import Request
    from starlette.responses import Response

    from hushmap.planning.tradeoff import Standing, Tradeoff
    from hushmap.web.project import Project

_SHOWN_EDGES = 5
_WIDE, _NARROW = (640.0, 320.0), (340.0, 280.0)


async def page(request: Request, project: Project) -> Response:
    """The page, and its form where it asks for what the choices cost."""
    if request.method == "POST":
        form = await checked_form(request)
        if project.done or project.busy or project.log is None:
            return go(request, project, "protect")
        limit = _limit_in(form) if project.tradeoff is not None else None
        return await _weigh_anew(request, project, Wish.of(form), limit)
    settle(project)
    if project.log is None:
        return go(request, project, "columns")
    if project.tradeoff is None and project.problem is None:
        return await _weighed(request, project)
    ahead = project.rehearsal is not None  # what failed since belongs there
    return await _show(request, project, None if ahead else project.problem, project.wish)


async def _weighed(request: Request, project: Project, query: str = "") -> Response:
    await start(request, project, "Weighing risk against error", steps.weigh)
    return go(request, project, "protect", query)


async def _weigh_anew(
    request: Request, project: Project, wish: Wish, chosen: Limit | None, query: str = ""
) -> Response:
    """Take other choices, and the limit that stood beside them, so that neither is lost."""
    try:
        wish.parameters()
        _ = wish.bound
        if chosen is not None:
            wish.parameters(chosen)
    except HushmapError as error:
        return await _show(request, project, error, wish, given=chosen, status=422)
    project.wish_for(wish)
    if chosen is not None and chosen != project.limit:
        project.fix(chosen)
    return await _weighed(request, project, query)


def _limit_in(form: FormData) -> Limit | None:
    if "fix" not in form:
        return None
    kind = "error" if form["fix"] == "error" else "risk"
    return Limit(kind, str(form.get(kind, "")).strip())


async def limit(request: Request, project: Project) -> Response:
    """The form where it fixes the limit, and goes on to the review."""
    form = await checked_form(request)
    if project.done or project.busy or project.tradeoff is None:
        return go(request, project, "protect")
    chosen = _limit_in(form) or project.limit or Limit()
    wish = Wish.of(form) if "attacker" in form else project.wish
    if wish != project.wish:  # what they cost has not been seen yet
        return await _weigh_anew(request, project, wish, chosen, "?changed=yes")
    try:
        parameters = project.wish.parameters(chosen)
        if parameters.max_error is not None and form.get("next") == "review":
            await run_in_threadpool(_require_reachable, project.tradeoff, parameters.max_error)
    except HushmapError as error:
        return await _show(request, project, error, project.wish, given=chosen, status=422)
    if chosen != project.limit:
        project.fix(chosen)
    return go(request, project, "review" if form.get("next") == "review" else "protect")


def _require_reachable(tradeoff: Tradeoff, error: Fraction) -> None:
    if tradeoff.least_risk(error) is None:
        raise _unreachable(tradeoff)


async def point(request: Request, project: Project) -> Response:
    """Exact figures for a place of a slider, as JSON."""
    if project.tradeoff is None:
        return JSONResponse({"problem": "Choose again what the map shows."}, status_code=409)
    kind = "error" if request.query_params.get("fix") == "error" else "risk"
    chosen = Limit(kind, request.query_params.get("value", ""))
    try:
        project.wish.parameters(chosen)  # the one place for what is legal
        tradeoff = project.tradeoff
        facts = await run_in_threadpool(_facts, tradeoff, chosen)
    except HushmapError as error:
        problem = problem_of(error, project.source, kind)
        return JSONResponse({"problem": f"{problem.what} {problem.hint}"}, status_code=422)
    return JSONResponse(facts)


def _risk_of(tradeoff: Tradeoff, chosen: Limit) -> float | Fraction:
    """The risk of a limit.

    Raises:
        UnreachableLimitError: None meets it.
    """
    value = Fraction(chosen.share)
    if chosen.kind == "risk":
        return value
    risk = tradeoff.least_risk(value)
    if risk is None:
        raise _unreachable(tradeoff)
    return risk


def _unreachable(tradeoff: Tradeoff) -> UnreachableLimitError:
    reached = tradeoff.curve[-1].error if tradeoff.curve else None
    least = f" The least is about {percent(reached)}." if reached is not None else ""
    drop = ", show fewer kinds of numbers" if len(tradeoff.parameters.annotations) > 1 else ""
    return UnreachableLimitError(
        f"No risk below 99 percentage points keeps --max-error this small.{least}",
        hint=f"Raise it{drop}, or read the error on average.",
    )


def _facts(tradeoff: Tradeoff, chosen: Limit) -> dict[str, Any]:
    """Everything that the page shows of one point."""
    risk = _risk_of(tradeoff, chosen)
    standing = tradeoff.at(risk)
    error = float(Fraction(chosen.share)) if chosen.kind == "error" else standing.error
    return {
        "risk": float(risk),
        "error": error,
        "risk_text": points(float(risk)),
        "error_text": percent(error),
        "marks": _marks(tradeoff, standing, error),
        "sentences": _sentences(tradeoff, standing, error),
        "costly": [
            {
                "source": edge.source, "target": edge.target,
                "kind": edge.annotation, "error": percent(edge.expected_ape),
                "advice": in_words_of_the_page(
                    on_error({name: getattr(edge, name) for name in edge.__slots__})
                ),
            }
            for edge in tradeoff.costly(risk, _SHOWN_EDGES)
        ],
        "without": [
            {"kind": name, "said": _compared(tradeoff, standing, rest)}
            for name, rest in tradeoff.comparison(risk)
        ],
    }  # fmt: skip


def _marks(tradeoff: Tradeoff, standing: Standing, error: float | None) -> dict[str, float]:
    if tradeoff.parameters.error_reading == "per-edge":
        return {} if error is None else {EVERY_EDGE: error}
    return {one.annotation: one.mape for one in standing.annotations if one.mape is not None}


def _every_edge(tradeoff: Tradeoff) -> str:
    sure = percent(float(tradeoff.parameters.confidence))
    return f"Every edge stays within {{error}} of the truth, each with a confidence of {sure}."


def _on_every_edge(tradeoff: Tradeoff, error: float | None) -> list[str]:
    """What the reading per edge adds; where the curve has not begun, that it has not."""
    if tradeoff.parameters.error_reading != "per-edge":
        return []
    if error is not None:
        return [_every_edge(tradeoff).format(error=percent(error))]
    if not tradeoff.curve:
        return ["No risk keeps every edge within an error that is of use."]
    least = tradeoff.curve[0]
    said = (
        f"At this risk some edge may be off by more than {percent(least.error)}; from "
        f"{points(least.risk)} percentage points on there is a limit for every edge."
    )
    return [said]


def _sentences(tradeoff: Tradeoff, standing: Standing, error: float | None) -> list[str]:
    return [
        risk_sentence(tradeoff.parameters).format(risk=points(standing.risk)),
        *(
            error_sentence(Annotation(one.annotation)).format(
                error=percent(one.mape), far=f"{one.far_off:,}", edges=f"{one.edges:,}"
            )
            for one in standing.annotations
        ),
        *_on_every_edge(tradeoff, error),
    ]


def _compared(tradeoff: Tradeoff, now: Standing, rest: Standing) -> str:
    """How far the rest would be off, and how far it is."""
    if tradeoff.parameters.error_reading == "per-edge":
        if now.error is None or rest.error is None:
            return f"every edge off by {percent(rest.error)}"
        return f"every edge off by {percent(rest.error)} instead of {percent(now.error)}"
    before = {one.annotation: one.mape for one in now.annotations}
    return ", ".join(
        f"{WORDS[Annotation(one.annotation)]} off by {percent(one.mape)} instead of "
        f"{percent(before[one.annotation])}"
        for one in rest.annotations
    )


def _curves(tradeoff: Tradeoff) -> dict[str, list[tuple[float, float]]]:
    if tradeoff.parameters.error_reading == "per-edge":
        points_ = [(one.risk, one.error) for one in tradeoff.curve if one.error is not None]
        return {EVERY_EDGE: points_}
    return {
        kind.value: [
            (one.risk, one.annotations[place].mape or 0.0)
            for one in tradeoff.curve
            if one.annotations[place].mape is not None
        ]
        for place, kind in enumerate(tradeoff.parameters.annotations)
    }


def _script_data(tradeoff: Tradeoff) -> dict[str, Any]:
    """What the script needs to move both sliders and the point at once, between exact points."""
    parameters = tradeoff.parameters
    return {
        "per_edge": parameters.error_reading == "per-edge",
        "sentences": [
            risk_sentence(parameters),
            *(error_sentence(kind) for kind in parameters.annotations),
            *([_every_edge(tradeoff)] if parameters.error_reading == "per-edge" else []),
        ],
        "kinds": [kind.value for kind in parameters.annotations],
        "points": [
            {
                "risk": one.risk,
                "error": one.error,
                "annotations": [
                    {"mape": own.mape, "far": own.far_off, "edges": own.edges}
                    for own in one.annotations
                ],
            }
            for one in tradeoff.curve
            if one.error is not None
        ],
    }


async def _show(
    request: Request,
    project: Project,
    error: HushmapError | None,
    wish: Wish,
    *,
    given: Limit | None = None,
    status: int = 200,
) -> Response:
    chosen = given or project.limit or Limit()
    context: dict[str, Any] = {}
    tradeoff = project.tradeoff
    if tradeoff is not None:
        try:
            # What was just refused is not computed; the page stays where it was.
            stands = chosen if given is None else project.limit or Limit()
            facts = await run_in_threadpool(_facts, tradeoff, stands)
        except HushmapError as caught:
            error = error or caught
            facts = await run_in_threadpool(_facts, tradeoff, Limit())
        context = await run_in_threadpool(_drawn, tradeoff, facts)
    return project_page(
        request,
        project,
        "protect.html",
        status=status,
        step="protect",
        wish=wish,
        chosen=chosen,
        found=project.inspection,
        weighed=tradeoff is not None,
        changed="changed" in request.query_params and error is None,
        problem=None if error is None else problem_of(error, project.source, "annotate"),
        **context,
    )


def _drawn(tradeoff: Tradeoff, facts: dict[str, Any]) -> dict[str, Any]:
    curves = _curves(tradeoff)
    chosen = {
        line: (facts["risk"], error) for line, error in facts["marks"].items() if error is not None
    }
    name = "Expected error against risk"
    pictures = [tradeoff_picture(curves, chosen, size=size, name=name) for size in (_WIDE, _NARROW)]
    frames = [picture.frame for picture in pictures]
    return {
        "facts": facts,
        "pictures": pictures,
        "data": _script_data(tradeoff) | {"frames": frames},
    }
