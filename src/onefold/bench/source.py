"""Tuples at a rate: a streaming source of Spark's whose event time is the moment of forwarding.

Tuple i is due at `begin + i·1000 // rate` of the clock and has that as its time. An offset is a
number of tuples, so a batch that is asked for again holds the same ones. When all are through, one
more row ends the stream.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition

from onefold.bench.prepared import BLOCK, TIME, moments
from onefold.core.time import floor_to_tick
from onefold.spark import END_OF_STREAM

FORMAT = "onefold_bench_rate"
PARTS = 2
"""Into how many partitions a batch is cut."""


@dataclass(frozen=True)
class Load:
    """Which tuples come when."""

    file: str
    """An Arrow file, gone through over and over."""
    begin: int
    """In milliseconds of the clock."""
    rate: int
    tuples: int

    def due(self, now: int) -> int:
        """Return how many tuples have a time before now; one more after the last is the end.

        >>> load = Load("", begin=1000, rate=500, tuples=4)
        >>> [load.due(now) for now in (999, 1000, 1001, 1002, 1003, 1008)]
        [0, 0, 1, 1, 2, 5]
        """
        passed = max(0, now - self.begin)
        due = -(-passed * self.rate // 1000)
        return due if due < self.tuples else self.tuples + 1


@dataclass
class Slice(InputPartition):
    """The tuples first ≤ i < last."""

    first: int
    last: int


class RateSource(DataSource):
    """The source as Spark finds it by its name; its options are those of `Load`."""

    @classmethod
    def name(cls) -> str:
        return FORMAT

    def schema(self) -> str:
        return self.options["schema"]

    def streamReader(self, schema: Any) -> DataSourceStreamReader:  # noqa: N802  Spark's name
        options = self.options
        load = Load(
            options["file"], int(options["begin"]), int(options["rate"]), int(options["tuples"])
        )
        return RateReader(load)


class RateReader(DataSourceStreamReader):
    """Cuts the tuples that are due into slices, and reads them."""

    def __init__(self, load: Load) -> None:
        self.load = load

    def initialOffset(self) -> dict[str, int]:  # noqa: N802  Spark's name
        return {"tuples": 0}

    def latestOffset(self, start: dict[str, int], limit: Any) -> dict[str, int]:  # noqa: N802
        return {"tuples": max(start["tuples"], self.load.due(time.time_ns() // 1_000_000))}

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[InputPartition]:
        return slices(start["tuples"], end["tuples"])

    def read(self, partition: InputPartition) -> Iterator[Any]:
        assert isinstance(partition, Slice)
        return rows(self.load, partition)


def slices(first: int, last: int) -> list[InputPartition]:
    """Return the tuples first ≤ i < last in as many slices as a batch has partitions.

    >>> slices(0, 5)
    [Slice(first=0, last=3), Slice(first=3, last=5)]
    """
    size = max(1, -(-(last - first) // PARTS))
    return [Slice(each, min(each + size, last)) for each in range(first, last, size)]


def rows(load: Load, part: Slice) -> Iterator[pa.RecordBatch]:
    """Return the rows of a slice as views of the file, with their times."""
    with pa.memory_map(load.file) as mapped:
        file = pa.ipc.open_file(mapped)
        blocks = file.num_record_batches
        last_block = file.get_batch(blocks - 1).num_rows
        size = (blocks - 1) * BLOCK + last_block
        at, last = part.first, min(part.last, load.tuples)
        while at < last:
            block, offset = divmod(at % size, BLOCK)
            held = file.get_batch(block)
            count = min(held.num_rows - offset, last - at)
            times = moments(load.begin, at, at + count, load.rate)
            yield _timed(held.slice(offset, count), times)
            at += count
        if part.last > load.tuples:
            yield _end(file.schema)


def _timed(block: pa.RecordBatch, times: pa.Array) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([times, *block.columns], names=[TIME, *block.schema.names])


def _end(schema: pa.Schema) -> pa.RecordBatch:
    nothing = pa.RecordBatch.from_arrays([pa.nulls(1, each.type) for each in schema], schema=schema)
    end = pa.array([floor_to_tick(END_OF_STREAM) * 1000], pa.timestamp("us", tz="UTC"))
    return _timed(nothing, end)
