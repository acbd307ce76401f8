"""What a user's DataFrame holds, as tuples of a type: its columns checked, its rows read."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  as everyone writes it
from pyspark.sql import types as spark

from onefold.core.errors import MistypedTuple
from onefold.core.records import Tuple
from onefold.core.types import Array, DataType, Floating, Integer, Misfit, Struct, TupleType
from onefold.engines.spark.schema import WrongSchema, spark_type

WINDOWS = ("window", "session_window")
"""Columns that tell the time of a row that has none of its own: the last instant of its window."""

_WHOLE = (spark.ByteType, spark.ShortType, spark.IntegerType, spark.LongType)


def columns(frame: DataFrame, type: TupleType, time: str) -> DataFrame:
    """Return the time of each row in milliseconds, and the attributes of a type, by their places.

    Columns are found by name, others left out. Raise an error if one is missing or does not fit.
    """
    held = [(field.name, field.dataType) for field in frame.schema.fields]
    placed = frame.toDF(*(f"column_{place}" for place in range(len(held))))
    found = {name: (kind, placed[f"column_{n}"]) for n, (name, kind) in enumerate(held)}
    shown = f"it has {', '.join(f'{name} {kind.simpleString()}' for name, kind in held)}"
    wrong = []
    for name, kind in type.attributes:
        wanted = spark_type(kind).simpleString()
        if name not in found:
            wrong.append(f"{name} {wanted} is missing")
        elif not _fits(found[name][0], kind):
            wrong.append(f"{name} is {found[name][0].simpleString()}, not {wanted}")
    names = [name for name, _ in held]
    used = {time, *WINDOWS, *type.names}
    wrong += [f"{name} stands twice" for name in sorted(used) if names.count(name) > 1]
    if wrong:
        raise WrongSchema(
            f"the DataFrame that the function returns does not fit: {'; '.join(wrong)}",
            detail=shown,
            hint=f"its attributes must be {type}; names differ in case",
        )
    moment = _millis(found, time)
    if moment is None:
        raise WrongSchema(
            f"the DataFrame that the function returns has no column {time!r} for the event time",
            detail=shown,
            hint=f"it must be a timestamp, or whole milliseconds (bigint); {' or '.join(WINDOWS)} "
            "will do in its place",
        )
    values = [found[name][1].alias(f"value_{n}") for n, name in enumerate(type.names)]
    return placed.select(moment.alias("time"), *values)


def _millis(found: dict[str, tuple[spark.DataType, Column]], time: str) -> Column | None:
    """Return the event time of a row, if it tells one."""
    kind, column = found.get(time, (None, F.lit(None)))
    if isinstance(kind, spark.TimestampType):
        return F.unix_millis(column)
    if isinstance(kind, _WHOLE):
        return column.cast("bigint")
    if kind is not None:
        return None
    for name in WINDOWS:
        kind, column = found.get(name, (None, column))
        if isinstance(kind, spark.StructType) and "end" in kind.names:
            return F.unix_millis(column.getField("end")) - 1
    return None


def _fits(found: spark.DataType, kind: DataType) -> bool:
    """Tell whether what Spark holds is a data type's, or can be taken without a loss."""
    match kind, found:
        case _, spark.NullType():
            return True
        case Integer(), _:
            return isinstance(found, _WHOLE)  # a value that is too large is an error of its own
        case Floating(64), spark.FloatType():
            return True
        case Array(element), spark.ArrayType():
            return _fits(found.elementType, element)
        case Struct(attributes), spark.StructType():
            return sorted(found.names) == sorted(name for name, _ in attributes) and all(
                _fits(found[name].dataType, inner) for name, inner in attributes
            )
    return isinstance(found, type(spark_type(kind)))


def tuples(table: pa.Table, type: TupleType) -> Iterator[Tuple]:
    """Return the rows of a batch as tuples, their values in normal form."""
    try:
        for time, *row in zip(*(column.to_pylist() for column in table.columns)):
            if time is None:
                raise Misfit("the event time of a row is null")
            yield type.make(time, tuple(row))
    except (OverflowError, ValueError) as problem:  # a moment that no datetime holds; a misfit
        raise MistypedTuple(
            f"the function's output does not fit: {problem}",
            hint=f"a row is its event time, and {type}",
        ) from None
