"""flat_map's Aggregate, and its embed, in bulk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain, compress, islice, repeat
from typing import Any

from onefold.core.block import Block, columns_of, times_of
from onefold.core.functions import UserFunction
from onefold.core.kernel import Outlet
from onefold.core.records import Tuple, values
from onefold.core.types import Struct
from onefold.core.values import identities, identity
from onefold.engines.bulk.flat_map import emit_flat_mapped, rows_of
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
        emit_flat_mapped(self.function, self.type, tuples, out)


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
        self.type = node.type

    def parts(self, due: list[Sequence[Tuple]]) -> list[Sequence[Tuple]]:
        """Return parts that share no window: what comes of equal tuples is carried in one."""
        of_parts = [set(times_of(part)) for part in due]
        of_times = Counter(chain.from_iterable(of_parts))
        shared = {time for time, count in of_times.items() if count > 1}
        if not shared:
            return due
        alone = [
            part if times.isdisjoint(shared) else [t for t in part if t.time not in shared]
            for part, times in zip(due, of_parts)
        ]
        mixed = [
            t
            for part, times in zip(due, of_parts)
            if not times.isdisjoint(shared)
            for t in part
            if t.time in shared
        ]
        return [part for part in (*alone, mixed) if part]

    def fire(self, tuples: Sequence[Tuple], out: Outlet) -> None:
        counts, columns = rows_of(self.function, self.given, tuples)
        rows = map(self.record, zip(*columns) if columns else repeat(()))
        carried = [tuple(islice(rows, count)) for count in counts]
        windows = self._windows(tuples, carried)
        if not all(windows[-1]):
            windows = [list(compress(column, windows[-1])) for column in windows]
        if windows[0]:
            out.emit(Block(self.type, [*windows, [FROM_EMBED] * len(windows[0])]))

    def _windows(
        self, tuples: Sequence[Tuple], carried: list[tuple[Any, ...]]
    ) -> list[Sequence[Any]]:
        """Return times, identities and rows of the windows: equal tuples share one."""
        times, *columns = columns_of(tuples)
        if columns and len(set(tuples)) == len(tuples):
            return [times, [f"({key},1)" for key in identities(columns)], carried]
        alike = Counter(tuples)
        found: dict[Tuple, tuple[Any, ...]] = {}
        for t, rows in zip(tuples, carried):
            found[t] = found.get(t, ()) + rows
        whose = [identity((values(t), alike[t])) for t in found]
        return [times_of(list(found)), whose, list(found.values())]
