"""JSON from a stranger: read strictly, so that nothing in it can surprise the code behind.

Duplicate keys, NaN and Infinity, numbers of absurd size and deep nesting are refused, and numbers
with a point become exact decimals.
"""

from __future__ import annotations

import json
from decimal import Decimal
from typing import NoReturn

from hushmap.exceptions import BundleError

# More than any weight needs: a sum of 10**18 durations of a century, in microseconds.
MAX_DIGITS = 60


class _RefusedNumberError(ValueError):
    """A number or a constant that no bundle holds."""


def shown(text: object) -> str:
    r"""Something from a file for an error message: short, and harmless on a terminal.

    Example:
        >>> shown("a" + chr(27) + "[31m")
        "'a\\x1b[31m'"
    """
    plain = ascii(text if isinstance(text, str) else type(text).__name__)
    return plain if len(plain) <= 80 else f"{plain[:77]}…"


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    record = dict(pairs)
    if len(record) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _RefusedNumberError(f"the key {shown(key)} stands there twice")
            seen.add(key)
    return record


def _integer(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise _RefusedNumberError(f"a number has {len(text)} digits")
    return int(text)


def _decimal(text: str) -> Decimal:
    if len(text) > 2 * MAX_DIGITS:
        raise _RefusedNumberError(f"a number has {len(text)} digits")
    try:
        number = Decimal(text)
    except ArithmeticError:
        raise _RefusedNumberError(f"a number is {shown(text)}") from None
    if not number:
        return Decimal(0)
    if abs(number.adjusted()) > MAX_DIGITS:
        raise _RefusedNumberError(f"a number is {shown(text)}")
    return number


def _constant(text: str) -> NoReturn:
    raise _RefusedNumberError(f"a number is {text}")


def strict_json(content: bytes, where: str) -> object:
    """Parse a JSON file that anyone may have written.

    Args:
        content: The file.
        where: Its name, for the error.

    Raises:
        BundleError: It is no JSON as hushmap writes it.

    Example:
        >>> strict_json(b'{"mean": 0.1}', "map.json")
        {'mean': Decimal('0.1')}
    """
    try:
        return json.loads(
            content.decode("utf-8"),
            object_pairs_hook=_unique,
            parse_int=_integer,
            parse_float=_decimal,
            parse_constant=_constant,
        )
    except UnicodeDecodeError:
        reason = "it is not UTF-8"
    except json.JSONDecodeError as error:
        reason = f"{error.msg.rstrip(':').lower()} in line {error.lineno}, column {error.colno}"
    except _RefusedNumberError as error:
        reason = str(error)
    except RecursionError:
        reason = "it is nested too deeply"
    raise BundleError(
        f"The file is no JSON that hushmap wrote: {reason}.",
        where=where,
        hint="Ask for a fresh copy of the bundle.",
    )


def as_record(
    value: object, where: str, required: frozenset[str], optional: frozenset[str] = frozenset()
) -> dict[str, object]:
    """A JSON object with all of the required keys and none but the optional ones.

    Raises:
        BundleError: It is not.
    """
    if not isinstance(value, dict):
        raise BundleError("A JSON object was expected here.", where=where)
    missing = sorted(required - value.keys())
    if missing:
        raise BundleError(f"The key {missing[0]!r} is missing.", where=where)
    unknown = sorted(value.keys() - required - optional)
    if unknown:
        raise BundleError(
            f"The key {shown(unknown[0])} is unknown.",
            where=where,
            hint="If a newer version of hushmap wrote the bundle, read it with that version.",
        )
    return value


def as_list(value: object, where: str, what: str) -> list[object]:
    """A JSON array.

    Raises:
        BundleError: It is none.
    """
    if not isinstance(value, list):
        raise BundleError(f"{what} is no list.", where=where)
    return value


def check_format(record: object, expected: str, where: str) -> None:
    """The format a file says it has.

    Raises:
        BundleError: It is another, or none.
    """
    found = record.get("format") if isinstance(record, dict) else None
    if found == expected:
        return
    if isinstance(found, str) and found.startswith(expected.rpartition("/")[0] + "/"):
        raise BundleError(
            f"The format is {shown(found)}; this version of hushmap reads {expected}.",
            where=where,
            hint="Update hushmap.",
        )
    raise BundleError(
        f"The file does not say that its format is {expected}.",
        where=where,
        hint="Name the directory that hushmap release wrote, or its public/.",
    )
