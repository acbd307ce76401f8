"""The page of a pipeline: as the user wrote it, unfolded on a click, with what Spark runs of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from onefold.core.lower import lower
from onefold.core.plan import Implementation, Plan
from onefold.engines.spark.explain import WRITE, stages
from onefold.operators.rewrites import Applied, rewrite
from onefold.pages.boxes import Box
from onefold.pages.drawing import AROUND, asset, colour, level, opening
from onefold.pages.lettering import escaped
from onefold.pages.placing import BESIDE, BETWEEN, LEAD, PADDING, PASSING, placed
from onefold.pages.scene import Edging, Frame, Item, Level, Wire, scene
from onefold.pages.stages import staged

NAMES = {
    Implementation.DEDICATED: ("D", "dedicated: what an engine offers"),
    Implementation.AGGREGATE_PLUS: ("A+", "aggregate-plus: an Aggregate that may emit many"),
    Implementation.AGGREGATE: ("A", "aggregate: only the minimal Aggregate, and loops"),
}


@dataclass(frozen=True)
class Variant:
    """A pipeline in one implementation, rewritten or not."""

    implementation: Implementation
    plan: Plan
    applied: tuple[Applied, ...] | None
    """Which rewrites made it; None: it is as it was composed."""

    @property
    def rewrites(self) -> str:
        return "off" if self.applied is None else "on"


def variants(written: Plan) -> Iterator[Variant]:
    """Return a pipeline in every implementation, and rewritten where that changes something."""
    for implementation in NAMES:
        composed = lower(written, implementation)
        yield Variant(implementation, composed, None)
        shorter, applied = rewrite(composed)
        if applied:
            yield Variant(implementation, shorter, applied)


def page(
    written: Plan, name: str, first: Implementation = Implementation.AGGREGATE, *, rewrites: bool
) -> str:
    """Return the page of a pipeline, which begins with an implementation, rewritten or not."""
    every = list(variants(written))
    scenes = [scene(each.plan, staged(each.plan)) for each in every]
    told = {
        "sizes": {
            "beside": BESIDE,
            "between": BETWEEN,
            "padding": PADDING,
            "passing": PASSING,
            "lead": LEAD,
            "around": AROUND,
        },
        "variants": [_level(each) for each in scenes],
    }
    pieces = [
        "<!doctype html>",
        '<html lang="en">',
        *_head(name),
        "<body>",
        *_header(written, name, first, rewrites=rewrites),
        "<main>",
        *(
            line
            for n, (each, drawn) in enumerate(zip(every, scenes))
            for line in _section(n, each, drawn, shortened=_rewritten(each.implementation, every))
        ),
        "</main>",
        f'<script type="application/json" id="levels">{_json(told)}</script>',
        f"<script>{asset('explain.js')}</script>",
        "</body>",
        "</html>",
    ]
    return "\n".join(pieces) + "\n"


def _head(name: str) -> Iterator[str]:
    # The page asks for nothing, and a browser makes sure of it.
    only = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
    yield '<head><meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{only}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{escaped(name)} explained</title>"
    yield f"<style>{asset('drawing.css')}{asset('explain.css')}</style></head>"


def _header(written: Plan, name: str, first: Implementation, *, rewrites: bool) -> Iterator[str]:
    gives = str(written.output.type) or "no attributes"
    yield f"<header><h1>{escaped(name)} <small>gives {escaped(gives)}</small></h1>"
    yield '<form id="choices" autocomplete="off"><fieldset><legend>implementation</legend>'
    for each, (letter, says) in NAMES.items():
        checked = " checked" if each is first else ""
        yield f'<label class="choice" title="{escaped(says)}"><input type="radio"'
        yield f' name="implementation" value="{each.value}"{checked}><span>{letter}</span></label>'
    says = "Spark runs compositions in a shorter form where the answer is the same."
    yield f'</fieldset><label title="{says}"><input type="checkbox" name="rewrites"'
    yield f' data-says="{says}"{" checked" if rewrites else ""}> rewrites</label>'
    yield '<span><button type="button" id="unfold">unfold all</button>'
    yield '<button type="button" id="fold">fold all</button></span>'
    yield '<span class="zoom"><button type="button" id="farther" aria-label="smaller">−</button>'
    yield '<output id="zoomed">100 %</output>'
    yield '<button type="button" id="closer" aria-label="larger">+</button>'
    yield '<button type="button" id="whole">fit the width</button></span></form></header>'


def _rewritten(implementation: Implementation, every: list[Variant]) -> bool:
    return any(each.implementation is implementation and each.applied for each in every)


def _section(number: int, variant: Variant, drawn: Level, *, shortened: bool) -> Iterator[str]:
    named = f'data-implementation="{variant.implementation.value}"'
    yield f'<section data-variant="{number}" {named} data-rewrites="{variant.rewrites}" hidden>'
    yield '<div class="pane" tabindex="-1">'
    folded = placed(drawn, lambda _: True)
    yield "".join(opening(folded, f"The pipeline as {variant.implementation.value}", live=True))
    yield from level(folded, live=True)
    yield "</g></svg></div><aside>"
    if any(isinstance(each, Frame) for each in drawn.items):
        yield "<p>Click an operator, or press Enter on it, to see what it is made of.</p>"
    else:
        yield "<p>Here every operator is what it is: nothing is composed of others.</p>"
    yield from _stages(variant.plan, literal=shortened and variant.applied is None)
    yield from _rewrites(variant)
    yield from _signs()
    yield "</aside></section>"


def _stages(plan: Plan, *, literal: bool) -> Iterator[str]:
    if literal:
        yield '<section class="stages"><h2>What Spark runs without rewrites</h2>'
        yield "<p>By default it rewrites: tick <b>rewrites</b> above to see that.</p><ol>"
    else:
        yield '<section class="stages"><h2>What Spark runs</h2><ol>'
    for stage in stages(plan):
        runs = f"<span><b>stage {stage.number}</b> {escaped(stage.runs)}</span>"
        yield f"<li>{_swatch(stage.number)}{runs}"
    yield f'<li><svg width="8" height="14"></svg><span>{escaped(WRITE)}</span></ol></section>'


def _swatch(stage: int) -> str:
    rect = f'<rect class="{colour(stage)}" width="8" height="14"/>'
    return f'<svg class="onefold-drawing" width="8" height="14" aria-hidden="true">{rect}</svg>'


def _rewrites(variant: Variant) -> Iterator[str]:
    if variant.implementation is Implementation.DEDICATED and not variant.applied:
        return
    yield '<section class="rewrites"><h2>Rewrites</h2>'
    if variant.applied is None:
        yield "<p>Off: what is composed runs as it stands.</p></section>"
        return
    yield "<ol>"
    for each in variant.applied:
        step = escaped(str(each.node.step))
        yield f"<li>{escaped(each.rewrite.name)}<small>{step}</small>"
    yield "</ol></section>"


def _signs() -> Iterator[str]:
    signs = {
        '<path class="wire" d="M2 8H38"/>': "a stream",
        '<path class="wire late" d="M2 8H38"/>': "a late stream: what was dropped",
        '<path class="loop" d="M4 13C44 13 44 3 12 3"/>'
        '<path class="loop-tip" d="M4 3l8 -4v8z"/>': "an Aggregate that is fed its own output",
        '<g class="aggregate"><rect class="shape" x="2" y="1" width="36" height="14" rx="4"/></g>'
        "": "an Aggregate",
    }
    yield '<section class="signs"><h2>Signs</h2><ul>'
    for drawn, says in signs.items():
        yield '<li><svg class="onefold-drawing" width="40" height="16" aria-hidden="true">'
        yield f"{drawn}</svg><span>{says}</span>"
    yield "</ul></section>"


def _json(told: dict[str, Any]) -> str:
    return json.dumps(told, separators=(",", ":")).replace("<", "\\u003c")


def _level(given: Level) -> dict[str, Any]:
    return {
        "items": [_item(each) for each in given.items],
        "places": given.grid.places,
        "wires": [_wire(each) for each in given.wires],
    }


def _item(item: Item) -> dict[str, Any]:
    match item:
        case Edging():
            return {"kind": "edging"}
        case Box():
            return {"kind": "box", "path": item.path, "size": (item.width, item.height)}
    return {
        "kind": "frame",
        "path": item.box.path,
        "size": (item.box.width, item.box.height),
        "head": (item.head.width, item.head.height),
        "level": _level(item.level),
    }


def _wire(wire: Wire) -> dict[str, Any]:
    return {
        "source": wire.source,
        "target": wire.target,
        "route": wire.route,
        "leaves": wire.leaves,
        "arrives": wire.arrives,
        "outgoing": wire.outgoing,
        "incoming": wire.incoming,
    }
