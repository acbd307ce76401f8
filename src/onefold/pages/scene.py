"""What there is to draw: boxes, frames with boxes inside, and the wires between them.

A level is what stands in one frame, or in no frame. Every wire belongs to the level that holds both
of its ends; a stream that goes into a frame is a wire outside and one inside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from onefold.core.explain import Composed, Part, arranged, leaves, unchained
from onefold.core.plan import Late, Node, Plan
from onefold.pages.boxes import Box, Note, box, head, output, together
from onefold.pages.layout import Edge, Grid, Point, grid

Notes = Mapping[Node, Note]


@dataclass(frozen=True)
class Frame:
    """An operator that others carry out: a box while it is folded, a frame around them if not."""

    box: Box
    head: Box
    level: Level


@dataclass(frozen=True)
class Edging:
    """The upper or lower edge of a frame, where streams come in and go out."""


Item = Box | Frame | Edging


@dataclass(frozen=True)
class Wire:
    """A stream from one item of a level to another."""

    source: int
    target: int
    stream: Node
    reader: tuple[Node, int] | None
    """Who reads it, and as which of its inputs; None: whoever does, out of this frame."""
    route: tuple[Point, ...]
    leaves: float
    """Where it begins on a box: at its left edge 0, at its right edge 1."""
    arrives: float
    outgoing: int | None = None
    """The wire that it goes on from, inside the frame where it begins."""
    incoming: int | None = None
    """The wire that it goes on as, inside the frame where it ends."""

    @property
    def late(self) -> bool:
        """Whether it is a late stream."""
        ends = (self.stream, self.reader[0] if self.reader else None)
        return any(isinstance(each, Late) for each in ends)


@dataclass(frozen=True)
class Level:
    """Items, the first and the last of which are the upper and lower edge, and their wires."""

    items: tuple[Item, ...]
    wires: tuple[Wire, ...]
    grid: Grid = field(repr=False)


def scene(given: Plan, notes: Notes | None = None) -> Level:
    """Return the outermost level of a plan's drawing."""
    readers: dict[Node, list[tuple[Node, int]]] = {}
    for node in given.nodes:
        for port, each in enumerate(node.inputs):
            readers.setdefault(each, []).append((node, port))
    return _Scenery(given, notes or {}, readers).level(arranged(given), "", None)


@dataclass(frozen=True)
class _Scenery:
    plan: Plan
    notes: Notes
    readers: Mapping[Node, Sequence[tuple[Node, int]]]

    def level(self, parts: Sequence[Part], path: str, inside: Composed | None) -> Level:
        names: dict[str, int] = {}
        items: list[Item] = [Edging()]
        for part in parts:
            name = f"{path}/{_named(part)}"
            names[name] = names.get(name, 0) + 1
            items.append(self.item(part, f"{name}#{names[name]}"))
        items.append(Edging() if inside else output())
        home = {node: n for n, part in enumerate(parts, start=1) for node in leaves([part])}
        wires = [*self._inner(home), *self._leaving(home, len(items) - 1, outside=not inside)]
        fed = {target for _, target in (_ends(each) for each in wires)}
        loose = [(0, n) for n in range(1, len(items)) if n not in fed]
        laid = grid(len(items), [*map(_ends, wires), *loose])
        return Level(tuple(items), tuple(_finished(wires, items, laid)), laid)

    def item(self, part: Part, path: str) -> Item:
        if not isinstance(part, Composed):
            return box(part, path, self.notes.get(part))
        chain, parts = unchained(part)
        nodes = list(leaves(parts))
        notes = [self.notes[each] for each in nodes if each in self.notes]
        folded = box(chain[0], path, together(notes), chain, len(nodes))
        return Frame(folded, head(chain, path), self.level(parts, path, part))

    def _inner(self, home: Mapping[Node, int]) -> Iterator[Wire]:
        for node, target in home.items():
            for port, stream in enumerate(node.inputs):
                source = home.get(stream, 0)
                if source != target:
                    yield Wire(source, target, stream, (node, port), (), 0.5, 0.5)

    def _leaving(self, home: Mapping[Node, int], last: int, *, outside: bool) -> Iterator[Wire]:
        for stream, source in home.items():
            read = any(node not in home for node, _ in self.readers.get(stream, ()))
            if stream is self.plan.output or (read and not outside):
                yield Wire(source, last, stream, None, (), 0.5, 0.5)


def _named(part: Part) -> str:
    node = part.node if isinstance(part, Composed) else part
    return str(node.step) if node.parent is None else node.title()


def _ends(wire: Wire) -> Edge:
    return wire.source, wire.target


def _finished(wires: Sequence[Wire], items: Sequence[Item], laid: Grid) -> Iterator[Wire]:
    """Say of each wire which way it takes, and where on a box or a frame it begins and ends."""
    routed = [replace(each, route=laid.routes[_ends(each)]) for each in wires]
    leaving = _slots(routed, laid, lambda wire: wire.source, lambda wire: wire.stream, 0)
    arriving = _slots(routed, laid, lambda wire: wire.target, lambda wire: wire.reader, -1)
    for wire, leaves_at, arrives_at in zip(routed, leaving, arriving):
        source, target = items[wire.source], items[wire.target]
        yield replace(
            wire,
            leaves=leaves_at,
            arrives=arrives_at,
            outgoing=_place_of(wire, source, out=True) if isinstance(source, Frame) else None,
            incoming=_place_of(wire, target, out=False) if isinstance(target, Frame) else None,
        )


def _slots(
    wires: Sequence[Wire],
    laid: Grid,
    item: Callable[[Wire], int],
    end: Callable[[Wire], object],
    near: int,
) -> list[float]:
    """Return where along a box each wire ends: in the order of the columns they go to."""
    columns: dict[int, dict[object, float]] = {}
    for wire in wires:
        far = laid.places[wire.target if near == 0 else wire.source]
        column, _ = wire.route[near] if wire.route else far
        columns.setdefault(item(wire), {}).setdefault(end(wire), column)
    order = {each: sorted(ends, key=ends.__getitem__) for each, ends in columns.items()}
    return [(order[item(w)].index(end(w)) + 1) / (len(order[item(w)]) + 1) for w in wires]


def _place_of(wire: Wire, frame: Frame, *, out: bool) -> int:
    last = len(frame.level.items) - 1
    return next(
        number
        for number, each in enumerate(frame.level.wires)
        if each.stream is wire.stream
        and (each.target == last if out else each.source == 0 and each.reader == wire.reader)
    )
