"""Synthetic logs of any size, always the same for the same numbers.

About 30 activities, Zipf variants, case lengths log-normal with mean 15, log-normal durations at
second or microsecond resolution, 3 % of them zero (ties). Five attributes per event in XES, case,
activity and time in Parquet and CSV. A log is made in parts of about a million events, so that
memory stays small whatever its size; a smaller log is the beginning of a larger one.

    python bench/make_log.py --events 2e8 --out bench/out/logs/log.parquet
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, parquet

if TYPE_CHECKING:
    from collections.abc import Iterator

SEED = 20261118
ACTIVITIES = 30
NAMES = [f"Handle step {number} of the request" for number in range(ACTIVITIES)]
RESOURCES = 200
VARIANTS = 5_000
MEAN_LENGTH = 15
CASES_PER_PART = 65_536
BEGIN = 1_600_000_000_000_000
SECOND = 1_000_000
ROWS_PER_GROUP = 122_880

HEAD = """<?xml version="1.0" encoding="UTF-8" ?>
<log xes.version="1.0" xes.features="nested-attributes" xmlns="http://www.xes-standard.org/">
	<extension name="Concept" prefix="concept" uri="http://www.xes-standard.org/concept.xesext"/>
	<extension name="Time" prefix="time" uri="http://www.xes-standard.org/time.xesext"/>
	<global scope="event">
		<string key="concept:name" value="UNKNOWN"/>
		<date key="time:timestamp" value="1970-01-01T00:00:00.000+00:00"/>
	</global>
"""
TRACE = '\t<trace>\n\t\t<string key="concept:name" value="'
END_TRACE = "\t</trace>\n"


class Part:
    """Whole cases, one after the other: a row per event."""

    def __init__(self, number: int, *, microseconds: bool) -> None:
        shared = np.random.default_rng(SEED)
        share = 1 / np.arange(1, VARIANTS + 1)
        share /= share.sum()
        lengths = shared.lognormal(0, 0.6, VARIANTS)
        lengths = np.maximum(
            1, np.round(lengths * MEAN_LENGTH / (lengths @ share)).astype(np.int64)
        )
        steps = shared.zipf(1.5, lengths.sum()) % ACTIVITIES
        first_step = np.cumsum(lengths) - lengths

        chance = np.random.default_rng([SEED, number])
        variant = chance.choice(VARIANTS, CASES_PER_PART, p=share)
        length = lengths[variant]
        ends = np.cumsum(length)
        row_case = np.repeat(np.arange(CASES_PER_PART), length)
        place = np.arange(ends[-1]) - (ends - length)[row_case]
        gap = chance.lognormal(np.log(3_600), 2.0, ends[-1])
        gap = (gap * SECOND).astype(np.int64) if microseconds else gap.astype(np.int64) * SECOND
        gap[chance.random(ends[-1]) < 0.03] = 0
        running = np.cumsum(gap)
        begin = BEGIN + chance.integers(0, 30_000_000, CASES_PER_PART) * SECOND
        self.case = row_case + number * CASES_PER_PART
        self.activity = steps[first_step[variant][row_case] + place]
        self.time = running - running[ends - length][row_case] + begin[row_case]
        self.resource = chance.integers(0, RESOURCES, ends[-1])
        self.cents = chance.integers(0, 10_000_000, ends[-1])

    def cut(self, events: int) -> Part:
        """Keep the first events."""
        for name, column in vars(self).items():
            setattr(self, name, column[:events])
        return self

    def table(self) -> pa.Table:
        """Case, activity and time, as the columns of a table."""
        cases, code = np.unique(self.case, return_inverse=True)
        return pa.table({
            "case:concept:name": pa.DictionaryArray.from_arrays(
                pa.array(code.astype(np.int32)), [f"case-{case}" for case in cases.tolist()]
            ),
            "concept:name": pa.DictionaryArray.from_arrays(
                pa.array(self.activity.astype(np.int32)), NAMES
            ),
            "time:timestamp": pa.array(self.time, type=pa.int64()).cast(pa.timestamp("us")),
        })  # fmt: skip

    def xes(self) -> pa.Buffer:
        """The traces as XES, five attributes per event."""
        opens = np.diff(self.case, prepend=-1) != 0
        closes = np.append(opens[1:], True)
        fine = (self.time % SECOND % 1_000).any()
        stamps = pa.array(self.time + 7_200 * SECOND).cast(pa.timestamp("us"))
        stamps = stamps if fine else stamps.cast(pa.timestamp("ms"))
        name = pc.binary_join_element_wise(TRACE, pa.array(self.case).cast("string"), '"/>\n', "")
        text = pc.binary_join_element_wise(
            pc.if_else(pa.array(opens), name, ""),
            '\t\t<event>\n\t\t\t<string key="org:resource" value="Resource ',
            pa.array(self.resource).cast("string"),
            '"/>\n\t\t\t<date key="time:timestamp" value="',
            pc.strftime(stamps, "%Y-%m-%dT%H:%M:%S"),
            '+02:00"/>\n\t\t\t<string key="concept:name" value="',
            pa.array(NAMES).take(pa.array(self.activity)),
            '"/>\n\t\t\t<string key="lifecycle:transition" value="complete"/>\n'
            '\t\t\t<float key="cost:total" value="',
            pa.array(self.cents / 100).cast("string"),
            '"/>\n\t\t</event>\n',
            pc.if_else(pa.array(closes), END_TRACE, ""),
            "",
        )
        return pa.chunked_array(text).combine_chunks().buffers()[2]


def parts(events: int, *, microseconds: bool) -> Iterator[Part]:
    """The log part by part, until there are so many events."""
    number = 0
    while events > 0:
        part = Part(number, microseconds=microseconds).cut(events)
        yield part
        events -= len(part.case)
        number += 1


def write(events: int, out: Path, *, microseconds: bool = False) -> None:
    """Write the log as Parquet, CSV or XES, by the ending of its name."""
    out.parent.mkdir(parents=True, exist_ok=True)
    unfinished = out.with_name(f"{out.name}.part")
    if out.suffix == ".xes":
        with unfinished.open("wb") as stream:
            stream.write(HEAD.encode())
            for part in parts(events, microseconds=microseconds):
                stream.write(part.xes())
            stream.write(b"</log>\n")
    else:
        writer = None
        for part in parts(events, microseconds=microseconds):
            table = part.table()
            if out.suffix == ".csv":
                table = table.cast(pa.schema([(f.name, pa.string()) for f in table.schema]))
                writer = writer or csv.CSVWriter(unfinished, table.schema)
                writer.write_table(table)
            else:
                writer = writer or parquet.ParquetWriter(unfinished, table.schema)
                writer.write_table(table, row_group_size=ROWS_PER_GROUP)
        assert writer is not None, "a log has events"
        writer.close()
    unfinished.rename(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=float, default=1e6)
    parser.add_argument("--out", type=Path, required=True, help="NAME.parquet, .csv or .xes")
    parser.add_argument("--microseconds", action="store_true", help="nearly all durations differ")
    chosen = parser.parse_args()
    write(int(chosen.events), chosen.out, microseconds=chosen.microseconds)


if __name__ == "__main__":
    main()
