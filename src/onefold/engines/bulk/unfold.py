"""unfold in bulk: a turn of the loop is one pass over all that goes round."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

from onefold.core.block import Block, columns_of
from onefold.core.kernel import Outlet
from onefold.core.records import Tuple
from onefold.engines.bulk.waiting import InstantsInBulk
from onefold.operators.aggregate import Aggregation


class CountInBulk(InstantsInBulk):
    """A1 of unfold and its loop.

    No two embedded tuples share an identity, so every window holds one tuple, and one that comes
    round opens a window of its own, which fires at once. So all of one turn can go together,
    whatever their times are; the watermark follows when none is left.
    """

    def __init__(self, node: Aggregation) -> None:
        super().__init__()
        self.type = node.type

    def fire(self, tuples: Sequence[Tuple], out: Outlet) -> None:
        *turning, _ = columns_of(tuples)
        position = 0
        while turning[0]:
            out.emit(Block(self.type, [*turning, [position] * len(turning[0])]))
            position += 1
            more = [position < len(carried) for carried in turning[-1]]
            turning = [list(compress(column, more)) for column in turning]


class PickInBulk(InstantsInBulk):
    """A2 of unfold: the tuple at each position."""

    def __init__(self, node: Aggregation) -> None:
        super().__init__()
        self.type = node.type

    def fire(self, tuples: Sequence[Tuple], out: Outlet) -> None:
        times, _, carried, positions = columns_of(tuples)
        rows = [each[position] for each, position in zip(carried, positions)]
        out.emit(Block(self.type, [times, *zip(*rows)]))
