"""unfold in bulk: a turn of the loop is one pass over all that goes round."""

from __future__ import annotations

from collections.abc import Sequence

from onefold.core.block import Block, times_of
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
        self.make = node.type.tuple_class

    def fire(self, tuples: Sequence[Tuple], out: Outlet) -> None:
        make = self.make
        turning = [make((time, whose, carried, 0)) for time, whose, carried, _ in tuples]
        while turning:
            out.emit(turning)
            turning = [
                make((time, whose, carried, position + 1))
                for time, whose, carried, position in turning
                if position + 1 < len(carried)
            ]


class PickInBulk(InstantsInBulk):
    """A2 of unfold: the tuple at each position."""

    def __init__(self, node: Aggregation) -> None:
        super().__init__()
        self.type = node.type

    def fire(self, tuples: Sequence[Tuple], out: Outlet) -> None:
        rows = [carried[position] for _, _, carried, position in tuples]
        out.emit(Block(self.type, [times_of(tuples), *zip(*rows)]))
