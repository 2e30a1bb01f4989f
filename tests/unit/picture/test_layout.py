"""Layouts: nothing overlaps, nothing hangs, nothing is said on standard error."""

import time

import pytest

from hushmap.picture import composition, graphviz
from hushmap.picture.composition import map_shapes, place_map
from hushmap.picture.layout import (
    END,
    START,
    EdgeLine,
    EdgeSize,
    Layout,
    dot_source,
    flow_order,
    labels_apart,
)
from hushmap.picture.view import MapFacts, choose_view


def plain_view(graph):
    return choose_view(graph, None, None, intervals=False)


def boxes(placed, view):
    """The rectangles of activities and labels."""
    found = {"node": [], "label": []}
    for layer in map_shapes(placed, view):
        for group in layer.items:
            if group.kind == "node" or (group.kind == "label" and group.items):
                box = group.items[0]
                found[group.kind].append((box.x, box.y, box.x + box.width, box.y + box.height))
    return found


def overlap(one, other):
    return (
        min(one[2], other[2]) - max(one[0], other[0]) > 0.5
        and min(one[3], other[3]) - max(one[1], other[1]) > 0.5
    )


@pytest.mark.parametrize("intervals", [False, True])
@pytest.mark.parametrize("kind", ["small", "nasty", "sepsis_like"])
def test_nothing_overlaps_and_nothing_is_cut(request, certificate_of, kind, intervals):
    graph = request.getfixturevalue(kind)
    facts = MapFacts(graph, certificate_of(graph, range_kind="declared"))
    view = choose_view(graph, None, None, intervals=intervals)
    placed = place_map(facts, [view], 200)
    assert placed.has_labels
    found = boxes(placed, view)
    every = found["node"] + found["label"]
    assert len(found["node"]) == len(graph.activities)
    for place, one in enumerate(every):
        assert min(one[0], one[1]) >= -0.5
        assert one[2] <= placed.layout.width + 0.5
        assert one[3] <= placed.layout.height + 0.5
        for other in every[:place]:
            assert not overlap(one, other)


def test_labels_at_one_place_are_pushed_apart():
    sizes = [EdgeSize(key, "a", "b", 40, 28, 0, 8) for key in range(4)]
    places = [(100.0, 100.0), (100.0, 100.0), (130.0, 110.0), (300.0, 100.0)]
    lines = {
        key: EdgeLine(((0.0, 0.0), (9.0, 9.0)), (9.0, 9.0), at) for key, at in enumerate(places)
    }
    moved = labels_apart(Layout(400, 400, {}, lines), sizes)
    found = [line.label for line in moved.edges.values()]
    corners = [(x - 20, y - 14, x + 20, y + 14) for x, y in found]
    assert not any(overlap(one, other) for at, one in enumerate(corners) for other in corners[:at])
    assert found[3] == places[3]
    assert [line.points for line in moved.edges.values()] == [
        line.points for line in lines.values()
    ]


def test_the_start_is_above_and_the_end_below(sepsis_like):
    placed = place_map(MapFacts(sepsis_like, None), [plain_view(sepsis_like)], 200)
    heights = {key: y for key, (_, y) in placed.layout.nodes.items()}
    assert min(heights, key=heights.get) == START
    assert max(heights, key=heights.get) == END


def test_arrows_point_from_source_to_target(sepsis_like):
    placed = place_map(MapFacts(sepsis_like, None), [plain_view(sepsis_like)], 200)
    for place, line in placed.layout.edges.items():
        source, target = sepsis_like.edges[place]
        if source == target:
            continue

        def distance(point, name, none):
            x, y = placed.layout.nodes[placed.key(name, none)]
            return max(abs(point[0] - x) / 100, abs(point[1] - y) / 30)

        assert distance(line.tip, target, END) < 1.01
        assert distance(line.points[0], source, START) < 1.01


def test_dot_learns_no_name(nasty):
    facts = MapFacts(nasty, None)
    names = {name: [name] for name in nasty.activities}
    selection = composition.select(nasty, 200)
    nodes, edges = composition._sizes(facts, [plain_view(nasty)], selection, names)
    source = dot_source(nodes, edges)
    for name in nasty.activities:
        if len(name.strip()) > 5:
            assert name not in source
    assert source.isascii()


def test_without_graphviz_there_is_a_simple_layout(monkeypatch, nasty, sepsis_like):
    monkeypatch.setattr(graphviz, "has_graphviz", lambda: False)
    for graph in (nasty, sepsis_like):
        view = plain_view(graph)
        placed = place_map(MapFacts(graph, None), [view], 200)
        assert not placed.has_labels
        found = boxes(placed, view)["node"]
        assert len(found) == len(placed.selection.activities)
        for place, one in enumerate(found):
            assert not any(overlap(one, other) for other in found[:place])


def explosive(size):
    nodes = [f"n{place}" for place in range(size)]
    return "digraph{" + ";".join(f"{a}->{b}[label=x]" for a in nodes for b in nodes) + "}"


def test_a_layout_that_takes_too_long_is_stopped():
    begin = time.monotonic()
    answer = graphviz.run_graphviz(explosive(90), program="dot", output="json0", seconds=1.0)
    assert answer is None
    assert time.monotonic() - begin < 5


def test_a_layout_that_takes_too_much_memory_is_stopped():
    answer = graphviz.run_graphviz(
        explosive(30), program="dot", output="json0", seconds=20.0, megabytes=60
    )
    assert answer is None


def test_a_failed_attempt_draws_fewer_edges(monkeypatch, sepsis_like):
    asked = []

    def failing(nodes, edges, *, seconds):
        asked.append(len(edges))
        return None if len(edges) > 40 else real(nodes, edges, seconds=seconds)

    real = composition.dot_layout
    monkeypatch.setattr(composition, "dot_layout", failing)
    placed = place_map(MapFacts(sepsis_like, None), [plain_view(sepsis_like)], 200)
    assert asked == [135, 67, 33]
    assert placed.has_labels
    assert placed.selection.sentence().startswith("33 of 135 edges")


def test_standard_error_stays_silent(capfd, small):
    place_map(MapFacts(small, None), [plain_view(small)], 200)
    assert capfd.readouterr() == ("", "")


def test_the_flow_order_follows_the_frequent_way(small):
    placed = place_map(MapFacts(small, None), [plain_view(small)], 200)
    selection = placed.selection
    names = {name: [name] for name in small.activities}
    nodes, edges = composition._sizes(placed.facts, [], selection, names)
    order = flow_order(nodes, edges)
    assert (order[0], order[-1]) == (START, END)
    assert sorted(order) == sorted(node.key for node in nodes)
