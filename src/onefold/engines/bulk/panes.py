"""Panes: what a window of a composed join holds for a key, and hands on to the next window."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from onefold.core.records import Tuple

Sides = tuple[list[Tuple], list[Tuple]]
MOST_ROWS = 8
"""How many rows of pairs are written down for a tuple; if there are more, they are asked again."""


@dataclass
class Bucket:
    """Tuples that have the same last window."""

    sides: Sides = field(default_factory=lambda: ([], []))
    collected: int = 0
    """In how many collected tuples they came."""

    def take(self, other: Bucket) -> None:
        """Take the tuples of another one."""
        for mine, its in zip(self.sides, other.sides):
            mine.extend(its)
        self.collected += other.collected


Buckets = dict[int, Bucket]
"""By the last window that holds their tuples."""


@dataclass
class Pane:
    """What a window holds for a key: what it has from the window before it, and what is new."""

    fresh: Buckets = field(default_factory=dict)
    settled: Buckets = field(default_factory=dict)
    """Those whose pairs are known."""
    rows: dict[int, list[Any]] = field(default_factory=dict)
    """The rows of those pairs, by the last window that holds both tuples."""

    def known(self) -> Iterable[Any]:
        """Return the rows of the settled pairs."""
        return chain.from_iterable(self.rows.values())

    def settle(self) -> None:
        """Take what is fresh for settled."""
        _take(self.settled, self.fresh)
        self.fresh = {}

    def end(self, left: int) -> None:
        """Forget what the window that begins at `left` was the last one of."""
        for by_last in (self.fresh, self.settled, self.rows):
            by_last.pop(left, None)

    def take(self, waiting: Pane) -> None:
        """Take the tuples that waited for this window, which are all fresh."""
        _take(self.fresh, waiting.fresh)

    def collected(self) -> int:
        """Return how many collected tuples there are."""
        return sum(each.collected for each in chain(self.fresh.values(), self.settled.values()))

    def to_keep(self) -> Pane:
        """Return what to write down; rows only if they are not far more than the tuples."""
        tuples = sum(len(side) for each in self.settled.values() for side in each.sides)
        if sum(map(len, self.rows.values())) <= MOST_ROWS * tuples:
            return self
        fresh: Buckets = {}
        _take(fresh, self.settled)
        _take(fresh, self.fresh)
        return Pane(fresh)


def _take(buckets: Buckets, others: Buckets) -> None:
    for last, other in others.items():
        if last not in buckets:
            buckets[last] = Bucket()
        buckets[last].take(other)


def sides_of(buckets: Buckets) -> Sides:
    """Return the tuples of all buckets."""
    sides: Sides = ([], [])
    for bucket in buckets.values():
        for side, held in zip(sides, bucket.sides):
            side.extend(held)
    return sides
