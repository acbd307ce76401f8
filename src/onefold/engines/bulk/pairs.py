"""The composed join in bulk: A1 and A2 collect instants, A3 matches whole windows."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from heapq import heappop, heappush
from itertools import chain
from math import gcd
from typing import Any, NamedTuple

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

    def __init__(self, type: TupleType, port: int, held: Sequence[Tuple]) -> None:
        super().__init__(type, ())
        self._columns = None
        self.port, self.held, self.distinct = port, held, len(set(held))

    def _read(self) -> Sequence[Sequence[Any]]:
        _, side = self.type.attributes[self.port]
        assert isinstance(side, Array)
        assert isinstance(side.element, Struct)
        record = side.element.record
        alike = Counter(self.held)
        times = [t.time for t in alike]
        equal = [(record(values(t)),) * count for t, count in alike.items()]
        nothing: list[Any] = [()] * len(equal)
        return [times, equal, nothing] if self.port == LEFT else [times, nothing, equal]

    def __len__(self) -> int:
        return self.distinct


class CollectInBulk(InstantsInBulk):
    """A1 or A2: one tuple for all that are equal."""

    def __init__(self, node: Aggregation, meaning: Collected) -> None:
        super().__init__()
        self.type, self.port = node.type, meaning.port

    def parts(self, due: list[Sequence[Tuple]]) -> list[Sequence[Tuple]]:
        return [list(chain.from_iterable(due))] if len(due) > 1 else due

    def fire(self, tuples: Sequence[Tuple], out: Outlet) -> None:
        out.emit(CollectedBlock(self.type, self.port, tuples))


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

    def rows(self, pane: Pane) -> Rows:
        """Return what the pairs of a window give."""
        (x, y), (settled_x, settled_y) = sides_of(pane.fresh), sides_of(pane.settled)
        asked = (settled_x + x, y), (x, settled_y)
        told = [found for each in asked if (found := matched(self.join, *each)) is not None]
        if len(told) < len(asked):  # each window asks again, and tells of a pair that fails
            return [
                *pane.known(),
                *(row for each in asked for row in self.join.match(*each)),
            ]
        for each in told:
            self._settle(pane, each)
        pane.settle()
        return list(pane.known())

    def _settle(self, pane: Pane, told: Matched) -> None:
        stride = self.stride
        for (x, y), row in zip(*told):
            last = windows.last_left(min(x.time, y.time), stride)
            pane.rows.setdefault(last, []).append(row)

    def process(self, port: int, tuples: Sequence[Tuple], out: Outlet) -> None:
        late: list[Tuple] = []
        for side, held, all_differ in self._sides(tuples):
            arrivals = Arrivals(self.join, self.watermark)
            cell = arrivals.cell
            for t, key in self.join.keys[side].over(held):
                arrivals[t.time // cell][key].append(t)
            for place, keys in arrivals.taken.items():
                for key, new in keys.items():
                    if place is None:
                        late += CollectedBlock(self.collected, side, new)
                    else:
                        self._put(place, key, side, new, len(new) if all_differ else len(set(new)))
        if late:
            out.late(port, late)

    def _sides(self, tuples: Sequence[Tuple]) -> Iterable[tuple[int, Sequence[Tuple], bool]]:
        """Return what collected tuples hold, by their side, and whether no two are equal."""
        if isinstance(tuples, CollectedBlock):
            yield tuples.port, tuples.held, tuples.distinct == len(tuples.held)
            return
        for t in tuples:
            side, equal = self.join.collected(t)
            yield side, equal, len(equal) == 1

    def _put(
        self, place: Place, key: Hashable, side: int, new: list[Tuple], collected: int
    ) -> None:
        panes = self._window(place.first)
        if key not in panes:
            panes[key] = Pane()
        fresh = panes[key].fresh
        if place.last not in fresh:
            fresh[place.last] = Bucket()
        fresh[place.last].sides[side].extend(new)
        fresh[place.last].collected += collected

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


class Place(NamedTuple):
    """Where a tuple goes: to the first window that has not fired, as one of the last window's."""

    first: int
    last: int


class Arrivals(dict[int, dict[Hashable, list[Tuple]]]):
    """What has arrived, by cells of time: the times of a cell share their windows.

    Every window begins and ends where a cell does. Cells that go to the same place share what
    there is by key.
    """

    def __init__(self, join: Join, watermark: int) -> None:
        self.join, self.watermark = join, watermark
        self.cell = gcd(join.size, join.advance)
        self.taken: dict[Place | None, dict[Hashable, list[Tuple]]] = {}
        """By place; None for the tuples whose windows have all fired."""

    def __missing__(self, number: int) -> dict[Hashable, list[Tuple]]:
        place = self._place(number * self.cell)
        self[number] = self.taken.setdefault(place, defaultdict(list))
        return self[number]

    def _place(self, time: int) -> Place | None:
        size = self.join.size
        lefts = windows.lefts(time, self.join.advance, size)
        for left in lefts:
            if not windows.dropped(left, size, 0, self.watermark):
                return Place(left, lefts[-1])
        return None


class EmbeddedPairsInBulk(PairsInBulk):
    """embed of A3: all that a window emits, carried in one tuple."""

    def __init__(self, node: Aggregation, join: Join) -> None:
        super().__init__(node, join)
        self.record = Struct(join.type.attributes).record

    def emitted(self, key: Hashable, pane: Pane) -> Rows:
        tuples = tuple(map(self.record, self.rows(pane)))
        return [(identity((key, pane.collected())), tuples, FROM_EMBED)] if tuples else ()
