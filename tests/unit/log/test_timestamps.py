"""Times are read rightly, or the owner is asked; nothing is guessed where two readings fit."""

from datetime import UTC, datetime

import polars as pl
import pytest

import hushmap as hm
from hushmap.exceptions import EmptyLogError, TimestampError, UsageError
from hushmap.log.event_log import Workspace
from hushmap.log.timestamps import read_timestamps


def read(values, wanted=None):
    workspace = Workspace()
    workspace.run("CREATE TABLE r AS SELECT unnest(?::VARCHAR[]) AS t", [values])
    reading = read_timestamps(workspace.row, "r", "t", "VARCHAR", wanted)
    return reading, [row[0] for row in workspace.rows(f"SELECT {reading.expression} FROM r")]


def us(*parts, micro=0):
    return int(datetime(*parts, tzinfo=UTC).timestamp()) * 1_000_000 + micro


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-03-04T10:20:30.123456Z", us(2026, 3, 4, 10, 20, 30, micro=123456)),
        ("2026-03-04 10:20:30+02:00", us(2026, 3, 4, 8, 20, 30)),
        ("2026-03-04T10:20:30 +0200", us(2026, 3, 4, 8, 20, 30)),
        ("2026-03-04 10:20:30,5", us(2026, 3, 4, 10, 20, 30, micro=500000)),
        ("2026/3/4 9:05", us(2026, 3, 4, 9, 5)),
        ("2026.03.04", us(2026, 3, 4)),
        (" 2026-03-04 10:20:30.1234567 ", us(2026, 3, 4, 10, 20, 30, micro=123456)),
        ("2026-03-04 10:20 UTC", us(2026, 3, 4, 10, 20)),
    ],
)
def test_iso_times_in_all_their_spellings(text, expected):
    reading, values = read([text])
    assert reading.description == "ISO 8601" + ", decimal comma" * ("," in text)
    assert values == [expected]


@pytest.mark.parametrize(
    ("texts", "said", "expected"),
    [
        (["4.3.2026 10:20", "31.12.2026 1:02:03"], "day first", us(2026, 3, 4, 10, 20)),
        (["03/04/2026 10:20", "12/31/2026 10:20"], "month first", us(2026, 3, 4, 10, 20)),
        (["03/04/2026 1:20 PM", "12/31/2026 1:02:03 am"], "month first", us(2026, 3, 4, 13, 20)),
        (["20260304", "20261231"], "digits", us(2026, 3, 4)),
        (["20260304T102030", "20261231112233"], "digits", us(2026, 3, 4, 10, 20, 30)),
        (["1772619630", "1772619631.5"], "epoch-s", us(2026, 3, 4, 10, 20, 30)),
        (
            ["1772619630,5", "1772619631"],
            "epoch-s: numbers since 1970 UTC, decimal comma",
            us(2026, 3, 4, 10, 20, 30, micro=500000),
        ),
        (["1772619630123"], "epoch-ms", us(2026, 3, 4, 10, 20, 30, micro=123000)),
        (["1772619630123456"], "epoch-us", us(2026, 3, 4, 10, 20, 30, micro=123456)),
        (["1772619630123456789"], "epoch-ns", us(2026, 3, 4, 10, 20, 30, micro=123456)),
    ],
)
def test_other_times_are_recognised_where_only_one_reading_fits(texts, said, expected):
    reading, values = read(texts)
    assert said in reading.description
    assert values[0] == expected
    assert None not in values


@pytest.mark.parametrize(
    "texts",
    [
        ["03/04/2026", "05/06/2026"],  # March or April?
        ["13/04/2026", "04/13/2026"],  # both, in one column
        ["123456"],  # seconds since when?
        ["1000000000000000000000"],
        ["5 March 2026"],
        ["yesterday", "today"],
        ["03/04/26"],
    ],
)
def test_times_with_two_readings_or_none_are_refused_and_not_quoted(texts):
    with pytest.raises(TimestampError) as error:
        read(texts)
    assert "--timestamp-format" in str(error.value)
    assert not any(text in str(error.value) for text in texts)


def test_a_row_with_the_year_first_does_not_decide_between_day_and_month():
    for year_first in ("2026-04-03", "26-04-03"):
        with pytest.raises(TimestampError, match="no row decides"):
            read(["03/04/2026", "05/06/2026", "07/08/2026", year_first])


def test_where_rows_contradict_each_other_the_hint_says_that_either_way_drops_some():
    with pytest.raises(TimestampError, match="are dropped as unreadable"):
        read(["13/02/2026", "02/13/2026"])


@pytest.mark.parametrize(
    ("wanted", "texts"),
    [
        ("day-first", ["03/04/26", "03/04/26 1:20 PM", "26-04-03", "3.4.126", "3.4.20260"]),
        ("month-first", ["03/04/26", "3/4/26 10:20"]),
        ("iso", ["26-04-03", "3-04-20 10:20", "126-04-03", "12026-04-03"]),
        ("%d/%m/%Y", ["03/04/26"]),
    ],
)
def test_a_year_of_two_digits_is_no_year_of_antiquity(wanted, texts):
    assert read(texts, wanted)[1] == [None] * len(texts)
    known = {"iso": ["2026-12-31"], "month-first": ["12/31/2026"]}.get(wanted, ["31/12/2026"])
    assert read(known * 9 + texts)[1][9:] == [None] * len(texts)


def test_a_year_of_two_digits_is_read_by_its_own_code_which_the_hint_names():
    assert read(["03/04/26"], "%d/%m/%y")[1] == [us(2026, 4, 3)]
    with pytest.raises(TimestampError, match="%y"):
        read(["03/04/26"])
    frame = pl.DataFrame({"case": ["1"], "activity": ["a"], "time": ["03/04/26"]})
    with pytest.raises(EmptyLogError, match="%y"):
        hm.from_frame(frame, timestamp_format="day-first")


@pytest.mark.parametrize("code", ["%z", "%Z"])
def test_where_a_format_has_a_zone_z_is_utc(code):
    texts = ["2026-01-05T10:00:00Z", "2026-01-05T10:00:00", "2026-01-05T10:00:00Q"]
    assert read(texts, f"%Y-%m-%dT%H:%M:%S{code}")[1] == [us(2026, 1, 5, 10), None, None]
    reading, values = read(["Z 05.01.26", "+01:00 05.01.26"], "%z %d.%m.%y")
    assert reading.zoned
    assert values == [us(2026, 1, 5), us(2026, 1, 4, 23)]
    assert read(["5.1.2026 %Z"], "%d.%m.%Y %%Z")[1] == [us(2026, 1, 5)]


@pytest.mark.parametrize(
    ("wanted", "text", "expected"),
    [
        ("day-first", "03/04/2026", us(2026, 4, 3)),
        ("month-first", "03/04/2026", us(2026, 3, 4)),
        ("%d %B %Y %H:%M", "5 March 2026 10:20", us(2026, 3, 5, 10, 20)),
        ("epoch-s", "123456", 123456 * 10**6),
        ("iso", "2026-03-04", us(2026, 3, 4)),
    ],
)
def test_the_owner_decides_with_a_format(wanted, text, expected):
    assert read([text], wanted)[1] == [expected]


@pytest.mark.parametrize("wanted", ["%Q", "dd.mm.yyyy", ""])
def test_a_format_that_is_none_is_refused(wanted):
    with pytest.raises(UsageError, match="--timestamp-format"):
        read(["2026-03-04"], wanted)


def test_an_unreadable_time_is_counted_and_a_missing_one_is_not_1970():
    frame = pl.DataFrame(
        {"case": ["1"] * 5, "activity": list("abcde"),
         "time": ["2026-01-05", "2026-99-99", "", None, "2026-01-07"]}
    )  # fmt: skip
    quality = hm.from_frame(frame).quality
    assert quality.dropped["unreadable timestamp"] == 1
    assert quality.dropped["no timestamp"] == 2
    assert quality.events == 2
    assert quality.first == "2026-01-05T00:00:00Z"


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
def test_typed_times_of_frames_are_taken_as_they_are(unit, zone):
    times = pl.Series(
        "time", [datetime(2026, 1, 5, 12), datetime(2026, 1, 5, 13)]
    ).dt.cast_time_unit(unit)
    if zone:
        times = times.dt.replace_time_zone(zone)
    log = hm.from_frame(pl.DataFrame({"case": [1, 1], "activity": ["a", "b"], "time": times}))
    assert log.quality.first == ("2026-01-05T11:00:00Z" if zone else "2026-01-05T12:00:00Z")
    assert any("no time zone" in note for note in log.notes) == (zone is None)


@pytest.mark.parametrize(
    ("microseconds", "unit"),
    [([0, 86_400_000_000], "d"), ([0, 3_600_000_000], "h"), ([0, 60_000_000], "min"),
     ([0, 1_000_000], "s"), ([0, 1_000], "ms"), ([0, 1], "us")],
)  # fmt: skip
def test_the_finest_unit_seen_is_reported(microseconds, unit):
    times = pl.Series("time", microseconds).cast(pl.Datetime("us"))
    log = hm.from_frame(pl.DataFrame({"case": [1, 1], "activity": ["a", "b"], "time": times}))
    assert log.quality.finest_unit == unit
