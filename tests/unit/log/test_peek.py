"""A first look shows what a file is made of, and not what is in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from logs import Event, columns, write_csv, write_xes

from hushmap.exceptions import LogError, UsageError
from hushmap.log.columns import ROLES
from hushmap.log.options import ReadOptions
from hushmap.log.peek import masked, peek

EVENTS = [Event("Jane", "Register <b>", 0), Event("Jane", "Treat", 60_000_000)]


@given(st.text())
def test_no_letter_and_no_digit_survives_the_mask(text):
    shape = masked(text)
    assert set(shape) - set("Xx0·…") <= set(" !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
    assert len(shape) <= 33


def test_values_are_told_apart_by_their_shape_alone():
    assert masked("2026-01-05T10:00:00+01:00") == "0000-00-00X00:00:00+00:00"
    assert masked("Ärzte 7") == "Xxxxx 0"
    assert masked("x" * 100) == "x" * 32 + "…"


def test_csv_and_parquet_look_alike(tmp_path):
    import polars as pl

    text = peek(write_csv(EVENTS, tmp_path / "log.csv"), rows=1)
    pl.DataFrame(columns(EVENTS)).write_parquet(tmp_path / "log.parquet")
    binary = peek(tmp_path / "log.parquet", rows=1)
    for found in (text, binary):
        assert found.columns == ("case", "activity", "timestamp")
        assert found.rows[0][:2] == ("Xxxx", "Xxxxxxxx <x>")
        assert [found.recognised[role] for role in ROLES] == [*found.columns, None]
    assert (text.kind, binary.kind) == ("csv", "parquet")


@pytest.mark.parametrize("name", ["log.xes", "log.xes.gz"])
def test_of_xes_the_attributes_are_the_columns(tmp_path, name):
    found = peek(write_xes([*EVENTS, Event("Bo", "Pay", 0)], tmp_path / name))
    assert found.columns == ("case:concept:name", "concept:name", "time:timestamp")
    assert found.rows == (
        ("Xxxx", "Xxxxxxxx <x>", "0000-00-00X00:00:00+00:00"),
        ("Xxxx", "Xxxxx", "0000-00-00X00:01:00+00:00".replace("1", "0")),
        ("Xx", "Xxx", "0000-00-00X00:00:00+00:00"),
    )
    assert list(found.recognised.values())[:3] == list(found.columns)


def test_the_attributes_of_one_trace_are_not_taken_for_those_of_the_next(tmp_path):
    path = tmp_path / "log.xes"
    path.write_text(
        '<log><trace><string key="age" value="70"/><event><string key="a" value="b"/></event>'
        '</trace><trace><event><string key="a" value="c"/></event></trace></log>'
    )
    assert peek(path).rows == (("00", "x"), (None, "x"))


def test_foreign_names_are_not_guessed(tmp_path):
    path = write_csv(EVENTS, tmp_path / "log.csv", header=["wer", "was", "wann"])
    assert list(peek(path).recognised.values()) == [None] * 4


def test_the_dialect_that_was_named_is_used(tmp_path):
    path = write_csv(EVENTS, tmp_path / "log.csv", delimiter="~")
    with pytest.raises(LogError):
        peek(path)
    assert peek(path, ReadOptions(delimiter="~")).columns == ("case", "activity", "timestamp")


def test_what_is_no_log_is_refused(tmp_path):
    for name, content in (("a.parquet", b"no"), ("a.xes", b"<html/>"), ("a.csv", b"")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(LogError):
            peek(tmp_path / name)
    (tmp_path / "a.docx").write_bytes(b"PK")
    with pytest.raises(UsageError):
        peek(tmp_path / "a.docx")


def test_a_broken_row_is_named_and_not_quoted(tmp_path):
    (tmp_path / "a.csv").write_text('case,activity,timestamp\n1,"Jane,2026-01-05\n')
    with pytest.raises(LogError) as caught:
        peek(tmp_path / "a.csv")
    assert "Jane" not in str(caught.value)
