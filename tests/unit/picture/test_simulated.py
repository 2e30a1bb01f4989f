"""A simulated draw can be looked at and not be mistaken for, or turned into, a release."""

import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest

import hushmap as hm
from hushmap.picture import map_svg
from hushmap.picture.simulated import WATERMARK, simulated_map


@pytest.fixture
def plan():
    return hm.plan(hm.discover(hm.read_log("examples/hospital.csv")), max_risk=0.2)


def test_every_part_of_the_picture_carries_the_watermark(plan):
    root = ET.fromstring(simulated_map(hm.simulate(plan, seed=1)))
    width, height = float(root.get("width")), float(root.get("height"))
    places = [
        (float(node.get("x")), float(node.get("y")))
        for node in root.iter("{http://www.w3.org/2000/svg}text")
        if node.text == WATERMARK
    ]
    assert len(places) >= 4
    rows = sorted({y for _, y in places})
    assert rows[0] < 100
    assert height - rows[-1] < 100
    assert max(b - a for a, b in pairwise(rows)) < 200
    assert all(any(0 <= x <= width for x, y in places if y == row) for row in rows)
    assert "simulated" in root.find("{http://www.w3.org/2000/svg}desc").text.lower()


def test_it_changes_nothing_and_one_seed_gives_one_picture(plan):
    assert simulated_map(hm.simulate(plan, seed=7)) == simulated_map(hm.simulate(plan, seed=7))
    assert simulated_map(hm.simulate(plan, seed=7)) != simulated_map(hm.simulate(plan, seed=8))


def test_a_release_is_not_drawn_as_simulated_nor_a_simulation_as_a_release(plan):
    with pytest.raises(TypeError):
        simulated_map(hm.release(plan).graph)
    with pytest.raises(TypeError):
        map_svg(hm.simulate(plan, seed=1))
