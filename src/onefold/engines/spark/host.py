"""Hosting a fragment in Spark: its state in the state store, its watermark Spark's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import BinaryType, LongType, StructField, StructType

from onefold.core.errors import RunError
from onefold.core.packing import packed, unpacked
from onefold.core.time import END_OF_TIME
from onefold.engines.spark.clock import LATE_PROOF, Clock, reached
from onefold.engines.spark.fragments import Fragment
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


class Host(StatefulProcessor):
    """Runs fragments for each group: in a batch its tuples first, and then Spark's watermark.

    Spark's own late filter sees parcels, which it never drops; what is late is for the operators to
    say, by the watermark that was reached when the batch began. The state keeps that watermark. As
    a timer stands one tick behind it, no watermark passes a group by.
    """

    fragments: Sequence[Fragment]

    def __init__(self, fragments: Shipment, settings: Settings, clock: Clock) -> None:
        self.shipment, self.settings, self.clock = fragments, settings, clock

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.handle = handle
        self.fragments = self.shipment.opened()
        self.fragment_of = {
            entry.node: place for place, each in enumerate(self.fragments) for entry in each.entries
        }
        self.state = handle.getValueState("state", STATE)

    def handleInputRows(self, key: Any, rows: Iterable[Row], timerValues: Any) -> Iterator[Row]:  # noqa: N802, N803  Spark calls it by these names
        parcels = []
        for row in rows:
            if row.node in self.fragment_of:
                parcels.append((row.node, bytes(row.data)))
            else:
                yield FIELDS(LATE_PROOF, row.grp, row.node, row.data)
        yield from self._batch(key[0], parcels, timerValues.getCurrentWatermarkInMs())

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
        yield from self._batch(key[0], [], watermark)

    def _batch(self, group: int, parcels: list[tuple[int, bytes]], watermark: int) -> Iterator[Row]:
        known = self.state.get() if self.state.exists() else None
        before = known[0] if known else None
        moved = before is None or watermark > before
        if not parcels and not moved:
            return
        snapshots = self._snapshots(known)
        arrived: dict[int, list[tuple[int, bytes]]] = {}
        for node, data in parcels:
            arrived.setdefault(self.fragment_of[node], []).append((node, data))
        for place in range(len(self.fragments)) if moved else arrived:
            task = self._task(place, group, snapshots[place], new=before is None, at=watermark)
            task.take(arrived.get(place, ()))
            if moved:
                self._advance(task, watermark)
            for parcel in task.parcels():
                yield FIELDS(LATE_PROOF, parcel.group, parcel.node, parcel.data)
            if not task.stopped:
                snapshots[place] = task.engine.snapshot()
        ended = all(self._ended(fragment, watermark) for fragment in self.fragments)
        if moved:
            self._keep_time(before, watermark, ended=ended)
        if ended:
            self.state.clear()
        else:
            kept = len(self.settings.places), snapshots
            self.state.update((max(watermark, before or 0), packed(kept)))

    def _snapshots(self, known: Any) -> list[bytes | None]:
        if known is None:
            return [None] * len(self.fragments)
        groups, snapshots = unpacked(bytes(known[1]))
        if groups != len(self.settings.places):
            raise OtherGroups(
                f"the checkpoint was made with {groups} groups of keys, and this query has "
                f"{len(self.settings.places)}",
                hint=f"set spark.sql.shuffle.partitions to {groups}, or begin a new checkpoint",
            )
        found: list[bytes | None] = snapshots
        return found

    def _task(self, place: int, group: int, snapshot: bytes | None, *, new: bool, at: int) -> Task:
        task = Task(self.fragments[place], group, self.settings)
        if snapshot:
            task.restore(snapshot)
        elif new and self._ended(self.fragments[place], at):
            self._advance(task, at)  # nothing was kept of a stream that has ended
        return task

    def _advance(self, task: Task, watermark: int) -> None:
        task.advance(lambda entry: reached(entry, self.clock, watermark))

    def _ended(self, fragment: Fragment, watermark: int) -> bool:
        return all(
            reached(entry, self.clock, watermark) == END_OF_TIME for entry in fragment.entries
        )

    def _keep_time(self, before: int | None, watermark: int, *, ended: bool) -> None:
        if before is not None:
            self.handle.deleteTimer(before + 1)
        if not ended:
            self.handle.registerTimer(watermark + 1)

    def close(self) -> None:
        """Nothing is held beside the state."""
