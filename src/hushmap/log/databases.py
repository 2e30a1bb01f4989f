"""Tables and queries of PostgreSQL and SQLite, streamed as Arrow through ADBC.

A URL may hold a password: what is shown of it goes through `without_password`, and a driver's own
words through `_without_secrets`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hushmap.exceptions import (
    EngineError,
    EngineMemoryError,
    HushmapError,
    LogError,
    UsageError,
)
from hushmap.log.columns import choose_columns
from hushmap.log.rows import RawRows, event_log, quoted
from hushmap.log.tables import described

if TYPE_CHECKING:
    from hushmap.log.event_log import EventLog, Workspace
    from hushmap.log.options import ReadOptions

_DATABASE_DRIVERS = {
    "postgresql": "adbc_driver_postgresql",
    "postgres": "adbc_driver_postgresql",
    "sqlite": "adbc_driver_sqlite",
}
# What follows is a password: user:… up to the last @, and parameters such as password=…
_PASSWORD = re.compile(
    r"(^\w+://[^:@/]*:(?=.*@)|[?&]\w*password=)(?:(?<=:).*(?=@)|(?<==)[^&]*)", re.IGNORECASE
)
# A part of a table's name: bare, or in double quotes.
_PART = r'(?:"(?:[^"]|"")+"|[^".]+)'

# PostgreSQL's codes and SQLite's words for what is wrong with a statement.
_NO_TABLE = "42P01"
_WRONG_SQL = {"42601", "42703", "42883"}
_WRONG_SQLITE = re.compile(
    r"^.*?Failed to prepare query: (?:near .*syntax error|incomplete input|unrecognized token"
    r"|no such column|no such function)"
)


def is_database_url(source: str) -> bool:
    """Whether the source names a database rather than a file.

    Example:
        >>> is_database_url("sqlite:///log.db"), is_database_url("log.csv")
        (True, False)
    """
    return source.partition("://")[0] in _DATABASE_DRIVERS and "://" in source


def read_database(workspace: Workspace, url: str, options: ReadOptions) -> EventLog:
    """A table or query of PostgreSQL or SQLite, streamed as Arrow through ADBC."""
    shown = without_password(url)
    if options.table is None and options.query is None:
        raise UsageError(
            "A database needs a table or a query.",
            where=shown,
            hint="Name it with --table, for example --table events, or give --query 'SELECT …'.",
        )
    if options.query is not None:
        # On lines of its own, so that a comment at its end ends there.
        source = f"(\n{options.query.rstrip().rstrip(';')}\n) AS log"
    else:
        assert options.table is not None
        source = _table(options.table)
    with _connect(url, shown) as connection, connection.cursor() as cursor:

        def fetch() -> None:
            cursor.execute(f"SELECT * FROM {source} LIMIT 0")
            names = [entry[0] for entry in cursor.description]
            choice = choose_columns(
                names,
                case=options.case,
                activity=options.activity,
                timestamp=options.timestamp,
                lifecycle=options.lifecycle_column,
                where=shown,
            )
            taken = [quoted(name) for name in choice.taken]
            if url.startswith("sqlite"):
                taken = [f"{_sqlite_text(name)} AS {name}" for name in taken]
            cursor.execute(f"SELECT {', '.join(taken)} FROM {source}")
            workspace.connection.register("stream", cursor.fetch_arrow())
            workspace.run("CREATE TABLE fetched AS SELECT * FROM stream")
            workspace.connection.unregister("stream")

        try:
            workspace.attended(fetch, stop=cursor.adbc_cancel)
        except EngineMemoryError:
            raise
        except EngineError as error:  # while the rows flowed
            raise _database_error(error.owner_details or "", url, options) from None
        except HushmapError:
            raise
        except Exception as error:  # noqa: BLE001 - each driver has errors of its own
            raise _database_error(str(error), url, options) from None
    raw = RawRows(
        source=f"{shown}, {'query' if options.query else options.table}",
        relation="fetched",
        columns=described(workspace, "fetched"),
        notes=[
            (
                "database: rows count in the order in which it gave them, which decides equal "
                "times; a --query with ORDER BY makes it certain"
            )
        ],
    )
    log = event_log(workspace, raw, options)
    workspace.run("DROP TABLE fetched")
    return log


def _table(name: str) -> str:
    """A table's name as SQL: parts between dots; double quotes hold a dot inside a part.

    Example:
        >>> print(_table('public.events'), _table('"events.2026"'))
        "public"."events" "events.2026"
    """
    return ".".join(map(quoted, _parts(name)))


def _plain(name: str) -> str:
    """A table's name as SQLite says it."""
    return ".".join(_parts(name))


def _parts(name: str) -> list[str]:
    if re.fullmatch(rf"{_PART}(?:\.{_PART})*", name):
        return [
            part[1:-1].replace('""', '"') if part.startswith('"') else part
            for part in re.findall(_PART, name)
        ]
    return name.split(".")


def _sqlite_text(column: str) -> str:
    """A column of SQLite as text: each row of it may have a type of its own."""
    number = f"printf('%.6f', {column})"
    return (
        f"CASE WHEN typeof({column}) = 'real' AND {column} > 1e8 THEN {number} "
        f"ELSE CAST({column} AS TEXT) END"
    )


def _connect(url: str, shown: str):  # type: ignore[no-untyped-def]  # noqa: ANN202 - untyped driver
    import importlib

    scheme = url.partition("://")[0]
    try:
        driver = importlib.import_module(f"{_DATABASE_DRIVERS[scheme]}.dbapi")
    except ImportError:
        raise LogError(
            "Reading databases needs more packages.",
            where=shown,
            hint="Install them with: pip install 'hushmap[database]'",
        ) from None
    # sqlite:///relative and sqlite:////absolute, as SQLAlchemy writes them.
    address = url.removeprefix("sqlite:///") if scheme == "sqlite" else url
    if scheme == "sqlite":
        from pathlib import Path

        if not Path(address).is_file():
            raise LogError("There is no such database file.", where=shown, hint="Check the path.")
    try:
        return driver.connect(address)
    except Exception as error:  # noqa: BLE001 - each driver has errors of its own
        if scheme == "sqlite":
            raise LogError(
                "The database file cannot be opened.",
                where=shown,
                hint="Check its permissions.",
                owner_details=str(error),
            ) from None
        raise LogError(
            "The database cannot be reached.",
            where=shown,
            hint="Check host, port, name and password; in a URL a password's @ is written %40, its "
            "/ %2F, its # %23, its ? %3F.",
            owner_details=_without_secrets(str(error), url),
        ) from None


def _database_error(details: str, url: str, options: ReadOptions) -> LogError:
    """What the database complains of, without its words: they may quote rows."""
    state = re.search(r"SQLSTATE: (\w{5})\s*$", details)
    code = state.group(1) if state else None
    missing = re.search(r"^.*?no such table: (.*)", details)
    what, hint = "The database did not give the rows.", "Check --table or --query"
    if "Failed to prepare query: file is not a database" in details:
        what = "This is no SQLite database, or it is encrypted."
        hint = "Check the path; a CSV, XES or Parquet file is given by its path alone"
    elif code == _NO_TABLE or missing:
        # What is missing may also be what a view of SQLite rests on.
        if options.query is not None:
            what, hint = "The --query names a table that is not there.", "Check its names"
        elif missing is None or missing.group(1) == _plain(options.table or ""):
            what = f"There is no table {options.table!r}."
            hint = "Check --table, its upper and lower case and, in PostgreSQL, its schema, as in "
            hint += "public.events"
    elif options.query is not None and (code in _WRONG_SQL or _WRONG_SQLITE.search(details)):
        what, hint = "The --query has an error in its SQL.", "Check it"
    return LogError(
        what,
        where=without_password(url),
        hint=f"{hint}; run again with --owner-details for the database's words.",
        owner_details=_without_secrets(details, url),
    )


def without_password(url: str) -> str:
    """The URL of a database without any password, however badly it is written.

    Example:
        >>> without_password("postgresql://me:a/b@c@host/db?sslpassword=x&user=me")
        'postgresql://me:***@host/db?sslpassword=***&user=me'
    """
    return _PASSWORD.sub(r"\1***", url)


def _without_secrets(text: str, url: str) -> str:
    """A driver's words without any piece of the password: it may have taken it for a host."""
    for secret in _PASSWORD.finditer(url):
        for piece in re.split(r"[/@:?#\[\]]", url[secret.end(1) : secret.end()]):
            if len(piece) > 2:
                text = text.replace(piece, "***")
    return text
