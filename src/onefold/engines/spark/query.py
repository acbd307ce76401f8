"""From a plan to a DataFrame: a line of fragments, each behind its shuffle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import zip_longest
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  as everyone writes it

from onefold.core.plan import Plan
from onefold.core.types import TupleType
from onefold.engines.bulk.garbage import searched_later
from onefold.engines.spark.clock import END_MILLIS, LAST_MILLIS, LATE_PROOF, Clock, natural
from onefold.engines.spark.columns import Leaving, Reading, Straight, as_rows
from onefold.engines.spark.fragments import Fragment, output_of
from onefold.engines.spark.host import Host
from onefold.engines.spark.parcels import Parcel
from onefold.engines.spark.schema import MARK, RAW, TIME, quoted, row_type
from onefold.engines.spark.shipping import shipped
from onefold.engines.spark.task import Settings, Task

PARCELS = "grp int, node int, data binary"
COLUMNS = f"at timestamp, {PARCELS}"


@dataclass(frozen=True)
class Line:
    """A row of stages: each a shuffle, and the fragments that run behind it, one for each lane."""

    stages: Sequence[Sequence[Fragment]]
    settings: Settings
    streaming: bool
    clock: Clock = natural
    timed: bool = True
    """Whether a source may have Spark's watermark, and none of its own."""

    def parcels(self, first: DataFrame) -> DataFrame:
        """Return all parcels that come out at the end of the line."""
        frame = first
        for stage in self.stages[1:]:
            frame = self._hosted(frame, stage) if self.streaming else self._run(frame, stage)
        return frame

    def _hosted(self, frame: DataFrame, stage: Sequence[Fragment]) -> DataFrame:
        marked = F.lit(LATE_PROOF).cast("timestamp").alias("at", metadata={MARK: 0})
        host = Host(shipped(stage, frame.sparkSession), self.settings, self.clock, timed=self.timed)
        return (
            frame.select(marked, "grp", "node", "data")
            .groupBy("grp")
            .transformWithState(host, COLUMNS, "Append", "EventTime", eventTimeColumnName="at")
            .select("grp", "node", "data")
        )

    def _run(self, frame: DataFrame, stage: Sequence[Fragment]) -> DataFrame:
        bounded = shipped(Bounded(stage, self.settings), frame.sparkSession)

        def call(key: Any, table: Any) -> Any:
            return bounded.opened()(key, table)

        return frame.groupBy("grp").applyInArrow(call, PARCELS)


@dataclass(frozen=True)
class Bounded:
    """Fragments over all the parcels of a group at once: the end follows them."""

    stage: Sequence[Fragment]
    settings: Settings

    def __call__(self, key: tuple[Any, ...], table: pa.Table) -> pa.Table:
        columns = (table.column(each).to_pylist() for each in ("grp", "node", "data"))
        rows = list(zip(*columns))
        own: set[int] = set()
        made: list[Parcel] = []
        for fragment in self.stage:
            nodes = {entry.node for entry in fragment.entries}
            task = Task(fragment, key[0].as_py(), self.settings)
            task.take((node, data) for _, node, data in rows if node in nodes)
            task.end()
            made += task.parcels()
            own |= nodes
        passing = [Parcel(*row) for row in rows if row[1] not in own]
        return pa.Table.from_batches([as_rows(passing + made)])


def stages(lanes: Sequence[Sequence[Fragment]]) -> tuple[tuple[Fragment, ...], ...]:
    """Return the fragments of several plans that run side by side, stage by stage."""
    return tuple(
        tuple(each for each in of_stage if each is not None) for of_stage in zip_longest(*lanes)
    )


def enter(line: Line, plan: Plan, frames: Mapping[str, DataFrame], delay: int | None) -> DataFrame:
    """Return the parcels of fragment 0, read from checked DataFrames by the names of the sources.

    With a delay, watermarks follow the latest event time that far behind.
    """
    read = [
        by_batch(columns, reading, PARCELS)
        for reading, columns in _readings(line, plan, frames, delay)
    ]
    return reduce(DataFrame.unionAll, read)


def straight(
    line: Line, plan: Plan, frames: Mapping[str, DataFrame], delay: int | None
) -> DataFrame:
    """Return the output of a plan that is all fragment 0, as bare columns."""
    type = plan.output.type
    read = [
        by_batch(columns, Straight(reading, type), row_type(type))
        for reading, columns in _readings(line, plan, frames, delay)
    ]
    return reduce(DataFrame.unionAll, read)


def tells_time(frame: DataFrame) -> bool:
    """Say whether a source's watermark comes with its tuples: it has none of its own yet."""
    return MARK not in frame.schema[TIME].metadata


def _readings(
    line: Line, plan: Plan, frames: Mapping[str, DataFrame], delay: int | None
) -> Iterator[tuple[Reading, DataFrame]]:
    """Return for each source how it is read, and its columns, times in front."""
    numbers = {node: number for number, node in enumerate(plan.nodes)}
    for name, source in plan.sources.items():
        columns = frames[name]
        telling = delay is not None and tells_time(columns)
        if telling:
            columns = _trusted(columns).withWatermark(TIME, f"{delay} milliseconds")
        first, number = line.stages[0][0], numbers[source]
        behind = delay if telling else None
        yield Reading(first, line.settings, number, name, source.type, behind), columns


def _trusted(columns: DataFrame) -> DataFrame:
    """Return rows whose times may move the watermark: those that will not be set aside."""
    millis = F.unix_millis(F.col(TIME))
    good = (millis < LAST_MILLIS) | (millis == END_MILLIS)
    if RAW in columns.columns:
        good = good & F.col(RAW).isNull()
    return columns.withColumn(TIME, F.when(good, F.col(TIME)))


def outputs(
    parcels: DataFrame, type: TupleType, time: str, *, lane: int = 0, mark: int | None = None
) -> DataFrame:
    """Return the tuples of an output, in columns, with their time marked."""
    own = parcels.where(F.col("node") == output_of(lane)).select("data")
    return timed(by_batch(own, Leaving(type), row_type(type)), type, time, mark)


def timed(rows: DataFrame, type: TupleType, time: str, mark: int | None) -> DataFrame:
    """Return bare columns with moments for their times, marked."""
    moment = F.timestamp_millis(F.col(TIME))
    marked = moment.alias(time) if mark is None else moment.alias(time, metadata={MARK: mark})
    return rows.select(marked, *(F.col(quoted(each)) for each in type.names))


def by_batch(
    frame: DataFrame, work: Callable[[pa.RecordBatch], pa.RecordBatch], schema: Any
) -> DataFrame:
    """Return what a function makes of the Arrow batches of a DataFrame."""
    shipment = shipped(work, frame.sparkSession)

    def call(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            opened = shipment.opened()
            with searched_later():
                made = opened(batch)
            yield made

    return frame.mapInArrow(call, schema)


def places(session: SparkSession) -> tuple[int, ...]:
    """Return a number for each group, so that every shuffle partition gets one group."""
    partitions = int(session.conf.get("spark.sql.shuffle.partitions") or 1)
    tried = session.range(1).select(
        F.transform(F.sequence(F.lit(0), F.lit(partitions * 32)), _partition_of(partitions))
    )
    found: dict[int, int] = {}
    for number, partition in enumerate(tried.collect()[0][0]):
        found.setdefault(partition, number)
    return tuple(found.values())


def _partition_of(partitions: int) -> Any:
    def partition(number: Column) -> Column:
        return F.pmod(F.hash(number), F.lit(partitions))

    return partition
