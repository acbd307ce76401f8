"""A plan as SVG: everything is there once, nothing overlaps, nothing clashes with a page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from graphlib import CycleError
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onefold as of
import strategies
from onefold import Implementation, Stream
from onefold.core.plan import Plan
from onefold.operators.rewrites import RULES, rewrite
from onefold.pages.boxes import Box
from onefold.pages.drawing import svg
from onefold.pages.layout import grid
from onefold.pages.placing import Placed, placed
from onefold.pages.scene import Edging, Frame, scene
from onefold.pipelines import load_pipeline

ROOT = Path(__file__).parents[1]
EXPLAINED = ROOT / "tests" / "explain" / "explained.py"
PIPELINES = [
    f"{ROOT}/examples/wordcount.py:pipeline",
    *(f"{EXPLAINED}:{name}" for name in ("shared", "late", "pairs", "down", "names", "nothing")),
]
RULES_OR_NONE = st.sampled_from([RULES, ()])
implementations = pytest.mark.parametrize("implementation", list(Implementation))
pipelines = pytest.mark.parametrize("pipeline", PIPELINES, ids=lambda name: name.rpartition(":")[2])


def parsed(drawn: str) -> ElementTree.Element:
    return ElementTree.fromstring(drawn)  # noqa: S314  it is ours


def levels(whole: Placed) -> Iterator[Placed]:
    yield whole
    for spot in whole.spots:
        if spot.inside:
            yield from levels(spot.inside)


def boxes(plan: Plan) -> list[Box]:
    inside = (each.level.items for each in levels(placed(scene(plan))))
    return [item for items in inside for item in items if isinstance(item, Box)]


@pipelines
@implementations
def test_every_node_is_a_box(pipeline: str, implementation: Implementation) -> None:
    plan = of.lower(load_pipeline(pipeline), implementation)
    found = boxes(plan)
    assert len(found) == len(plan.nodes) + 1  # the output has one
    assert len({each.path for each in found}) == len(found)
    drawn = parsed(svg(plan))
    items = [e for e in drawn.iter() if re.match(r"item \w", e.get("class", ""))]
    assert len(items) == len(found)
    loops = [e for e in drawn.iter() if e.get("class") == "loop"]
    assert len(loops) == sum(node.loops for node in plan.nodes)


@pipelines
@implementations
@pytest.mark.parametrize("depth", [0, 1, 9])
def test_nothing_overlaps(pipeline: str, implementation: Implementation, depth: int) -> None:
    check_places(of.lower(load_pipeline(pipeline), implementation), depth)


@settings(max_examples=60, deadline=None)
@given(strategies.cases(), st.sampled_from(Implementation), st.integers(0, 3), RULES_OR_NONE)
def test_nothing_overlaps_in_any_pipeline(
    case: strategies.Case, implementation: Implementation, depth: int, rules: Any
) -> None:
    check_places(rewrite(of.lower(case.stream(), implementation), rules)[0], depth)


def check_places(plan: Plan, depth: int) -> None:
    """Look at a drawing that is unfolded so far: no box on another, no wire through one."""
    whole = placed(scene(plan), lambda frame: frame.box.path.count("#") > depth)
    for level in levels(whole):
        for one, other in combinations(level.spots, 2):
            apart_x = one.x + one.width <= other.x or other.x + other.width <= one.x
            apart_y = one.y + one.height <= other.y or other.y + other.height <= one.y
            assert apart_x or apart_y
        for spot in level.spots:
            assert spot.x >= -0.01
            assert spot.x + spot.width <= level.width + 0.01
            assert spot.y + spot.height <= level.height + 0.01
        for x, top, bottom in (run for runs in level.wires for run in runs):
            # Wires run straight through rows; in the gaps between rows there is no box.
            crossed = [
                spot
                for spot in level.spots
                if spot.x < x < spot.x + spot.width
                and max(top, spot.y) + 0.01 < min(bottom, spot.y + spot.height)
            ]
            assert not crossed


@pipelines
@implementations
def test_a_wire_goes_on_inside_a_frame(pipeline: str, implementation: Implementation) -> None:
    whole = placed(scene(of.lower(load_pipeline(pipeline), implementation)))
    for level in levels(whole):
        for wire, runs in zip(level.level.wires, level.wires):
            source, target = level.spots[wire.source], level.spots[wire.target]
            if target.inside:
                assert wire.incoming is not None
                within = target.inside.wires[wire.incoming][0][0]
                assert runs[-1][0] == pytest.approx(target.x + target.inset[0] + within)
            if source.inside:
                assert wire.outgoing is not None
                within = source.inside.wires[wire.outgoing][-1][0]
                assert runs[0][0] == pytest.approx(source.x + source.inset[0] + within)


def test_a_late_stream_is_dashed_and_other_wires_are_not() -> None:
    words = of.source("words", "word string")
    counts = words.aggregate(lambda w: (len(w.tuples),), "n int", size=10)
    late = counts.late.map(lambda t: (1,), "n int").union(counts)
    for implementation in Implementation:
        drawn = svg(of.lower(late, implementation))
        assert drawn.count('class="wire late"') >= 2
        assert 'class="wire"' in drawn
    assert 'class="wire late"' not in svg(of.lower(counts, "aggregate"))


def test_both_inputs_of_a_join_with_itself_are_drawn() -> None:
    numbers = of.source("numbers", "n int")
    twice = numbers.join(numbers, "n int, m int", size=10)
    whole = placed(scene(of.lower(twice, "dedicated")))
    into = [runs[-1][0] for wire, runs in zip(whole.level.wires, whole.wires) if wire.reader][:2]
    assert len(set(into)) == 2


def test_the_left_side_of_a_join_is_left() -> None:
    left, right = of.source("left", "n int"), of.source("right", "n int")
    whole = placed(scene(of.lower(left.join(right, "n int, m int", size=10), "aggregate")))
    at = {
        item.lines[0][0].text: spot.x
        for level in levels(whole)
        for item, spot in zip(level.level.items, level.spots)
        if isinstance(item, Box)
    }
    assert at["source left"] < at["source right"]
    assert at["A1 of join"] < at["A2 of join"]


def test_a_side_of_a_join_that_is_not_needed_is_drawn() -> None:
    left, right = of.source("left", "n int"), of.source("right", "n int")
    late = left.join(right, "n int, m int", size=10).late_left
    drawn = svg(of.lower(late, "aggregate"))
    assert "source left" in drawn
    assert "source right" in drawn


def test_labels_are_text() -> None:
    name = "<script>alert('&amp;')</script>\x00\ud800\n\"b\""
    drawn = svg(of.lower(of.source(name, "`<b>` string").filter(lambda t: True), "aggregate"))
    drawn.encode()
    assert "<script" not in drawn
    assert "<b>" not in drawn
    texts = ["".join(each.itertext()) for each in parsed(drawn).iter()]
    assert "source <script>alert('&amp;')</script>\ufffd\ufffd \"b\"" in texts


def test_a_drawing_may_stand_beside_another() -> None:
    drawn = svg(of.lower(load_pipeline(PIPELINES[0]), "aggregate"))
    assert not re.search(r"\s(id|href|src)=|url\(|@import", drawn)
    style = re.search(r"<style>(.*?)</style>", drawn, re.DOTALL)
    assert style
    rules = re.sub(r"/\*.*?\*/|@media[^{]*", "", style[1], flags=re.DOTALL)
    selectors = [each.strip() for each in re.findall(r"([^{}]+)\{", rules) if each.strip()]
    assert selectors
    for each in selectors:
        assert all(one.strip().startswith(".onefold-drawing") for one in each.split(","))


def test_the_same_plan_is_drawn_alike() -> None:
    def drawn() -> str:
        return svg(of.lower(load_pipeline(PIPELINES[1]), "aggregate"))

    assert drawn() == drawn()


def test_long_pipelines() -> None:
    stream: Stream = of.source("numbers", "n int")
    for _ in range(300):
        stream = stream.filter(lambda t: t.n)
    plan = of.lower(stream, "aggregate")
    assert len(boxes(plan)) == 902


def test_frames_nest_as_compositions_do() -> None:
    whole = scene(of.lower(load_pipeline(f"{EXPLAINED}:pairs"), "aggregate"))
    frames = [each for each in whole.items if isinstance(each, Frame)]
    join = frames[-1]
    assert [each.head.lines[0][0].text for each in frames] == ["flat_map", "join"]
    inner = [each for each in join.level.items if isinstance(each, Frame)]
    assert [each.head.lines[0][0].text for each in inner] == ["A3 of join"]
    assert isinstance(inner[0].level.items[0], Edging)


def test_the_picture_in_the_docs_is_what_is_drawn() -> None:
    pictures = ROOT / "docs" / "pictures"
    drawn = svg(of.lower(load_pipeline(f"{pictures}/filter.py:long"), "aggregate"))
    assert (pictures / "filter.svg").read_text(encoding="utf-8") == drawn


def test_a_circle_is_an_error_and_not_the_end_of_the_process() -> None:
    with pytest.raises(CycleError):
        grid(3, [(0, 1), (1, 2), (2, 1)])
