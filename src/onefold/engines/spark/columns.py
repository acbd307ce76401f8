"""Columns in, parcels out, and back: the functions that Spark calls with Arrow batches."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, repeat
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from onefold.core.errors import MistypedTuple
from onefold.core.packing import packed
from onefold.core.records import Tuple
from onefold.core.types import Binary, Boolean, Integer, Misfit, String, TupleType
from onefold.engines.spark import blocks
from onefold.engines.spark.blocks import ArrowBlock, as_batch, merged
from onefold.engines.spark.clock import END_MILLIS
from onefold.engines.spark.fragments import Fragment
from onefold.engines.spark.parcels import REPORT, TOLD, Parcel, opened, tuples_of
from onefold.engines.spark.schema import TIME, arrow_rows
from onefold.engines.spark.task import BadRow, Settings, Task

PARCEL = pa.struct([("grp", pa.int32()), ("node", pa.int32()), ("data", pa.binary())])
_NORMAL = (String, Boolean, Integer, Binary)
"""Types whose values come out of Arrow in normal form."""


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

    def __call__(self, batch: pa.StructArray) -> pa.ListArray:
        task = self.task(batch)
        return all_in_first(chain(task.parcels(), self._told(batch)), len(batch))

    def task(self, batch: pa.StructArray) -> Task:
        """Return a task that has taken the rows of a batch."""
        task = Task(self.fragment, _home(self.settings), self.settings)
        if tuples := self._tuples(batch, task):
            task.feed(task.entries[self.source, 0], tuples)
        return task

    def _told(self, batch: pa.StructArray) -> Iterator[Parcel]:
        """Return a parcel for each group: a batch with rows reaches all, and tells its time."""
        if self.delay is None:
            return touching(self.settings)
        latest = blocks.latest(batch.field(0))
        return telling({} if latest is None else {self.source: latest - self.delay}, self.settings)

    def _tuples(self, batch: pa.StructArray, task: Task) -> Sequence[Tuple]:
        columns = [batch.field(n) for n in range(batch.type.num_fields)]
        raw = columns.pop() if len(columns) > 1 + len(self.type.attributes) else None
        clean = columns[0].null_count == 0 and (raw is None or raw.null_count == len(raw))
        if not clean or not blocks.reads_as_it_is(self.type):
            return list(self._by_row(batch, task))
        rows = pa.RecordBatch.from_arrays(columns, names=[TIME, *self.type.names])
        if blocks.latest(columns[0]) == END_MILLIS:
            rows = rows.filter(pc.not_equal(columns[0], END_MILLIS))
        return ArrowBlock(self.type, rows)

    def _by_row(self, batch: pa.StructArray, task: Task) -> Iterator[Tuple]:
        times, *columns = (_listed(batch.field(n)) for n in range(batch.type.num_fields))
        raws = columns.pop() if len(columns) > len(self.type.attributes) else repeat(None)
        make = self.type.make
        if all(isinstance(kind, _NORMAL) for _, kind in self.type.attributes):
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

    def __call__(self, batch: pa.StructArray) -> pa.ListArray:
        task = self.reading.task(batch)
        made = [part for parts in task.leaving.values() for part in parts]
        parts = [as_struct(self.type, part) for part in merged(made)]
        values = pa.concat_arrays(parts) if parts else arrow_rows(self.type)
        return as_lists(values, [len(values)] + [0] * (len(batch) - 1) if len(batch) else [])


@dataclass(frozen=True)
class Scripted:
    """Fragment 0 of every lane, for a script: rows that hold the tuples of a source packed."""

    stage: Sequence[Fragment]
    settings: Settings

    def __call__(self, batch: pa.StructArray) -> pa.ListArray:
        rows = list(zip(*(batch.field(n).to_pylist() for n in range(2))))
        parcels: list[Parcel] = []
        for fragment in self.stage:
            sources = {entry.node for entry in fragment.entries}
            own = [(number, data) for number, data in rows if number in sources]
            if own:
                task = Task(fragment, _home(self.settings), self.settings)
                task.take(own)
                parcels += task.parcels()
        return all_in_first(chain(parcels, touching(self.settings)), len(batch))


@dataclass(frozen=True)
class Leaving:
    """The tuples of parcels, as columns."""

    type: TupleType

    def __call__(self, batch: pa.BinaryArray) -> pa.ListArray:
        held = (opened(data)[1] for data in batch.to_pylist())
        made = [as_struct(self.type, tuples_of(self.type, each)) for each in held]
        values = pa.concat_arrays(made) if made else arrow_rows(self.type)
        return as_lists(values, list(map(len, made)))


def as_struct(type: TupleType, tuples: Sequence[Tuple]) -> pa.StructArray:
    """Return tuples as one column of structs."""
    batch = as_batch(type, tuples)
    return pa.StructArray.from_arrays(batch.columns, names=[TIME, *type.names])


def touching(settings: Settings) -> Iterator[Parcel]:
    """Return a parcel for each group, so that a batch with rows reaches all of them."""
    for place in settings.places:
        yield Parcel(place, REPORT, None)


def telling(watermarks: Mapping[int, int], settings: Settings) -> Iterator[Parcel]:
    """Return a parcel for each group that tells the watermarks of sources."""
    told = packed(dict(watermarks))
    for place in settings.places:
        yield Parcel(place, TOLD, told)


def all_in_first(parcels: Iterable[Parcel], rows: int) -> pa.ListArray:
    """Return a list for each row of a batch: the first holds all parcels."""
    made = [(each.group, each.node, each.data) for each in parcels] if rows else []
    columns = list(zip(*made)) if made else [(), (), ()]
    arrays = [pa.array(column, kind.type) for column, kind in zip(columns, PARCEL)]
    values = pa.StructArray.from_arrays(arrays, names=[kind.name for kind in PARCEL])
    return as_lists(values, [len(made)] + [0] * (rows - 1) if rows else [])


def as_lists(values: pa.Array, lengths: Sequence[int]) -> pa.ListArray:
    """Return values cut into lists of these lengths."""
    offsets = pa.array(accumulate(lengths, initial=0), pa.int32())
    return pa.ListArray.from_arrays(offsets, values)


def _home(settings: Settings) -> int:
    """Return the group that output goes by: any will do, and tasks should not share one."""
    return settings.places[os.getpid() % len(settings.places)]


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
