"""Which column is the case, the activity, the time: named by the owner or recognised by its name.

Names of the XES standard come first, then well-known synonyms in English, German and Dutch,
whatever their case, spaces and punctuation. What was chosen is always reported; where two columns
fit equally well nothing is guessed.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from hushmap.exceptions import ColumnError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROLES = ("case", "activity", "timestamp", "lifecycle")

# Per role, tiers of synonyms in the form of `_plain`: an earlier tier wins over a later one.
_SYNONYMS: Mapping[str, tuple[tuple[str, ...], ...]] = MappingProxyType(
    {
        "case": (
            ("caseconceptname",),
            (
                "caseid",
                "case",
                "caseidentifier",
                "casenumber",
                "caseno",
                "casenr",
                "casekey",
                "traceid",
                "trace",
                "fallid",
                "fall",
                "fallnummer",
                "fallnr",
                "zaakid",
                "zaak",
                "zaaknummer",
                "zaaknr",
                "casusid",
                "casus",
                "dossiernummer",
                "dossierid",
            ),
            (
                "patientid",
                "patient",
                "processinstance",
                "processinstanceid",
                "instanceid",
                "vorgangsid",
                "vorgangsnummer",
                "vorgangid",
                "orderid",
                "ticketid",
                "incidentid",
                "applicationid",
                "patientennummer",
                "patientnummer",
            ),
        ),
        "activity": (
            ("conceptname",),
            (
                "activity",
                "activityname",
                "activityid",
                "task",
                "taskname",
                "aktivität",
                "aktivitaet",
                "aktivitätsname",
                "tätigkeit",
                "taetigkeit",
                "activiteit",
                "activiteitnaam",
                "activiteitsnaam",
                "taak",
            ),
            (
                "event",
                "eventname",
                "eventtype",
                "action",
                "step",
                "stepname",
                "ereignis",
                "schritt",
                "vorgang",
                "aktion",
                "gebeurtenis",
                "stap",
                "actie",
                "handeling",
                "operation",
            ),
        ),
        "timestamp": (
            ("timetimestamp",),
            ("timestamp", "completetimestamp", "eventtimestamp", "zeitstempel", "tijdstempel"),
            (
                "time",
                "datetime",
                "eventtime",
                "eventdate",
                "zeitpunkt",
                "zeit",
                "datumzeit",
                "datumuhrzeit",
                "datumtijd",
                "tijdstip",
                "tijd",
                "completetime",
                "completiontime",
                "endtime",
                "enddate",
                "endtimestamp",
                "endzeit",
                "eindtijd",
                "ts",
            ),
            ("date", "datum"),
        ),
        "lifecycle": (
            ("lifecycletransition",),
            ("lifecycle", "transition", "lifecyclestate", "lebenszyklus", "levenscyclus"),
        ),
    }
)


_RENAME = "Rename one of them: a column is known by its name alone."


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """The columns that were taken for each role, and why.

    Attributes:
        case: The column whose value names the case.
        activity: The column whose value names the activity.
        timestamp: The column that holds the time.
        lifecycle: The column that holds the lifecycle transition, if there is one.
        reasons: Per role one phrase: ``named by you`` or ``recognised by its name``.
    """

    case: str
    activity: str
    timestamp: str
    lifecycle: str | None
    reasons: Mapping[str, str]

    @property
    def taken(self) -> list[str]:
        """The columns that are read."""
        columns = (self.case, self.activity, self.timestamp, self.lifecycle)
        return [column for column in columns if column is not None]

    def sentences(self) -> list[str]:
        """One line per role, for people."""
        return [
            f"{role}: column {getattr(self, role)!r} ({self.reasons[role]})"
            for role in ROLES
            if getattr(self, role) is not None
        ]


def choose_columns(
    available: Sequence[str],
    *,
    case: str | None = None,
    activity: str | None = None,
    timestamp: str | None = None,
    lifecycle: str | None = None,
    where: str | None = None,
) -> ColumnChoice:
    """Choose a column for every role.

    Args:
        available: The names of all columns.
        case: The owner's choice, or None to recognise it; likewise the next three.
        activity: As for ``case``.
        timestamp: As for ``case``.
        lifecycle: As for ``case``; a log may do without one.
        where: The source, for the error.

    Raises:
        ColumnError: A column is missing, unknown, taken twice or ambiguous.

    Example:
        >>> choice = choose_columns(["Case ID", "Activity", "Resource", "Complete Timestamp"])
        >>> choice.timestamp, choice.reasons["timestamp"]
        ('Complete Timestamp', 'recognised by its name')
    """
    named = {"case": case, "activity": activity, "timestamp": timestamp, "lifecycle": lifecycle}
    chosen: dict[str, str | None] = {}
    reasons: dict[str, str] = {}
    for role, wish in named.items():
        if wish is None:
            chosen[role] = _recognise(available, role, where)
            reasons[role] = "recognised by its name"
        else:
            chosen[role] = _named(available, role, wish, where)
            reasons[role] = "named by you"
    _refuse_double_use(chosen, where)
    assert chosen["case"]
    assert chosen["activity"]
    assert chosen["timestamp"]
    return ColumnChoice(
        case=chosen["case"],
        activity=chosen["activity"],
        timestamp=chosen["timestamp"],
        lifecycle=chosen["lifecycle"],
        reasons=MappingProxyType(reasons),
    )


def recognised(available: Sequence[str]) -> dict[str, str | None]:
    """Per role the column that its name gives away; None where none does, or several.

    Example:
        >>> recognised(["Case ID", "What", "Date"])
        {'case': 'Case ID', 'activity': None, 'timestamp': 'Date', 'lifecycle': None}
    """
    found: dict[str, str | None] = {}
    for role in ROLES:
        try:
            found[role] = _recognise(available, role, None)
        except ColumnError:
            found[role] = None
    return found


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()


def _named(available: Sequence[str], role: str, wish: str, where: str | None) -> str:
    for alike in (
        [name for name in available if name == wish],
        [name for name in available if name.casefold() == wish.casefold()],
    ):
        if len(alike) == 1:
            return alike[0]
        if alike:
            raise ColumnError(
                f"There are {len(alike)} columns {wish!r}.",
                where=where,
                hint=_say_which(role, alike[0]) if len(set(alike)) > 1 else _RENAME,
            )
    raise no_such_column(available, role, wish, where)


def no_such_column(
    available: Sequence[str],
    role: str,
    wish: str,
    where: str | None,
    *,
    kind: str = "column",
    named: bool = True,
) -> ColumnError:
    """The error for a name that is not there; lists what is, and the nearest.

    Args:
        available: What is there.
        role: What the name was to be for.
        wish: The name.
        where: The source.
        kind: What has such names: a column, an attribute of XES.
        named: Whether the owner gave the name; else the hint says how to give one.
    """
    listed = _list(available, _nearest(available, [wish]), kind)
    return ColumnError(
        f"There is no {kind} {wish!r} for the {role}.",
        where=where,
        hint=listed if named else f"{_say_which(role, 'NAME')} {listed}",
    )


def _recognise(available: Sequence[str], role: str, where: str | None) -> str | None:
    plain = [_plain(name) for name in available]
    for tier in _SYNONYMS[role]:
        found = [name for name, bare in zip(available, plain, strict=True) if bare in tier]
        if len(found) == 1:
            return found[0]
        if found:
            alone = [name for name in found if available.count(name) == 1]
            hint = _say_which(role, alone[0]) if alone else _RENAME
            raise ColumnError(
                f"Several columns may be the {role}: {', '.join(map(repr, found))}.",
                where=where,
                hint=f"{hint} {_list(available, None)}",
            )
    if role == "lifecycle":
        return None
    synonyms = [name for tier in _SYNONYMS[role] for name in tier]
    raise ColumnError(
        f"No column is recognised as the {role}.",
        where=where,
        hint=f"{_say_which(role, 'NAME')} {_list(available, _nearest(available, synonyms))}",
    )


def _say_which(role: str, example: str) -> str:
    option = "--lifecycle-column" if role == "lifecycle" else f"--{role}"
    return f"Say which with {option}, for example {option} {example!r}."


def _nearest(available: Sequence[str], wishes: Sequence[str]) -> str | None:
    plain = {_plain(name): name for name in available}
    best = [
        match
        for wish in wishes
        for match in difflib.get_close_matches(_plain(wish), list(plain), n=1, cutoff=0.6)
    ]
    return plain[best[0]] if best else None


def _list(available: Sequence[str], nearest: str | None, kind: str = "column") -> str:
    if not available:
        return f"There are no {kind}s at all."
    shown = [repr(name) for name in available[:30]]
    more = f" and {len(available) - 30} more" if len(available) > 30 else ""
    columns = f"The {kind}s are {', '.join(shown)}{more}."
    return columns if nearest is None else f"{columns} Did you mean {nearest!r}?"


def _refuse_double_use(chosen: Mapping[str, str | None], where: str | None) -> None:
    by_column: dict[str, str] = {}
    for role, column in chosen.items():
        if column is None:
            continue
        if column in by_column:
            raise ColumnError(
                f"Column {column!r} is taken for both the {by_column[column]} and the {role}.",
                where=where,
                hint=_say_which(role, "NAME"),
            )
        by_column[column] = role
