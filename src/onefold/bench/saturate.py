"""How fast a query goes when all tuples are there at once.

Each micro-batch has as many tuples; the first two warm up. A join warms up for a window at least:
from then on as many pairs fall due as come in, whether it compares a pair when its second tuple
comes, or when the window ends. The last batch, which ends the stream, counts for nobody.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
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
class Steady:
    """The part of a run that counts."""

    first: int
    """How many tuples came before it."""
    last: int
    """How many came to its end."""
    seconds: float
    """How long it took."""
    cold: bool = False
    """Whether all of the run counts, as nothing was left after warming up."""

    @property
    def per_second(self) -> float:
        """How many tuples a second were worked on."""
        return (self.last - self.first) / self.seconds


@dataclass(frozen=True)
class Saturated:
    """What came of a run with all tuples there at once."""

    outputs: int
    digest: str
    steady: Steady
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
    # A query that reads the stream twice is told of twice as many rows, so they are counted here.
    full = [replace(each, rows=many) for each, many in zip(seen, files.sizes)]
    a_window = experiment.size * files.rate // 1000
    return Saturated(
        outputs=sum(each.outputs for each in seen),
        digest=digest_of(seen),
        steady=steady(full, warm=a_window, end=seen[len(full) :]),
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


def steady(seen: Sequence[Batch], *, warm: int = 0, end: Sequence[Batch] = ()) -> Steady:
    """Return what counts of batches with tuples: all after the first two that hold `warm` of them.

    >>> def batch(rows, millis):
    ...     return Batch(0, millis, rows, None, 0, 0, (), 0)
    >>> told = [batch(10, 900), batch(10, 500), batch(10, 200), batch(10, 200)]
    >>> steady(told)
    Steady(first=20, last=40, seconds=0.4, cold=False)
    >>> steady(told, warm=21)
    Steady(first=30, last=40, seconds=0.2, cold=False)

    If all of it is warming up, all of it counts, and the end with it, where windows fire:

    >>> steady(told, warm=40, end=[batch(1, 100)])
    Steady(first=0, last=40, seconds=1.9, cold=True)
    """
    came = list(accumulate((each.rows for each in seen), initial=0))
    cold = [n for n, first in enumerate(came[:-1]) if n < WARMING_UP or first < warm]
    begin, counted = len(cold), seen[len(cold) :]
    nothing = not counted
    if nothing:
        begin, counted = 0, [*seen, *end]
    return Steady(came[begin], came[-1], sum(each.millis for each in counted) / 1000, nothing)
