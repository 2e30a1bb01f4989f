"""CSV and TSV: the dialect is recognised from the header line and reported, never guessed twice.

DuckDB parses; this module finds out how (delimiter, quote, encoding, packing) and turns DuckDB's
errors, which quote the offending row, into messages that name the row by its number only.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import shutil
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from hushmap.exceptions import ColumnError, LogError, LogTooLargeError
from hushmap.log.timestamps import timestamp_shape
from hushmap.log.xes_source import OTHER_FORMATS, opened, unpacks_too_far

if TYPE_CHECKING:
    from pathlib import Path

    from hushmap.log.event_log import Workspace
    from hushmap.log.options import ReadOptions

_GZIP_MAGIC = b"\x1f\x8b"
_DELIMITERS = (",", ";", "\t", "|")
_DELIMITER_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_BOMS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<[?!\w]")
# What no heading of a column looks like: a number, a clock, a date, a piece of markup.
_VALUE = re.compile(
    r"^\s*-?\d+([.,]\d+)?\s*$|\d{1,2}:\d{2}|\b\d{1,4}[-/.]\w{1,9}[-/.]\d{2,4}\b|<\w|="
)
# The header is looked for in so many bytes; the engine takes no line that is longer than 2 MB.
_HEAD = 1 << 21
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class CsvDialect:
    """How one CSV file is written.

    Attributes:
        name: Of the file, for people.
        path: Of the bytes to read: the file, or a copy of it in UTF-8.
        skipped: Lines before the header: blank ones, and the ``sep=;`` of spreadsheets.
    """

    name: str
    path: Path
    columns: tuple[str, ...]
    delimiter: str
    quote: str
    packed: bool
    encoding: str
    skipped: int = 0

    def sql(self) -> str:
        """SQL that reads the file; its columns are c0, c1, … as text."""
        names = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(len(self.columns)))
        path, quote, delimiter = (
            text.replace("'", "''") for text in (str(self.path), self.quote, self.delimiter)
        )
        packing = "gzip" if self.packed else "none"
        # A path with brackets or stars is a name here, not a pattern: the list is already expanded.
        return (
            f"read_csv(['{_escape_glob(path)}'], delim='{delimiter}', quote='{quote}', "
            f"escape='{quote}', header=true, skip={self.skipped}, columns={{{names}}}, "
            f"auto_detect=false, strict_mode=true, compression='{packing}')"
        )

    def sentences(self) -> list[str]:
        """What was recognised, for the report."""
        delimiter = _DELIMITER_NAMES.get(self.delimiter, repr(self.delimiter))
        packing = ", gzip" if self.packed else ""
        return [f"CSV separated by {delimiter}, quoted by {self.quote}, {self.encoding}{packing}"]


def csv_dialect(path: Path, workspace: Workspace, options: ReadOptions) -> CsvDialect:
    """Recognise how a CSV file is written; recodes it into the workspace if it is not UTF-8.

    Raises:
        LogError: The file is empty, has no header line or cannot be decoded.
        LogTooLargeError: It unpacks to more than the limit.
    """
    name = shown_name(path, workspace)
    packed = _is_packed(path)
    if packed:
        _check_unpacked(path, options.max_unpacked_bytes)
    head = _head(path, packed=packed)
    encoding = _encoding(head, name, options)
    if not _is_utf8(encoding):
        path = _recode(path, name, workspace.folder, encoding, packed=packed)
        head, packed = _head(path, packed=False), False
    return _dialect(head, name, path, options, packed=packed, encoding=encoding)


def csv_dialect_in_place(
    path: Path, options: ReadOptions, *, first_line: str | None = None
) -> CsvDialect:
    """The same for an engine that opens the file itself, so that nothing can be recoded.

    Args:
        path: The file.
        options: The owner's wishes.
        first_line: What the engine read of it, where it is not on this machine.

    Raises:
        LogError: As for `csv_dialect`; also where the file is not UTF-8.
    """
    packed = path.name.lower().endswith(".gz")
    if first_line is None and _is_packed(path) != packed:
        raise LogError(
            "The file is gzip, and its name does not say so; or the other way round.",
            where=str(path),
            hint="Give it the ending .csv.gz (or .csv), or use --engine duckdb.",
        )
    head = _head(path, packed=packed) if first_line is None else first_line.encode()
    encoding = _encoding(head, str(path), options)
    if not _is_utf8(encoding):
        raise LogError(
            f"Spark reads CSV in UTF-8 only here, and the file is {encoding}.",
            where=str(path),
            hint="Recode it (iconv -t utf-8), write it as Parquet, or use --engine duckdb.",
        )
    dialect = _dialect(head, str(path), path, options, packed=packed, encoding=encoding)
    if dialect.skipped:
        raise LogError(
            "Lines stand before the header, which Spark would take for it.",
            where=str(path),
            hint="Remove them, or use --engine duckdb.",
        )
    return dialect


def _is_packed(path: Path) -> bool:
    with opened(path) as (stream, _):
        return stream.read(2) == _GZIP_MAGIC


def _is_utf8(encoding: str) -> bool:
    return encoding.lower().replace("_", "-") in {"utf-8", "utf8", "utf-8-sig", "ascii"}


def _encoding(head: bytes, name: str, options: ReadOptions) -> str:
    if not head.strip(b"\x00 \t\r\n"):
        raise LogError("The file is empty.", where=name, hint="Give a log with a header line.")
    bom = next((known for mark, known in _BOMS if head.startswith(mark)), None)
    return options.encoding or bom or "utf-8"


def _dialect(
    head: bytes, name: str, path: Path, options: ReadOptions, *, packed: bool, encoding: str
) -> CsvDialect:
    _require_text(head, name)
    line, skipped, declared = _header_line(head, name)
    quote = "'" if line.startswith("'") else '"'
    delimiter = options.delimiter or declared or _delimiter(line, quote, name)
    columns = tuple(next(csv.reader(io.StringIO(line), delimiter=delimiter, quotechar=quote)))
    _check_header(columns, name)
    return CsvDialect(name, path, columns, delimiter, quote, packed, encoding, skipped)


def _require_text(head: bytes, name: str) -> None:
    """Other formats are known by how they begin, whatever the file is called."""
    kind = next((kind for magic, kind in OTHER_FORMATS.items() if head.startswith(magic)), None)
    if _XML.match(head):
        kind = "XML, as XES is"
    if kind is not None:
        raise LogError(
            f"The file is {kind}, not CSV.",
            where=name,
            hint="Standard input (-) takes CSV alone, plain or gzip. Give XES as a file that ends "
            "in .xes or .xes.gz, Parquet as one that ends in .parquet.",
        )


def shown_name(path: Path, workspace: Workspace) -> str:
    """The name of a file for people: that of a copy of standard input says so."""
    return path.stem if path.parent == workspace.folder else str(path)


def _head(path: Path, *, packed: bool) -> bytes:
    try:
        with _open(path, packed=packed) as stream:
            return stream.read(_HEAD)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise LogError(
            "The gzip file is damaged or cut short.", where=str(path), hint="Fetch it again."
        ) from None


def _open(path: Path, *, packed: bool) -> BinaryIO:
    return gzip.open(path, "rb") if packed else path.open("rb")  # type: ignore[return-value]


def _check_unpacked(path: Path, limit: int | None) -> None:
    """Unpack once for the size and the checksums, which the engine does not look at."""
    size, packed = 0, path.stat().st_size
    try:
        with gzip.open(path, "rb") as stream:
            while block := stream.read(_BLOCK):
                size += len(block)
                if unpacks_too_far(size, packed, limit):
                    raise LogTooLargeError(
                        "The file unpacks to more than the limit.",
                        where=str(path),
                        hint="If it is what you expect, raise the limit with --max-unpacked.",
                    )
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise LogError(
            "The gzip file is damaged or cut short.", where=str(path), hint="Fetch it again."
        ) from None


def _recode(path: Path, name: str, folder: Path, encoding: str, *, packed: bool) -> Path:
    """A UTF-8 copy in the private folder; it vanishes with the workspace."""
    number = sum(1 for _ in folder.glob("*.csv"))
    copy = folder / f"recoded-{number}.csv"
    try:
        with (
            _open(path, packed=packed) as raw,
            io.TextIOWrapper(raw, encoding=encoding, newline="") as source,
            copy.open("w", encoding="utf-8", newline="") as target,
        ):
            shutil.copyfileobj(source, target, _BLOCK)
    except UnicodeError:
        raise LogError(
            f"The file is not encoded as {encoding}.",
            where=name,
            hint="Say how with --encoding, for example --encoding cp1252.",
        ) from None
    return copy


def _header_line(head: bytes, name: str) -> tuple[str, int, str | None]:
    """The header, how many lines stand before it, and the delimiter that one of these declares."""
    try:
        text = head.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if len(head) < _HEAD or error.start < len(head) - 4:  # else a character is cut in two
            raise LogError(
                "The file is not UTF-8, and other encodings cannot be told apart.",
                where=name,
                hint="Say which with --encoding, for example --encoding cp1252.",
            ) from None
        text = head[: error.start].decode("utf-8-sig")
    if "\x00" in text.partition("\n")[0]:
        raise LogError(
            "The file is binary, not a CSV.",
            where=name,
            hint="See --help for the formats; text in UTF-16 without a byte order mark needs "
            "--encoding utf-16-le.",
        )
    declared = None
    for place, line in enumerate(re.split(r"\r\n|\n|\r", text)):
        if match := re.fullmatch(r"sep=(.)", line):
            declared = match.group(1)
        elif line.strip():
            return line, place, declared
    raise LogError("The file is empty.", where=name, hint="Give a log with a header line.")


def _delimiter(line: str, quote: str, name: str) -> str:
    bare = re.sub(f"{quote}[^{quote}]*{quote}", "", line)
    found = [delimiter for delimiter in _DELIMITERS if delimiter in bare]
    if len(found) == 1:
        return found[0]
    if found:
        raise LogError(
            "The header line can be split in several ways "
            f"({', '.join(_DELIMITER_NAMES[delimiter] for delimiter in found)}).",
            where=f"{name}, header",
            hint="Say which with --delimiter, for example --delimiter ';'.",
        )
    raise LogError(
        "The header line has one column only; a log needs a case, an activity and a time.",
        where=f"{name}, header",
        hint="If the columns are separated by something else, say so with --delimiter.",
    )


def _check_header(columns: tuple[str, ...], name: str) -> None:
    """A first row of values is no header; its cells are the log's and must not be shown."""
    if any(timestamp_shape(cell) or _VALUE.search(cell) for cell in columns):
        raise LogError(
            "The first row looks like data, not like a header.",
            where=f"{name}, header",
            hint="Add a first line that names the columns, for example case,activity,timestamp.",
        )


def _escape_glob(path: str) -> str:
    return re.sub(r"([*?\[])", r"[\1]", path)


def csv_error(text: str, path: str) -> LogError:
    """DuckDB's complaint about a row, without the row."""
    line = re.search(r"CSV Error on Line: (\d+)", text)
    where = f"{path}, row {line.group(1)}" if line else path
    if "unicode" in text:
        what = "The file is not UTF-8."
        hint = "Say how it is encoded with --encoding, for example --encoding cp1252."
    elif "Expected Number of Columns" in text:
        what = "A row has another number of columns than the header."
        hint = "Quote values that hold the delimiter, or say which it is with --delimiter."
    elif "unterminated quote" in text:
        what = "A quoted value is not closed."
        hint = "Close the quote, or double a quote inside a value."
    elif "max_line_size" in text or "Maximum line size" in text:
        what = "A row is longer than 2 MB."
        hint = "A quote may be missing, or the file is no CSV."
    elif "gzip" in text.lower():
        what = "The gzip file is damaged or cut short."
        hint = "Fetch it again."
    else:
        what = "The file is not written as a CSV should be (RFC 4180)."
        hint = "Quotes may be unbalanced, or the file mixes kinds of line ends."
    return LogError(what, where=where, hint=hint, owner_details=text)


def require_same_columns(dialects: list[CsvDialect]) -> None:
    """Several files are one log only if their headers are the same.

    Raises:
        ColumnError: Two headers differ.
    """
    first = dialects[0]
    for other in dialects[1:]:
        if other.columns != first.columns:
            raise ColumnError(
                "The files have different columns.",
                where=f"{first.name} and {other.name}",
                hint="Several files are read as one log; give those of one log only.",
            )
