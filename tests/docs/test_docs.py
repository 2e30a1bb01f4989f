"""The documentation is true: its code runs, what it shows is what one sees, no link is broken.

Blocks of `python`, `pycon`, `console` and `shell-session` run. In a tutorial (docs/tutorials) they
follow one another in one folder, as for a reader; elsewhere each stands alone. What a
`shell-session` shows below a command, and a `pycon` below a line, is compared, with … for anything.
A command that is refused says so in its comment: # exit status 3.
"""

import doctest
import importlib.util
import json
import re
import shlex
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from conftest import ROOT, missing_tool
from hushmap.cli import main
from hushmap.cli.app import app

# Made from the program; their examples run as the doctests they are.
GENERATED = {Path("docs") / name for name in ("cli.md", "api.md", "errors.md", "schemas.md")}
PAGES = sorted({Path("README.md"), *(path.relative_to(ROOT) for path in ROOT.glob("docs/**/*.md"))})
WRITTEN = [page for page in PAGES if page not in GENERATED]
BLOCK = re.compile(r"^```([\w-]*)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
RUN = {"python", "pycon", "console", "shell-session"}
SHOWN = {"text", "json", "toml", "sql", "xml", "csv", "diff"}
# Run by other tests and by CI, in an environment of their own.
ELSEWHERE = {"make", "git", "cd", "python", "pip", "uv"}
# What needs Java runs in a process of its own, so that no virtual machine stays with the tests.
SPARK = re.compile(r"pyspark|engine.{1,2}spark")
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(page):
    return BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))


def jobs():
    """A tutorial as one job; every other block as one of its own."""
    for page in WRITTEN:
        runnable = [(kind, text) for kind, text in blocks(page) if kind in RUN]
        if page.parent.name == "tutorials":
            yield pytest.param(page, runnable, id=str(page))
        else:
            for number, block in enumerate(runnable):
                yield pytest.param(page, [block], id=f"{page}:{number}")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder as a reader has it: the examples, and a terminal 100 columns wide."""
    shutil.copytree("examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")
    return tmp_path


@pytest.mark.parametrize(("page", "runnable"), list(jobs()))
def test_every_example_runs_and_shows_what_is_shown(page, runnable, folder, capfd):
    names = {"__name__": "__main__"}
    for kind, text in runnable:
        if SPARK.search(text) and not shutil.which("java"):
            missing_tool("Java is not installed, which Spark needs")
        if kind == "python" and SPARK.search(text):
            subprocess.run([sys.executable, "-c", text], check=True)
        elif kind == "python":
            exec(compile(text, str(page), "exec"), names)
        elif kind == "pycon":
            run_pycon(page, text, names)
        else:
            for command, expected in sessions(text):
                status, shown = run_command(command, capfd)
                refused = re.search(r"#.*exit status (\d+)", command)
                wanted = int(refused.group(1)) if refused else 0
                assert status == wanted, f"{page}: {command}\n{shown}"
                if kind == "shell-session" and expected.strip():
                    same(page, command, expected, shown)


def run_pycon(page, text, names):
    parsed = doctest.DocTestParser().get_doctest(text, names, str(page), str(page), 0)
    report = []
    runner = doctest.DocTestRunner(optionflags=OPTIONS, verbose=False)
    failed = runner.run(parsed, out=report.append, clear_globs=False).failed
    names.update(parsed.globs)
    assert not failed, "".join(report)


def sessions(text):
    """Each command of a block with the lines below it."""
    joined = text.replace("\\\n", " ")
    for part in re.split(r"^\$ ", joined, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        yield command.strip(), expected


def run_command(command, capfd):
    capfd.readouterr()
    words = shlex.split(command, comments=True)
    if SPARK.search(command) or {"|", ">"} & set(words) or words[0] in {"ls", "cat"}:
        shell = command.replace("hushmap ", f"{sys.executable} -m hushmap ")
        done = subprocess.run(["bash", "-o", "pipefail", "-c", shell], check=False,
                              capture_output=True, text=True)  # fmt: skip
        return done.returncode, done.stdout + done.stderr
    if words[0] == "hushmap":
        with pytest.raises(SystemExit) as ended:
            main(words[1:])
        # A usage message or a note belongs to what one sees.
        return ended.value.code, "".join(capfd.readouterr())
    assert words[0] in ELSEWHERE, f"the documentation runs {words[0]}, which nothing tests"
    if words[0] == "make":
        assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
    return 0, ""


def same(page, command, expected, shown):
    wanted = expected.rstrip().replace("…\n", "...\n").replace("\n…", "\n...").replace(" …", " ...")
    matches = doctest.OutputChecker().check_output(wanted + "\n", shown, OPTIONS)
    assert matches, f"{page}: {command}\nshows\n{shown}\nnot\n{expected}"


@pytest.mark.parametrize("page", WRITTEN, ids=str)
def test_every_block_of_code_is_of_a_kind_that_is_run_or_plainly_only_shown(page):
    for kind, text in blocks(page):
        assert kind in RUN | SHOWN, f"{page}: a block of {kind or 'no kind'}"
        if kind == "json":
            json.loads(text)


def maker(name):
    spec = importlib.util.spec_from_file_location(name, f"docs/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["make_reference", "make_api"])
def test_the_reference_is_the_programs_own(name):
    module = maker(name)
    pages = getattr(module, "PAGES", {"cli.md": getattr(module, "page", None)})
    for file, page in pages.items():
        assert Path("docs", file).read_text() == page(), f"run python docs/{name}.py"


def parts(svg):
    """What is drawn and how, but not where: places may differ from one Graphviz to another."""
    placed = {"x", "y", "cx", "cy", "d", "width", "height", "viewBox", "data-at"}
    return sorted(
        (
            part.tag,
            part.text or "",
            sorted((k, v) for k, v in part.attrib.items() if k not in placed),
        )
        for part in ET.fromstring(svg).iter()
    )


@pytest.mark.parametrize("name", ["hospital", "sepsis"])
def test_the_pictures_are_what_the_program_draws(name):
    shown = Path(f"docs/pictures/{name}.svg").read_bytes()
    assert parts(maker("make_pictures").picture(name)) == parts(shown), (
        "python docs/make_pictures.py"
    )


def test_every_verb_is_in_the_reference_the_readme_and_the_changelog():
    for command in app.registered_commands:
        assert f"hushmap {command.name}" in Path("README.md").read_text()
        assert f"hushmap {command.name}" in Path("CHANGELOG.md").read_text()
        assert f"## hushmap {command.name}" in Path("docs/cli.md").read_text()


def test_no_link_between_files_is_broken():
    for page in [*PAGES, Path("CONTRIBUTING.md"), Path("SECURITY.md")]:
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", page.read_text()):
            assert (page.parent / target).exists(), f"{page}: {target}"


def test_the_guarantee_has_a_row_for_every_attack_control_and_unpromised_neighbour():
    from hushmap.audit import ZOO
    from hushmap.audit.suite import attacks
    from hushmap.audit.unpromised import unpromised

    page = Path("docs/guarantee.md").read_text()
    shown = [attack.name.removeprefix("black box, ") for attack in attacks()]
    shown += [member.mechanism.name for member in ZOO]
    shown += [neighbours.name.removeprefix("not promised: ") for neighbours in unpromised()]
    digits = shown.pop(next(n for n, name in enumerate(shown) if "whole numbers" in name))
    assert digits.startswith("all five")  # said in a sentence
    for name in shown:
        assert f"\n| {name} |" in page, name
