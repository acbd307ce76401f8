"""A job: a pipeline as a streaming query from inputs to a sink, with its books."""

from __future__ import annotations

import json
import time as clock
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from threading import Thread
from typing import Any

from pyspark.errors import PySparkException, StreamingQueryException
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F  # noqa: N812  as everyone writes it
from pyspark.sql.streaming.query import StreamingQuery

from onefold.core.errors import OnefoldError, RunError
from onefold.core.functions import Failure
from onefold.core.packing import unpacked
from onefold.core.plan import Node, Plan
from onefold.core.records import Tuple
from onefold.core.time import floor_to_tick
from onefold.engines.spark.books import Books
from onefold.engines.spark.clock import LAST_MILLIS
from onefold.engines.spark.inputs import Input, with_end, write_end
from onefold.engines.spark.parcels import REPORT
from onefold.engines.spark.pipeline import Pipeline
from onefold.engines.spark.query import places
from onefold.engines.spark.task import BadRow, Report


class QueryFailed(RunError):
    """Spark stopped a query for a reason of its own."""


class StreamIsOver(RunError):
    """A checkpoint whose streams have ended."""


class Sink:
    """Where a job's results go; each call tells the number of the batch, which may come again."""

    def write(self, frame: DataFrame, batch: int) -> None:
        """Write the output of a batch."""
        raise NotImplementedError

    def set_aside(
        self, late: list[tuple[Node, list[Tuple]]], bad: list[Failure | BadRow], batch: int
    ) -> None:
        """Take what a batch dropped, and what it could not work with; raise to stop."""
        raise NotImplementedError


@dataclass(frozen=True)
class Progress:
    """How a query stands after a batch."""

    batch: int
    read: int
    per_second: float
    watermark: int | None
    """In milliseconds; none before the first."""
    lag: float | None
    """How far the watermark is behind the clock, in seconds."""
    held: int
    """How many tuples are in state."""
    late: int


@dataclass
class Job:
    """A pipeline from its inputs to a sink, checkpointed."""

    session: SparkSession
    plan: Plan
    inputs: Mapping[str, Input]
    sink: Sink
    checkpoint: Path
    time: str = "time"
    delay: int = 0
    rewrites: bool = True
    on_progress: Callable[[Progress], None] = lambda _: None
    on_start: Callable[[StreamingQuery], None] = lambda _: None
    books: Books = field(default_factory=Books)
    error: Exception | None = None

    def once(self, all_there: Callable[[], bool] = lambda: True) -> None:
        """Process what is there, end the streams, and let all windows fire and loops rest.

        Files may go on coming until `all_there`.
        """
        self._prepare()
        if not all(each.bounded for each in self.inputs.values()):
            self._drain()
            write_end(self._control)
            self._to_the_end()
        else:
            query = self._start({"processingTime": "0 seconds"})
            try:
                while query.isActive and not all_there():
                    self._wait(query)
                self._catch_up(query)
                write_end(self._control)
                self._catch_up(query)
            finally:
                query.stop()
            self._raise(query)
        self._finished.touch()

    def follow(self, trigger: int, stopping: Callable[[], bool]) -> None:
        """Begin a batch every `trigger` ms until `stopping`, and then finish the batch."""
        self._prepare()
        query = self._start({"processingTime": f"{trigger} milliseconds"})
        try:
            while query.isActive and not stopping():
                self._wait(query)
            last = query.lastProgress
            until = clock.monotonic() + 60
            while query.isActive and query.status["isTriggerActive"] and clock.monotonic() < until:
                if query.lastProgress != last:
                    break
                clock.sleep(0.1)
        finally:
            query.stop()
        self._raise(query)

    @property
    def _control(self) -> Path:
        return self.checkpoint / "onefold" / "control"

    @property
    def _finished(self) -> Path:
        return self.checkpoint / "onefold" / "finished"

    @property
    def _kept(self) -> Path:
        return self.checkpoint / "onefold" / "books"

    def _prepare(self) -> None:
        self._control.mkdir(parents=True, exist_ok=True)
        self._kept.mkdir(parents=True, exist_ok=True)
        if self._finished.exists():
            raise StreamIsOver(
                f"the streams of {self.checkpoint} have ended",
                hint="name another --checkpoint; this one can go, if its output is no longer used",
            )

    def _start(self, trigger: dict[str, Any]) -> StreamingQuery:
        try:
            return self._started(trigger)
        except PySparkException as problem:  # a path, a format or an option that Spark refuses
            raise failed(problem) from None

    def _started(self, trigger: dict[str, Any]) -> StreamingQuery:
        frames = {}
        for name, source in self.plan.sources.items():
            frame = self.inputs[name].read(self.session, source, self.time)
            frames[name] = with_end(frame, str(self._control))
        pipeline = Pipeline(self.plan, frames, self.time, self.delay)
        self.books = Books.before(2**62, self._kept)
        self.error = None

        def take(batch: DataFrame, number: int) -> None:
            try:
                self._batch(pipeline, batch, number)
            except Exception as problem:  # the query stops, and `_raise` tells why
                self.error = problem
                raise

        parcels = pipeline.parcels(reporting=True, forgiving=True, groups=self._groups())
        writer = parcels.where("data is not null").writeStream.foreachBatch(take)
        writer = writer.option("checkpointLocation", str(self.checkpoint))
        query = writer.trigger(**trigger).start()
        self.on_start(query)
        return query

    def _groups(self) -> list[int]:
        """Return the groups that the checkpoint began with."""
        kept = self.checkpoint / "onefold" / "groups.json"
        if not kept.exists():
            kept.write_text(json.dumps(places(self.session)))
        found: list[int] = json.loads(kept.read_text())
        return found

    def _batch(self, pipeline: Pipeline, batch: DataFrame, number: int) -> None:
        batch.persist()
        try:
            books = Books.before(number, self._kept)
            rows = batch.where(F.col("node") == REPORT).select("data").collect()
            reports: list[Report] = [unpacked(bytes(row.data)) for row in rows]
            for report in reports:
                if report.error:
                    raise report.error
                books.add(report)
            late: list[tuple[Node, list[Tuple]]] = []
            bad: list[Failure | BadRow] = []
            for report in reports:
                late += [(self.plan.nodes[node], tuples) for node, tuples in report.late]
                bad += [*report.bad_rows, *report.failures]
            self.sink.set_aside(late, bad, number)
            written = Observation()
            output = pipeline.output_of(batch).observe(written, F.count(F.lit(1)).alias("rows"))
            self.sink.write(output, number)
            books.written += written.get["rows"]
            books.batch = number
            books.save(self._kept)
            self.books = books
        finally:
            batch.unpersist()

    def _catch_up(self, query: StreamingQuery) -> None:
        """Wait until all rows that are there have come through, and the watermark behind them."""
        caught_up = Thread(target=_until_caught_up, args=(query,), daemon=True)
        caught_up.start()
        while caught_up.is_alive():
            caught_up.join(0.2)
            self._tell(query)
        if query.exception():
            self._raise(query)

    def _to_the_end(self) -> None:
        """Go on until the end has come through, though a source goes on."""
        query = self._start({"processingTime": "0 seconds"})
        try:
            while query.isActive and (_watermark(query) or 0) < LAST_MILLIS:
                self._wait(query)
        finally:
            query.stop()
        self._raise(query)

    def _drain(self) -> None:
        """Process what a source without an end has now."""
        query = self._start({"availableNow": True})
        try:
            while query.isActive:
                self._wait(query)
        finally:
            if query.isActive:
                query.stop()
        self._raise(query)

    def _wait(self, query: StreamingQuery) -> None:
        with suppress(StreamingQueryException):
            query.awaitTermination(1)
        self._tell(query)

    def _tell(self, query: StreamingQuery) -> None:
        told = query.lastProgress
        if told is None:
            return
        watermark = _watermark(query)
        progress = Progress(
            told["batchId"],
            self.books.read(self.plan),
            told.get("processedRowsPerSecond") or 0.0,
            watermark,
            None if watermark is None else clock.time() - watermark / 1000,
            sum(self.books.held.values()),
            self.books.late.total(),
        )
        self.on_progress(progress)

    def _raise(self, query: StreamingQuery) -> None:
        """Raise why a query failed, if it did: our own error, or the first words of Spark's."""
        problem = query.exception()
        if problem is None:
            return
        if isinstance(self.error, OnefoldError):
            raise self.error
        raise failed(self.error or problem) from None


def _watermark(query: StreamingQuery) -> int | None:
    """Return the watermark of the last batch in milliseconds, if there is one."""
    told = query.lastProgress
    text = told["eventTime"].get("watermark") if told else None
    millis = floor_to_tick(datetime.fromisoformat(text)) if text else 0
    return millis if millis > 0 else None


def _until_caught_up(query: StreamingQuery) -> None:
    with suppress(StreamingQueryException):
        query.processAllAvailable()


def failed(problem: Exception) -> QueryFailed:
    """Return Spark's error in a sentence."""
    text = problem.getMessage() if isinstance(problem, PySparkException) else str(problem)
    lines = [line.strip() for line in (text or str(problem)).splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith(("at ", "JVM stacktrace"))]
    own = next((n for n, line in enumerate(lines) if line.startswith("onefold.")), 0)
    lines = lines[own:]  # an error of ours in a worker stands below its traceback
    return QueryFailed(
        f"Spark stopped the query: {lines[0] if lines else type(problem).__name__}",
        detail="\n".join(lines[1:6]),
    )
