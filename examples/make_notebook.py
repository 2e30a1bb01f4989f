"""Writes examples/notebook.ipynb: run `python examples/make_notebook.py` from anywhere.

The cells are executed here, without Jupyter. Every run draws once, so every run gives other
numbers: that is the point of a release.
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
CELLS = [
    (
        "markdown",
        (
            "# A process map that may be shown to anyone\n\n"
            "Eleven patients of a small hospital. The exact map of the log stays with its owner; "
            "what is drawn here is released, and carries noise that protects each single step."
        ),
    ),
    ("code", 'import hushmap as hm\n\nlog = hm.read_log("hospital.csv")'),
    (
        "markdown",
        (
            "`discover` counts the steps. Its result is the owner's: it shows its shape and "
            "nothing else. Times need a bound that is chosen from knowledge of the process, not "
            "from the log."
        ),
    ),
    ("code", 'exact = hm.discover(log, max_duration="2d")\nexact'),
    (
        "markdown",
        (
            "The plan: nobody's chance of guessing a secret about one step may rise by more than "
            "30 percentage points. It shows its limits; its figures are the owner's, too."
        ),
    ),
    ("code", 'plan = hm.plan(exact, max_risk=0.3, annotate=["frequency", "mean"])\nplan'),
    (
        "markdown",
        (
            "`release` draws the noise, once. Its public side draws itself. With so few patients "
            "most edges are faint: the noise may be larger than the number, and the map says so."
        ),
    ),
    ("code", "release = hm.release(plan)\nrelease.public"),
    ("markdown", "What is promised, and what is not, in plain words:"),
    (
        "code",
        (
            "for sentence in release.certificate.promised:\n"
            '    print("✓", sentence)\n'
            "for sentence in release.certificate.not_promised:\n"
            '    print("–", sentence)'
        ),
    ),
    (
        "markdown",
        (
            "The same map with intervals, and as a page to explore: it is one file, works offline "
            "and asks nobody for anything."
        ),
    ),
    (
        "code",
        (
            "import tempfile\n"
            "from pathlib import Path\n\n"
            "from hushmap.picture import map_html, map_svg\n\n"
            "folder = Path(tempfile.mkdtemp())\n"
            "graph, certificate = release.graph, release.certificate\n"
            'picture = map_svg(graph, certificate, intervals=True, secondary="none")\n'
            '(folder / "map.svg").write_bytes(picture)\n'
            'written = (folder / "map.html").write_bytes(map_html(graph, certificate))'
        ),
    ),
]


def run(source: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """Execute a cell; its outputs as a notebook keeps them."""
    body = ast.parse(source)
    last = body.body.pop() if isinstance(body.body[-1], ast.Expr) else None
    printed = _Printed()
    with contextlib.redirect_stdout(printed):
        exec(compile(body, "cell", "exec"), names)  # noqa: S102 - our own cells
        value = None
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307
    outputs: list[dict[str, Any]] = []
    if printed.parts:
        text = "".join(printed.parts)
        outputs.append(
            {"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}
        )
    if value is not None:
        # As Jupyter asks an object for its picture.
        draw = getattr(value, "_repr_mimebundle_", None)
        data = {"text/plain": repr(value)} if draw is None else draw()
        outputs.append(
            {
                "output_type": "execute_result",
                "execution_count": count,
                "metadata": {},
                "data": {kind: text.splitlines(keepends=True) for kind, text in data.items()},
            }
        )
    return outputs


class _Printed:
    """Keeps what is printed."""

    def __init__(self) -> None:
        self.parts: list[str] = []

    def write(self, text: str) -> int:
        self.parts.append(text)
        return len(text)

    def flush(self) -> None:
        """Nothing waits."""


def notebook() -> dict[str, Any]:
    """The executed notebook, in nbformat 4.5."""
    names: dict[str, Any] = {}
    cells: list[dict[str, Any]] = []
    count = 0
    for place, (kind, source) in enumerate(CELLS):
        cell: dict[str, Any] = {
            "cell_type": kind,
            "id": f"cell-{place}",
            "metadata": {},
            "source": source.splitlines(keepends=True),
        }
        if kind == "code":
            count += 1
            cell |= {"execution_count": count, "outputs": run(source, names, count)}
        cells.append(cell)
    return {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def main() -> None:
    """Write the notebook beside this file."""
    os.chdir(FOLDER)
    text = json.dumps(notebook(), ensure_ascii=False, indent=1)
    (FOLDER / "notebook.ipynb").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
