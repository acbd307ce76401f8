"""Columns in, parcels out, and back: the functions that Spark calls with Arrow batches."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any

import pyarrow as pa

from onefold.core.errors import MistypedTuple
from onefold.core.records import Tuple
from onefold.core.types import Binary, Boolean, Integer, Misfit, String, TupleType
from onefold.engines.spark.clock import END_MILLIS
from onefold.engines.spark.fragments import Fragment
from onefold.engines.spark.parcels import REPORT, Parcel, unpack_tuples
from onefold.engines.spark.schema import arrow_rows
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

    def __call__(self, batch: pa.StructArray) -> pa.ListArray:
        task = Task(self.fragment, _home(self.settings), self.settings)
        tuples = list(self._tuples(batch, task))
        if tuples:
            task.feed(task.entries[self.source, 0], tuples)
        return all_in_first(touching(task.parcels(), self.settings), len(batch))

    def _tuples(self, batch: pa.StructArray, task: Task) -> Iterator[Tuple]:
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
        return all_in_first(touching(iter(parcels), self.settings), len(batch))


@dataclass(frozen=True)
class Leaving:
    """The tuples of parcels, as columns."""

    type: TupleType

    def __call__(self, batch: pa.BinaryArray) -> pa.ListArray:
        lists = [unpack_tuples(data)[1] for data in batch.to_pylist()]
        offsets = [0]
        for rows in lists:
            offsets.append(offsets[-1] + len(rows))
        values = arrow_rows(self.type, list(chain.from_iterable(lists)))
        return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values)


def touching(parcels: Iterator[Parcel], settings: Settings) -> Iterator[Parcel]:
    """Return the parcels, and one more for each group: a batch with rows reaches all of them."""
    yield from parcels
    for place in settings.places:
        yield Parcel(place, REPORT, None)


def all_in_first(parcels: Iterator[Parcel], rows: int) -> pa.ListArray:
    """Return a list for each row of a batch: the first holds all parcels."""
    made = [(each.group, each.node, each.data) for each in parcels] if rows else []
    columns = list(zip(*made)) if made else [(), (), ()]
    arrays = [pa.array(column, kind.type) for column, kind in zip(columns, PARCEL)]
    values = pa.StructArray.from_arrays(arrays, names=[kind.name for kind in PARCEL])
    offsets = [0, *([len(made)] * rows)]
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values)


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
