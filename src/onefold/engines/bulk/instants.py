"""flat_map's Aggregate, and its embed, in bulk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import Any

from onefold.core.block import Block
from onefold.core.functions import UserFunction
from onefold.core.kernel import Outlet
from onefold.core.records import Tuple, values
from onefold.core.types import Struct
from onefold.core.values import identities, identity
from onefold.engines.bulk.flat_map import flat_mapped, rows_of
from onefold.engines.bulk.waiting import InstantsInBulk
from onefold.operators.aggregate import Aggregation
from onefold.operators.embed import FROM_EMBED


class EachInBulk(InstantsInBulk):
    """aggregate_plus over instants by the whole tuple, whose function works tuple by tuple."""

    def __init__(self, node: Aggregation) -> None:
        super().__init__()
        assert node.aggregate.each is not None
        self.function, self.type = node.aggregate.each, node.type

    def fire(self, tuples: Sequence[Tuple], out: Outlet) -> None:
        if made := flat_mapped(self.function, self.type, tuples):
            out.emit(made)


class EmbedInBulk(InstantsInBulk):
    """embed of such an aggregate_plus: one tuple for each window that gives any."""

    def __init__(self, node: Aggregation) -> None:
        super().__init__()
        embedded = node.aggregate.embeds
        assert embedded is not None
        assert embedded.each is not None
        self.function: UserFunction = embedded.each
        self.given = embedded.output
        self.record = Struct(embedded.output.attributes).record
        self.make = node.type.tuple_class

    def fire(self, tuples: Sequence[Tuple], out: Outlet) -> None:
        counts, columns = rows_of(self.function, self.given, tuples)
        rows = map(self.record, zip(*columns))
        carried = [tuple(islice(rows, count)) for count in counts]
        made = self._windows(tuples, carried)
        if emitted := [self.make((*window, FROM_EMBED)) for window in made if window[2]]:
            out.emit(emitted)

    def _windows(
        self, tuples: Sequence[Tuple], carried: list[tuple[Any, ...]]
    ) -> list[tuple[int, str, tuple[Any, ...]]]:
        """Return time, identity and rows of each window: equal tuples share one."""
        if len(set(tuples)) == len(tuples):
            times, *columns = tuples.columns if isinstance(tuples, Block) else zip(*tuples)
            keys = identities(columns)
            return [(time, f"({key},1)", rows) for time, key, rows in zip(times, keys, carried)]
        alike = Counter(tuples)
        found: dict[Tuple, tuple[Any, ...]] = {}
        for t, rows in zip(tuples, carried):
            found[t] = found.get(t, ()) + rows
        return [(t.time, identity((values(t), alike[t])), rows) for t, rows in found.items()]
