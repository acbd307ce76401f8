"""A plan as a drawing: SVG that stands alone, or anywhere in a page.

It has no ids and its rules name their drawing's class, so several may stand on one page. Colours
follow the reader's choice of light or dark.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from onefold.core.plan import Plan
from onefold.pages.boxes import ABOVE, MARGIN, Box
from onefold.pages.lettering import LINE, escaped
from onefold.pages.placing import BETWEEN, Placed, Spot, number, path, placed
from onefold.pages.scene import Edging, Frame, Item, Notes, scene

AROUND = 16
"""Room around a drawing."""
STRIP = 4
"""How wide the strip is that shows a stage."""
STAGES = 6
"""How many colours there are for stages."""


def svg(plan: Plan) -> str:
    """Return the plan as SVG: each node a box, inside the operators it was composed for.

    >>> words = of.source("words", "word string").filter(lambda t: len(t.word) > 1)
    >>> drawn = svg(of.lower(words, "aggregate"))
    >>> drawn.startswith("<svg "), drawn.count('class="item aggregate"')
    (True, 3)
    """
    return annotated(plan, {})


def annotated(plan: Plan, notes: Notes) -> str:
    """Return the plan as SVG, with a note on each node."""
    whole = placed(scene(plan, notes))
    title = f"A pipeline that gives {plan.output.type}"
    return "\n".join(["".join(opening(whole, title)), *level(whole), "</g></svg>\n"])


def opening(whole: Placed, title: str, style: str | None = None) -> Iterator[str]:
    """Return the beginning of a drawing, up to its outermost level."""
    width, height = size(whole)
    yield '<svg xmlns="http://www.w3.org/2000/svg" class="onefold-drawing" role="img"'
    yield f' width="{number(width)}" height="{number(height)}"'
    yield f' viewBox="0 0 {number(width)} {number(height)}">'
    yield f"<title>{escaped(title)}</title>"
    yield f"<style>{stylesheet('drawing.css') if style is None else style}</style>"
    yield '<rect class="paper" width="100%" height="100%"/>'
    yield f'<g class="level" transform="translate({AROUND} {AROUND - BETWEEN})">'


def size(whole: Placed) -> tuple[float, float]:
    """Return how large a drawing is. Above the outermost level there is nothing to come in from."""
    return whole.width + 2 * AROUND, whole.height + 2 * AROUND - BETWEEN


@cache
def stylesheet(name: str) -> str:
    """Return the text of a file beside this one."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def level(given: Placed) -> Iterator[str]:
    """Draw a level: wires first, so that boxes lie on them."""
    for wire, runs in zip(given.level.wires, given.wires):
        kind = " late" if wire.late else ""
        yield f'<path class="wire{kind}" d="{path(runs)}"/>'
        if not isinstance(given.level.items[wire.target], Edging):
            x, _, y = runs[-1]
            yield f'<path class="tip{kind}" d="{arrow(x, y)}"/>'
    for item, spot in zip(given.level.items, given.spots):
        yield from _item(item, spot)


def arrow(x: float, y: float) -> str:
    """Draw the head of an arrow that ends here, from above."""
    return f"M{number(x - 4)} {number(y - 8)}h8l-4 8z"


def _item(item: Item, spot: Spot) -> Iterator[str]:
    at = f'transform="translate({number(spot.x)} {number(spot.y)})"'
    match item:
        case Box():
            yield f'<g class="item {item.kind}" {at}>'
            yield from box(item)
            yield "</g>"
        case Frame() if spot.inside:
            yield f'<g class="item" {at}>'
            yield frame(spot)
            yield '<g class="head">'
            yield from box(item.head, spot.width)
            yield "</g>"
            yield '<g class="level" transform="translate({} {})">'.format(*map(number, spot.inset))
            yield from level(spot.inside)
            yield "</g></g>"
        case Frame():
            yield f'<g class="item {item.box.kind}" {at}>'
            yield from box(item.box)
            yield "</g>"


def frame(spot: Spot) -> str:
    """Draw the frame around what an operator is made of."""
    return (
        f'<rect class="frame" width="{number(spot.width)}" height="{number(spot.height)}" rx="8"/>'
    )


def box(given: Box, width: float | None = None) -> Iterator[str]:
    """Draw a box from its upper left corner on, as wide as is asked for, and what is on it."""
    side = given.side
    wide = (given.width if width is None else width) - 2 * side
    round_ = given.height / 2 if given.kind == "output" else 12 if given.kind == "source" else 6
    if given.tip:
        yield f"<title>{'&#10;'.join(map(escaped, given.tip.splitlines()))}</title>"
    yield (
        f'<rect class="shape" x="{number(side)}" width="{number(wide)}"'
        f' height="{number(given.height)}" rx="{number(round_)}"/>'
    )
    yield from _strip(given)
    for row, line in enumerate(given.lines):
        y = ABOVE + row * LINE + 12
        spans = "".join(f'<tspan class="{s.kind}">{escaped(s.text)}</tspan>' for s in line)
        if given.kind == "output":
            yield f'<text x="{number(wide / 2)}" y="{y}" text-anchor="middle">{spans}</text>'
        else:
            yield f'<text x="{number(side + MARGIN)}" y="{y}">{spans}</text>'
    if given.loops:
        yield from _loop(side + wide, given.height)


def _strip(given: Box) -> Iterator[str]:
    """Draw which stages run a node: a strip at its left, in the colour of each."""
    long = (given.height - 12) / max(1, len(given.stages))
    for place, stage in enumerate(given.stages):
        yield (
            f'<rect class="stage-{stage % STAGES}" x="{number(given.side + 2)}"'
            f' y="{number(6 + place * long)}" width="{STRIP}" height="{number(long)}"/>'
        )


def _loop(x: float, height: float) -> Iterator[str]:
    """Draw the wire that leads from a node back into it, at its right."""
    top, bottom = height / 2 - 14, height / 2 + 14
    y, end = number(top), number(x + 6)
    yield (
        f'<path class="loop" d="M{number(x)} {number(bottom)}'
        f'C{number(x + 30)} {number(bottom)} {number(x + 30)} {y} {end} {y}"/>'
    )
    yield f'<path class="loop-tip" d="M{number(x)} {y}l8 -4v8z"/>'
    yield f'<text class="loop-name" x="{number(x + 25)}" y="{number(height / 2 + 4)}">loop</text>'
