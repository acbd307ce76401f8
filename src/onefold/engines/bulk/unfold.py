"""unfold in bulk: all turns of the loop in one pass."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, repeat

from onefold.core.block import Block, columns_of
from onefold.core.kernel import Outlet
from onefold.core.records import Tuple
from onefold.engines.bulk.waiting import InstantsInBulk
from onefold.operators.aggregate import Aggregation


class CountInBulk(InstantsInBulk):
    """A1 of unfold and its loop.

    No two embedded tuples share an identity, so every window holds one tuple, and one that comes
    round opens a window of its own, which fires at once. So all turns can go together, whatever
    their times are; the watermark follows them.
    """

    def __init__(self, node: Aggregation) -> None:
        super().__init__()
        self.type = node.type

    def fire(self, tuples: Sequence[Tuple], out: Outlet) -> None:
        times, identities, carried, _ = columns_of(tuples)
        turns = list(map(len, carried))
        turning = [
            list(chain.from_iterable(map(repeat, column, turns)))
            for column in (times, identities, carried)
        ]
        positions = list(chain.from_iterable(map(range, turns)))
        out.emit(Block(self.type, [*turning, positions]))


class PickInBulk(InstantsInBulk):
    """A2 of unfold: the tuple at each position."""

    def __init__(self, node: Aggregation) -> None:
        super().__init__()
        self.type = node.type

    def fire(self, tuples: Sequence[Tuple], out: Outlet) -> None:
        times, _, carried, positions = columns_of(tuples)
        rows = [each[position] for each, position in zip(carried, positions)]
        out.emit(Block(self.type, [times, *zip(*rows)]))
