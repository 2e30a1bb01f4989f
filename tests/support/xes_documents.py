"""XES documents for the tests: built from their parts, read, and broken."""

from __future__ import annotations

import io
from dataclasses import asdict
from datetime import UTC, datetime

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
    return read_xes(io.BytesIO(content), **options)


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
