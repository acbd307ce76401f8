"""Columns in, parcels out, and back: the functions that Spark calls with Arrow batches."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from onefold.core.errors import MistypedTuple
from onefold.core.packing import packed
from onefold.core.records import Tuple
from onefold.core.types import DataType, Misfit, TupleType
from onefold.engines.spark import blocks
from onefold.engines.spark.blocks import ArrowBlock, as_batch, merged
from onefold.engines.spark.clock import END_MILLIS
from onefold.engines.spark.fragments import Fragment
from onefold.engines.spark.parcels import REPORT, TOLD, Parcel, opened, tuples_of
from onefold.engines.spark.schema import TIME, arrow_type
from onefold.engines.spark.task import BadRow, Settings, Task

PARCEL = pa.schema([("grp", pa.int32()), ("node", pa.int32()), ("data", pa.binary())])


@dataclass(frozen=True)
class Reading:
    """Fragment 0 for one source: columns of a batch in, parcels out."""

    fragment: Fragment
    settings: Settings
    source: int
    name: str
    type: TupleType
    delay: int | None
    """How far the source's watermark is behind its latest time; None: Spark's is its own."""

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        return as_rows(chain(self.task(batch).parcels(), self._told(batch.column(0))))

    def task(self, batch: pa.RecordBatch) -> Task:
        """Return a task that has taken the rows of a batch."""
        task = Task(self.fragment, _home(self.settings), self.settings)
        if tuples := self._tuples(blocks.in_millis(batch), task):
            task.feed(task.entries[self.source, 0], tuples)
        return task

    def _told(self, moments: pa.Array) -> Iterator[Parcel]:
        """Return a parcel for each group: a batch with rows reaches all, and tells its time."""
        if self.delay is None:
            return touching(self.settings)
        latest = blocks.latest(blocks.millis(moments))
        return telling({} if latest is None else {self.source: latest - self.delay}, self.settings)

    def _tuples(self, batch: pa.RecordBatch, task: Task) -> Sequence[Tuple]:
        columns = batch.columns
        raw = columns.pop() if len(columns) > 1 + len(self.type.attributes) else None
        clean = columns[0].null_count == 0 and (raw is None or raw.null_count == len(raw))
        if not clean or not blocks.reads_as_it_is(self.type):
            return list(self._by_row(batch, task))
        kinds = (kind for _, kind in self.type.attributes)
        values = [blocks.normal(_of_one_type(c, kind), kind) for c, kind in zip(columns[1:], kinds)]
        if any(column is None for column in values):
            return list(self._by_row(batch, task))
        rows = pa.RecordBatch.from_arrays([columns[0], *values], names=[TIME, *self.type.names])
        if blocks.latest(columns[0]) == END_MILLIS:
            rows = rows.filter(pc.not_equal(columns[0], END_MILLIS))
        return ArrowBlock(self.type, rows)

    def _by_row(self, batch: pa.RecordBatch, task: Task) -> Iterator[Tuple]:
        times, *columns = map(_listed, batch.columns)
        raws = columns.pop() if len(columns) > len(self.type.attributes) else repeat(None)
        make = self.type.make
        if all(isinstance(kind, blocks.NORMAL) for _, kind in self.type.attributes):
            make = self._bare
        for time, raw, *row in zip(times, raws, *columns):
            if time == END_MILLIS:
                continue  # no tuple, but the end of the stream
            try:
                if raw is not None:
                    raise Misfit(f"the row does not fit {self.type}")
                yield make(_checked(time), tuple(row))
            except Misfit as problem:
                shown = {"time": time, **dict(zip(self.type.names, row))}
                self._bad(shown if raw is None else raw, problem, task)

    def _bare(self, time: int, row: tuple[Any, ...]) -> Tuple:
        made: Tuple = self.type.tuple_class((time, *row))
        return made

    def _bad(self, row: dict[str, Any] | str, problem: Misfit, task: Task) -> None:
        if not task.forgiving:
            raise MistypedTuple(
                f"source {self.name}: {problem}",
                detail=f"got {row!r}",
                hint="filter such rows out of the DataFrame first",
            )
        task.report.bad_rows.append(BadRow(self.source, str(problem), row))


@dataclass(frozen=True)
class Straight:
    """A plan that is all fragment 0: columns of a batch in, columns of the output out."""

    reading: Reading
    type: TupleType

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        task = self.reading.task(batch)
        return as_output(self.type, [part for parts in task.leaving.values() for part in parts])


@dataclass(frozen=True)
class Scripted:
    """Fragment 0 of every lane, for a script: rows that hold the tuples of a source packed."""

    stage: Sequence[Fragment]
    settings: Settings

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        rows = list(zip(*(column.to_pylist() for column in batch.columns)))
        parcels: list[Parcel] = []
        for fragment in self.stage:
            sources = {entry.node for entry in fragment.entries}
            own = [(number, data) for number, data in rows if number in sources]
            if own:
                task = Task(fragment, _home(self.settings), self.settings)
                task.take(own)
                parcels += task.parcels()
        return as_rows(chain(parcels, touching(self.settings)))


@dataclass(frozen=True)
class Leaving:
    """The tuples of parcels, as columns."""

    type: TupleType

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        held = (opened(data)[1] for data in batch.column(0).to_pylist())
        return as_output(self.type, [tuples_of(self.type, each) for each in held])


def as_output(type: TupleType, parts: Sequence[Sequence[Tuple]]) -> pa.RecordBatch:
    """Return tuples as columns."""
    batches = [as_batch(type, part) for part in merged(parts, together=False)]
    if not batches:
        return as_batch(type, ())
    return batches[0] if len(batches) == 1 else pa.concat_batches(batches)


def touching(settings: Settings) -> Iterator[Parcel]:
    """Return a parcel for each group, so that a batch with rows reaches all of them."""
    for place in settings.places:
        yield Parcel(place, REPORT, None)


def telling(watermarks: Mapping[int, int], settings: Settings) -> Iterator[Parcel]:
    """Return a parcel for each group that tells the watermarks of sources."""
    told = packed(dict(watermarks))
    for place in settings.places:
        yield Parcel(place, TOLD, told)


def as_rows(parcels: Iterable[Parcel]) -> pa.RecordBatch:
    """Return parcels as rows."""
    made = [(each.group, each.node, each.data) for each in parcels]
    columns = zip(*made) if made else [(), (), ()]
    arrays = [pa.array(column, kind.type) for column, kind in zip(columns, PARCEL)]
    return pa.RecordBatch.from_arrays(arrays, schema=PARCEL)


def _home(settings: Settings) -> int:
    """Return the group that output goes by: any will do, and tasks should not share one."""
    return settings.places[os.getpid() % len(settings.places)]


def _of_one_type(column: pa.Array, kind: DataType) -> pa.Array:
    """Return a column of the type that all blocks have: Spark's may say that nothing is null."""
    wanted = arrow_type(kind)
    return column if column.type.equals(wanted) else column.cast(wanted)


def _checked(time: Any) -> int:
    if time is None:
        raise Misfit("the event time is null, or none before the year 8000")
    return int(time)


def _listed(column: pa.Array) -> list[Any]:
    try:
        return column.to_pylist()  # type: ignore[no-any-return]  # Arrow has no types
    except (OverflowError, ValueError):  # a moment that no datetime holds
        return [_scalar(each) for each in column]


def _scalar(value: pa.Scalar) -> Any:
    try:
        return value.as_py()
    except (OverflowError, ValueError):
        return str(value.cast(pa.int64()))  # shown as it is, and refused by its type
