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
from onefold.pages.placing import BETWEEN, Placed, Spot, number, opened_up, path, placed
from onefold.pages.scene import Edging, Frame, Notes, scene

AROUND = 16
"""Room around a drawing."""
STRIP = 4
"""How wide the strip is that shows a stage."""
SHUFFLES = 5
"""How many colours there are for stages behind a shuffle."""


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


def opening(whole: Placed, title: str, *, live: bool = False) -> Iterator[str]:
    """Return the beginning of a drawing, up to its outermost level."""
    width, height = size(whole)
    role = "group" if live else "img"
    yield f'<svg xmlns="http://www.w3.org/2000/svg" class="onefold-drawing" role="{role}"'
    yield f' width="{number(width)}" height="{number(height)}"'
    yield f' viewBox="0 0 {number(width)} {number(height)}">'
    yield f"<title>{escaped(title)}</title>"
    if not live:  # a page has the style once
        yield f"<style>{asset('drawing.css')}</style>"
    yield '<rect class="paper" width="100%" height="100%"/>'
    yield f'<g class="level" transform="translate({AROUND} {AROUND - BETWEEN})">'


def size(whole: Placed) -> tuple[float, float]:
    """Return how large a drawing is. Above the outermost level there is nothing to come in from."""
    return whole.width + 2 * AROUND, whole.height + 2 * AROUND - BETWEEN


@cache
def asset(name: str) -> str:
    """Return the text of a file beside this one."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def level(given: Placed, *, live: bool = False) -> Iterator[str]:
    """Draw a level: wires first, so that boxes lie on them. What is live, a page unfolds."""
    for place, (wire, runs) in enumerate(zip(given.level.wires, given.wires)):
        kind = " late" if wire.late else ""
        yield f'<path class="wire{kind}" d="{path(runs)}"/>'
        if not isinstance(given.level.items[wire.target], Edging):
            which = f' data-wire="{place}"' if live else ""
            x, _, y = runs[-1]
            yield f'<path class="tip{kind}"{which} d="{arrow(x, y)}"/>'
    for place, (item, spot) in enumerate(zip(given.level.items, given.spots)):
        if not isinstance(item, Edging):
            which = f' data-item="{place}"' if live else ""
            at = f'transform="translate({number(spot.x)} {number(spot.y)})"'
            yield f'<g class="item{_kind(item)}"{which} {at}>'
            yield from _item(item, spot, live=live)
            yield "</g>"


def arrow(x: float, y: float) -> str:
    """Draw the head of an arrow that ends here, from above."""
    return f"M{number(x - 4)} {number(y - 8)}h8l-4 8z"


def _kind(item: Box | Frame) -> str:
    return f" {item.kind}" if isinstance(item, Box) else ""


def _item(item: Box | Frame, spot: Spot, *, live: bool) -> Iterator[str]:
    match item:
        case Box():
            yield from box(item)
        case Frame() if live:
            yield f'<g class="folded {item.box.kind}" {_button(item, opened=False)}>'
            yield from box(item.box)
            yield sign(item.box.width, "m0 4l4 4l4 -4")
            yield "</g>"
            inside = placed(item.level, lambda _: True)
            yield '<g class="unfolded">'
            yield from _unfolded(item, opened_up(item, inside), live=True)
            yield "</g>"
        case Frame() if spot.inside:
            yield from _unfolded(item, spot, live=False)
        case Frame():
            yield f'<g class="{item.box.kind}">'
            yield from box(item.box)
            yield "</g>"


def _unfolded(item: Frame, spot: Spot, *, live: bool) -> Iterator[str]:
    assert spot.inside
    wide, high = number(spot.width), number(spot.height)
    yield f'<rect class="frame" width="{wide}" height="{high}" rx="6"/>'
    yield f'<g class="head" {_button(item, opened=True)}>' if live else '<g class="head">'
    yield from box(item.head, spot.width)
    if live:
        yield sign(spot.width, "m0 8l4 -4l4 4")
    yield "</g>"
    yield '<g class="level" transform="translate({} {})">'.format(*map(number, spot.inset))
    yield from level(spot.inside, live=live)
    yield "</g>"


def _button(item: Frame, *, opened: bool) -> str:
    words = "".join(span.text for span in item.box.lines[0])
    does = "fold" if opened else "unfold"
    return (
        f'role="button" tabindex="0" aria-expanded="{str(opened).lower()}"'
        f' aria-label="{does} {escaped(words)}"'
    )


def sign(width: float, strokes: str) -> str:
    """Draw what says that a box can be unfolded, or folded, near its right upper corner."""
    return f'<path class="sign" transform="translate({number(width - 18)} 8)" d="{strokes}"/>'


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
        y = ABOVE + row * LINE + 13
        spans = "".join(f'<tspan class="{s.kind}">{escaped(s.text)}</tspan>' for s in line)
        if given.kind == "output":
            yield f'<text x="{number(wide / 2)}" y="{y}" text-anchor="middle">{spans}</text>'
        else:
            yield f'<text x="{number(side + MARGIN)}" y="{y}">{spans}</text>'
    if given.loops:
        yield from _loop(side + wide, given.height)


def colour(stage: int) -> str:
    """Return the class that gives a stage its colour; that of stage 0 no other has."""
    return f"stage-{1 + (stage - 1) % SHUFFLES if stage else 0}"


def _strip(given: Box) -> Iterator[str]:
    """Draw which stages run a node: a strip at its left, in the colour of each."""
    long = (given.height - 12) / max(1, len(given.stages))
    for place, stage in enumerate(given.stages):
        yield (
            f'<rect class="{colour(stage)}" x="{number(given.side + 2)}"'
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
    yield f'<text class="loop-name" x="{number(x + 28)}" y="{number(height / 2 + 4)}">loop</text>'
