"""One implementation's turn: the pipeline as a query over edits that arrive, to its last window."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from onefold.bench.demo.answers import PAIR, Answer
from onefold.bench.demo.arrivals import Arrivals
from onefold.bench.demo.edits import DELAY, FILES_A_BATCH, Edits, Part
from onefold.bench.latency import Second, Span, per_second, points, quantile
from onefold.bench.observed import Batch, batch, remembering_all
from onefold.bench.prepared import TIME
from onefold.bench.rate import now
from onefold.bench.saturate import steady
from onefold.bench.subject import LABELS
from onefold.core.functions import Failure
from onefold.core.plan import Node, Plan
from onefold.core.records import Tuple
from onefold.core.time import floor_to_tick
from onefold.engines.accounts import written_by_user
from onefold.engines.ledger import Balance
from onefold.engines.spark.clock import LAST_MILLIS
from onefold.engines.spark.inputs import Input
from onefold.engines.spark.job import Job, Progress, Sink
from onefold.engines.spark.task import BadRow
from onefold.files.rows import BadInput
from onefold.local import lower
from onefold.operators.rewrites import rewrite
from onefold.stream import Stream


@dataclass(frozen=True)
class Late:
    """A tuple that an operator dropped."""

    operator: str
    time: int
    values: tuple[Any, ...]


@dataclass(frozen=True)
class Ran:
    """What came of an implementation's turn."""

    label: str
    answer: Answer
    balance: Balance
    late: Sequence[Late]
    tuples_per_second: float | None
    """While it caught up with what was waiting, its first two batches left out."""
    p50: float | None
    p99: float | None
    per_second: Sequence[Second]
    """Of the live part."""
    watermarks: Sequence[tuple[float, float]]
    """Seconds since the live part began by the clock, and the watermark reached by then."""
    seconds: float
    """From the start of the query to its last window."""


@dataclass
class Kept(Sink):
    """Keeps all that comes out, by batch, and when it was there."""

    outputs: dict[int, list[tuple[Any, ...]]] = field(default_factory=dict)
    moments: dict[int, int] = field(default_factory=dict)
    late: dict[int, list[Late]] = field(default_factory=dict)

    def write(self, frame: DataFrame, batch: int) -> None:
        table = frame.toArrow()
        rows = zip(*(column.to_pylist() for column in table.columns))
        self.outputs[batch] = [(floor_to_tick(row[0]), *row[1:]) for row in rows]
        self.moments[batch] = now()

    def set_aside(
        self, late: list[tuple[Node, list[Tuple]]], bad: list[Failure | BadRow], batch: int
    ) -> None:
        for each in bad:
            raise each.error() if isinstance(each, Failure) else BadInput(each.reason)
        self.late[batch] = [
            Late(str(written_by_user(node).step), t.time, tuple(t)[1:])
            for node, tuples in late
            for t in tuples
        ]

    def answer(self) -> Answer:
        """Return all that came out."""
        return Counter(row for rows in self.outputs.values() for row in rows)


@dataclass(frozen=True)
class Stage:
    """What every turn has in common."""

    session: SparkSession
    stream: Stream
    edits: Edits
    parts: Sequence[Part]
    folder: Path
    rewrites: bool
    shows: Callable[[str, str, int], None]


def plan_of(stage: Stage, label: str) -> Plan:
    """Return the plan that an implementation runs."""
    plan = lower(stage.stream, LABELS[label])
    return rewrite(plan)[0] if stage.rewrites else plan


def warm_up(stage: Stage, label: str) -> None:
    """Run the pipeline over a second of edits: whoever comes first would be slower than others."""
    stage.shows(label, "warming up", 0)
    folder = stage.folder / "warming-up"
    few = Arrivals(stage.edits, stage.parts[:2], folder / "edits")
    _job(stage, label, few, Kept(), folder, files=1).once()


def _job(stage: Stage, label: str, arrivals: Arrivals, sink: Sink, folder: Path, files: int) -> Job:
    inputs = {"edits": Input("parquet", str(arrivals.folder), {"maxFilesPerTrigger": str(files)})}
    plan, checkpoint = plan_of(stage, label), folder / "checkpoint"
    return Job(stage.session, plan, inputs, sink, checkpoint, TIME, DELAY, stage.rewrites)


def run(stage: Stage, label: str) -> Ran:
    """Run the pipeline in one implementation, from the edits that wait to its last window."""
    remembering_all(stage.session)
    folder = stage.folder / label
    arrivals = Arrivals(stage.edits, stage.parts, folder / "edits")
    kept, queries = Kept(), list[StreamingQuery]()
    job = _job(stage, label, arrivals, kept, folder, FILES_A_BATCH)
    job.on_progress = lambda told: _watch(stage, label, arrivals, told)
    job.on_start = queries.append
    stage.shows(label, "starting", 0)
    begun = now()
    try:
        job.once(arrivals.all_there)
    finally:
        arrivals.stop()
    progress = queries[-1].recentProgress
    return told(label, kept, job.books.balance(job.plan), progress, arrivals, begun)


def _watch(stage: Stage, label: str, arrivals: Arrivals, told: Progress) -> None:
    if told.read >= sum(part.tuples for part in arrivals.waiting):
        arrivals.go_live()
    ended = told.watermark is not None and told.watermark >= LAST_MILLIS
    what = "catching up" if arrivals.begin is None else "last windows" if ended else "live"
    stage.shows(label, what, told.read)


def told(
    label: str,
    kept: Kept,
    balance: Balance,
    progress: Sequence[Any],
    arrivals: Arrivals,
    begun: int,
) -> Ran:
    """Return what the batches of a run say."""
    ran = [each for each in progress if "triggerExecution" in each["durationMs"]]
    seen = [_batch(each, kept, arrivals) for each in ran]
    live = arrivals.due(arrivals.edits.live)
    span = Span(live, arrivals.due(arrivals.edits.end - DELAY))
    waiting = [each for each in seen if each.begin < live and each.rows]
    heard = points(seen, span)
    return Ran(
        label=label,
        answer=kept.answer(),
        balance=balance,
        late=[each for late in kept.late.values() for each in late],
        tuples_per_second=_speed(waiting),
        p50=quantile(heard, 0.5),
        p99=quantile(heard, 0.99),
        per_second=per_second([(each, each.rows) for each in seen], span),
        watermarks=_watermarks(ran, seen, live),
        seconds=(max(kept.moments.values()) - begun) / 1000,
    )


def _batch(told: Any, kept: Kept, arrivals: Arrivals) -> Batch:
    """Return a batch with the moments at which the windows of its outputs ended by the clock.

    Pairs are left out: a dedicated join gives them before their window ends, others after.
    """
    number = told["batchId"]
    counted = (row for row in kept.outputs.get(number, ()) if row[1] != PAIR)
    ends = sorted(arrivals.due(row[0] + 1) for row in counted)
    made = batch(told)
    there = kept.moments.get(number, made.completion)
    return replace(made, millis=there - made.begin, outputs=len(ends), origins=tuple(ends))


def _speed(waiting: Sequence[Batch]) -> float | None:
    if not waiting:
        return None
    told = steady(waiting)
    return told.per_second if told.seconds else None


def _watermarks(ran: Sequence[Any], seen: Sequence[Batch], live: int) -> list[tuple[float, float]]:
    """Return when each batch was complete, and the watermark that it brought."""
    found: list[tuple[float, float]] = []
    latest = 0
    for told, batch_ in zip(ran, seen):
        if "max" in told["eventTime"]:
            moment = floor_to_tick(datetime.fromisoformat(told["eventTime"]["max"]))
            if latest < moment < LAST_MILLIS:
                latest = moment
                found.append(((batch_.completion - live) / 1000, latest - DELAY))
    return found
