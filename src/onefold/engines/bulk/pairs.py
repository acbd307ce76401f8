"""The composed join in bulk: A1 and A2 collect instants, A3 matches whole windows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Any

from onefold.core import windows
from onefold.core.aggregate import Rows
from onefold.core.kernel import Kernel, Outlet
from onefold.core.records import Tuple, values
from onefold.core.time import START_OF_TIME
from onefold.core.types import Struct
from onefold.core.values import identity
from onefold.engines.bulk.waiting import InstantsInBulk
from onefold.operators.aggregate import Aggregation
from onefold.operators.embed import FROM_EMBED
from onefold.operators.join import LEFT, Collected, Join


class CollectInBulk(InstantsInBulk):
    """A1 or A2: one tuple for all that are equal."""

    groups = True

    def __init__(self, node: Aggregation, meaning: Collected) -> None:
        super().__init__()
        self.make, self.record, self.port = node.type.tuple_class, meaning.side.record, meaning.port

    def fire(self, tuples: Sequence[Tuple], out: Outlet) -> None:
        make, record = self.make, self.record
        alike = Counter(tuples).items()
        held = ((t.time, (record(values(t)),) * count) for t, count in alike)
        if self.port == LEFT:
            out.emit([make((time, equal, ())) for time, equal in held])
        else:
            out.emit([make((time, (), equal)) for time, equal in held])


@dataclass
class Pane:
    """What a window holds for a key."""

    sides: tuple[list[Tuple], list[Tuple]] = field(default_factory=lambda: ([], []))
    count: int = 0
    """How many collected tuples that is."""


class PairsInBulk(Kernel):
    """A3: keeps the tuples of each side by window and key, and matches them when it fires."""

    form = ", in bulk"

    def __init__(self, node: Aggregation, join: Join) -> None:
        self.join, self.make = join, node.type.tuple_class
        self.size, self.stride = join.size, join.advance
        self.watermark = START_OF_TIME
        self.windows: dict[int, dict[Hashable, Pane]] = {}
        self.lefts: list[int] = []

    def rows(self, key: Hashable, pane: Pane) -> Rows:
        """Return what a window emits."""
        return self.join.match(*pane.sides)

    def process(self, port: int, tuples: Sequence[Tuple], out: Outlet) -> None:
        late: list[Tuple] = []
        for t, side, equal, key in self._keyed(tuples):
            lefts = windows.lefts(t.time, self.stride, self.size)
            open_ = [w for w in lefts if not windows.dropped(w, self.size, 0, self.watermark)]
            if not open_:
                late.append(t)
            for left in open_:
                pane = self._pane(left, key)
                pane.sides[side].extend(equal)
                pane.count += 1
        if late:
            out.late(port, late)

    def _keyed(self, tuples: Iterable[Tuple]) -> Iterable[tuple[Tuple, int, list[Tuple], Hashable]]:
        for t in tuples:
            side, equal = self.join.collected(t)
            keys = [key for _, key in self.join.keys[side].over(equal)]
            if keys:
                yield t, side, equal, keys[0]

    def _pane(self, left: int, key: Hashable) -> Pane:
        if left not in self.windows:
            self.windows[left] = {}
            heappush(self.lefts, left)
        keys = self.windows[left]
        if key not in keys:
            keys[key] = Pane()
        return keys[key]

    def advance(self, watermark: int, out: Outlet) -> None:
        self.watermark = watermark
        make = self.make
        while self.lefts and windows.fires(self.lefts[0], self.size, watermark):
            left = heappop(self.lefts)
            time = windows.output_time(left, self.size)
            panes = self.windows.pop(left).items()
            made = [make((time, *row)) for key, pane in panes for row in self.rows(key, pane)]
            if made:
                out.emit(made)
        out.watermark(watermark)

    def held(self) -> int:
        return sum(pane.count for panes in self.windows.values() for pane in panes.values())

    def snapshot(self) -> Any:
        return self.watermark, self.windows, self.lefts

    def restore(self, state: Any) -> None:
        self.watermark, self.windows, self.lefts = state


class EmbeddedPairsInBulk(PairsInBulk):
    """embed of A3: all that a window emits, carried in one tuple."""

    def __init__(self, node: Aggregation, join: Join) -> None:
        super().__init__(node, join)
        self.record = Struct(join.type.attributes).record

    def rows(self, key: Hashable, pane: Pane) -> Rows:
        tuples = tuple(map(self.record, super().rows(key, pane)))
        return [(identity((key, pane.count)), tuples, FROM_EMBED)] if tuples else ()
