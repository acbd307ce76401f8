"""What a query reads: files by their format, or whatever Spark reads by a name and options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  as everyone writes it
from pyspark.sql import types as spark

from onefold.core.near import check_columns
from onefold.core.plan import Source
from onefold.core.types import String, Timestamp
from onefold.engines.spark.clock import END_MILLIS
from onefold.engines.spark.schema import RAW, TIME, WrongSchema, checked, millis, quoted, spark_type

WHOLE = r"^\s*[+-]?[0-9]+\s*$"
NUMBER = r"^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,2})?\s*$"
NAMED_FIRST = "the first line of CSV names the columns; --time names that of times"
CSV = {"header": "true", "enforceSchema": "false", "escape": '"', "multiLine": "true"}
DATED = r"^\s*[0-9]{4}-[0-9]{2}-[0-9]{2}"


@dataclass(frozen=True)
class Input:
    """Where a source's rows come from."""

    format: str
    path: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    named: str | None = None
    """The path as the user wrote it, where it is not what Spark is told."""

    @property
    def bounded(self) -> bool:
        """Whether all that is there can be waited for: files, and no more than there are."""
        return self.path is not None

    def read(self, session: SparkSession, source: Source, time: str) -> DataFrame:
        """Return the rows as a stream, with the columns of the source, checked."""
        reader = session.readStream.format(self.format).options(**self.options)
        match self.format:
            case "json":
                wanted = {**_columns(source, time), RAW: spark.StringType()}
            case "csv":
                names = _header(session, self)
                self._check(source, time, names, NAMED_FIRST)
                known = {**dict.fromkeys(names, spark.StringType()), **_columns(source, time)}
                wanted = {**{name: known[name] for name in names}, RAW: spark.StringType()}
                reader = reader.options(**{**CSV, **self.options})
            case "parquet" | "orc" | "avro":
                found = session.read.format(self.format).options(**self.options).load(self.path)
                self._check(source, time, found.columns)
                frame = self._load(reader.schema(found.schema))
                return checked(source, _with_moments(frame, source, time), time)
            case _:
                return checked(source, self._load(reader), time)
        schema = spark.StructType([spark.StructField(*each) for each in wanted.items()])
        raw = {"columnNameOfCorruptRecord": RAW, "mode": "PERMISSIVE"}
        frame = self._load(reader.schema(schema).options(**raw))
        if self.format == "csv":  # which has no null string
            texts = [name for name, kind in source.type.attributes if isinstance(kind, String)]
            frame = frame.fillna("", subset=[quoted(name) for name in texts])
        return checked(source, _with_moments(frame, source, time), time)

    def _check(self, source: Source, time: str, held: Sequence[str], otherwise: str = "") -> None:
        where = self.named or self.path or source.label()
        check_columns(WrongSchema, where, (time, *source.type.names), held, otherwise)

    def _load(self, reader: Any) -> DataFrame:
        loaded: DataFrame = reader.load(self.path) if self.path else reader.load()
        return loaded


def _with_moments(frame: DataFrame, source: Source, time: str) -> DataFrame:
    """Return rows with moments in place of text, where a moment is wanted."""
    moments = [name for name, kind in source.type.attributes if isinstance(kind, Timestamp)]
    for name in {time, *moments} & set(frame.columns):
        if isinstance(frame.schema[name].dataType, spark.StringType):
            frame = frame.withColumn(name, _moment(F.col(quoted(name))))
    return frame


def with_end(frame: DataFrame, control: str) -> DataFrame:
    """Return the rows of a source, and those of the control stream behind them."""
    told = frame.sparkSession.readStream.schema("time bigint").json(control)
    kinds = {field.name: field.dataType for field in frame.schema.fields}
    nothing = [F.lit(None).cast(kinds[name]).alias(name) for name in frame.columns if name != TIME]
    return frame.unionAll(told.select(F.timestamp_millis("time").alias(TIME), *nothing))


def write_end(control: Path) -> None:
    """End every source of a query that reads this control stream."""
    part = control / ".end"
    part.write_text(f'{{"time": {END_MILLIS}}}\n')
    part.rename(control / "end.json")


def _columns(source: Source, time: str) -> dict[str, spark.DataType]:
    """Return the columns to read; moments as text, which Spark would take for seconds."""
    attributes = {
        name: spark.StringType() if isinstance(kind, Timestamp) else spark_type(kind)
        for name, kind in source.type.attributes
    }
    return {time: spark.StringType(), **attributes}


def _header(session: SparkSession, read: Input) -> list[str]:
    first = session.read.options(**read.options).option("header", "true").csv(read.path or "")
    if not first.columns:
        raise WrongSchema(
            f"{read.named or read.path} has no header", hint="the first line names the columns"
        )
    return first.columns


def _moment(text: Column) -> Column:
    """Return the event time that a text holds: milliseconds, or ISO 8601."""
    number = text.try_cast("double")
    return (
        F.when(text.rlike(WHOLE), millis(text.try_cast("bigint")))
        .when(text.rlike(NUMBER), millis(F.floor(number)))
        .when(text.rlike(DATED), text.try_cast("timestamp"))
    )
