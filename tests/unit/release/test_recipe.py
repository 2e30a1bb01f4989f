"""The command and the Python code that are shown do what was done."""

import json
import shlex
import shutil
from dataclasses import asdict

import pytest

import hushmap as hm
from hushmap.cli import main
from hushmap.log.options import ReadOptions
from hushmap.planning.parameters import PlanParameters
from hushmap.release.headline import error_sentence, risk_sentence
from hushmap.release.recipe import Recipe

RECIPES = [
    ({"max_risk": "0.2"}, {}),
    ({"max_error": "0.5", "annotate": ["frequency", "mean"], "range_kind": "declared"},
     {"max_duration": "2d", "resolution": "1min"}),
    ({"max_risk": "0.125", "annotate": "mean", "attacker": "empirical", "precision": "30min",
      "max_risk_any": "0.5", "min_occurrences": 3, "range_kind": "observed"}, {}),
    ({"max_error": "40", "annotate": ["sum", "max"], "attacker": "paper", "precision": "0.25",
      "range_kind": "observed", "error_reading": "per-edge", "confidence": "0.8",
      "scope": "annotation"}, {}),
]  # fmt: skip
READINGS = [{}, {"case": "case", "lifecycle": "all", "timestamp_format": "iso"}]


def certificate(folder):
    record = json.loads((folder / "public" / "certificate.json").read_text())
    return {key: value for key, value in record.items() if key != "files"}


def expected(wish, discovery, reading):
    parameters = PlanParameters.of(**wish)
    log = hm.read_log("examples/hospital.csv", **reading)
    graph = hm.discover(log, **discovery)
    wish = {("range" if key == "range_kind" else key): value for key, value in wish.items()}
    return parameters, hm.release(hm.plan(graph, **wish))


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize(("wish", "discovery"), RECIPES)
def test_both_make_the_same_promise(wish, discovery, reading, tmp_path, monkeypatch, capsys):
    parameters, made = expected(wish, discovery, reading)
    made.write(tmp_path / "made", picture=False)
    # A name that a shell and Python must both quote.
    shutil.copy("examples/hospital.csv", tmp_path / '-it\'s a "log".csv')
    monkeypatch.chdir(tmp_path)
    recipe = Recipe('-it\'s a "log".csv', ReadOptions(**reading), parameters, **discovery)
    command = recipe.command().replace("\\\n", " ")
    with pytest.raises(SystemExit) as ended:
        main([*shlex.split(command)[1:], "--no-picture"])
    assert ended.value.code == 0, capsys.readouterr().err
    exec(recipe.python().replace('write("map"', 'write("python", picture=False'), {})
    wanted = certificate(tmp_path / "made")
    assert certificate(tmp_path / "map") == wanted
    assert certificate(tmp_path / "python") == wanted


def test_what_is_the_default_is_not_said():
    recipe = Recipe("log.csv", ReadOptions(), PlanParameters.of(max_risk="0.2"))
    assert recipe.command() == "hushmap release log.csv --max-risk 0.2 --out map"
    assert "annotate" not in recipe.python()


def test_long_commands_are_broken_where_a_shell_joins_them():
    reading = ReadOptions(case="c" * 30, activity="a" * 30, timestamp="t" * 30)
    recipe = Recipe("log.csv", reading, PlanParameters.of(max_risk="0.2"))
    assert all(len(line) < 80 for line in recipe.command().split("\n"))
    assert len(shlex.split(recipe.command().replace("\\\n", " "))) == 13
    assert {key for key, value in asdict(reading).items() if value} >= {"case", "activity"}


def test_the_headline_claims_no_more_than_the_limit_covers():
    weak = PlanParameters.of(annotate="mean", attacker="empirical", range_kind="observed")
    sentence = risk_sentence(weak).format(risk="20")
    assert sentence.startswith("Against someone who knows no more than how long such steps take")
    assert "longest time of each edge is not covered" in sentence
    both = PlanParameters.of(annotate=["frequency", "mean"], attacker="empirical")
    assert risk_sentence(both).startswith("Nobody's chance")
    alone = PlanParameters.of(annotate=["frequency", "mean"], scope="annotation")
    assert "each kind of number alone" in risk_sentence(alone)
    for kind in both.annotations:
        assert "{error}" in error_sentence(kind)


@pytest.mark.parametrize(
    "name", ["Vorgänge.csv", "map 😀.csv", "a\u202egvs.csv", "\udc80.csv", "日本"]
)
def test_python_names_the_file_whatever_its_name(name):
    text = Recipe(name, ReadOptions(), PlanParameters.of(max_risk="0.2")).python()
    named = text.splitlines()[2].removeprefix("log = hm.read_log(").removesuffix(")")
    assert eval(named) == name
    assert all(character.isprintable() for character in named)


def test_long_calls_have_an_argument_on_each_line():
    parameters = PlanParameters.of(
        max_risk="0.2", annotate=["frequency", "mean"], attacker="empirical", range_kind="observed"
    )
    text = Recipe("log.csv", ReadOptions(case="c" * 80), parameters).python()
    assert all(len(line) <= 100 for line in text.splitlines())
    assert '    annotate=["frequency", "mean"],\n' in text
    compile(text, "recipe", "exec")
