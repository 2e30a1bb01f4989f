"""Whoever has `public/` has the released values and the owner's choices, and nothing else.

Two logs of the same edges, with other counts, durations, ranges and noise scales, are released with
noise that makes the released values equal. Every public file, its name, size and order included,
must then be the same to the byte: so no format, digit, ordering or size tells A, ε, r, n or a unit.
What a release does is the same, too: as many draws of as many numbers, in the same order, so that
how long it takes follows from the edges that are shown. (How long one draw of noise takes is the
sampler's affair; the promise leaves side channels out.)
"""

import numpy as np
import pytest
from graphs import graph_of
from hypothesis import given, settings
from hypothesis import strategies as st

import hushmap as hm
from hushmap.graph import Annotation
from hushmap.planning.draws import Draw
from hushmap.release.release import _release

EDGES = [(None, "A"), ("A", "B"), ("B", "A"), ("B", None)]
KINDS = ["frequency", "sum", "mean", "min", "max"]

durations = st.lists(st.integers(0, 10**6), min_size=1, max_size=8)
logs = st.fixed_dictionaries(
    {edge: st.integers(1, 50).map(lambda n: [None] * n) for edge in EDGES if None in edge}
    | {edge: durations for edge in EDGES if None not in edge}
)
targets = st.lists(st.integers(-5, 10**7), min_size=4, max_size=4)
wishes = st.fixed_dictionaries(
    {
        "annotate": st.lists(st.sampled_from(KINDS), min_size=1, unique=True),
        "attacker": st.sampled_from(["any", "empirical", "paper"]),
        "scope": st.sampled_from(["release", "annotation"]),
    }
)
limits = st.sampled_from(
    [{"max_risk": "0.2"}, {"max_error": "1000000"},
     {"max_error": "1000000", "error_reading": "per-edge"}]
)  # fmt: skip


class Towards:
    """Noise that brings every draw of a plan to wanted values: what only a test can have."""

    seeded = False

    def __init__(self, plan, wanted):
        graph = plan.graph
        exact = {
            Draw.FREQUENCY: graph.counts.tolist(), Draw.SUM: list(graph.sums),
            Draw.MIN: graph.minima.tolist(), Draw.MAX: graph.maxima.tolist(),
        }  # fmt: skip
        timed = np.flatnonzero(graph.timed).tolist()
        places = dict.fromkeys(plan.draws, timed) | {Draw.FREQUENCY: range(graph.size)}
        # A mean alone is the noisy sum over the exact n: the sum is brought to n times the value.
        kinds = plan.parameters.annotations
        alone = Annotation.MEAN in kinds and Annotation.FREQUENCY not in kinds
        times = {Draw.SUM: graph.counts.tolist()} if alone else {}
        self._noise = [
            [
                wanted[number][place] * times.get(draw, [1] * graph.size)[place]
                - exact[draw][place]
                for place in places[draw]
            ]
            for number, draw in enumerate(plan.draws)
        ]
        self.asked = []

    def draw(self, epsilons):
        self.asked.append(np.shape(epsilons))
        return np.array(self._noise.pop(0))


def public_files(graph, wish, limit, wanted, date="2026-01-05", *, picture):
    plan = hm.plan(graph, range="declared" if graph.bounds is not None else "observed",
                   **wish, **limit)  # fmt: skip
    noise = Towards(plan, wanted)
    release = _release(plan, noise, date)
    files = {}
    if picture:
        files = release._pictures(png=False)[0]
    from hushmap.bundle.writing import public_files as made

    return made(release.graph, release.certificate, files)[0], noise.asked


def in_order(edges, ranks):
    """The same log, its edges met in another order."""
    return dict(sorted(edges.items(), key=lambda item: ranks[EDGES.index(item[0])]))


@settings(max_examples=60, deadline=None)
@given(
    logs, logs, st.lists(targets, min_size=4, max_size=4), wishes, limits, st.booleans(),
    st.permutations(range(len(EDGES))),
)  # fmt: skip
def test_equal_released_values_give_equal_bytes_whatever_the_log(
    first, second, wanted, wish, limit, declared, ranks
):
    kinds = wish["annotate"]
    if {"sum", "mean"} <= set(kinds) and "frequency" not in kinds:
        return  # refused: it would give n away
    bound = "2d" if declared else None
    made = [
        public_files(graph_of(log, max_duration=bound), wish, limit, wanted, picture=False)
        for log in (first, in_order(second, ranks))
    ]
    (ours, asked), (theirs, theirs_asked) = made
    assert list(ours) == list(theirs)
    assert ours == theirs
    assert asked == theirs_asked  # how much noise, and in which order, tells nothing either


@pytest.mark.parametrize("seed", range(3))
def test_pictures_are_made_of_released_values_alone(seed):
    rng = np.random.default_rng(seed)
    both = [
        {("A", "B"): rng.integers(0, 10**6, n).tolist(), (None, "A"): [None] * m,
         ("B", "A"): [int(rng.integers(0, 10**5))], ("B", None): [None] * m}
        for n, m in ((3, 40), (70, 2))
    ]  # fmt: skip
    wanted = rng.integers(1, 10**5, (4, 4)).tolist()
    wish = {"annotate": ["frequency", "mean", "max"], "attacker": "any", "scope": "release"}
    made = [
        public_files(graph_of(log), wish, {"max_risk": "0.2"}, wanted, picture=True)[0]
        for log in both
    ]
    assert {"map.svg", "map.html"} <= set(made[0])
    assert made[0] == made[1]


def test_a_bundle_that_gave_something_away_would_be_found(monkeypatch):
    """The same comparison sees a certificate that states the number of cases."""
    import dataclasses

    from hushmap.release import release as door

    honest = door.make_certificate

    def chatty(parameters, **told):
        made = honest(parameters, **told)
        return dataclasses.replace(made, promised=(*made.promised, f"{len(seen.pop())} edges."))

    seen = [[1] * 3, [1] * 2]
    monkeypatch.setattr(door, "make_certificate", chatty)
    log = {("A", "B"): [3, 4], (None, "A"): [None] * 2}
    wish = {"annotate": ["frequency"]}
    made = [
        public_files(graph_of(log), wish, {"max_risk": "0.2"}, [[5] * 2], picture=False)[0]
        for _ in range(2)
    ]
    assert made[0] != made[1]
