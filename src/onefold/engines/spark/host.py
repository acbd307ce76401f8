"""Hosting a fragment in Spark: its state in the state store, its watermark Spark's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import BinaryType, LongType, StructField, StructType

from onefold.core.errors import RunError
from onefold.core.packing import packed, unpacked
from onefold.core.time import END_OF_TIME
from onefold.engines.bulk.garbage import searched_later
from onefold.engines.spark.clock import LATE_PROOF, Clock, later, reached
from onefold.engines.spark.depot import open_depot
from onefold.engines.spark.fragments import Entry, Fragment
from onefold.engines.spark.parcels import TOLD
from onefold.engines.spark.shipping import Shipment
from onefold.engines.spark.task import Settings, Task

STATE = StructType(
    [
        StructField("watermark", LongType()),
        StructField("engines", BinaryType()),
    ]
)
FIELDS = Row("at", "grp", "node", "data")


class OtherGroups(RunError):
    """A checkpoint whose keys are spread over another number of groups."""


class OldCheckpoint(RunError):
    """A checkpoint whose state has another form."""


class Host(StatefulProcessor):
    """Runs fragments for each group: in a batch its tuples first, and then the watermark.

    A source's watermark comes with its tuples, in parcels of their own that pass by every group:
    the batch that brings a tuple also brings the watermark behind it. A source that does not tell
    (`timed`) has Spark's, which moves between batches; as a timer stands one tick behind it, it
    passes no group by. Spark's own late filter sees parcels, which it never drops; what is late is
    for the operators to say, by the watermark that was reached when the batch began.
    """

    fragments: Sequence[Fragment]

    def __init__(
        self, fragments: Shipment, settings: Settings, clock: Clock, *, timed: bool
    ) -> None:
        self.shipment, self.settings, self.clock, self.timed = fragments, settings, clock, timed

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.handle = handle
        self.fragments = self.shipment.opened()
        self.fragment_of = {
            entry.node: place for place, each in enumerate(self.fragments) for entry in each.entries
        }
        self.state = handle.getValueState("state", STATE)
        if self.settings.one_machine:
            open_depot()  # this batch may have no parcels, and earlier ones have left theirs

    def handleInputRows(self, key: Any, rows: Iterable[Row], timerValues: Any) -> Iterator[Row]:  # noqa: N802, N803  Spark calls it by these names
        parcels: list[tuple[int, bytes]] = []
        told: dict[int, int] = {}
        for row in rows:
            if row.node in self.fragment_of:
                parcels.append((row.node, bytes(row.data)))
                continue
            if row.node == TOLD:
                told = later(told, unpacked(bytes(row.data)))
            yield FIELDS(LATE_PROOF, row.grp, row.node, row.data)
        watermark = timerValues.getCurrentWatermarkInMs()
        with searched_later():
            made = list(self._batch(key[0], parcels, watermark, told))
        yield from made

    def handleExpiredTimer(  # noqa: N802  Spark calls it by this name
        self,
        key: Any,
        timerValues: Any,  # noqa: N803
        expiredTimerInfo: Any,  # noqa: N803
    ) -> Iterator[Row]:
        watermark = timerValues.getCurrentWatermarkInMs()
        known = self.state.get() if self.state.exists() else None
        if known is None or known[0] >= watermark:
            return  # the batch has seen it already
        yield from self._batch(key[0], [], watermark, {})

    def _batch(
        self,
        group: int,
        parcels: list[tuple[int, bytes]],
        watermark: int,
        told: dict[int, int],
    ) -> Iterator[Row]:
        known = self.state.get() if self.state.exists() else None
        before = known[0] if known else None
        snapshots, told_before = self._kept(known)
        told = later(told_before, told)
        moved = before is None or watermark > before or told != told_before
        if not parcels and not moved:
            return
        now = partial(reached, clock=self.clock, watermark=watermark, told=told)
        arrived: dict[int, list[tuple[int, bytes]]] = {}
        for node, data in parcels:
            arrived.setdefault(self.fragment_of[node], []).append((node, data))
        for place in range(len(self.fragments)) if moved else arrived:
            task = self._task(place, group, snapshots[place], watermark, new=before is None)
            task.take(arrived.get(place, ()))
            if moved:
                task.advance(now)
            for parcel in task.parcels():
                yield FIELDS(LATE_PROOF, parcel.group, parcel.node, parcel.data)
            if not task.stopped:
                snapshots[place] = task.engine.snapshot()
        ended = all(_ended(fragment, now) for fragment in self.fragments)
        if self.timed and moved:
            self._keep_time(before, watermark, ended=ended)
        if ended:
            self.state.clear()
        else:
            kept = len(self.settings.places), snapshots, told
            self.state.update((max(watermark, before or 0), packed(kept)))

    def _kept(self, known: Any) -> tuple[list[bytes | None], dict[int, int]]:
        """Return the snapshots of all fragments, and the watermarks that sources have told."""
        if known is None:
            return [None] * len(self.fragments), {}
        kept = unpacked(bytes(known[1]))
        if len(kept) != 3:
            raise OldCheckpoint(
                "the checkpoint was made by an earlier version of onefold",
                hint="begin a new checkpoint",
            )
        groups, snapshots, told = kept
        if groups != len(self.settings.places):
            raise OtherGroups(
                f"the checkpoint was made with {groups} groups of keys, and this query has "
                f"{len(self.settings.places)}",
                hint=f"set spark.sql.shuffle.partitions to {groups}, or begin a new checkpoint",
            )
        return snapshots, told

    def _task(
        self, place: int, group: int, snapshot: bytes | None, watermark: int, *, new: bool
    ) -> Task:
        task = Task(self.fragments[place], group, self.settings)
        begun = partial(reached, clock=self.clock, watermark=watermark, told={})
        if snapshot:
            task.restore(snapshot)
        elif new and _ended(self.fragments[place], begun):
            task.advance(begun)  # nothing was kept of a stream that has ended
        return task

    def _keep_time(self, before: int | None, watermark: int, *, ended: bool) -> None:
        if before is not None:
            self.handle.deleteTimer(before + 1)
        if not ended:
            self.handle.registerTimer(watermark + 1)

    def close(self) -> None:
        """Nothing is held beside the state."""


def _ended(fragment: Fragment, now: Callable[[Entry], int]) -> bool:
    return all(now(entry) == END_OF_TIME for entry in fragment.entries)
