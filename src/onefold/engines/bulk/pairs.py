"""The composed join in bulk: A1 and A2 collect instants, A3 matches whole windows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

from onefold.core import windows
from onefold.core.aggregate import Rows
from onefold.core.kernel import Kernel, Outlet
from onefold.core.records import Tuple, values
from onefold.core.time import START_OF_TIME
from onefold.core.types import Struct
from onefold.core.values import identity
from onefold.engines.bulk.join import Matched, at, matched
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


Sides = tuple[list[Tuple], list[Tuple]]
MOST_ROWS = 8
"""How many rows of pairs are written down for a tuple; if there are more, they are asked again."""


@dataclass
class Pane:
    """What a window holds for a key: what it has from the window before it, and what is new."""

    fresh: Sides = field(default_factory=lambda: ([], []))
    settled: Sides = field(default_factory=lambda: ([], []))
    """Those whose pairs are known."""
    rows: dict[int, list[Any]] = field(default_factory=dict)
    """The rows of those pairs, by the last window that holds both tuples."""
    counts: Counter[int] = field(default_factory=Counter)
    """How many collected tuples there are, by the last window that holds them."""

    def known(self) -> Iterable[Any]:
        """Return the rows of the settled pairs."""
        return chain.from_iterable(self.rows.values())

    def end(self, left: int, lasting: Callable[[Tuple], bool]) -> None:
        """Forget what the window that begins at `left` was the last one of."""
        self.rows.pop(left, None)
        if self.counts.pop(left, 0):
            for side in (*self.fresh, *self.settled):
                side[:] = filter(lasting, side)

    def take(self, waiting: Pane) -> None:
        """Take the tuples that waited for this window, which are all fresh."""
        for mine, its in zip(self.fresh, waiting.fresh):
            mine.extend(its)
        self.counts.update(waiting.counts)

    def to_keep(self) -> Pane:
        """Return what to write down; rows only if they are not far more than the tuples."""
        if sum(map(len, self.rows.values())) <= MOST_ROWS * sum(map(len, self.settled)):
            return self
        (x, y), (settled_x, settled_y) = self.fresh, self.settled
        return Pane(fresh=(settled_x + x, settled_y + y), counts=self.counts)


class PairsInBulk(Kernel):
    """A3: matches what is new in a window when it fires, and hands on what the next holds too."""

    form = ", in bulk, handed on"

    def __init__(self, node: Aggregation, join: Join) -> None:
        self.join, self.type, self.size, self.stride = join, node.type, join.size, join.advance
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
        (x, y), (settled_x, settled_y) = pane.fresh, pane.settled
        asked = (settled_x + x, y), (x, settled_y)
        told = [found for each in asked if (found := matched(self.join, *each)) is not None]
        if len(told) < len(asked):  # each window asks again, and tells of a pair that fails
            return [
                *pane.known(),
                *self.made([row for each in asked for row in self.join.match(*each)]),
            ]
        for each in told:
            self._settle(pane, each)
        pane.settled, pane.fresh = (settled_x + x, settled_y + y), ([], [])
        return list(pane.known())

    def _settle(self, pane: Pane, told: Matched) -> None:
        stride = self.stride
        for (x, y), row in zip(told.pairs, self.made(told.rows)):
            last = windows.last_left(min(x.time, y.time), stride)
            pane.rows.setdefault(last, []).append(row)

    def process(self, port: int, tuples: Sequence[Tuple], out: Outlet) -> None:
        late: list[Tuple] = []
        first = FirstOpen(self.join, self.watermark)
        for t, side, equal, key in self._keyed(tuples):
            last = windows.last_left(t.time, self.stride)
            if windows.dropped(last, self.size, 0, self.watermark):
                late.append(t)
                continue
            panes = self._window(first[t.time])
            if key not in panes:
                panes[key] = Pane()
            pane = panes[key]
            pane.fresh[side].extend(equal)
            pane.counts[last] += 1
        if late:
            out.late(port, late)

    def _keyed(self, tuples: Iterable[Tuple]) -> Iterable[tuple[Tuple, int, list[Tuple], Hashable]]:
        collected = ((*self.join.collected(t), t) for t in tuples)
        for side, group in groupby(collected, key=itemgetter(0)):
            of_side = list(group)
            all_equal = [x for _, equal, _ in of_side for x in equal]
            keys = {id(x): key for x, key in self.join.keys[side].over(all_equal)}
            for _, equal, t in of_side:
                known = [keys[id(x)] for x in equal if id(x) in keys]
                if known:
                    yield t, side, equal, known[0]

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
        def lasting(t: Tuple) -> bool:
            return windows.last_left(t.time, self.stride) > left

        for key, pane in panes.items():
            pane.end(left, lasting)
            if pane.counts:
                following = self._window(left + self.stride)
                if key in following:
                    pane.take(following[key])
                following[key] = pane

    def held(self) -> int:
        keyed = (pane for panes in self.windows.values() for pane in panes.values())
        return sum(pane.counts.total() for pane in keyed)

    def snapshot(self) -> Any:
        kept = {
            left: {key: pane.to_keep() for key, pane in panes.items()}
            for left, panes in self.windows.items()
        }
        return self.watermark, kept, self.lefts

    def restore(self, state: Any) -> None:
        self.watermark, self.windows, self.lefts = state


class FirstOpen(dict[int, int]):
    """The first window that holds a time and has not fired: tuples that share a time ask once."""

    def __init__(self, join: Join, watermark: int) -> None:
        self.join, self.watermark = join, watermark

    def __missing__(self, time: int) -> int:
        size = self.join.size
        lefts = windows.lefts(time, self.join.advance, size)
        first = next(left for left in lefts if not windows.dropped(left, size, 0, self.watermark))
        self[time] = first
        return first


class EmbeddedPairsInBulk(PairsInBulk):
    """embed of A3: all that a window emits, carried in one tuple."""

    def __init__(self, node: Aggregation, join: Join) -> None:
        super().__init__(node, join)
        self.record = Struct(join.type.attributes).record

    def made(self, rows: Rows) -> Rows:
        return list(map(self.record, rows))

    def emitted(self, key: Hashable, pane: Pane) -> Rows:
        tuples = tuple(self.rows(pane))
        return [(identity((key, pane.counts.total())), tuples, FROM_EMBED)] if tuples else ()
