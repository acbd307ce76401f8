"""How fast a query goes when all tuples are there at once.

Each micro-batch has as many tuples; the first two warm up. A join's last batches, in which the
stream ends and windows fire that have been open, are work on the tuples before and count with them;
a flat_map has nothing left by then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

from onefold.bench.experiments.experiment import Experiment
from onefold.bench.memory import watching
from onefold.bench.observed import Batch, batches, digest_of, remembering_all, watched
from onefold.bench.prepared import Files
from onefold.bench.subject import Subject
from onefold.engines.spark.job import failed
from onefold.engines.spark.scratch import scratch

WARMING_UP = 2
"""How many batches do not count."""


@dataclass(frozen=True)
class Saturated:
    """What came of a run with all tuples there at once."""

    outputs: int
    digest: str
    share: float
    """How much of the input came in batches that count."""
    seconds: float
    """How long those batches took."""
    worker_mb: float
    state_mb: float


def saturate(
    session: SparkSession, experiment: Experiment, subject: Subject, files: Files
) -> Saturated:
    """Run a query over files to the end of its stream."""
    remembering_all(session)
    frame = watched(subject.frame(experiment, _stream(session, files)))
    with scratch("onefold-bench-") as folder, watching() as peak:
        seen = _to_the_end(frame, folder)
    share, seconds = steady(seen, to_the_end=experiment.joins)
    return Saturated(
        outputs=sum(each.outputs for each in seen),
        digest=digest_of(seen),
        share=share,
        seconds=seconds,
        worker_mb=round(peak.megabytes, 1),
        state_mb=round(max(each.state_bytes for each in seen) / 2**20, 3),
    )


def _stream(session: SparkSession, files: Files) -> DataFrame:
    schema = session.read.parquet(str(files.folder / "end.parquet")).schema
    reader = session.readStream.schema(schema).option("maxFilesPerTrigger", files.parts)
    return reader.parquet(str(files.folder))


def _to_the_end(frame: DataFrame, checkpoint: Path) -> list[Batch]:
    writer = frame.writeStream.format("noop").option("checkpointLocation", str(checkpoint))
    query = writer.start()
    try:
        query.processAllAvailable()
        return batches(query.recentProgress)
    except StreamingQueryException as problem:
        raise failed(problem) from None
    finally:
        query.stop()


def steady(seen: Sequence[Batch], *, to_the_end: bool) -> tuple[float, float]:
    """Return the share of the rows in batches after the first two, and those batches' seconds.

    >>> def batch(rows, millis):
    ...     return Batch(0, millis, rows, None, 0, 0, (), 0)
    >>> told = [batch(10, 900), batch(10, 500), batch(10, 200), batch(10, 200), batch(0, 100)]
    >>> steady(told, to_the_end=True), steady(told, to_the_end=False)
    ((0.5, 0.5), (0.5, 0.4))
    """
    full = [n for n, each in enumerate(seen) if each.rows > 1]  # the end is a row of its own
    if not full:
        return 1.0, sum(each.millis for each in seen) / 1000
    warm = full[WARMING_UP] if len(full) > WARMING_UP else 0
    counted = seen[warm:] if to_the_end else seen[warm : full[-1] + 1]
    rows = sum(each.rows for each in seen)
    return (
        sum(each.rows for each in counted) / rows,
        sum(each.millis for each in counted) / 1000,
    )
