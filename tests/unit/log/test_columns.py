"""Columns are recognised by name, reported, and never guessed where two fit."""

import polars as pl
import pytest

import hushmap as hm
from hushmap.exceptions import ColumnError
from hushmap.log import columns
from hushmap.log.columns import choose_columns


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["case:concept:name", "concept:name", "time:timestamp", "lifecycle:transition"],
         ("case:concept:name", "concept:name", "time:timestamp", "lifecycle:transition")),
        (["Case ID", "Activity", "Complete Timestamp"],
         ("Case ID", "Activity", "Complete Timestamp", None)),
        (["CASEID", "TASK", "DATETIME"], ("CASEID", "TASK", "DATETIME", None)),
        (["Fall", "Aktivität", "Zeitstempel"], ("Fall", "Aktivität", "Zeitstempel", None)),
        (["Fall-ID", "Tätigkeit", "Zeitpunkt"], ("Fall-ID", "Tätigkeit", "Zeitpunkt", None)),
        (["zaak_id", "activiteit", "tijdstip"], ("zaak_id", "activiteit", "tijdstip", None)),
        # The standard's names win over synonyms, strong synonyms over weak ones.
        (["case", "case:concept:name", "concept:name", "activity", "time:timestamp", "time"],
         ("case:concept:name", "concept:name", "time:timestamp", None)),
        (["patient", "case_id", "event", "activity", "date", "timestamp"],
         ("case_id", "activity", "timestamp", None)),
    ],
)  # fmt: skip
def test_well_known_names_are_recognised(names, expected):
    choice = choose_columns(names)
    assert (choice.case, choice.activity, choice.timestamp, choice.lifecycle) == expected
    assert all("recognised" in line for line in choice.sentences())


def test_two_columns_that_fit_equally_well_are_an_error_that_names_both():
    with pytest.raises(ColumnError) as error:
        choose_columns(["case", "Case ID", "activity", "timestamp"])
    assert "'case'" in str(error.value)
    assert "'Case ID'" in str(error.value)
    assert "--case" in str(error.value)
    assert "The columns are 'case', 'Case ID', 'activity', 'timestamp'." in str(error.value)


def test_of_columns_that_bear_one_name_the_hint_is_to_rename_one():
    for named in ({}, {"case": "case"}):
        with pytest.raises(ColumnError, match="Rename one of them") as error:
            choose_columns(["case", "case", "activity", "timestamp"], **named)
        assert "--case" not in str(error.value)
    with pytest.raises(ColumnError, match="--case 'Case ID'"):
        choose_columns(["case", "case", "Case ID", "activity", "timestamp"])
    with pytest.raises(ColumnError, match="--case 'Case'"):
        choose_columns(["Case", "CASE", "activity", "timestamp"], case="case")


def test_a_missing_column_is_an_error_that_lists_the_columns_and_the_nearest():
    with pytest.raises(ColumnError) as error:
        choose_columns(["case", "activiti", "timestamp"])
    assert "Did you mean 'activiti'?" in str(error.value)
    with pytest.raises(ColumnError) as error:
        choose_columns(["case", "activity", "timestamp"], activity="activty")
    assert "Did you mean 'activity'?" in str(error.value)


def test_a_named_column_may_differ_in_case_but_not_be_there_twice():
    assert (
        choose_columns(["x", "Step", "t"], case="x", activity="step", timestamp="t").activity
        == "Step"
    )
    with pytest.raises(ColumnError, match="2 columns"):
        choose_columns(["case", "a", "a", "time"], activity="a")
    with pytest.raises(ColumnError, match="both"):
        choose_columns(["case", "activity", "time"], activity="case")


def test_a_column_of_any_name_and_type_can_be_the_case():
    from datetime import datetime

    times = [datetime(2026, 1, 5, hour) for hour in range(4)]
    for cases in ([1, 1, 2, 2], [1.0, 1.0, None, float("nan")], ["x", "x", "", None]):
        frame = pl.DataFrame(
            {'we"ird; name': cases, "activity": list("abab"), "time": times}, strict=False
        )
        log = hm.from_frame(frame, case='we"ird; name')
        assert log.quality.cases == (2 if None not in cases else 1)
        assert log.quality.dropped["no case"] == (0 if None not in cases else 2)


WIDE = {"case": ["1"] * 3, "activity": list("abc"), "timestamp": ["2026-01-05 10:00"] * 3}


def wide(number):
    return pl.DataFrame(
        WIDE | {f"a further attribute {place}": ["x"] * 3 for place in range(number)}
    )


@pytest.mark.parametrize("kind", ["csv", "parquet", "frame"])
def test_a_wide_table_costs_each_column_the_same_work(kind, monkeypatch, tmp_path):
    """A name is looked at a few times, however many other columns there are."""
    looked_at = []
    plain = columns._plain
    monkeypatch.setattr(columns, "_plain", lambda name: looked_at.append(name) or plain(name))
    per_column = []
    for number in (20, 200):
        looked_at.clear()
        if kind == "frame":
            hm.from_frame(wide(number))
        else:
            path = tmp_path / f"log.{kind}"
            getattr(wide(number), f"write_{kind}")(path)
            hm.read_log(path)
        per_column.append(len(looked_at) / (number + len(WIDE)))
    assert per_column[0] == per_column[1] <= 8


def test_a_header_of_many_thousand_names_is_read_to_its_end(tmp_path):
    path = tmp_path / "log.csv"
    wide(5_000).write_csv(path)
    assert path.read_text().index("\n") > 1 << 16
    assert hm.read_log(path).quality.events == 3
