"""Pipelines on Spark: DataFrames in, DataFrames out, streaming or batch.

import onefold as of
from onefold import spark

counts = spark.dataframe(pipeline, {"edits": edits}, time="ts", delay="10 s")
counts.writeStream.format("parquet").start()
"""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame

from onefold.core.plan import Implementation
from onefold.core.records import Tuple
from onefold.core.time import Duration
from onefold.engines.spark.clock import END_OF_STREAM
from onefold.engines.spark.pipeline import Pipeline
from onefold.engines.spark.session import session
from onefold.files.json_text import dumps
from onefold.files.values import plain
from onefold.local import lower
from onefold.stream import Stream

__all__ = ["END_OF_STREAM", "dataframe", "late", "session"]


def dataframe(
    stream: Stream,
    inputs: Mapping[str, DataFrame],
    implementation: str | Implementation = Implementation.DEDICATED,
    *,
    time: str = "ts",
    delay: Duration = "0 s",
    rewrites: bool = True,
) -> DataFrame:
    """Return what a pipeline makes of the DataFrames of its sources, as a DataFrame.

    Streaming DataFrames give a streaming one, to be written in append mode; batch DataFrames give
    a batch one, with everything in it that the drained stream would give. `time` names the column
    of event times, a timestamp or whole milliseconds, in every input and in the output, where it
    is marked for more of Spark's own operators. Watermarks stay `delay` behind the latest time of
    a source, and the least of all sources counts; an input that has a watermark already keeps it.
    A row of the time END_OF_STREAM is no tuple: when every source has had one, all windows fire.

    A source's type is checked here; what a user's function does wrong shows when the query runs.
    With `rewrites=False` the composition runs as it stands.
    """
    plan = lower(stream, implementation)
    return Pipeline.over(plan, inputs, time=time, delay=delay, rewrites=rewrites).output()


def late(
    stream: Stream,
    inputs: Mapping[str, DataFrame],
    implementation: str | Implementation = Implementation.DEDICATED,
    *,
    time: str = "ts",
    delay: Duration = "0 s",
    rewrites: bool = True,
) -> DataFrame:
    """Return every tuple that an operator of the pipeline dropped as too late, as a DataFrame.

    Its columns are the time, the operator, and the tuple as JSON. For the late stream of one
    operator with its own columns, give `dataframe` that stream: `dataframe(counts.late, …)`.
    """
    plan = lower(stream, implementation)
    return Pipeline.over(plan, inputs, time=time, delay=delay, rewrites=rewrites).late(_json)


def _json(t: Tuple) -> str:
    return dumps(plain(t))
