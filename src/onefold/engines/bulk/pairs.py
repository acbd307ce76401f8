"""The composed join in bulk: A1 and A2 collect instants, A3 matches whole windows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from heapq import heappop, heappush
from typing import Any

from onefold.core import windows
from onefold.core.aggregate import Rows
from onefold.core.block import Block
from onefold.core.kernel import Kernel, Outlet
from onefold.core.records import Tuple, values
from onefold.core.time import START_OF_TIME
from onefold.core.types import Array, Struct, TupleType
from onefold.core.values import identity
from onefold.engines.bulk.join import Matched, at, matched
from onefold.engines.bulk.panes import Bucket, Pane, sides_of
from onefold.engines.bulk.waiting import InstantsInBulk
from onefold.operators.aggregate import Aggregation
from onefold.operators.embed import FROM_EMBED
from onefold.operators.join import LEFT, Collected, Join


class CollectedBlock(Block):
    """What A1 or A2 emits, kept as the tuples that it collected until someone asks for more."""

    def __init__(self, type: TupleType, port: int, alike: Alike) -> None:
        super().__init__(type, ())
        self._columns = None
        self.port, self.alike = port, alike

    def _read(self) -> Sequence[Sequence[Any]]:
        _, side = self.type.attributes[self.port]
        assert isinstance(side, Array)
        assert isinstance(side.element, Struct)
        record = side.element.record
        times = [t.time for t, _ in self.alike]
        equal = [(record(values(t)),) * count for t, count in self.alike]
        nothing: list[Any] = [()] * len(equal)
        return [times, equal, nothing] if self.port == LEFT else [times, nothing, equal]

    def __len__(self) -> int:
        return len(self.alike)


class CollectInBulk(InstantsInBulk):
    """A1 or A2: one tuple for all that are equal."""

    groups = True

    def __init__(self, node: Aggregation, meaning: Collected) -> None:
        super().__init__()
        self.type, self.port = node.type, meaning.port

    def fire(self, tuples: Sequence[Tuple], out: Outlet) -> None:
        out.emit(CollectedBlock(self.type, self.port, list(Counter(tuples).items())))


Alike = list[tuple[Tuple, int]]
"""Tuples that differ, and how many there are of each."""


class PairsInBulk(Kernel):
    """A3: matches what is new in a window when it fires, and hands on what the next holds too."""

    form = ", in bulk, by last window"

    def __init__(self, node: Aggregation, join: Join) -> None:
        self.join, self.type, self.size, self.stride = join, node.type, join.size, join.advance
        self.collected = node.inputs[0].type
        self.watermark = START_OF_TIME
        self.windows: dict[int, dict[Hashable, Pane]] = {}
        self.lefts: list[int] = []

    def emitted(self, key: Hashable, pane: Pane) -> Rows:
        """Return what a window emits."""
        return self.rows(pane)

    def made(self, rows: Rows) -> Rows:
        """Return what is kept of the rows of pairs."""
        return rows

    def rows(self, pane: Pane) -> Rows:
        """Return what the pairs of a window give."""
        (x, y), (settled_x, settled_y) = sides_of(pane.fresh), sides_of(pane.settled)
        asked = (settled_x + x, y), (x, settled_y)
        told = [found for each in asked if (found := matched(self.join, *each)) is not None]
        if len(told) < len(asked):  # each window asks again, and tells of a pair that fails
            return [
                *pane.known(),
                *self.made([row for each in asked for row in self.join.match(*each)]),
            ]
        for each in told:
            self._settle(pane, each)
        pane.settle()
        return list(pane.known())

    def _settle(self, pane: Pane, told: Matched) -> None:
        stride = self.stride
        for (x, y), row in zip(told.pairs, self.made(told.rows)):
            last = windows.last_left(min(x.time, y.time), stride)
            pane.rows.setdefault(last, []).append(row)

    def process(self, port: int, tuples: Sequence[Tuple], out: Outlet) -> None:
        late: list[Tuple] = []
        places = Places(self.join, self.watermark, self._window)
        for side, alike in self._sides(tuples):
            for t, count, key in self._keyed(side, alike):
                place = places[t.time]
                if place is None:
                    late += CollectedBlock(self.collected, side, [(t, count)])
                    continue
                last, panes = place
                if key in panes:
                    pane = panes[key]
                else:
                    pane = panes[key] = Pane()
                if last in pane.fresh:
                    bucket = pane.fresh[last]
                else:
                    bucket = pane.fresh[last] = Bucket()
                bucket.sides[side].append(t)
                bucket.sides[side].extend([t] * (count - 1))
                bucket.collected += 1
        if late:
            out.late(port, late)

    def _sides(self, tuples: Sequence[Tuple]) -> Iterable[tuple[int, Alike]]:
        """Return what collected tuples hold, by their side."""
        if isinstance(tuples, CollectedBlock):
            yield tuples.port, tuples.alike
            return
        for t in tuples:
            side, equal = self.join.collected(t)
            yield side, [(equal[0], len(equal))]

    def _keyed(self, side: int, alike: Alike) -> Iterable[tuple[Tuple, int, Hashable]]:
        """Return the tuples that have a key, which all equal ones are asked for."""
        several = {id(t): count for t, count in alike if count > 1}
        asked = (
            [t for t, count in alike for _ in range(count)] if several else [t for t, _ in alike]
        )
        before = None
        for t, key in self.join.keys[side].over(asked):
            if t is not before:
                before = t
                yield t, several.get(id(t), 1) if several else 1, key

    def _window(self, left: int) -> dict[Hashable, Pane]:
        if left not in self.windows:
            self.windows[left] = {}
            heappush(self.lefts, left)
        return self.windows[left]

    def advance(self, watermark: int, out: Outlet) -> None:
        self.watermark = watermark
        while self.lefts and windows.fires(self.lefts[0], self.size, watermark):
            left = heappop(self.lefts)
            panes = self.windows.pop(left)
            rows = [row for key, pane in panes.items() for row in self.emitted(key, pane)]
            if rows:
                out.emit(at(windows.output_time(left, self.size), self.type, rows))
            self._hand_on(left, panes)
        out.watermark(watermark)

    def _hand_on(self, left: int, panes: dict[Hashable, Pane]) -> None:
        for key, pane in panes.items():
            pane.end(left)
            if pane.fresh or pane.settled:
                following = self._window(left + self.stride)
                if key in following:
                    pane.take(following[key])
                following[key] = pane

    def held(self) -> int:
        keyed = (pane for panes in self.windows.values() for pane in panes.values())
        return sum(pane.collected() for pane in keyed)

    def snapshot(self) -> Any:
        kept = {
            left: {key: pane.to_keep() for key, pane in panes.items()}
            for left, panes in self.windows.items()
        }
        return self.watermark, kept, self.lefts

    def restore(self, state: Any) -> None:
        self.watermark, self.windows, self.lefts = state


class Places(dict[int, tuple[int, dict[Hashable, Pane]] | None]):
    """Where tuples of a time go: tuples that share a time ask once.

    The last window that holds it, and what the first one holds that has not fired; None if all
    have fired.
    """

    def __init__(
        self, join: Join, watermark: int, window: Callable[[int], dict[Hashable, Pane]]
    ) -> None:
        self.join, self.watermark, self.window = join, watermark, window

    def __missing__(self, time: int) -> tuple[int, dict[Hashable, Pane]] | None:
        size = self.join.size
        lefts = windows.lefts(time, self.join.advance, size)
        open_ = (left for left in lefts if not windows.dropped(left, size, 0, self.watermark))
        first = next(open_, None)
        self[time] = None if first is None else (lefts[-1], self.window(first))
        return self[time]


class EmbeddedPairsInBulk(PairsInBulk):
    """embed of A3: all that a window emits, carried in one tuple."""

    def __init__(self, node: Aggregation, join: Join) -> None:
        super().__init__(node, join)
        self.record = Struct(join.type.attributes).record

    def made(self, rows: Rows) -> Rows:
        return list(map(self.record, rows))

    def emitted(self, key: Hashable, pane: Pane) -> Rows:
        tuples = tuple(self.rows(pane))
        return [(identity((key, pane.collected())), tuples, FROM_EMBED)] if tuples else ()
