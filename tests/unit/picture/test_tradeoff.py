"""The point on the curve stands where the script that moves it will put it."""

import math
import xml.etree.ElementTree as ET

import pytest

from hushmap.picture.tradeoff import EVERY_EDGE, tradeoff_picture

SVG = "{http://www.w3.org/2000/svg}"
LINE = [(0.01, 8.0), (0.1, 0.5), (0.5, 0.1), (0.99, 0.003)]


def marks(picture):
    root = ET.fromstring(picture.svg)
    return {
        group.get("data-line"): group.find(f"{SVG}circle")
        for group in root.iter(f"{SVG}g")
        if group.get("class") == "mark"
    }


@pytest.mark.parametrize("size", [(640.0, 320.0), (340.0, 260.0)])
def test_the_frame_says_where_a_point_stands(size):
    chosen = {"frequency": (0.5, 0.1), "mean": (0.5, 0.7)}
    picture = tradeoff_picture({"frequency": LINE, "mean": LINE}, chosen, size=size, name="x")
    frame = picture.frame
    for line, circle in marks(picture).items():
        risk, error = chosen[line]
        share = math.log(error / frame["low"]) / math.log(frame["high"] / frame["low"])
        assert float(circle.get("cx")) == pytest.approx(
            frame["x"] + risk * frame["width"], abs=0.06
        )
        y = frame["y"] + (1 - share) * frame["height"]
        assert float(circle.get("cy")) == pytest.approx(y, abs=0.06)
        assert 0 <= float(circle.get("cx")) <= size[0]


def test_lines_are_told_apart_without_colour():
    picture = tradeoff_picture({"mean": LINE, "max": LINE}, {}, name="x")
    root = ET.fromstring(picture.svg)
    dashes = {
        node.get("stroke-dasharray")
        for node in root.iter(f"{SVG}path")
        if "curve" in (node.get("class") or "")
    }
    assert len(dashes) == 2
    assert "mean time" in picture.svg
    assert "longest time" in picture.svg


def test_a_graph_without_errors_still_has_a_picture():
    assert "<svg" in tradeoff_picture({EVERY_EDGE: []}, {}, name="x").svg
