"""Whether a query keeps up with tuples that come at a rate, and how late its outputs are."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm
from pathlib import Path
from threading import Thread
from typing import Any

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from onefold.bench.experiments.experiment import Experiment
from onefold.bench.latency import (
    KEEPING_UP,
    LIMIT,
    MOST_OVER,
    Second,
    backlog_grows,
    counted,
    over,
    per_second,
    points,
    quantile,
)
from onefold.bench.observed import Batch, batches, digest_of, remembering_all, watched
from onefold.bench.prepared import TIME, source_type
from onefold.bench.source import FORMAT, Load, RateSource
from onefold.bench.subject import Subject
from onefold.engines.spark.job import failed
from onefold.engines.spark.scratch import scratch

LEAD = 3000
"""How many milliseconds a query gets to start before its first tuple is due."""
HOPELESS = 2 * LIMIT
"""A query that is so far behind is stopped."""
DRAIN = 60
"""How many seconds a query gets at the end for what it has not done."""


@dataclass(frozen=True)
class Sustained:
    """What came of a run at a rate. Latencies are in seconds."""

    outputs: int
    digest: str
    tuples_per_second: float
    """The mean of the seconds that count."""
    seconds: float
    """How many count."""
    p50: float | None
    p99: float | None
    over: int
    success: bool
    complete: bool
    """Whether all came through."""
    per_second: Sequence[Second]


def sustain(
    session: SparkSession,
    experiment: Experiment,
    subject: Subject,
    file: Path,
    *,
    rate: int,
    seconds: int,
    unit: float = 1.0,
) -> Sustained:
    """Run a query while tuples come at a rate. `unit` is what a tuple counts in `per_second`."""
    remembering_all(session)
    session.dataSource.register(RateSource)
    load = Load(str(file), _beginning(experiment), rate, rate * seconds)
    frame = watched(subject.frame(experiment, _stream(session, experiment, load)), begin=load.begin)
    with scratch("onefold-bench-") as folder:
        seen = _follow(frame, folder, load)
    return judged(seen, load, seconds, unit)


def _beginning(experiment: Experiment) -> int:
    """Return a moment soon at which a second and a window begin."""
    step = lcm(1000, experiment.advance or 1)
    return -(-(now() + LEAD) // step) * step


def now() -> int:
    """Return the clock in milliseconds."""
    return time.time_ns() // 1_000_000


def _stream(session: SparkSession, experiment: Experiment, load: Load) -> DataFrame:
    reader = session.readStream.format(FORMAT)
    schema = f"{TIME} timestamp, {source_type(experiment)}"
    for name, value in {**vars(load), "schema": schema}.items():
        reader = reader.option(name, str(value))
    return reader.load()


def _follow(frame: DataFrame, checkpoint: Path, load: Load) -> list[Batch]:
    writer = frame.writeStream.format("noop").option("checkpointLocation", str(checkpoint))
    query = writer.start()
    try:
        end = load.begin + load.tuples * 1000 // load.rate
        while query.isActive and now() < end and not _hopeless(query, load):
            query.awaitTermination(1)
        if query.isActive and not _hopeless(query, load):
            _drain(query)
        return batches(query.recentProgress)
    except StreamingQueryException as problem:
        raise failed(problem) from None
    finally:
        query.stop()


def _hopeless(query: StreamingQuery, load: Load) -> bool:
    told = query.lastProgress
    through = _through(told["sources"][0]["endOffset"]) if told else 0
    if through > load.tuples:
        return False
    return now() - (load.begin + through * 1000 // load.rate) > HOPELESS


def _drain(query: StreamingQuery) -> None:
    """Wait until all has come through, but not for ever."""
    problems: list[StreamingQueryException] = []

    def wait() -> None:
        try:
            query.processAllAvailable()
        except StreamingQueryException as problem:
            problems.append(problem)

    waiting = Thread(target=wait, daemon=True)
    waiting.start()
    waiting.join(DRAIN)
    if problems:
        raise problems[0]


def _through(offset: Any) -> int:
    """Return how many tuples are through, given an offset of our source as Spark tells it."""
    match offset:
        case {"tuples": int(tuples)}:
            return tuples
        case str(text):
            return _through(json.loads(text))
    return 0


def judged(seen: Sequence[Batch], load: Load, seconds: int, unit: float = 1.0) -> Sustained:
    """Return what a run's batches say: sustained if few outputs are late and no backlog grows."""
    span = counted(load.begin, seconds)
    through = [_through(each.end_offset) for each in seen]
    lags = [
        (each.completion, each.completion - (load.begin + done * 1000 // load.rate))
        for each, done in zip(seen, through)
        if done <= load.tuples
    ]
    took = [done - before for before, done in zip([0, *through], through)]
    told = per_second(list(zip(seen, took)), span)
    speed = sum(each.throughput for each in told) / max(1, len(told))
    complete = bool(through) and through[-1] > load.tuples
    behind = speed < KEEPING_UP * load.rate or backlog_grows(lags, span)
    late = over(seen, span)
    heard = points(seen, span)
    return Sustained(
        outputs=sum(each.outputs for each in seen),
        digest=digest_of(seen),
        tuples_per_second=speed,
        seconds=(span.end - span.begin) / 1000,
        p50=quantile(heard, 0.5),
        p99=quantile(heard, 0.99),
        over=late,
        success=complete and late <= MOST_OVER and not behind,
        complete=complete,
        per_second=per_second(list(zip(seen, took)), span, unit),
    )
