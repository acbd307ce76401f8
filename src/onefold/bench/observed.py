"""What a query tells of itself: its output counted and hashed in passing, its batches timed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  as everyone writes it

from onefold.bench.prepared import TIME

NAME = "onefold_bench"
LATEST = "latest"
"""The attribute of a join's output that holds the later time of the two tuples."""
UNUSED = 24
"""Bits of a hash that are left out, so that 2^24 hashes of a batch add up in a long: a sum in
decimals costs a microsecond a row."""
KEPT = "1000000"
"""How many batches a query remembers: all."""


@dataclass(frozen=True)
class Batch:
    """A micro-batch: how long it took, what came in and what went out."""

    begin: int
    """In milliseconds of the clock."""
    millis: int
    rows: int
    end_offset: Any
    outputs: int
    digest: int
    origins: Sequence[int]
    """Quantiles, 0 to 100 %, of the times of the inputs that the outputs needed last."""
    state_bytes: int

    @property
    def completion(self) -> int:
        """When it was complete, in milliseconds of the clock."""
        return self.begin + self.millis


def watched(frame: DataFrame, *, begin: int | None = None) -> DataFrame:
    """Return the same rows, counted and hashed as they pass.

    Given when the run begins, the digest takes times from there on, so that runs at different times
    have the same one, and quantiles tell how old the rows are.
    """
    moment = F.unix_millis(F.col(TIME))
    values = [_shifted(name, begin or 0) for name in frame.columns if name != TIME]
    digest = F.sum(F.shiftright(F.xxhash64(moment - (begin or 0), *values), UNUSED))
    told = [F.count(F.lit(1)).alias("outputs"), digest.alias("digest")]
    if begin is not None:
        origin = F.col(LATEST) if LATEST in frame.columns else moment
        told.append(F.percentile_approx(origin, [n / 100 for n in range(101)]).alias("origins"))
    return frame.observe(NAME, *told)


def _shifted(name: str, begin: int) -> Column:
    return F.col(name) - begin if name == LATEST else F.col(name)


def batches(progress: Sequence[Mapping[str, Any]]) -> list[Batch]:
    """Return the micro-batches that a query's progress tells of."""
    return [batch(told) for told in progress if "triggerExecution" in told["durationMs"]]


def batch(told: Mapping[str, Any]) -> Batch:
    """Return one micro-batch as its progress tells it."""
    seen = told["observedMetrics"].get(NAME)
    return Batch(
        begin=round(datetime.fromisoformat(told["timestamp"]).timestamp() * 1000),
        millis=told["durationMs"]["triggerExecution"],
        rows=told["numInputRows"],
        end_offset=told["sources"][0]["endOffset"] if told["sources"] else None,
        outputs=seen["outputs"] if seen else 0,
        digest=int(seen["digest"] or 0) if seen else 0,
        origins=tuple(seen["origins"] or ()) if seen and "origins" in seen else (),
        state_bytes=sum(each["memoryUsedBytes"] for each in told["stateOperators"]),
    )


def digest_of(seen: Sequence[Batch]) -> str:
    """Return the digest of all outputs, whatever their order and batches."""
    return f"{sum(each.digest for each in seen) % 2**64:016x}"


def remembering_all(session: SparkSession) -> None:
    """Let a query remember the progress of all of its batches."""
    session.conf.set("spark.sql.streaming.numRecentProgressUpdates", KEPT)
