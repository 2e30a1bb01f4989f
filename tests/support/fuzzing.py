"""What every fuzz shares: how hard to try, how to damage bytes, and what an error may say."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from hushmap.exceptions import HushmapError

SECRET = "Zyxwv-secret-17"
_EFFORT = int(os.environ.get("HUSHMAP_FUZZ", "1"))


def fuzz(examples):
    """So many examples, times HUSHMAP_FUZZ: make the search longer without touching the tests."""
    return settings(
        max_examples=examples * _EFFORT,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )


@st.composite
def damaged(draw, original: bytes, tokens: list[bytes]):
    """The original with a few pieces taken out, doubled, moved or replaced."""
    content = original
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(content)))
        end = min(len(content), start + draw(st.integers(0, 40)))
        what = draw(
            st.one_of(
                st.just(b""),
                st.binary(max_size=8),
                st.sampled_from(tokens),
                st.just(content[start:end] * 2),
                st.integers(0, max(0, len(content) - 1)).map(lambda at: original[at : at + 30]),
            )
        )
        content = content[:start] + what + content[end:]
    return content


def acceptable(error: HushmapError) -> None:
    """An error of ours is one to three lines, and does not quote the log."""
    message = str(error)
    assert 1 <= len(message.splitlines()) <= 3, message
    assert SECRET not in message
