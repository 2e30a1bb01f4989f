"""Which edges are drawn when there are too many."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushmap.graph import Annotation, ReleasedGraph
from hushmap.picture.selection import activity_flow, select


def reached(graph, chosen):
    """Whether all drawn activities hang together."""
    ends = [
        tuple(
            ("end" if k else "start") if n is None else (n,) for k, n in enumerate(graph.edges[p])
        )
        for p in chosen.edges
    ]
    group = {node: {node} for pair in ends for node in pair}
    for one, other in ends:
        if group[one] is not group[other]:
            group[one] |= group[other]
            for node in group[other]:
                group[node] = group[one]
    return len({id(nodes) for nodes in group.values()}) == 1


def test_a_small_map_is_drawn_whole(small):
    chosen = select(small, 200)
    assert chosen.complete
    assert chosen.sentence() == ""


def test_every_activity_stays_tied_in(make_dense):
    graph = make_dense(40, 900)
    chosen = select(graph, 200)
    assert len(chosen.edges) == 200
    assert len(chosen.activities) == 40
    assert reached(graph, chosen)
    weights = graph.weights[Annotation.FREQUENCY]
    for name in graph.activities:
        ways_in = [p for p, (s, t) in enumerate(graph.edges) if t == name and s != name]
        ways_out = [p for p, (s, t) in enumerate(graph.edges) if s == name and t != name]
        for ways in (ways_in, ways_out):
            if ways:
                best = max(weights[p] for p in ways)
                assert best in {weights[p] for p in ways if p in chosen.edges}
    assert chosen.sentence().startswith("200 of 900 edges drawn, the most frequent")


def test_activities_are_left_out_only_where_edges_do_not_suffice(make_dense):
    graph = make_dense(300, 2000)
    chosen = select(graph, 100)
    assert len(chosen.edges) <= 100
    assert 10 < len(chosen.activities) < 100
    assert reached(graph, chosen)
    assert f"and {len(chosen.activities)} of 300 activities drawn" in chosen.sentence()


@settings(max_examples=30)
@given(st.integers(1, 30), st.integers(1, 60), st.integers(0, 99))
def test_the_limit_holds_and_the_choice_is_stable(make_dense, activities, limit, seed):
    graph = make_dense(activities, 200, seed=seed)
    chosen = select(graph, limit)
    assert 1 <= len(chosen.edges) <= max(limit, 1)
    assert chosen == select(graph, limit)
    drawn = {name for p in chosen.edges for name in graph.edges[p] if name is not None}
    assert drawn <= {graph.activities[place] for place in chosen.activities}


def test_a_map_of_times_is_thinned_by_time(make_dense):
    graph = make_dense(20, 300, ["mean"])
    assert "the longest" in select(graph, 60).sentence()


@pytest.mark.parametrize("limit", [0, -5])
def test_nonsense_limits_draw_one_edge(small, limit):
    assert len(select(small, limit).edges) == 1


def test_activity_counts_come_from_released_edges_alone(small):
    flow = activity_flow(small)
    weights = dict(zip(small.edges, small.weights[Annotation.FREQUENCY], strict=True))
    for name in small.activities:
        assert flow[name] == sum(w for (_, target), w in weights.items() if target == name)
    times = ReleasedGraph(small.activities, small.edges, {}, 1_000_000)
    assert activity_flow(times) == {}
