"""What must hold of a map and its certificate before they are written, and after they are read."""

from __future__ import annotations

import re
from datetime import date
from itertools import pairwise
from typing import TYPE_CHECKING

from hushmap.bundle.strict_json import shown
from hushmap.exceptions import BundleError, UsageError
from hushmap.timespan import exact_timespan, parse_timespan

if TYPE_CHECKING:
    from hushmap.graph import Edge, ReleasedGraph
    from hushmap.release.certificate import Certificate

# JSON takes many times its size in memory; some 500,000 edges fit.
MAX_JSON_BYTES = 64 * 1024 * 1024
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def resolution_of(certificate: Certificate) -> int:
    """Microseconds per tick, as the certificate states them.

    Raises:
        BundleError: It states no span of time.
    """
    return span_of(certificate.resolution, "resolution")


def span_of(text: str, what: str) -> int:
    """Microseconds of a span of time in a certificate.

    Args:
        text: The span, as `exact_timespan` writes it.
        what: Its name, for the error.

    Raises:
        BundleError: It is no span of time, or one in another spelling.

    Example:
        >>> span_of("30min", "precision")
        1800000000
    """
    try:
        microseconds = parse_timespan(text) if len(text) <= 30 else 0
    except UsageError:
        microseconds = 0
    # One spelling only, so that nothing else (other digits, other units) can slip through.
    if not microseconds or exact_timespan(microseconds) != text:
        raise BundleError(f"The {what} in the certificate is {shown(text)}, no span of time.")
    return microseconds


def is_file_name(name: str) -> bool:
    """Whether this names a file in the same directory, on every system.

    Example:
        >>> is_file_name("map.json"), is_file_name("../map.json")
        (True, False)
    """
    return bool(_FILE_NAME.fullmatch(name)) and not name.endswith(".")


def is_text(text: str) -> bool:
    """Whether a string can be written as UTF-8 (no half of a surrogate pair)."""
    return not re.search("[\ud800-\udfff]", text)


def check_graph(graph: ReleasedGraph) -> None:
    """Names, order and weights of a map.

    Raises:
        BundleError: Something does not hold.
    """
    names = graph.activities
    for name in names:
        if not is_text(name):
            raise BundleError(f"The name of an activity, {shown(name)}, is no text.")
    _check_ascending([(name,) for name in names], "activities")
    known = {*names, None}
    for edge in graph.edges:
        if edge.source not in known or edge.target not in known:
            raise BundleError("An edge names an activity that is not among the activities.")
        if edge.source is None and edge.target is None:
            raise BundleError("An edge leads from the start of a case straight to its end.")
    _check_ascending([_key(edge) for edge in graph.edges], "edges")
    _check_weights(graph)


def _check_weights(graph: ReleasedGraph) -> None:
    if not graph.annotations:
        raise BundleError("The map has no annotation.")
    for annotation in graph.annotations:
        weights = graph.weights[annotation]
        if len(weights) != len(graph.edges):
            raise BundleError(f"There are not as many values of {annotation.value} as edges.")
        for weight in weights:
            if weight is None:
                if not annotation.is_time:
                    raise BundleError("An edge has no frequency.")
            elif weight < 0:
                raise BundleError(f"A {annotation.value} is negative.")
            elif weight < 1:
                least = "one tick" if annotation.is_time else "1"
                raise BundleError(
                    f"A {annotation.value} is 0; what is released is at least {least}."
                )


def _key(edge: Edge) -> tuple[bool, str, bool, str]:
    """The canonical order of edges, see hushmap.graph."""
    return (edge.source is not None, edge.source or "", edge.target is None, edge.target or "")


def _check_ascending(keys: list[tuple[str]] | list[tuple[bool, str, bool, str]], what: str) -> None:
    for before, after in pairwise(keys):
        if before == after:
            raise BundleError(f"One of the {what} stands there twice.")
        if before > after:
            raise BundleError(f"The {what} are not in canonical order.")


def _is_day(text: str) -> bool:
    try:
        return bool(_DATE.fullmatch(text)) and bool(date.fromisoformat(text))
    except ValueError:
        return False


def check_fit(graph: ReleasedGraph, certificate: Certificate) -> None:
    """Whether the certificate can be that of the map.

    Raises:
        BundleError: It cannot.
    """
    shows = tuple(annotation.value for annotation in graph.annotations)
    if certificate.annotations != shows:
        raise BundleError("The certificate is not of this map: it names other annotations.")
    if resolution_of(certificate) != graph.resolution:
        raise BundleError("The certificate is not of this map: it names another resolution.")
    if not _is_day(certificate.date):
        raise BundleError(
            f"The date in the certificate is {shown(certificate.date)}; "
            "it must be a day, as 2026-11-30, without a time of day."
        )
