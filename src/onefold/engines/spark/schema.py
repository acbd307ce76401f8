"""Types at the border of Spark: what a DataFrame must hold, and how tuples become columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  as everyone writes it
from pyspark.sql import types as spark

from onefold.core.errors import PlanError
from onefold.core.near import did_you_mean
from onefold.core.plan import Source
from onefold.core.showing import with_article
from onefold.core.types import (
    Array,
    Binary,
    Boolean,
    DataType,
    Floating,
    Integer,
    String,
    Struct,
    Timestamp,
    TupleType,
)
from onefold.core.values import listed

TIME = "_onefold_time"
"""The event time, beside attributes that may have any name."""

MARK = "spark.watermarkDelayMs"
"""The metadata by which Spark knows a column of event times."""

RAW = "_onefold_raw"
"""A row as it stands in a file, where it could not be read; else null."""

FARTHEST = 2**53
"""Event times beyond ± this many milliseconds are none to Spark."""


class WrongSchema(PlanError):
    """A DataFrame that does not hold what a source needs."""


def arrow_type(kind: DataType) -> pa.DataType:
    """Return the Arrow type that Spark takes for a data type."""
    match kind:
        case String():
            return pa.string()
        case Boolean():
            return pa.bool_()
        case Integer(bits):
            return pa.int32() if bits == 32 else pa.int64()
        case Floating(bits):
            return pa.float32() if bits == 32 else pa.float64()
        case Timestamp():
            return pa.timestamp("us", tz="UTC")
        case Binary():
            return pa.binary()
        case Array(element):
            return pa.list_(arrow_type(element))
        case Struct(attributes):
            return pa.struct([(name, arrow_type(inner)) for name, inner in attributes])
    raise TypeError(type(kind).__name__)


def spark_type(kind: DataType) -> spark.DataType:
    """Return Spark's own name of a data type."""
    match kind:
        case String():
            return spark.StringType()
        case Boolean():
            return spark.BooleanType()
        case Integer(bits):
            return spark.IntegerType() if bits == 32 else spark.LongType()
        case Floating(bits):
            return spark.FloatType() if bits == 32 else spark.DoubleType()
        case Timestamp():
            return spark.TimestampType()
        case Binary():
            return spark.BinaryType()
        case Array(element):
            return spark.ArrayType(spark_type(element))
        case Struct(attributes):
            return spark.StructType(
                [spark.StructField(name, spark_type(inner)) for name, inner in attributes]
            )
    raise TypeError(type(kind).__name__)


def row_type(type: TupleType) -> spark.StructType:
    """Return the type of tuples as rows, each with its time in milliseconds."""
    attributes = [spark.StructField(name, spark_type(kind)) for name, kind in type.attributes]
    return spark.StructType([spark.StructField(TIME, spark.LongType()), *attributes])


def arrow_rows(
    type: TupleType,
    rows: Sequence[Sequence[Any]] = (),
    *,
    columns: Sequence[Sequence[Any]] | None = None,
) -> pa.StructArray:
    """Return bare rows `(time, value, …)`, or their columns, as Arrow's columns."""
    if columns is None:
        columns = list(zip(*rows)) if rows else [()] * (len(type.attributes) + 1)
    kinds = [pa.int64(), *(arrow_type(kind) for _, kind in type.attributes)]
    arrays = [pa.array(column, kind) for column, kind in zip(columns, kinds)]
    return pa.StructArray.from_arrays(arrays, names=[TIME, *type.names])


_WIDER = {
    ("tinyint", "int"), ("smallint", "int"), ("tinyint", "bigint"), ("smallint", "bigint"),
    ("int", "bigint"), ("float", "double"),
}  # fmt: skip
"""What Spark casts without a loss."""


def checked(source: Source, frame: DataFrame, time: str) -> DataFrame:
    """Return the columns that a source reads, of its own types; raise an error if they differ."""
    held = {field.name: field.dataType for field in frame.schema.fields}
    if time not in held:
        raise WrongSchema(
            f"source {source.name}: the DataFrame has no column {time!r} for the event time",
            detail=f"it has {listed(list(held))}",
            hint=did_you_mean(time, held, "name the column with time=…"),
        )
    wrong = []
    for name, kind in source.type.attributes:
        wanted = spark_type(kind).simpleString()
        found = held[name].simpleString() if name in held else None
        if found is None:
            near = did_you_mean(name, held)
            wrong.append(f"{name} {wanted} is missing" + (f" ({near})" if near else ""))
        elif found != wanted and (found, wanted) not in _WIDER:
            wrong.append(f"{name} is {found}, not {wanted}")
    if wrong:
        raise WrongSchema(
            f"source {source.name}: the DataFrame does not fit: {'; '.join(wrong)}",
            detail=f"it has {', '.join(f'{n} {t.simpleString()}' for n, t in held.items())}",
            hint=f"the source holds {source.type}",
        )
    attributes = [
        frame[quoted(name)].cast(spark_type(kind)).alias(name)
        for name, kind in source.type.attributes
    ]
    raw = [RAW] if RAW in held else []
    moment = event_time(frame, time, held[time], source)
    if MARK in (known := frame.schema[time].metadata):  # it has a watermark, and keeps it
        return frame.select(moment.alias(TIME, metadata=known), *attributes, *raw)
    return frame.select(moment.alias(TIME), *attributes, *raw)


def event_time(frame: DataFrame, time: str, kind: spark.DataType, source: Source) -> Column:
    """Return the column of event times as Spark's timestamps, floored to the millisecond."""
    column = frame[quoted(time)]
    match kind:
        case spark.TimestampType():
            return F.timestamp_millis(F.unix_millis(column))
        case spark.TimestampNTZType() | spark.DateType():  # without a zone it is UTC
            start = F.lit("1970-01-01").cast("timestamp_ntz")
            micros = F.timestamp_diff("MICROSECOND", start, column.cast("timestamp_ntz"))
            return F.timestamp_millis(F.floor(micros / 1000))
        case spark.LongType() | spark.IntegerType():
            return millis(column.cast("bigint"))
    raise WrongSchema(
        f"source {source.name}: the event time {time!r} is {with_article(kind.simpleString())}",
        hint="it must be a timestamp, or whole milliseconds (bigint)",
    )


def millis(column: Column) -> Column:
    """Return milliseconds as a timestamp, null where there is none."""
    return F.when(column.between(-FARTHEST, FARTHEST), F.timestamp_millis(column))


def quoted(name: str) -> str:
    """Write a column's name so that Spark takes it as it is."""
    return "`" + name.replace("`", "``") + "`"
