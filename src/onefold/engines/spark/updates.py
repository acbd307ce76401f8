"""Plays scripts on a user's own Spark code in update mode: each batch tells what it changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from onefold.core.time import END_OF_TIME
from onefold.core.types import TupleType
from onefold.engines.spark.results import columns, tuples
from onefold.engines.spark.scratch import scratch
from onefold.engines.spark.told import batches, read, write
from onefold.engines.steps import Made, Step


def play_updates(
    session: SparkSession,
    function: Callable[..., DataFrame],
    sources: Mapping[str, TupleType],
    output: TupleType,
    steps: Sequence[Step],
    *,
    delay: int = 0,
    time: str = "ts",
) -> list[Made]:
    """Play a script; return what each of its steps changed.

    Spark's watermark is `delay` behind the one that the script tells, as `withWatermark` makes it.
    """
    script = batches(sources, [_delayed(step, delay) for step in steps])
    given: dict[int, pa.Table] = {}

    def take(batch: DataFrame, number: int) -> None:
        given[number] = batch.toArrow()

    with scratch("onefold-updates-") as folder:
        files = folder / "steps"
        files.mkdir()
        write(files, sources, script)
        frame = columns(function(**read(session, files, sources, time)), output, time)
        writer = frame.writeStream.foreachBatch(take).outputMode("update")
        writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
        query = writer.trigger(availableNow=True).start()
        try:
            query.awaitTermination()
        finally:
            query.stop()
    made = [Made() for _ in steps]
    for number in sorted(given):
        step = script[min(number, len(script) - 1)].step
        made[step].output += tuples(given[number], output)
    return made


def _delayed(step: Step, delay: int) -> Step:
    moved = {
        name: told if told == END_OF_TIME else told - delay
        for name, told in step.watermarks.items()
    }
    return Step(step.tuples, moved)
