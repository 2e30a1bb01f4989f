"""XES documents for the tests: built from their parts, read, and broken."""

from __future__ import annotations

import io
from dataclasses import asdict
from datetime import UTC, datetime
from types import SimpleNamespace

import numpy as np
import pytest

from hushmap.exceptions import LogError
from hushmap.log.xes import MISSING, read_xes


def micros(*parts):
    return int(
        (datetime(*parts, tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()
    ) * (1_000_000)


def document(body, head="<log>"):
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head}\n{body}\n</log>\n'


def read(text, **options):
    content = text if isinstance(text, bytes) else text.encode()
    return read_whole(io.BytesIO(content), **options)


def read_whole(sources, **options):
    """All parts put together, and the traces of one id as one case: by the definition."""
    parts = []
    names = read_xes(sources, parts.append, **options)
    return whole(parts, names)


def whole(parts, names):
    cases, case_of_trace = {}, []
    for part in parts:
        assert part.first_id == len(case_of_trace)
        for trace_id in part.ids:
            known = object() if trace_id is None else trace_id
            case_of_trace.append(cases.setdefault(known, len(cases)))

    def joined(column, kind):
        return np.concatenate([np.empty(0, kind), *(getattr(part, column) for part in parts)])

    return SimpleNamespace(
        case=np.array(case_of_trace, dtype=np.int32)[joined("trace", np.int32)],
        activity=joined("activity", np.int32),
        time=joined("time", np.int64),
        lifecycle=joined("lifecycle", np.int16),
        activities=names.activities,
        lifecycles=names.lifecycles,
        case_count=len(cases),
        quality=names.quality,
    )


def activities(events):
    return [None if code == MISSING else events.activities[code] for code in events.activity]


def noticed(events):
    """The counts that are not zero."""
    return {name: count for name, count in asdict(events.quality).items() if count}


NAME, TIME = "concept:name", "time:timestamp"
STAMP = "2020-01-01T00:00:00Z"


def attribute(key, value, element="string"):
    return f'<{element} key="{key}" value="{value}"/>'


def event(name="A", time=STAMP, more=""):
    return f"<event>{attribute(NAME, name)}{attribute(TIME, time, 'date')}{more}</event>"


def trace(trace_id, *events):
    return f"<trace>{attribute(NAME, trace_id)}{''.join(events)}</trace>"


def failure(content, kind=LogError, **options):
    with pytest.raises(kind) as caught:
        read(content, **options)
    assert str(caught.value).count("\n") <= 2
    return str(caught.value)
