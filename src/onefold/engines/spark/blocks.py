"""Blocks in Arrow: tuples that stay as Spark brought them until a function asks for one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from onefold.core.block import Block
from onefold.core.records import Tuple
from onefold.core.types import (
    Array,
    Binary,
    Boolean,
    DataType,
    Floating,
    Integer,
    String,
    TupleType,
)
from onefold.engines.spark.schema import arrow_rows

SMALL = 256
"""Fewer tuples than this are pickled: Arrow's own header would be longer than they are."""


class ArrowBlock(Block):
    """Tuples of an Arrow batch, their times in its first column."""

    def __init__(self, type: TupleType, batch: pa.RecordBatch) -> None:
        super().__init__(type, ())
        self.batch = batch
        self._columns = None
        self._times: list[int] | None = None

    @property
    def times(self) -> Sequence[int]:
        if self._times is None:
            self._times = self.batch.column(0).to_numpy().tolist()
        return self._times

    def _read(self) -> Sequence[Sequence[Any]]:
        kinds = (kind for _, kind in self.type.attributes)
        columns = self.batch.columns[1:]
        return [self.times, *(_read(column, kind) for column, kind in zip(columns, kinds))]

    def __len__(self) -> int:
        return int(self.batch.num_rows)


def _read(column: pa.Array, kind: DataType) -> Sequence[Any]:
    listed = column.to_pylist()
    known = kind.normal(listed)
    return [kind.conform(value) for value in listed] if known is None else known


def reads_as_it_is(type: TupleType) -> bool:
    """Say whether every value that Arrow may hold is one of the type: no row is a bad one."""
    return all(_plain(kind) for _, kind in type.attributes)


def _plain(kind: DataType) -> bool:
    match kind:
        case String() | Boolean() | Integer() | Binary() | Floating():
            return True
        case Array(element):
            return _plain(element)
    return False


def normal(column: pa.Array, kind: DataType) -> pa.Array | None:
    """Return a column with its numbers in normal form, without -0.0; None if that takes Python."""
    match kind:
        case Floating():
            return pc.add(column, pa.scalar(0.0, column.type))
        case Array(element) if _floats(element):
            if column.null_count or not isinstance(element, Floating):
                return None
            return pa.ListArray.from_arrays(column.offsets, normal(column.values, element))
    return column


def _floats(kind: DataType) -> bool:
    return isinstance(kind, Floating) or (isinstance(kind, Array) and _floats(kind.element))


def by_time(block: ArrowBlock, groups: int) -> Iterator[tuple[int, ArrowBlock]]:
    """Return parts of a block by a group that tuples of one time share."""
    if groups == 1:
        yield 0, block
        return
    group = block.batch.column(0).to_numpy() % groups
    for each in range(groups):
        part = block.batch.filter(pa.array(group == each))
        if part.num_rows:
            yield each, ArrowBlock(block.type, part)


def as_batch(type: TupleType, tuples: Sequence[Tuple]) -> pa.RecordBatch:
    """Return tuples as an Arrow batch."""
    match tuples:
        case ArrowBlock():
            return tuples.batch
        case Block():
            struct = arrow_rows(type, columns=tuples.columns)
        case _:
            struct = arrow_rows(type, tuples)
    return pa.RecordBatch.from_struct_array(struct)


def merged(parts: Iterable[Sequence[Tuple]]) -> Iterator[Sequence[Tuple]]:
    """Return parts as few: blocks as they are, and all lists as one."""
    single: list[Tuple] = []
    for part in parts:
        if isinstance(part, Block) and len(part) >= SMALL:
            yield part
        else:
            single += part
    if single:
        yield single


def latest(times: pa.Array) -> int | None:
    """Return the latest of some times."""
    found: int | None = pc.max(times).as_py()
    return found
