"""Where everything stands: the columns and rows of a layout, stretched until all have room.

Nothing changes its order in a row and nothing leaves its row, so what did not overlap or cross in
the layout does not here, whichever frames are folded. The page does the same when one is unfolded
(explain.js), and a test compares the two.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise

from onefold.pages.boxes import Box
from onefold.pages.scene import Edging, Frame, Item, Level, Wire

BESIDE, BETWEEN, PADDING = 26, 44, 14
"""Room between boxes of a row, between rows, and inside the edge of a frame."""
LEAD = 10
"""How far above a row wires are straight already, so that arrows point down."""
PASSING = 26
"""Room for a wire that passes a row."""

Run = tuple[float, float, float]
"""A wire straight down: at this x, from this y to that y."""
Folded = Callable[[Frame], bool]


def nothing_folded(_: Frame) -> bool:
    """Show every frame with what is inside."""
    return False


@dataclass(frozen=True)
class Spot:
    """Where an item stands in its level, and what stands in it."""

    x: float
    y: float
    width: float
    height: float
    inside: Placed | None = None
    """What stands in a frame that is not folded, and where."""
    inset: tuple[float, float] = (0, 0)
    """Where the level in the frame begins."""


@dataclass(frozen=True)
class Placed:
    """A level with a place for everything."""

    level: Level
    width: float
    height: float
    spots: tuple[Spot, ...]
    wires: tuple[tuple[Run, ...], ...]


def placed(level: Level, folded: Folded = nothing_folded) -> Placed:
    """Find a place for everything on a level and the levels in it."""
    sizes = tuple(_size(item, folded) for item in level.items)
    return _Placing(level, sizes).placed()


def _size(item: Item, folded: Folded) -> Spot:
    match item:
        case Edging():
            return Spot(0, 0, 0, 0)
        case Box():
            return Spot(0, 0, item.width, item.height)
        case Frame() if folded(item):
            return Spot(0, 0, item.box.width, item.box.height)
    return opened_up(item, placed(item.level, folded))


def opened_up(item: Frame, inside: Placed) -> Spot:
    """Return how large a frame is around what is inside."""
    width = max(item.head.width, inside.width + 2 * PADDING)
    inset = ((width - inside.width) / 2, item.head.height)
    return Spot(0, 0, width, item.head.height + inside.height, inside, inset)


@dataclass(frozen=True)
class _Placing:
    level: Level
    sizes: tuple[Spot, ...]

    def placed(self) -> Placed:
        runs = tuple(tuple(self._runs(wire)) for wire in self.level.wires)
        return Placed(self.level, self._xs[-1], self._rows[-1][1], self.spots, runs)

    @cached_property
    def _columns(self) -> list[float]:
        """Where columns begin and end: half a column left and right of everything."""
        points = [*self.level.grid.places, *(p for w in self.level.wires for p in w.route)]
        return sorted({column + side for column, _ in points for side in (-0.5, 0.5)})

    @cached_property
    def _xs(self) -> list[float]:
        """Where these are in the drawing: a piece is as wide as its widest thing asks for."""
        pieces = [0.0] * (len(self._columns) - 1)
        wanted = [(column, float(PASSING)) for w in self.level.wires for column, _ in w.route]
        for (column, _), size in zip(self.level.grid.places, self.sizes):
            wanted.append((column, size.width + BESIDE if size.width else 0))
        for column, width in wanted:
            first, last = (bisect_left(self._columns, column + side) for side in (-0.5, 0.5))
            for piece in range(first, last):
                long = self._columns[piece + 1] - self._columns[piece]
                pieces[piece] = max(pieces[piece], width * long)
        return [0.0, *accumulate(pieces)]

    def _x(self, column: float) -> float:
        """Return the middle of what stands in a column."""
        ends = (self._xs[bisect_left(self._columns, column + side)] for side in (-0.5, 0.5))
        return sum(ends) / 2

    @cached_property
    def _rows(self) -> list[tuple[float, float]]:
        """Where each row begins and ends."""
        heights: dict[int, float] = {}
        for (_, row), size in zip(self.level.grid.places, self.sizes):
            heights[row] = max(heights.get(row, 0), size.height)
        rows, y = [], 0.0
        for row in range(max(heights) + 1):
            rows.append((y, y + heights.get(row, 0)))
            y = rows[-1][1] + BETWEEN
        return rows

    @cached_property
    def spots(self) -> tuple[Spot, ...]:
        return tuple(self._spots())

    def _spots(self) -> Iterator[Spot]:
        for (column, row), size in zip(self.level.grid.places, self.sizes):
            top, bottom = self._rows[row]
            x = self._x(column) - size.width / 2
            y = (top + bottom - size.height) / 2
            yield Spot(x, y, size.width, size.height, size.inside, size.inset)

    def _runs(self, wire: Wire) -> Iterator[Run]:
        """Go straight through each row, from the one where it begins to the one where it ends."""
        runs = [self._leaving(wire)] if not self._edging(wire.source) else []
        runs += [(self._x(c), self._rows[r][0] - LEAD, self._rows[r][1]) for c, r in wire.route]
        runs += [self._arriving(wire)] if not self._edging(wire.target) else []
        if self._edging(wire.source):
            runs[0] = (runs[0][0], 0, runs[0][2])
        if self._edging(wire.target):
            runs[-1] = (runs[-1][0], runs[-1][1], self._rows[-1][1])
        yield from runs

    def _edging(self, item: int) -> bool:
        return isinstance(self.level.items[item], Edging)

    def _leaving(self, wire: Wire) -> Run:
        spot, (_, row) = self.spots[wire.source], self.level.grid.places[wire.source]
        x = spot.x + spot.width * wire.leaves
        if spot.inside and wire.outgoing is not None:
            x = spot.x + spot.inset[0] + spot.inside.wires[wire.outgoing][-1][0]
        return x, spot.y + spot.height, self._rows[row][1]

    def _arriving(self, wire: Wire) -> Run:
        spot, (_, row) = self.spots[wire.target], self.level.grid.places[wire.target]
        x = spot.x + spot.width * wire.arrives
        if spot.inside and wire.incoming is not None:
            x = spot.x + spot.inset[0] + spot.inside.wires[wire.incoming][0][0]
        return x, self._rows[row][0] - LEAD, spot.y


def path(runs: tuple[Run, ...]) -> str:
    """Write a wire as SVG does: straight through rows, curved between them.

    >>> path(((5, 0, 10), (9, 50, 60)))
    'M5 0V10C5 30 9 30 9 50V60'
    """
    first, *_ = runs
    written = f"M{number(first[0])} {number(first[1])}V{number(first[2])}"
    for (x, _, y), (to_x, to_y, end) in pairwise(runs):
        half = (y + to_y) / 2
        curve = " ".join(map(number, (x, half, to_x, half, to_x, to_y)))
        written += f"C{curve}V{number(end)}"
    return written


def number(value: float) -> str:
    """Write a length, to a tenth of a pixel.

    >>> number(2.0), number(1234567.25)
    ('2', '1234567.2')
    """
    return f"{round(value, 1):.12g}"
