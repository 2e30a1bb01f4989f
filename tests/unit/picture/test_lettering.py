"""Text that fits its box, whatever it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushmap.picture.lettering import isolated, plain, text_width, wrapped


@given(st.text(max_size=200), st.integers(1, 3), st.floats(60, 200))
def test_wrapped_text_fits(name, lines, width):
    rows = wrapped(name, 12, width, lines)
    assert 1 <= len(rows) <= lines
    for row in rows:
        # A single cluster, such as a joined emoji, may be wider than any box; it is not torn.
        assert text_width(row, 12) <= width or len(row) < 40


@given(st.text(alphabet="abc def_-/", max_size=60))
def test_nothing_is_lost_while_there_is_room(name):
    rows = wrapped(name, 12, 10_000, 3)
    assert "".join(rows).split() == name.split()


def test_a_long_name_keeps_its_end():
    (row,) = wrapped("Check the documents of application number 17", 12, 150, 1)
    assert row.startswith("Check the")
    assert row.endswith("17")
    assert "…" in row


def test_clusters_are_not_torn():
    for row in wrapped("👩‍⚕️" * 30, 12, 60, 50):
        assert not row.startswith(("\u200d", "\ufe0f"))


@pytest.mark.parametrize("character", ["\x00", "\x1b", "\n", "\r", "\ufffe", "\ud800"])
def test_what_xml_cannot_carry_becomes_visible(character):
    shown = plain(f"a{character}b")
    assert character not in shown
    assert len(shown) > 2
    shown.encode()


def test_other_directions_of_writing_are_isolated():
    assert isolated("Register → 1") == "Register → 1"
    for name in ("مراجعة", "\u202eevil"):
        assert isolated(name) == f"\u2068{name}\u2069"
