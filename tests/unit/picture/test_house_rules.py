"""What pictures may know: nothing of the private side."""

import ast
from pathlib import Path

import pytest

import hushmap.picture

FOLDER = Path(hushmap.picture.__file__).parent
PRIVATE = ("log", "discovery", "planning", "risk", "noise", "accuracy", "inspection")


def imported(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            yield node.module or ""
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.name)
def test_no_module_imports_the_private_side(path):
    for module in imported(path):
        assert not module.startswith(tuple(f"hushmap.{room}" for room in PRIVATE))
        if module == "hushmap.release.report":
            assert path.name == "owner_report.py"


def test_scripts_write_no_markup():
    scripts = sorted((FOLDER / "assets").glob("*.js"))
    assert len(scripts) == 2
    script = "".join(file.read_text() for file in scripts)
    for word in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "fetch(",
    ):
        assert word not in script
