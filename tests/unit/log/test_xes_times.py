"""Timestamps: one by one and in columns, the same answers; never a default."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushmap.log.xes_times import UNREADABLE_TIME, read_time, read_times


def utc(*parts):
    since = datetime(*parts, tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86400 + since.seconds) * 1_000_000 + since.microseconds


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2014-10-22T11:15:41.000+02:00", utc(2014, 10, 22, 9, 15, 41)),
        ("2014-10-22T11:15:41.000+0200", utc(2014, 10, 22, 9, 15, 41)),
        ("2014-10-22T11:15:41+02", utc(2014, 10, 22, 9, 15, 41)),
        ("2014-10-22T11:15:41-05:30", utc(2014, 10, 22, 16, 45, 41)),
        ("2014-10-22T11:15:41Z", utc(2014, 10, 22, 11, 15, 41)),
        ("2014-10-22t11:15:41z", utc(2014, 10, 22, 11, 15, 41)),
        ("2014-10-22 11:15:41", utc(2014, 10, 22, 11, 15, 41)),
        ("2014-10-22 11:15:41 +0200", utc(2014, 10, 22, 9, 15, 41)),
        ("2014-10-22T11:15", utc(2014, 10, 22, 11, 15)),
        ("2014-10-22", utc(2014, 10, 22)),
        ("2014-10-22+02:00", utc(2014, 10, 21, 22)),
        ("2014-10-22T11:15:41.1", utc(2014, 10, 22, 11, 15, 41, 100_000)),
        ("2014-10-22T11:15:41,12", utc(2014, 10, 22, 11, 15, 41, 120_000)),
        ("2014-10-22T11:15:41.123", utc(2014, 10, 22, 11, 15, 41, 123_000)),
        ("2014-10-22T11:15:41.1234567Z", utc(2014, 10, 22, 11, 15, 41, 123_456)),
        ("2014-10-22T11:15:41.999999999Z", utc(2014, 10, 22, 11, 15, 41, 999_999)),
        (" \n2014-10-22T11:15:41Z\t", utc(2014, 10, 22, 11, 15, 41)),
        ("2014-10-22T24:00:00", utc(2014, 10, 23)),
        ("2016-02-29T00:00:00Z", utc(2016, 2, 29)),
        ("1969-12-31T23:59:59.999999Z", -1),
        ("1970-01-01T00:00:00Z", 0),
        ("1600-02-29T00:00:00Z", utc(1600, 2, 29)),
        ("0001-01-01T00:00:00Z", utc(1, 1, 1)),
        ("9999-12-31T23:59:59.999999Z", utc(9999, 12, 31, 23, 59, 59, 999_999)),
    ],
)
def test_a_time_is_read(text, expected):
    time = read_time(text.encode())
    assert time is not None
    assert time.microseconds == expected


@pytest.mark.parametrize(
    "text",
    ["", " ", "soon", "1413969341000", "22.10.2014 11:15", "2014-10-22T11:15:60Z",
     "2016-12-31T23:59:60Z", "2014-13-01T00:00:00", "2014-00-01", "2014-02-30", "2015-02-29",
     "1900-02-29", "2014-10-00", "0000-01-01", "12014-10-22T11:15:41", "-2014-10-22T11:15:41",
     "2014-10-22T25:00:00", "2014-10-22T24:00:01", "2014-10-22T24:00:00.1", "2014-10-22T11:60:00",
     "2014-10-22T11:15:41+24:00", "2014-10-22T11:15:41+02:60", "2014-10-22T11:15:41.",
     "2014-10-22T", "2014-10-22T11", "2014-10-22X11:15:41", "20141022T111541",
     "2014-10-22T11:15:41 UTC", "2014-10-22  11:15:41", "٢٠١٤-10-22", "2014-10-22T11:15:41Zz"],
)  # fmt: skip
def test_what_is_no_time_is_unreadable_and_never_1970(text):
    assert read_time(text.encode()) is None


def test_naive_and_cut_times_are_noticed():
    assert read_time(b"2014-10-22T11:15:41").naive
    assert read_time(b"2014-10-22").naive
    assert not read_time(b"2014-10-22Z").naive
    assert read_time(b"2014-10-22T11:15:41.0000001Z").truncated
    assert not read_time(b"2014-10-22T11:15:41.1234560Z").truncated
    assert read_time(b"2014-10-22T11:15:41.000000000001Z").truncated


digits = st.integers(0, 99).map("{:02}".format)
texts = st.builds(
    "{}-{}-{}{}{}:{}:{}{}{}".format,
    st.integers(0, 9999).map("{:04}".format),
    st.integers(0, 13).map("{:02}".format),
    st.integers(0, 32).map("{:02}".format),
    st.sampled_from("TTTTTt x"),
    st.integers(0, 25).map("{:02}".format),
    st.integers(0, 61).map("{:02}".format),
    st.integers(0, 61).map("{:02}".format),
    st.sampled_from(["", "", ".000", ".5", ".123456", ".1234567", ".999999999", ",25", "."]),
    st.sampled_from(
        ["", "Z", "z", "+02:00", "-11:30", "+0200", "+24:00", "+01:99", " +02:00", "*"]
    ),
)
values = st.one_of(texts, texts, st.text(max_size=30), st.sampled_from(["2014-10-22"]))


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(values, max_size=12), st.integers(1, 40))
def test_columns_of_times_are_read_like_single_ones(texts, repeat):
    # Repeated, so that groups of one length are large enough for the way of columns.
    raw = [text.encode() for text in texts] * repeat
    singly = [read_time(value) for value in raw]
    lengths = np.array([len(value) for value in raw], dtype=np.int64)
    joined = np.frombuffer(b"".join(raw), dtype=np.uint8)
    read = read_times(joined, np.cumsum(lengths) - lengths, lengths)
    assert read.microseconds.tolist() == [
        UNREADABLE_TIME if time is None else time.microseconds for time in singly
    ]
    readable = [time for time in singly if time is not None]
    assert read.unreadable == len(raw) - len(readable)
    assert read.naive == sum(time.naive for time in readable)
    assert read.truncated == sum(time.truncated for time in readable)


@pytest.mark.parametrize("damage", ["x", "/", ":", " ", "\x7f", "é", "-", "+"])
def test_one_damaged_character_in_a_column_makes_one_time_unreadable(damage):
    good = "2014-10-22T11:15:41.123+02:00"
    values = [good] * 30
    for place in range(len(good)):
        bad = good[:place] + damage + good[place + 1 :]
        values.append(bad[: len(good) - len(damage.encode()) + 1])
    raw = [value.encode() for value in values]
    lengths = np.array([len(value) for value in raw], dtype=np.int64)
    joined = np.frombuffer(b"".join(raw), dtype=np.uint8)
    read = read_times(joined, np.cumsum(lengths) - lengths, lengths)
    singly = [read_time(value) for value in raw]
    assert read.microseconds.tolist() == [
        UNREADABLE_TIME if time is None else time.microseconds for time in singly
    ]


def test_every_day_of_the_calendar_has_its_number():
    some = np.arange("0001-01-01", "9999-12-31", 97, dtype="datetime64[D]")
    text = "".join(f"{day}T12:00:00Z" for day in some).encode()
    starts = np.arange(len(some), dtype=np.int64) * 20
    read = read_times(np.frombuffer(text, dtype=np.uint8), starts, np.full(len(some), 20))
    noon = some.astype("datetime64[us]").astype(np.int64) + 43_200_000_000
    assert np.array_equal(read.microseconds, noon)
