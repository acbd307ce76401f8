"""Pipelines on Spark: DataFrames in, DataFrames out, streaming or batch.

import onefold as of
from onefold import spark

counts = spark.dataframe(pipeline, {"edits": edits}, time="ts", delay="10 s")
counts.writeStream.format("parquet").start()
"""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame

from onefold.core.errors import UnknownSource
from onefold.core.plan import Implementation, Plan
from onefold.core.time import Duration, duration
from onefold.core.values import listed
from onefold.engines.spark.clock import END_OF_STREAM
from onefold.engines.spark.fragments import cut
from onefold.engines.spark.query import Line, outputs, places, read, stages
from onefold.engines.spark.session import session, with_state_store
from onefold.engines.spark.task import Settings
from onefold.local import lower
from onefold.stream import Stream

__all__ = ["END_OF_STREAM", "dataframe", "session"]


def dataframe(
    stream: Stream,
    inputs: Mapping[str, DataFrame],
    implementation: str | Implementation = Implementation.DEDICATED,
    *,
    time: str = "ts",
    delay: Duration = 0,
    rewrites: bool = True,
) -> DataFrame:
    """Return a pipeline as a DataFrame over the DataFrames of its sources."""
    plan = lower(stream, implementation)
    wait = duration(delay, "delay")
    line = _line(plan, inputs, Settings(()), apart=not rewrites)
    first = read(line, plan, inputs, time, f"{wait} milliseconds" if line.streaming else None)
    return outputs(
        line.parcels(first), plan.output.type, time, mark=wait if line.streaming else None
    )


def _line(plan: Plan, inputs: Mapping[str, DataFrame], settings: Settings, *, apart: bool) -> Line:
    from dataclasses import replace

    if missing := [name for name in plan.sources if name not in inputs]:
        raise UnknownSource(f"no DataFrame for source {listed(missing)}")
    if unknown := [name for name in inputs if name not in plan.sources]:
        raise UnknownSource(
            f"the pipeline has no source {listed(unknown)}",
            hint=f"its sources are {listed(list(plan.sources))}",
        )
    frames = [inputs[name] for name in plan.sources]
    running = with_state_store(frames[0].sparkSession)
    streaming = any(frame.isStreaming for frame in frames)
    return Line(
        stages([cut(plan, apart=apart)]), replace(settings, places=places(running)), streaming
    )
