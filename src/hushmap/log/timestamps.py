"""How the times of a log are read: one SQL expression, chosen without guessing in silence.

Every reading ends in whole microseconds since 1970 in UTC. Where a column can be read in two ways
(3/4/2026: March or April?) all rows are asked; if they do not decide, the owner must
(``--timestamp-format``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hushmap.exceptions import EngineError, TimestampError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    Ask = Callable[[str], Sequence[Any]]
    CountAll = Callable[[Sequence[str]], Sequence[int]]

FORMAT_HELP = (
    "iso, day-first, month-first, epoch-s, epoch-ms, epoch-us, epoch-ns, "
    "or codes such as '%d.%m.%Y %H:%M' (%y for a year of two digits)"
)
SAMPLE_ROWS = 100_000
_CLOCK = r"(?:[ T]\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)?"
_HALF_DAY = r"(?: ?[AaPp]\.?[Mm]\.?)?"
_ZONE = r"(?: ?(?:Z|UTC|[+-]\d{2}(?::?\d{2})?))?"
_SHAPES = {
    "iso": rf"\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}{_CLOCK}{_ZONE}",
    "compact": rf"\d{{8}}(?:[T ]?\d{{6}}(?:[.,]\d{{1,9}})?)?{_ZONE}",
    "slashed": rf"\d{{1,2}}[-/.]\d{{1,2}}[-/.]\d{{4}},?{_CLOCK}{_HALF_DAY}{_ZONE}",
    "number": r"\d{9,19}(?:[.,]\d+)?",
}
_YEAR_LAST = r"^(\d{1,2})[-/.](\d{1,2})[-/.]\d{4}(?:\D|$)"
_DECIMAL_COMMA = r"\d,\d{1,9}(?: ?(?:Z|UTC|[+-][\d:]+))?$"
_HAS_ZONE = r"(?:Z|UTC|:\d{2} ?[+-]\d{2}(?::?\d{2})?|\.\d+ ?[+-]\d{2}(?::?\d{2})?)$"
# Codes of a format; %% is a sign by itself.
_CODE = re.compile(r"%.")
_ZONE_CODES = {"%z", "%Z"}
_YEAR_100 = -59_011_459_200_000_000
_EPOCH_FACTORS = {"epoch-s": 10**6, "epoch-ms": 10**3, "epoch-us": 1}
# The years 1 to 9999 in microseconds: what XES and people can write. What lies outside stands for
# something else (infinity, a broken number) and would overflow the differences.
EARLIEST, LATEST = -62_135_596_800_000_000, 253_402_300_799_999_999
# Epoch numbers are believed where exactly one unit puts all of them between 1980 and 2100.
_PLAUSIBLE_SECONDS = (315_532_800, 4_102_444_800)


@dataclass(frozen=True, slots=True)
class TimestampReading:
    """How a column of times is read.

    Attributes:
        expression: SQL that gives microseconds since 1970 UTC, NULL where unreadable.
        description: The reading in words, for the report.
        zoned: Whether the column carries time zones; None where it may do so row by row.
    """

    expression: str
    description: str
    zoned: bool | None


def read_timestamps(
    ask: Ask,
    relation: str,
    column: str,
    sql_type: str,
    wanted: str | None,
    *,
    where: str | None = None,
    count_all: CountAll | None = None,
) -> TimestampReading:
    """Decide how a column is read.

    Args:
        ask: Runs a query of one row where the relation lives.
        relation: SQL of a table that has the column, or of a sample of its rows.
        column: The quoted name of the column.
        sql_type: Its type in DuckDB's words.
        wanted: The owner's ``--timestamp-format``, or None.
        where: The source, for the error.
        count_all: Counts the rows of the whole log that meet each of some conditions; those of the
            relation where None.

    Raises:
        TimestampError: The column has two readings, or none.
        UsageError: The wanted format is no format.

    Example:
        >>> from hushmap.log.event_log import Workspace
        >>> read_timestamps(Workspace().row, "(select '2026-01-05 10:00' as t)", "t", "VARCHAR",
        ...                 None).description
        'ISO 8601'
    """
    if sql_type.startswith("TIMESTAMP WITH TIME ZONE"):
        return TimestampReading(f"epoch_us({column})", "timestamps with a time zone", zoned=True)
    if sql_type in {"TIMESTAMP_NS", "TIMESTAMPTZ_NS"}:
        zoned = sql_type == "TIMESTAMPTZ_NS"
        said = f"timestamps {'with' if zoned else 'without'} a time zone, cut to µs"
        return TimestampReading(_cut(f"epoch_ns({column})"), said, zoned)
    if sql_type.startswith("TIMESTAMP") or sql_type == "DATE":
        expression = f"epoch_us(try_cast({column} AS TIMESTAMP))"
        return TimestampReading(expression, "timestamps without a time zone", zoned=False)
    if sql_type == "VARCHAR":
        column = f"trim({column})"
    elif sql_type == '"NULL"':  # no row has a value
        column = f"{column}::VARCHAR"
    elif _is_number(sql_type):
        column = f"{column}::VARCHAR" if "INT" in sql_type else f"printf('%.6f', {column})"
    else:
        raise TimestampError(
            f"The column of times has the type {sql_type}, which holds no times.",
            where=where,
            hint="Name another column with --timestamp.",
        )
    if wanted is not None:
        return _wanted_reading(ask, column, wanted)
    if count_all is None:

        def count_all(conditions: Sequence[str]) -> Sequence[int]:
            counts = ", ".join(f"count_if({condition})" for condition in conditions)
            return ask(f"SELECT {counts} FROM {relation}")

    return _recognised_reading(ask, relation, column, where, count_all)


def _cut(nanoseconds: str) -> str:
    """Whole microseconds, always towards the past: SQL's own division goes towards 1970."""
    return f"(({nanoseconds} - (({nanoseconds} % 1000) + 1000) % 1000) // 1000)"


def _is_number(sql_type: str) -> bool:
    return "INT" in sql_type or sql_type in {"DOUBLE", "FLOAT"} or sql_type.startswith("DECIMAL")


def _iso(text: str) -> str:
    """Text with year first."""
    # Words such as epoch would be read as a time, and 26 as a year of antiquity.
    return f"CASE WHEN regexp_matches({text}, '^\\d{{4}}[-/.]\\d') THEN {_cast(text)} END"


def _cast(text: str) -> str:
    """Slashes become dashes, commas points, then DuckDB's own cast."""
    dashed = rf"regexp_replace({text}, '^(\d+)[-/.](\d+)[-/.](\d+)', '\1-\2-\3')"
    joined = rf"regexp_replace({dashed}, ' (Z|[+-]\d[\d:]*)$', '\1')"
    return f"epoch_us(try_cast(replace({joined}, ',', '.') AS TIMESTAMPTZ))"


def _slashed(text: str, *, day_first: bool) -> str:
    """Text with year last; a clock of twelve hours is brought to twenty-four by its own format."""
    order = r"\3-\2-\1" if day_first else r"\3-\1-\2"
    iso = rf"regexp_replace({text}, '^(\d+)[-/.](\d+)[-/.](\d+),?', '{order}')"
    half_day = rf"regexp_matches({text}, '[AaPp]\.?[Mm]\.?$')"
    upper = (
        f"upper(replace(regexp_replace({iso}, ' ?([AaPp])\\.?([Mm])\\.?$', ' \\1\\2'), ',', '.'))"
    )
    formats = "['%Y-%m-%d %I:%M:%S.%f %p', '%Y-%m-%d %I:%M:%S %p', '%Y-%m-%d %I:%M %p']"
    return (
        f"CASE WHEN NOT regexp_matches({text}, '{_YEAR_LAST}') THEN NULL "
        f"WHEN {half_day} THEN epoch_us(try_strptime({upper}, {formats})) ELSE {_cast(iso)} END"
    )


def _compact(text: str) -> str:
    shape = r"^(\d{4})(\d{2})(\d{2})(?:[T ]?(\d{2})(\d{2})(\d{2}))?"
    dashed = rf"regexp_replace({text}, '{shape}', '\1-\2-\3 \4:\5:\6')"
    return f"epoch_us(try_cast(replace(replace({dashed}, ' ::', ''), ',', '.') AS TIMESTAMPTZ))"


def _number(text: str) -> str:
    """A number whose decimals may follow a point or a comma."""
    return f"try_cast(replace({text}, ',', '.') AS DECIMAL(38, 6))"


def _epoch(text: str, unit: str) -> str:
    number = _number(text)
    if unit == "epoch-ns":
        return f"try_cast(floor({number} / 1000) AS BIGINT)"
    return f"try_cast(floor({number} * {_EPOCH_FACTORS[unit]}) AS BIGINT)"


def _wanted_reading(ask: Ask, text: str, wanted: str) -> TimestampReading:
    named = {
        "iso": _iso(text),
        "day-first": _slashed(text, day_first=True),
        "month-first": _slashed(text, day_first=False),
        "epoch-s": _epoch(text, "epoch-s"),
        "epoch-ms": _epoch(text, "epoch-ms"),
        "epoch-us": _epoch(text, "epoch-us"),
        "epoch-ns": _epoch(text, "epoch-ns"),
    }
    said = f"{wanted}, as named by you"
    if wanted in named:
        return TimestampReading(named[wanted], said, zoned=None)
    if "%" not in wanted or not _is_format(ask, wanted):
        raise UsageError(
            f"--timestamp-format is {wanted!r}, which is no format.", hint=f"Write {FORMAT_HELP}."
        )
    codes = set(_CODE.findall(wanted))
    # Where a zone may stand, Z is UTC; the engine takes it for no zone.
    formats = [wanted, _CODE.sub(_zulu, wanted)] if codes & _ZONE_CODES else [wanted]
    readings = [f"epoch_us(try_strptime({text}, {_literal(form)}))" for form in formats]
    expression = f"coalesce({', '.join(readings)})"
    if "%Y" in codes:  # the engine would take 26 for a year of antiquity
        expression = f"CASE WHEN {expression} >= {_YEAR_100} THEN {expression} END"
    return TimestampReading(expression, said, zoned=bool(codes & _ZONE_CODES))


def _zulu(code: re.Match[str]) -> str:
    return "Z" if code.group() in _ZONE_CODES else code.group()


def _is_format(ask: Ask, text: str) -> bool:
    try:
        ask(f"SELECT try_strptime('', {_literal(text)})")
    except EngineError:
        return False
    return True


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _recognised_reading(
    ask: Ask,
    relation: str,
    text: str,
    where: str | None,
    count_all: CountAll,
) -> TimestampReading:
    sample = f"(SELECT {text} AS t FROM {relation} WHERE {text} <> '' LIMIT {SAMPLE_ROWS})"
    counts = ", ".join(f"count_if(regexp_full_match(t, '{shape}'))" for shape in _SHAPES.values())
    zoned_count = f"count_if(regexp_matches(t, '{_HAS_ZONE}'))"
    comma_count = f"count_if(regexp_matches(t, '{_DECIMAL_COMMA}'))"
    total, with_zone, commas, *matches = ask(
        f"SELECT count(*), {zoned_count}, {comma_count}, {counts} FROM {sample}"
    )
    if total == 0:
        # Nothing to read; the rows are counted as without a time.
        return TimestampReading(_iso(text), "no times at all", zoned=None)
    zoned = True if with_zone == total else False if with_zone == 0 else None
    shapes = sorted(zip(matches, _SHAPES, strict=True), key=lambda pair: -pair[0])
    best_count, best = shapes[0]
    if 2 * best_count <= total:
        raise TimestampError(
            "The times have no form that is recognised; most look like "
            f"{_commonest_shape(ask, sample)!r} (9 for any digit, a for any letter).",
            where=where,
            hint=f"Say how to read them with --timestamp-format: {FORMAT_HELP}.",
        )
    reading = _reading_of(best, ask, sample, text, zoned, where, count_all)
    if commas:
        return replace(reading, description=f"{reading.description}, decimal comma")
    return reading


def _reading_of(
    best: str,
    ask: Ask,
    sample: str,
    text: str,
    zoned: bool | None,
    where: str | None,
    count_all: CountAll,
) -> TimestampReading:
    """How times of one shape are read."""
    if best == "iso":
        return TimestampReading(_iso(text), "ISO 8601", zoned)
    if best == "slashed":
        return _day_or_month_first(text, zoned, where, count_all)
    if best == "compact" and _all_readable(ask, sample, _compact("t")):
        return TimestampReading(_compact(text), "digits: year, month, day, clock", zoned)
    return _which_epoch(ask, sample, text, where)


def _all_readable(ask: Ask, sample: str, expression: str) -> bool:
    (all_of_them,) = ask(f"SELECT bool_and({expression} IS NOT NULL) FROM {sample}")
    return bool(all_of_them)


def _commonest_shape(ask: Ask, sample: str) -> str:
    """The commonest form with its digits and letters masked, so that no time of the log shows."""
    masked = r"regexp_replace(regexp_replace(t[:40], '\d', '9', 'g'), '\pL', 'a', 'g')"
    (shape,) = ask(
        f"SELECT {masked} AS shape FROM {sample} "
        "GROUP BY shape ORDER BY count(*) DESC, shape LIMIT 1"
    )
    return str(shape)


def _day_or_month_first(
    text: str, zoned: bool | None, where: str | None, count_all: CountAll
) -> TimestampReading:
    first, second = (
        f"try_cast(regexp_extract({text}, '{_YEAR_LAST}', {place}) AS INTEGER)" for place in (1, 2)
    )
    day_first, month_first = count_all(
        [f"{first} > 12 AND {second} <= 12", f"{second} > 12 AND {first} <= 12"]
    )
    if day_first and not month_first:
        return TimestampReading(_slashed(text, day_first=True), "day first (31/12/2026)", zoned)
    if month_first and not day_first:
        return TimestampReading(_slashed(text, day_first=False), "month first (12/31/2026)", zoned)
    what = "The dates can be read with the day first or with the month first, and "
    if day_first:
        raise TimestampError(
            f"{what}some rows can only be the one and some only the other.",
            where=where,
            hint="Write them all in one form. With --timestamp-format day-first (or month-first) "
            "the rows that can only be the other are dropped as unreadable.",
        )
    raise TimestampError(
        f"{what}no row decides.",
        where=where,
        hint="Say which with --timestamp-format day-first or --timestamp-format month-first.",
    )


def _which_epoch(ask: Ask, sample: str, text: str, where: str | None) -> TimestampReading:
    number = _number("t")
    smallest, largest = ask(f"SELECT min({number}), max({number}) FROM {sample}")
    low, high = _PLAUSIBLE_SECONDS
    fitting = [
        unit
        for unit, per_second in (
            ("epoch-s", 1),
            ("epoch-ms", 10**3),
            ("epoch-us", 10**6),
            ("epoch-ns", 10**9),
        )
        if smallest is not None and low * per_second <= smallest and largest <= high * per_second
    ]
    if len(fitting) == 1:
        said = f"{fitting[0]}: numbers since 1970 UTC"
        return TimestampReading(_epoch(text, fitting[0]), said, zoned=True)
    raise TimestampError(
        "The times are numbers, and it is not clear of what unit since when.",
        where=where,
        hint=f"Say how to read them with --timestamp-format: {FORMAT_HELP}.",
    )


def timestamp_shape(text: str) -> bool:
    """Whether a piece of text looks like a time; a heading of a column does not.

    Example:
        >>> timestamp_shape("2026-01-05 10:00"), timestamp_shape("timestamp")
        (True, False)
    """
    return any(re.fullmatch(shape, text.strip()) for shape in _SHAPES.values())
