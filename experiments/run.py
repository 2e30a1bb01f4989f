"""Run the paper's evaluation on any set of logs, in parallel, resumable.

    make experiments LOGS="../shared/data/*.xes*"
    python experiments/run.py LOG [LOG …] [--out experiments/out] [--workers 2] [--publish DIR]

A part of a log (an annotation, say) whose tables are there already is not computed again. Results:
all tables together as ``<out>/*.csv`` and ``*.parquet``, figures as SVG, and the pages
``<out>/evaluation.md`` and ``<out>/comparison.md``. They are computed from the exact logs and are
for their owner; ``--publish`` copies pages, figures and small tables, for public logs.
"""

from __future__ import annotations

import argparse
import csv
import glob
import json
import os
import shutil
import sys
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from importlib.metadata import version
from pathlib import Path
from typing import Any

from evaluate import PARTS, PRECISION, REPETITIONS, SEED, TABLES, evaluate, name_of

HERE = Path(__file__).parent
SETTINGS = {"hushmap": version("hushmap"), "precision": PRECISION, "repetitions": REPETITIONS,
            "seed": SEED, "tables": 5}  # fmt: skip
# Parts that take longest come first, so that no worker is left with one at the end.
ORDER = ("max", "sum", "mean", "min", "prototype", "frequency", "log")
PUBLISHED = ("logs", "p1", "frequencies", "p2", "prototype", "times")


def one(path: Path, part: str, out: Path) -> str:
    """Compute a part of a log into its folder, which gets its name when all is written."""
    folder = out / "parts" / name_of(path) / part
    unfinished = folder.with_name(f".{part}-{os.getpid()}")
    unfinished.mkdir(parents=True)
    try:
        for name, records in evaluate(path, part).items():
            write_csv(unfinished / f"{name}.csv", records)
        unfinished.rename(folder)
    except BaseException:
        shutil.rmtree(unfinished)
        raise
    return f"{name_of(path)}: {part}"


def write_csv(path: Path, records: list[dict[str, Any]]) -> None:
    """Write records that share their keys."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(records[0]))
        writer.writeheader()
        writer.writerows(records)


def chosen(patterns: list[str]) -> dict[str, Path]:
    """The logs by name: of several files that hold the same log, the smallest."""
    logs: dict[str, Path] = {}
    for pattern in patterns:
        paths = [Path(found) for found in sorted(glob.glob(pattern))] or [Path(pattern)]
        for path in paths:
            if not path.is_file():
                sys.exit(f"There is no file {path}.")
            best = logs.setdefault(name_of(path), path)
            logs[name_of(path)] = min(best, path, key=lambda file: file.stat().st_size)
    return logs


def begin(out: Path) -> None:
    """Start anew where the tables that are there were made by other settings."""
    settings = out / "settings.json"
    if settings.exists() and json.loads(settings.read_text()) != SETTINGS:
        print("Other settings or another version: everything is computed again.", file=sys.stderr)
        shutil.rmtree(out / "parts", ignore_errors=True)
    out.mkdir(parents=True, exist_ok=True)
    for unfinished in out.glob("parts/*/.*"):
        shutil.rmtree(unfinished)
    settings.write_text(json.dumps(SETTINGS, indent=2), encoding="utf-8")


def compute(logs: dict[str, Path], out: Path, workers: int) -> None:
    """Compute what is missing, with a bar at a terminal and a line per part elsewhere."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    todo = sorted(
        (
            (path, part)
            for name, path in logs.items()
            for part in PARTS
            if not (out / "parts" / name / part).is_dir()
        ),
        key=lambda work: (ORDER.index(work[1]), -work[0].stat().st_size),
    )
    whole = len(logs) * len(PARTS)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
               TimeElapsedColumn())  # fmt: skip
    with (
        Progress(*columns, console=Console(stderr=True)) as bar,
        ProcessPoolExecutor(workers) as pool,
    ):
        task = bar.add_task("parts of logs", total=whole, completed=whole - len(todo))
        running: list[Future[str]] = [pool.submit(one, path, part, out) for path, part in todo]
        for finished in as_completed(running):
            bar.console.print(f"done  {finished.result()}")
            bar.advance(task)


def gather(logs: dict[str, Path], out: Path) -> None:
    """All logs together, as CSV and Parquet."""
    import duckdb

    for table in TABLES:
        files = [
            file
            for name in logs
            for part in PARTS
            if (file := out / "parts" / name / part / f"{table}.csv").exists()
        ]
        if files:
            relation = duckdb.read_csv([str(file) for file in files], union_by_name=True)
            relation.write_parquet(str(out / f"{table}.parquet"))
            relation.write_csv(str(out / f"{table}.csv"))


def publish(out: Path, folder: Path) -> None:
    """Copy pages, figures and the small tables: for logs that are public themselves."""
    folder.mkdir(parents=True, exist_ok=True)
    for page in ("evaluation.md", "comparison.md"):
        shutil.copy(out / page, folder / page)
    for kind, files in (
        ("figures", sorted((out / "figures").glob("*.svg"))),
        ("tables", [out / f"{table}.csv" for table in PUBLISHED] + [out / "comparison.csv"]),
    ):
        shutil.rmtree(folder / kind, ignore_errors=True)
        (folder / kind).mkdir()
        for file in files:
            if file.exists():
                shutil.copy(file, folder / kind / file.name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("logs", nargs="+", help="files, or globs of them")
    parser.add_argument("--out", type=Path, default=HERE / "out")
    parser.add_argument("--workers", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--publish", type=Path, help="copy pages, figures and small tables there")
    arguments = parser.parse_args()
    logs = chosen(arguments.logs)
    begin(arguments.out)
    compute(logs, arguments.out, arguments.workers)
    gather(logs, arguments.out)
    from report import write_pages

    write_pages(arguments.out)
    if arguments.publish:
        publish(arguments.out, arguments.publish)
    print(f"see {arguments.out / 'evaluation.md'}")


if __name__ == "__main__":
    main()
