"""The options that verbs share, each declared once: name, help and the way into the library.

Typer reads a command's options from its signature. `takes` builds that signature from the
dataclasses below, so that three verbs share one declaration.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from hushmap.cli.progress import step
from hushmap.planning.parameters import DEFAULT_CONFIDENCE

if TYPE_CHECKING:
    from hushmap.graph import ExactGraph
    from hushmap.log import EventLog
    from hushmap.planning.parameters import PlanParameters

Log = Annotated[
    str,
    typer.Argument(
        metavar="LOG",
        help="A path (.xes, .xes.gz, .csv, .csv.gz, .tsv, .parquet), a glob of these, - for CSV on "
        "standard input, or a database URL with --table.",
        show_default=False,
    ),
]


def directory(text: str) -> Path:
    """What `--out` names; an empty text would be the working directory."""
    from hushmap.bundle.earlier import named_directory

    return named_directory(text)


def _text(name: str, metavar: str, explained: str) -> Any:  # noqa: ANN401 - Typer's own type
    return typer.Option(name, metavar=metavar, help=explained, show_default=False)


@dataclass(frozen=True, slots=True)
class LogOptions:
    """How the log is read: the fields of `hushmap.log.options.ReadOptions`."""

    case: Annotated[str | None, _text("--case", "COL", "Column of the case.")] = None
    activity: Annotated[str | None, _text("--activity", "COL", "Column of the activity.")] = None
    timestamp: Annotated[str | None, _text("--timestamp", "COL", "Column of the time.")] = None
    lifecycle: Annotated[
        str | None,
        _text(
            "--lifecycle",
            "all|complete",
            "Which events to keep; by default the completed ones where the log has any, else all.",
        ),
    ] = None
    lifecycle_column: Annotated[
        str | None,
        _text("--lifecycle-column", "COL", "Column of the lifecycle transition."),
    ] = None
    timestamp_format: Annotated[
        str | None,
        _text(
            "--timestamp-format",
            "F",
            "How times are written: iso, day-first, month-first, epoch-s, epoch-ms, epoch-us, "
            "epoch-ns, or codes such as '%d.%m.%Y %H:%M'.",
        ),
    ] = None
    table: Annotated[str | None, _text("--table", "NAME", "Table of a database.")] = None
    query: Annotated[
        str | None, _text("--query", "SQL", "SELECT on a database, instead of a table.")
    ] = None
    delimiter: Annotated[str | None, _text("--delimiter", "C", "Between the columns of a CSV.")] = (
        None
    )
    encoding: Annotated[str | None, _text("--encoding", "NAME", "Encoding of a CSV.")] = None
    memory_limit: Annotated[
        str | None,
        _text(
            "--memory-limit",
            "SIZE",
            "Memory for the engine, such as 2GB; it spills to disk beyond.",
        ),
    ] = None
    max_unpacked: Annotated[
        str | None,
        _text(
            "--max-unpacked",
            "SIZE",
            "Largest size a compressed log may unpack to. [default: 8GiB, and above 256MiB no more "
            "than 200 times its packed size]",
        ),
    ] = None
    engine: Annotated[
        str,
        typer.Option(
            "--engine",
            metavar="duckdb|spark",
            help="What reads and counts: DuckDB on this machine, or Spark (Parquet and CSV, also "
            "folders and addresses that Spark knows).",
        ),
    ] = "duckdb"
    master: Annotated[
        str | None,
        _text(
            "--master",
            "URL",
            "Where Spark runs, as spark-submit takes it: local[4], spark://…, yarn, k8s://… "
            "[default: this machine]",
        ),
    ] = None

    def read(self, source: str, output: OutputOptions) -> EventLog:
        """Read the log."""
        from hushmap.log import read_log

        with step("Reading the log", quiet=output.silent) as on_progress:
            return read_log(source, **asdict(self), on_progress=on_progress)


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """What is printed."""

    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")] = False
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print no notes and no progress.")
    ] = False
    owner_details: Annotated[
        bool,
        typer.Option(
            "--owner-details", help="Let error messages quote the log. For the owner only."
        ),
    ] = False

    @property
    def silent(self) -> bool:
        """Whether no progress is shown."""
        return self.quiet or self.as_json


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """What is released and under which limit: the fields of `PlanParameters`."""

    max_risk: Annotated[
        str | None,
        _text(
            "--max-risk",
            "δ",
            "No one's chance of guessing right may rise by more than this (0 to 1).",
        ),
    ] = None
    max_error: Annotated[
        str | None,
        _text("--max-error", "μ", "The map may be wrong by at most this (0.1 is 10 %)."),
    ] = None
    annotate: Annotated[
        list[str] | None,
        _text(
            "--annotate",
            "KIND",
            "What the map shows: frequency, sum, mean, min or max; repeatable. "
            "[default: frequency]",
        ),
    ] = None
    attacker: Annotated[
        str,
        typer.Option(
            "--attacker",
            metavar="any|empirical|paper",
            help="Whom against: any belief; one who knows how long such steps usually take; the "
            "same by the bound of the paper.",
        ),
    ] = "any"
    precision: Annotated[
        str | None,
        _text(
            "--precision",
            "P",
            "A guess of a time counts as right within this share of the range, or within this "
            "time, such as 30min; not with any. [default: 0.1]",
        ),
    ] = None
    max_risk_any: Annotated[
        str | None,
        _text(
            "--max-risk-any",
            "δ2",
            "Cap on the risk against any belief, where --attacker is another. "
            "[default: 0.9, or --max-risk if larger]",
        ),
    ] = None
    error_reading: Annotated[
        str,
        typer.Option(
            "--error-reading",
            metavar="mean|per-edge",
            help="--max-error limits the expected error averaged over the edges, or the error of "
            "each edge with --confidence.",
        ),
    ] = "mean"
    confidence: Annotated[
        str,
        typer.Option("--confidence", metavar="P", help="For --error-reading per-edge."),
    ] = DEFAULT_CONFIDENCE
    min_occurrences: Annotated[
        int,
        typer.Option(
            "--min-occurrences", metavar="N", help="Edges with fewer are protected as against any."
        ),
    ] = 2
    max_duration: Annotated[
        str | None,
        _text(
            "--max-duration",
            "T|FILE.csv",
            "A public bound on durations, such as 30d, or a CSV of source,target,seconds; longer "
            "ones are cut to it.",
        ),
    ] = None
    range_kind: Annotated[
        str | None,
        _text(
            "--range",
            "observed",
            "Scale the noise on times to the longest duration observed, which is then not "
            "protected itself.",
        ),
    ] = None
    resolution: Annotated[
        str,
        typer.Option("--resolution", metavar="T", help="The tick in which durations are counted."),
    ] = "1s"
    scope: Annotated[
        str,
        typer.Option(
            "--scope",
            metavar="release|annotation",
            help="Whether the limit holds for all annotations together, or for each alone.",
        ),
    ] = "release"

    def parameters(self, *, compare: bool = False) -> PlanParameters:
        """The checked parameters; with ``compare`` a precision may stand beside any."""
        from hushmap.exceptions import UsageError
        from hushmap.planning.parameters import PlanParameters

        if self.max_duration is not None and self.range_kind is not None:
            raise UsageError(
                "Both --max-duration and --range are given.",
                hint="Declare a bound, or take the range observed.",
            )
        if self.range_kind == "declared":
            raise UsageError(
                "--range declared does not say what the bound is.",
                hint="Declare it: --max-duration 30d.",
            )
        for_others = compare and self.attacker == "any"
        return PlanParameters.of(
            max_risk=self.max_risk,
            max_error=self.max_error,
            annotate=self.annotate or ["frequency"],
            attacker=self.attacker,
            precision=None if for_others else self.precision,
            max_risk_any=None if for_others else self.max_risk_any,
            error_reading=self.error_reading,
            confidence=self.confidence,
            min_occurrences=self.min_occurrences,
            range_kind="declared" if self.max_duration is not None else self.range_kind,
            scope=self.scope,
        )

    def discover(
        self, log: EventLog, parameters: PlanParameters, output: OutputOptions, *, compare: bool
    ) -> ExactGraph:
        """The exact graph, with histograms only where an attacker needs them."""
        from hushmap.discovery import discover

        with step("Discovering the graph", quiet=output.silent, unit="events") as on_progress:
            return discover(
                log,
                resolution=self.resolution,
                max_duration=self.max_duration,
                histograms=(compare and bool(parameters.times)) or parameters.histograms,
                on_progress=on_progress,
            )


def takes(*groups: type[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Let a command take groups of options: each field becomes an option of its own.

    The command's last parameters, one per group and in their order, receive the groups.
    """

    def wrap(command: Callable[..., None]) -> Callable[..., None]:
        own = list(inspect.signature(command, eval_str=True).parameters.values())
        names = [parameter.name for parameter in own[-len(groups) :]]
        options = [option for group in groups for option in _options_of(group)]

        @functools.wraps(command)
        def run(**given: Any) -> None:  # noqa: ANN401 - whatever Typer read
            for name, group in zip(names, groups, strict=True):
                chosen = {field.name: given.pop(field.name) for field in fields(group)}
                given[name] = group(**chosen)
            command(**given)

        kept = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for parameter in own[: -len(groups)]
        ]
        run.__signature__ = inspect.Signature([*kept, *options])  # type: ignore[attr-defined]
        run.__annotations__ = {option.name: option.annotation for option in (*kept, *options)}
        return run

    return wrap


def _options_of(group: type[Any]) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(group)
    ]
