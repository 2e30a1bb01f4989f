"""What we write, pm4py reads: in an environment of its own, for it is AGPL and never a dependency."""

import json
import subprocess
from pathlib import Path

import pytest
from graphs import graph_of

import hushmap as hm
from conftest import missing_tool

ENVIRONMENT = Path(__file__).resolve().parents[2] / ".pm4py"
CODE = """
import json, sys, warnings
warnings.simplefilter("ignore")
import pm4py
read = pm4py.read_dfg(sys.argv[1])
given = json.load(open(sys.argv[2]))
dfg = {tuple(edge): weight for *edge, weight in given["dfg"]}
net = pm4py.discover_petri_net_inductive(
    pm4py.objects.dfg.obj.DFG(dfg, given["start"], given["end"]))
from pm4py.visualization.dfg import visualizer
# pm4py draws no graph without an edge between activities.
source = "nothing" * 20 if not dfg else visualizer.apply(dfg, activities_count=given["activities"], parameters={
    "start_activities": given["start"], "end_activities": given["end"]}).source
print(json.dumps({
    "dfg": [[*edge, weight] for edge, weight in read[0].items()], "start": read[1], "end": read[2],
    "transitions": sum(t.label is not None for t in net[0].transitions), "drawn": len(source)}))
"""


@pytest.fixture(scope="module")
def pm4py():
    if not (ENVIRONMENT / ".ready").exists():
        missing_tool("pm4py is not installed (make pm4py)")
    return ENVIRONMENT / "bin" / "python"


def released(edges):
    return hm.release(hm.plan(graph_of(edges), max_risk=0.5))


GRAPHS = {
    "example": {(None, "A"): [None] * 9, ("A", "B c"): [5] * 6, ("A", "D, e"): [7] * 3,
                ("B c", None): [None] * 6, ("D, e", None): [None] * 3},
    # pm4py's own writer crashes on an activity that is a whole case.
    "one event": {(None, "A"): [None] * 3, ("A", None): [None] * 3},
    "loop": {(None, "A"): [None] * 3, ("A", "A"): [1] * 9, ("A", None): [None] * 3},
}  # fmt: skip


@pytest.mark.parametrize("name", GRAPHS)
def test_the_dfg_reads_back_is_drawn_and_mined_in_pm4py(pm4py, tmp_path, name):
    release = released(GRAPHS[name])
    release.write(tmp_path / "out", picture=False)
    dfg, start, end = release.graph.to_pm4py()
    counts = dict.fromkeys(release.graph.activities, 1)
    given = {"dfg": [[*edge, weight] for edge, weight in dfg.items()], "start": start, "end": end,
             "activities": counts}  # fmt: skip
    (tmp_path / "given.json").write_text(json.dumps(given))
    done = subprocess.run(
        [pm4py, "-c", CODE, tmp_path / "out/public/map.dfg", tmp_path / "given.json"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    read = json.loads(done.stdout.strip().splitlines()[-1])
    assert {tuple(edge): weight for *edge, weight in read["dfg"]} == dfg
    assert (read["start"], read["end"]) == (start, end)
    assert read["transitions"] >= 1
    assert read["drawn"] > 100
