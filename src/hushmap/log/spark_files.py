"""Parquet and CSV files as Spark reads them, with the place of every row in its file.

The order of rows, which decides equal times, is that of the files and never that of a scan:

- the files go by their names, as everywhere;
- Parquet: the row's own number in its file, ``_metadata.row_index``;
- CSV: the offset of the block that the row was read from, and a number that ascends within the
  block as the rows stand in it (a block is read by one task, from its beginning to its end).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import unquote

import numpy as np

from hushmap.exceptions import ColumnError, EngineError, LogError, UsageError
from hushmap.log.csv_files import csv_dialect_in_place
from hushmap.log.rows import ROWS_PER_FILE_BITS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hushmap.log.csv_files import CsvDialect
    from hushmap.log.options import ReadOptions
    from hushmap.log.spark_session import SparkFrame, SparkSession

_ENDINGS = {".parquet": "parquet", ".pq": "parquet", ".csv": "csv", ".csv.gz": "csv",
            ".tsv": "csv", ".tsv.gz": "csv", ".txt": "csv"}  # fmt: skip
# Below this a CSV is read by one task anyway, so that nobody need know whether it may be split.
_WORTH_SPLITTING = 2**27
_SCHEME = "^[^:/]+:/*"
# What an executor says where a CSV is not UTF-8: Spark puts U+FFFD for what it cannot read.
NOT_UTF8 = "hushmap: not UTF-8"
FIRST_COLUMN = "c0"


@dataclass(frozen=True, slots=True)
class SparkRows:
    """A log as Spark finds it.

    Attributes:
        frame: Columns c0, c1, … and what ``sequence`` needs.
        names: What the columns are called.
        source: Where they came from, in words.
        notes: What was recognised.
        sequence: DuckDB's SQL of the row's place; ``activity`` may occur in it.
        numbered: Whether the rows have an order of their own.
        decoded: Whether Spark decoded the text, and may have met what is no UTF-8.
    """

    frame: SparkFrame
    names: Sequence[str]
    source: str
    notes: list[str]
    sequence: str = "seq"
    numbered: bool = True
    decoded: bool = False


@dataclass(frozen=True, slots=True)
class SparkFiles:
    """The files of a log, in order.

    Attributes:
        source: What the owner gave.
        patterns: The same in Spark's way of writing paths.
        addresses: Of every file, as Spark writes them, in the order of their names.
        kind: ``parquet`` or ``csv``.
    """

    source: str
    patterns: Sequence[str]
    addresses: Sequence[str]
    kind: str

    def here(self) -> list[Path]:
        """Those of the files that are on this machine."""
        paths = [Path(str(_name(address))) for address in self.addresses if _is_local(address)]
        return [path for path in paths if path.is_file()]


def _is_local(address: str) -> bool:
    return address.startswith("file:")


def spark_pattern(path: Path) -> str:
    r"""A path of this machine as Spark reads paths, whose stars and brackets mean something.

    Example:
        >>> from pathlib import Path
        >>> print(spark_pattern(Path("/logs/a[1].csv")))
        /logs/a\[1\].csv
    """
    return re.sub(r"([\\*?\[\]{}])", r"\\\1", str(path.absolute()))


def files_of(session: SparkSession, source: str, patterns: Sequence[str]) -> SparkFiles:
    """The files that the patterns name, in the order of their names.

    Raises:
        LogError: There is none, or Spark overlooks some.
        UsageError: They are of a format that Spark does not read here, or of several.
    """
    from pyspark.errors import PySparkException

    try:
        listed = session.read.format("binaryFile").load(list(patterns)).inputFiles()
    except PySparkException as error:
        raise LogError(
            "Spark finds no such file.",
            where=source,
            hint="Check the path; a name with a colon is none that Spark can read.",
            owner_details=str(error),
        ) from None
    addresses = sorted(listed, key=_name)
    if not addresses:
        raise LogError(
            "Spark finds no file there.",
            where=source,
            hint="It overlooks names that begin with _ or a point.",
        )
    kinds = {_kind(address) for address in addresses}
    if len(kinds) > 1 or None in kinds:
        raise UsageError(
            "Spark reads logs in Parquet or CSV, all files in one of them.",
            where=source,
            hint="Give files that end in .parquet, .csv or .csv.gz; for XES use --engine duckdb.",
        )
    return SparkFiles(source, patterns, addresses, str(kinds.pop()))


def _name(address: str) -> PurePosixPath:
    return PurePosixPath(unquote(re.sub(_SCHEME, "/", address)))


def _kind(address: str) -> str | None:
    name = _name(address).name.lower()
    return next((kind for ending, kind in _ENDINGS.items() if name.endswith(ending)), None)


def parquet_rows(session: SparkSession, files: SparkFiles, options: ReadOptions) -> SparkRows:
    """Parquet files; the row number is the file's own."""
    del options
    frame = session.read.parquet(*files.patterns)
    numbered = parquet_order(frame)
    assert numbered is not None
    return SparkRows(numbered, frame.columns, files.source, ["Parquet"])


def parquet_order(frame: SparkFrame) -> SparkFrame | None:
    """The columns as c0, c1, … with ``seq``; None where the frame is not made of Parquet files."""
    from pyspark.errors import AnalysisException
    from pyspark.sql import functions as F  # noqa: N812 - as everywhere

    try:
        place = frame.metadataColumn("_metadata")
        with_place = frame.select(
            "*", place["file_path"].alias("_file"), place["row_index"].alias("_row")
        )
        with_place.schema  # noqa: B018 - resolves the columns now
    except AnalysisException:
        return None
    numbered = _file_numbers(with_place.toDF(*_plain_names(frame), "_file", "_row"))
    seq = F.shiftleft("_place", ROWS_PER_FILE_BITS) + F.col("_row")
    return numbered.withColumn("seq", seq).drop("_file", "_row", "_place")


def _plain_names(frame: SparkFrame) -> list[str]:
    return [f"c{place}" for place in range(len(frame.columns))]


def _file_numbers(frame: SparkFrame) -> SparkFrame:
    """The place of each row's file, by the column ``_file``; an executor knows all names."""
    import pyarrow as pa
    from pyspark.sql import functions as F  # noqa: N812

    addresses = sorted(frame.inputFiles(), key=_name)
    if len(addresses) == 1:
        return frame.withColumn("_place", F.lit(0).cast("bigint"))
    names = [re.sub(_SCHEME, "", address) for address in addresses]
    table = pa.table({"_name": names, "_known": np.arange(len(names), dtype=np.int64)})
    known = F.broadcast(frame.sparkSession.createDataFrame(table))
    stem = F.regexp_replace("_file", _SCHEME, "")
    unknown = F.raise_error(F.lit("hushmap: a file that was not listed"))
    joined = frame.join(known, stem == known["_name"], "left")
    return joined.withColumn("_place", F.coalesce("_known", unknown)).drop("_name", "_known")


def csv_rows(session: SparkSession, files: SparkFiles, options: ReadOptions) -> SparkRows:
    """CSV files of one header; strictly as RFC 4180 has it, like everywhere."""
    from pyspark.sql import functions as F  # noqa: N812

    dialect = _dialect(session, files, options)
    split = _may_be_split(session, files, dialect)
    schema = ", ".join(f"{_backquoted(name)} STRING" for name in dialect.columns)
    _require_distinct(dialect.columns, files.source)
    frame = session.read.csv(
        list(files.patterns),
        schema=schema,
        sep=dialect.delimiter,
        quote=dialect.quote,
        escape=dialect.quote,
        header=True,
        enforceSchema=False,  # compares the header of every file
        mode="FAILFAST",
        multiLine=not split,
        unescapedQuoteHandling="RAISE_ERROR",
        ignoreLeadingWhiteSpace=False,
        ignoreTrailingWhiteSpace=False,
        columnNameOfCorruptRecord="hushmap_corrupt_record",
    )
    place = frame.metadataColumn("_metadata")
    with_place = frame.select(
        "*",
        place["file_path"].alias("_file"),
        place["file_block_start"].alias("_block"),
        F.monotonically_increasing_id().alias("_row"),
    ).toDF(*_plain_names(frame), "_file", "_block", "_row")
    numbered = _file_numbers(with_place)
    seq = F.struct("_place", "_block", "_row")
    notes = dialect.sentences()
    if not split and len(files.addresses) == 1:
        notes.append("one CSV file is read by one task; Parquet or several files are read by many")
    return SparkRows(
        numbered.withColumn("seq", seq).drop("_file", "_block", "_row", "_place"),
        dialect.columns,
        files.source,
        notes,
        decoded=True,
    )


def _backquoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _require_distinct(columns: Sequence[str], source: str) -> None:
    if len({name.casefold() for name in columns}) < len(columns):
        raise ColumnError(
            "Two columns have the same name.", where=source, hint="Give each a name of its own."
        )


def _dialect(session: SparkSession, files: SparkFiles, options: ReadOptions) -> CsvDialect:
    """How the first file is written; Spark compares the headers of the others as it reads them."""
    first = files.addresses[0]
    path = Path(str(_name(first)))
    if _is_local(first) and path.is_file():
        return csv_dialect_in_place(path, options)
    # Separated by what cannot occur, the header line is the name of the only column.
    line = session.read.csv(first, sep="\x01", quote="", header=True).columns[0]
    return csv_dialect_in_place(path, options, first_line=line)


def _may_be_split(session: SparkSession, files: SparkFiles, dialect: CsvDialect) -> bool:
    """Whether no quoted value goes on in the next line, so that tasks may share a file.

    It is so if every line has an even number of quotes: the first line begins outside quotes, so
    it ends outside, so does the next. Asked only of files that are worth it.
    """
    from pyspark.sql import functions as F  # noqa: N812

    sizes = session.read.format("binaryFile").load(list(files.patterns))
    plain = sizes.where(~F.col("path").endswith(".gz"))
    (largest,) = plain.agg(F.max("length")).first()
    if largest is None or largest < _WORTH_SPLITTING:
        return False
    lines = session.read.text(list(files.patterns))
    quotes = F.length("value") - F.length(F.replace("value", F.lit(dialect.quote), F.lit("")))
    return bool(lines.where(quotes % 2 == 1).isEmpty())


def error_of_file(error: EngineError, source: str) -> LogError | EngineError:
    """Spark's complaint about a file, without the row that it quotes."""
    text = error.owner_details or ""
    hint = "Run again with --owner-details for Spark's own words."
    if NOT_UTF8 in text:
        what = "The file is not UTF-8 (or holds the sign � that stands for what is not)."
        hint = "Recode it, write it as Parquet, or use --engine duckdb --encoding."
    elif "header does not conform" in text or "header in CSV file" in text:
        return ColumnError(
            "The files have different columns.",
            where=source,
            hint="Several files are read as one log; give those of one log only.",
            owner_details=text,
        )
    elif "MALFORMED_RECORD" in text or "TextParsingException" in text:
        what = "A row is not written as a CSV should be (RFC 4180), or has another number of "
        what += "columns than the header."
        hint = "Quote values that hold the delimiter, or say which it is with --delimiter."
    elif "TIMESTAMP(NANOS" in text or "PARQUET_TYPE_ILLEGAL" in text:
        what = "A column of the Parquet file has a type that Spark does not read."
        hint = "Write times in microseconds (not nanoseconds), or use --engine duckdb."
    elif "is not a Parquet file" in text or "CANNOT_READ_FILE_FOOTER" in text:
        what = "The file is no Parquet file, or it is damaged."
        hint = "Write it again, or name it as what it is (.csv)."
    else:
        return error
    return LogError(what, where=source, hint=hint, owner_details=text)
