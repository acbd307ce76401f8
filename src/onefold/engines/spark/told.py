"""A script as files that Spark reads one by one, with the watermarks that the script tells.

Spark takes a watermark from the rows that it reads. So the files hold rows of two kinds: tuples,
and markers, which alone carry the time that Spark takes. A watermark counts from the batch after
its marker on, and tuples are late by the one before; so behind a step whose watermark moves comes
a file without tuples: there windows fire, and the tuples of the next step meet the new watermark.

All files are there before the query starts: each is a batch, for all sources at once.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  as everyone writes it
from pyspark.sql import types as spark

from onefold.core.errors import PlanError, RunError, UnknownSource
from onefold.core.records import Tuple
from onefold.core.time import START_OF_TIME
from onefold.core.types import Timestamp, TupleType
from onefold.core.values import listed
from onefold.engines.spark.clock import END_MILLIS, LAST_MILLIS
from onefold.engines.spark.schema import FARTHEST, MARK, arrow_type, spark_type
from onefold.engines.steps import Step

Sources = Mapping[str, TupleType]


class TimeTaken(PlanError):
    """A source with an attribute that has the name of the event time's column."""


class TimeOutOfReach(RunError):
    """An event time that Spark can't hold, or that lies behind the end of streams."""


@dataclass(frozen=True)
class Batch:
    """What Spark reads at once."""

    step: int
    tuples: Mapping[str, Sequence[Tuple]] = field(default_factory=dict)
    marker: int | None = None
    """The watermark that counts from the next batch on, if it moves."""
    watermark: int = 0
    """Spark's watermark in this batch; 0 is its first."""


def batches(sources: Sources, steps: Sequence[Step]) -> list[Batch]:
    """Return the batches of a script: those with tuples, and one more where the watermark moves.

    >>> for batch in batches({"s": TupleType(())}, [Step(watermarks={"s": at}) for at in (5, 7)]):
    ...     print(batch)
    Batch(step=0, tuples={}, marker=5, watermark=0)
    Batch(step=0, tuples={}, marker=7, watermark=5)
    Batch(step=1, tuples={}, marker=None, watermark=7)
    """
    made: list[Batch] = []
    watermark, told = 0, dict.fromkeys(sources, START_OF_TIME)
    for number, step in enumerate(steps):
        _check(sources, step)
        for name, moved in step.watermarks.items():
            told[name] = max(told[name], moved)
        least = min(*told.values(), END_MILLIS)
        moves = least > watermark
        if any(step.tuples.values()) or (moves and (not made or made[-1].marker is not None)):
            made.append(Batch(number, step.tuples, watermark=watermark))
        if moves:
            made[-1] = replace(made[-1], marker=least)
            made.append(Batch(number, watermark=least))
            watermark = least
    return made


def _check(sources: Sources, step: Step) -> None:
    for name in (*step.tuples, *step.watermarks):
        if name not in sources:
            raise UnknownSource(
                f"the script feeds a source {name!r} that there is not",
                hint=f"the sources are {listed(list(sources))}",
            )
    for name, tuples in step.tuples.items():
        for each in tuples:
            if not -FARTHEST <= each.time < LAST_MILLIS:
                raise TimeOutOfReach(
                    f"source {name}: Spark can't take the time {each.time}",
                    detail=f"got {each!r}",
                    hint="event times lie before the year 8000",
                )


def write(folder: Path, sources: Sources, told: Sequence[Batch]) -> None:
    """Write a file for each batch; Spark reads them in the order of their times."""
    for number, batch in enumerate(told):
        file = folder / f"{number:06}.parquet"
        parts = [_rows(n, name, type, batch) for n, (name, type) in enumerate(sources.items())]
        parquet.write_table(pa.concat_tables(parts, promote_options="default"), file)
        os.utime(file, (number, number))


def _rows(number: int, name: str, type: TupleType, batch: Batch) -> pa.Table:
    """Return the tuples of a source in a batch, and the marker behind them."""
    tuples = batch.tuples.get(name, ())
    marks = [] if batch.marker is None else [batch.marker]
    none = [None] * len(marks)
    moment = arrow_type(Timestamp())
    columns: dict[str, pa.Array] = {
        "source": pa.array([number] * (len(tuples) + len(marks)), pa.int32()),
        "at": pa.array([*(t.time * 1000 for t in tuples), *none], moment),
        "marker": pa.array([*(None for _ in tuples), *(each * 1000 for each in marks)], moment),
    }
    for place, (_, kind) in enumerate(type.attributes):
        values = [*(t[place + 1] for t in tuples), *none]
        columns[_column(number, place)] = pa.array(values, arrow_type(kind))
    return pa.table(columns)


def _column(source: int, place: int) -> str:
    """Name the column of an attribute: those of several sources stand side by side."""
    return f"value_{source}_{place}"


def read(session: SparkSession, folder: Path, sources: Sources, time: str) -> dict[str, DataFrame]:
    """Return the streams of the sources: their event time, marked, and then their attributes."""
    rows = (
        session.readStream.schema(spark.StructType(list(_fields(sources))))
        .option("maxFilesPerTrigger", 1)
        .option("datetimeRebaseMode", "CORRECTED")
        .parquet(str(folder))
        .withWatermark("marker", "0 seconds")
    )
    # Spark moves a filter of the user's below the watermark, where it drops the markers, but never
    # past a filter that is not deterministic.
    barrier = F.rand(0) + 1 > 0
    streams = {}
    for number, (name, type) in enumerate(sources.items()):
        if time.lower() in (each.lower() for each in type.names):
            raise TimeTaken(
                f"source {name} has an attribute {time!r}, and so is the event time called",
                hint="give the event time another name: time=…",
            )
        own = rows.where((F.col("source") == number) & F.col("marker").isNull() & barrier)
        streams[name] = own.select(
            F.col("at").alias(time, metadata={MARK: 0}),
            *(F.col(_column(number, n)).alias(each) for n, each in enumerate(type.names)),
        )
    return streams


def _fields(sources: Sources) -> Iterator[spark.StructField]:
    yield spark.StructField("source", spark.IntegerType())
    yield spark.StructField("at", spark.TimestampType())
    yield spark.StructField("marker", spark.TimestampType())
    for number, type in enumerate(sources.values()):
        for place, (_, kind) in enumerate(type.attributes):
            yield spark.StructField(_column(number, place), spark_type(kind))
