"""Parquet, by batches of rows. The only place that imports pyarrow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, BinaryIO

import pyarrow as arrow
from pyarrow import parquet

from onefold.core.near import check_columns
from onefold.core.records import Record, Tuple, as_dict
from onefold.core.scalars import (
    Binary,
    Boolean,
    DataType,
    Floating,
    Integer,
    String,
    Timestamp,
    event_time,
)
from onefold.core.time import EPOCH
from onefold.core.types import Array, Struct, TupleType
from onefold.files.rows import CHUNK, BadFile, Reader, RowType
from onefold.files.values import from_arrow

ROW_GROUP = 10_000
"""How many rows are held before they are written."""
READ_BUFFER = 1 << 20
"""How much of a column is read ahead, in bytes; without it a row group is read whole."""
_MICROSECONDS = {"s": 1_000_000, "ms": 1_000, "us": 1}
_NO_PYTHON = (ValueError, OverflowError, LookupError, arrow.ArrowException)
"""What pyarrow raises for a value that Python can't hold."""


class ParquetReader(Reader):
    """Reads Parquet."""

    unit = "row"

    def __init__(self, name: str, path: str, type: TupleType, time: str) -> None:
        attributes = [(each, from_arrow(kind)) for each, kind in type.attributes]
        super().__init__(name, RowType(type, time, event_time, attributes))
        self.path = path
        try:
            self.file = parquet.ParquetFile(path, buffer_size=READ_BUFFER)
        except arrow.ArrowException as problem:
            raise BadFile(f"{name} can't be read as Parquet", detail=str(problem)) from None
        columns = self.file.schema_arrow.names
        needed = (time, *type.names)
        check_columns(BadFile, name, needed, columns)
        if twice := sorted({each for each in needed if columns.count(each) > 1}):
            raise BadFile(f"{name}: two columns are named {twice[0]}")
        self.columns = list(dict.fromkeys(needed))

    def records(self) -> Iterator[tuple[int, dict[str, Any]]]:
        number = 0
        try:
            for batch in self.file.iter_batches(batch_size=CHUNK, columns=self.columns):
                columns = [_values(batch.column(name)) for name in self.columns]
                for row in zip(*columns):
                    number += 1
                    yield number, dict(zip(self.columns, row))
        except (arrow.ArrowException, OSError) as problem:
            raise BadFile(
                f"{self.name} can't be read after row {number}", detail=str(problem)
            ) from None

    def make(self, record: dict[str, Any]) -> Tuple:
        return self.row_type.make(record)

    def shown(self, record: dict[str, Any]) -> Any:
        return record


def _values(column: Any) -> list[Any]:
    """Return a column as Python values; moments are floored to microseconds.

    A value that Python does not have, as a date after the year 9999, is an `ArrowValue`.
    """
    if arrow.types.is_timestamp(column.type):
        ticks = column.cast(arrow.int64()).to_pylist()
        return [None if tick is None else _moment(tick, column.type.unit) for tick in ticks]
    coarser = _coarser(column.type)
    moments = column if coarser == column.type else column.cast(coarser, safe=False)
    try:
        values: list[Any] = moments.to_pylist()
    except _NO_PYTHON:
        return [_value(scalar) for scalar in moments]
    return values


@dataclass(frozen=True)
class ArrowValue:
    """A value that Python can't hold; no type of ours takes it."""

    shown: str

    def __repr__(self) -> str:
        return self.shown


def _value(scalar: Any) -> Any:
    try:
        return scalar.as_py()
    except _NO_PYTHON:
        ticks = getattr(scalar, "value", None)
        return ArrowValue(f"{scalar.type} {ticks}" if isinstance(ticks, int) else f"{scalar.type}")


def _moment(tick: int, unit: str) -> Any:
    microseconds = tick // 1_000 if unit == "ns" else tick * _MICROSECONDS[unit]
    try:
        return EPOCH + timedelta(microseconds=microseconds)
    except OverflowError:  # outside of the calendar: no tuple holds it
        return ArrowValue(f"{tick} {unit} after 1970")


def _coarser(kind: Any) -> Any:
    """Return an Arrow type with microseconds in place of nanoseconds, which Python can't hold."""
    if arrow.types.is_timestamp(kind):
        return arrow.timestamp("us", kind.tz) if kind.unit == "ns" else kind
    if arrow.types.is_list(kind):
        return arrow.list_(_coarser(kind.value_type))
    if arrow.types.is_large_list(kind):
        return arrow.large_list(_coarser(kind.value_type))
    if arrow.types.is_fixed_size_list(kind):
        return arrow.list_(_coarser(kind.value_type), kind.list_size)
    if arrow.types.is_struct(kind):
        return arrow.struct([field.with_type(_coarser(field.type)) for field in kind])
    return kind


class ParquetWriter:
    """Writes Parquet: `time` as int64 first, then the attributes."""

    def __init__(self, stream: BinaryIO, type: TupleType) -> None:
        self.names = type.names
        fields = [("time", arrow.int64())]
        fields += [(name, arrow_type(kind)) for name, kind in type.attributes]
        self.schema = arrow.schema(fields)
        self.file = parquet.ParquetWriter(stream, self.schema)
        self.waiting: list[Tuple] = []

    def write(self, tuples: list[Tuple]) -> None:
        self.waiting += tuples
        if len(self.waiting) >= ROW_GROUP:
            self._write_group()

    def _write_group(self) -> None:
        columns = zip(*self.waiting) if self.waiting else [()] * len(self.schema)
        try:
            arrays = [
                arrow.array([_unrecorded(value) for value in column], field.type)
                for column, field in zip(columns, self.schema)
            ]
        except (arrow.ArrowException, UnicodeEncodeError) as problem:
            raise BadFile("a tuple can't be written as Parquet", detail=str(problem)) from None
        self.file.write_batch(arrow.record_batch(arrays, schema=self.schema))
        self.waiting = []

    def close(self) -> None:
        try:
            if self.waiting:
                self._write_group()
        finally:
            self.file.close()


def _unrecorded(value: Any) -> Any:
    match value:
        case Record():
            return {name: _unrecorded(each) for name, each in as_dict(value).items()}
        case tuple():
            return [_unrecorded(each) for each in value]
    return value


def arrow_type(kind: DataType) -> Any:
    """Return Arrow's type for one of ours."""
    match kind:
        case String():
            return arrow.string()
        case Boolean():
            return arrow.bool_()
        case Integer(bits):
            return arrow.int32() if bits == 32 else arrow.int64()
        case Floating(bits):
            return arrow.float32() if bits == 32 else arrow.float64()
        case Timestamp():
            return arrow.timestamp("us", tz="UTC")
        case Binary():
            return arrow.binary()
        case Array(element):
            return arrow.list_(arrow_type(element))
        case Struct(attributes):
            return arrow.struct([(name, arrow_type(inner)) for name, inner in attributes])
    raise NotImplementedError(str(kind))
