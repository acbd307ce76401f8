"""Blocks in Arrow: tuples that stay as Spark brought them until a function asks for one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
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
NORMAL = (String, Boolean, Integer, Binary)
"""Types whose values come out of Arrow in normal form."""
FEW = 2_000
"""Blocks in Arrow with fewer tuples than this are put together; more are not worth the copy."""
LARGE = 10_000
"""Blocks with as many tuples as this are not made larger, and what leaves is cut to as many."""
MOST_BYTES = 64 * 2**20
"""Nor those with as many bytes: Arrow has offsets of 32 bits."""
NOT_IN_ARROW = (pa.ArrowException, UnicodeEncodeError, OverflowError)
"""What tells of a value that Python holds and Arrow does not."""


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

    def part(self, first: int, last: int) -> ArrowBlock:
        return ArrowBlock(self.type, self.batch.slice(first, last - first))

    def __len__(self) -> int:
        return int(self.batch.num_rows)


def _read(column: pa.Array, kind: DataType) -> Sequence[Any]:
    listed: list[Any] = column.to_pylist()
    if isinstance(kind, NORMAL):
        return listed
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


def by_cell(block: ArrowBlock, groups: int, width: int) -> Iterator[tuple[int, ArrowBlock]]:
    """Return parts of a block by a group that tuples of one cell of time share."""
    if groups == 1:
        yield 0, block
        return
    group = block.batch.column(0).to_numpy() // width % groups
    runs = pc.run_end_encode(pa.array(group))
    if len(runs.values) * SMALL < len(block):  # they come in order: nothing need be copied
        ends = pairwise([0, *runs.run_ends.to_pylist()])
        for each, (first, last) in zip(runs.values.to_pylist(), ends):
            yield each, block.part(first, last)
        return
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


def in_arrow(tuples: Sequence[Tuple]) -> Sequence[Tuple]:
    """Return a block in Arrow, so that nothing of Python's is kept; what does not fit, as it is."""
    if not isinstance(tuples, Block) or isinstance(tuples, ArrowBlock) or len(tuples) < SMALL:
        return tuples
    try:
        return ArrowBlock(tuples.type, as_batch(tuples.type, tuples))
    except NOT_IN_ARROW:
        return tuples


def merged(parts: Iterable[Sequence[Tuple]], *, together: bool = True) -> Iterator[Sequence[Tuple]]:
    """Return parts as few: lists as one, blocks in Arrow `together` up to a size, others as is."""
    single: list[Tuple] = []
    whole: list[ArrowBlock] = []
    for part in parts:
        if together and isinstance(part, ArrowBlock) and SMALL <= len(part) < FEW:
            whole.append(part)
            tuples, size = sum(map(len, whole)), sum(each.batch.nbytes for each in whole)
            if tuples >= LARGE or size >= MOST_BYTES:
                yield _as_one(whole)
                whole = []
        elif isinstance(part, Block) and len(part) >= SMALL:
            yield part
        else:
            single += part
    if whole:
        yield _as_one(whole)
    if single:
        yield single


def _as_one(whole: Sequence[ArrowBlock]) -> ArrowBlock:
    if len(whole) == 1:
        return whole[0]
    return ArrowBlock(whole[0].type, pa.concat_batches([each.batch for each in whole]))


def in_millis(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return a batch with milliseconds for the moments of its first column."""
    return batch.set_column(0, batch.schema.names[0], millis(batch.column(0)))


def millis(moments: pa.Array) -> pa.Array:
    """Return moments as milliseconds; they are whole ones (`schema.checked`)."""
    return pc.divide(moments.cast(pa.int64()), 1000)


def latest(times: pa.Array) -> int | None:
    """Return the latest of some times."""
    found: int | None = pc.max(times).as_py()
    return found
