"""join in bulk: a pair is asked once, however many windows hold it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from itertools import starmap
from typing import Any, NamedTuple

from onefold.core import windows
from onefold.core.aggregate import Rows
from onefold.core.block import Block
from onefold.core.kernel import Outlet
from onefold.core.records import Tuple
from onefold.core.showing import USERS_ERRORS
from onefold.core.time import TICK
from onefold.core.types import Array, Struct, TupleType
from onefold.operators.join import LEFT, RIGHT, Join, JoinKernel
from onefold.operators.vectorized import Vectorized


class Matched(NamedTuple):
    """Pairs that `where` holds for, and the row of each."""

    pairs: Sequence[tuple[Tuple, Tuple]]
    rows: Rows


def matched(join: Join, xs: Sequence[Tuple], ys: Sequence[Tuple]) -> Matched | None:
    """Return what matches; None if a function fails for one of the pairs."""
    where = join.where.function
    try:
        if isinstance(where, Vectorized):
            pairs = list(where.holding(xs, ys))
        else:
            pairs = [(x, y) for x in xs for y in ys if where(x, y)]
        return Matched(pairs, _rows(join.type, starmap(join.select.function, pairs)))
    except USERS_ERRORS:
        return None


def _rows(type: TupleType, given: Iterable[Any]) -> Rows:
    """Return rows in normal form; one that the user may fill anew for the next pair, at once."""
    conform = type.conform_row
    if any(isinstance(kind, Array | Struct) for _, kind in type.attributes):
        return list(map(conform, given))
    rows = [row if row.__class__ is tuple else conform(row) for row in given]
    columns = type.normal_columns(rows) if type.attributes else None
    return list(map(conform, rows)) if columns is None else list(zip(*columns))


def at(time: int, type: TupleType, rows: Sequence[Any]) -> Sequence[Tuple]:
    """Return rows in normal form as tuples of one time."""
    if not type.attributes:
        return [type.tuple_class((time, *row)) for row in rows]
    return Block(type, [[time] * len(rows), *zip(*rows)])


class JoinInBulk(JoinKernel):
    """Keeps a tuple with the last window that holds it, and answers for all windows at once."""

    form = ", in bulk"

    def process(self, port: int, tuples: Sequence[Tuple], out: Outlet) -> None:
        join = self.node
        late: list[Tuple] = []
        arrived: dict[tuple[int, Hashable], list[Tuple]] = defaultdict(list)
        for t, key in join.keys[port].over(tuples):
            last = windows.last_left(t.time, join.advance)
            if windows.dropped(last, join.size, 0, self.watermark):
                late.append(t)
            else:
                arrived[last, key].append(t)
        found: dict[int, list[Any]] = defaultdict(list)
        for (last, key), new in arrived.items():
            for some, others in self._meetings(port, last, key, new):
                self._match(port, some, others, found)
            self._sides(last, key)[port].extend(new)
        for left, rows in found.items():
            out.emit(at(windows.output_time(left, join.size), join.type, rows))
        if late:
            out.late(port, late)

    def _meetings(
        self, port: int, last: int, key: Hashable, new: list[Tuple]
    ) -> Iterable[tuple[list[Tuple], list[Tuple]]]:
        """Return new tuples of `last`, and those of the other side that share a window with them.

        Two tuples share a window if the last one of the earlier tuple holds the later one.
        """
        other = RIGHT if port == LEFT else LEFT
        with_all: list[Tuple] = []
        for left in self._near(last):
            keys = self.windows[left]
            there = keys[key][other] if key in keys else []
            if left >= last:
                with_all += there if self._holds_all(last, left) else self._within(last, there)
            elif self._holds_all(left, last):
                with_all += there
            elif there and (some := self._within(left, new)):
                yield some, there
        if with_all:
            yield new, with_all

    def _near(self, last: int) -> Iterable[int]:
        """Return the last windows of tuples that may share a window with those of `last`."""
        join = self.node
        first = windows.lefts(last, join.advance, join.size).start
        near = range(first, last + join.size, join.advance)
        if len(near) < len(self.windows):
            return (left for left in near if left in self.windows)
        return (left for left in self.windows if left in near)

    def _holds_all(self, left: int, last: int) -> bool:
        """Say whether a window holds all tuples that have `last` as their last one."""
        join = self.node
        return left in windows.lefts(last + join.advance - TICK, join.advance, join.size)

    def _match(
        self, port: int, new: list[Tuple], others: list[Tuple], found: dict[int, list[Any]]
    ) -> None:
        told = matched(self.node, *((new, others) if port == LEFT else (others, new)))
        if told is None:
            self._match_in_each_window(port, new, others, found)
            return
        for (x, y), row in zip(*told):
            for left in self._open(min(x.time, y.time), max(x.time, y.time)):
                found[left].append(row)

    def _match_in_each_window(
        self, port: int, new: list[Tuple], others: list[Tuple], found: dict[int, list[Any]]
    ) -> None:
        """Ask again for each window, as every window tells of a pair that fails."""
        for left in sorted({left for t in new for left in self._open(t.time, t.time)}):
            sides = self._within(left, new), self._within(left, others)
            if rows := self.node.match(*(sides if port == LEFT else reversed(sides))):
                found[left] += rows

    def _within(self, left: int, tuples: Iterable[Tuple]) -> list[Tuple]:
        join = self.node
        return [t for t in tuples if left in windows.lefts(t.time, join.advance, join.size)]

    def _open(self, early: int, late: int) -> Iterable[int]:
        """Return the windows that hold both times and are not gone."""
        join, watermark = self.node, self.watermark
        first = windows.lefts(late, join.advance, join.size).start
        last = windows.last_left(early, join.advance)
        both = range(first, last + 1, join.advance)
        return (left for left in both if not windows.dropped(left, join.size, 0, watermark))
