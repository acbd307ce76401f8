"""Scripts: what tuples and watermarks come in which order, played on Spark step by step.

Spark has one watermark for a query, and it only moves between batches. A script makes it count the
steps: every step is a batch of tuples, and a watermark one tick later at which each source of each
pipeline has the watermark that its own script tells. So many pipelines, each at its own pace and
with explicit watermarks for each of its sources, run side by side in one query.
"""

from __future__ import annotations

import json
import os
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  as everyone writes it

from onefold.core.packing import unpacked
from onefold.core.plan import Plan
from onefold.core.time import START_OF_TIME
from onefold.engines.spark.columns import Scripted
from onefold.engines.spark.fragments import cut
from onefold.engines.spark.parcels import REPORT, opened, pack_tuples, tuples_of
from onefold.engines.spark.query import PARCELS, Line, by_batch, places, stages
from onefold.engines.spark.scratch import scratch
from onefold.engines.spark.task import Report, Settings
from onefold.engines.steps import Made, Step

SCHEMA = "step bigint, source int, data string"


@dataclass(frozen=True)
class Ticking:
    """A clock whose watermark counts the steps of a script: each source has its own by then."""

    reached: Mapping[int, Sequence[int]]

    def __call__(self, source: int, watermark: int) -> int:
        told = self.reached[source]
        return told[min(watermark, len(told) - 1)]


def play(
    session: SparkSession,
    scripts: Sequence[tuple[Plan, Sequence[Step]]],
    *,
    restarting: bool = False,
) -> list[list[Made]]:
    """Play scripts side by side in one streaming query; return what each of their steps made.

    With `restarting` the query is stopped after each step, and goes on from its checkpoint.
    """
    players, first = [], 0
    for lane, (plan, steps) in enumerate(scripts):
        players.append(_Player(plan, steps, lane, first))
        first += len(plan.nodes)
    clock = Ticking({number: told for each in players for number, told in each.reached()})
    lanes = [cut(each.plan, lane=each.lane, first=each.first) for each in players]
    settings = Settings(places(session), reporting=True, forgiving=True)
    line = Line(stages(lanes), settings, streaming=True, clock=clock)
    with scratch("onefold-script-") as folder:
        written = folder / "steps"
        written.mkdir()
        played = _Played(players)
        parcels = line.parcels(_read(session, line, written))
        writer = parcels.writeStream.foreachBatch(played.take)
        writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
        query = writer.start()
        try:
            for number in range(max(len(each.steps) for each in players)):
                played.step = number
                _write(written, number, [row for each in players for row in each.rows(number)])
                query.processAllAvailable()
                if restarting:
                    query.stop()
                    query = writer.start()
        finally:
            query.stop()
    return [each.made for each in players]


def _read(session: SparkSession, line: Line, folder: Path) -> DataFrame:
    told = (
        session.readStream.schema(SCHEMA)
        .option("maxFilesPerTrigger", 1)
        .json(str(folder))
        .select(F.timestamp_millis("step").alias("at"), "source", F.unbase64("data").alias("data"))
        .withWatermark("at", "0 seconds")
    )
    scripted = Scripted(line.stages[0], line.settings)
    return by_batch(told.select("source", "data"), scripted, PARCELS)


def _write(folder: Path, number: int, rows: Sequence[Mapping[str, object]]) -> None:
    """Write a step to a file that Spark reads as one batch, in the order of their times."""
    hidden = folder / f".{number}"
    step = {"step": number + 1}
    hidden.write_text("".join(json.dumps({**step, **row}) + "\n" for row in (*rows, {})))
    os.utime(hidden, (number, number))
    hidden.rename(folder / f"{number:06}.json")


@dataclass
class _Player:
    """One pipeline with its script."""

    plan: Plan
    steps: Sequence[Step]
    lane: int
    first: int
    made: list[Made] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.made = [Made() for _ in self.steps]
        self.numbers = {
            each.name: number
            for number, node in enumerate(self.plan.nodes, self.first)
            for each in self.plan.sources.values()
            if each is node
        }

    def reached(self) -> Iterator[tuple[int, list[int]]]:
        """Return the watermark of each source by the number of steps that are over."""
        for name, number in self.numbers.items():
            told = [START_OF_TIME]
            for step in self.steps:
                told.append(max(told[-1], step.watermarks.get(name, START_OF_TIME)))
            yield number, told

    def rows(self, number: int) -> Iterator[dict[str, object]]:
        """Return the rows that a step feeds to the query."""
        if number < len(self.steps):
            for name, tuples in self.steps[number].tuples.items():
                data = pack_tuples(self.plan.sources[name].type, 0, tuples)
                yield {"source": self.numbers[name], "data": b64encode(data).decode()}

    def take(self, step: int, report: Report) -> None:
        """Take what a task tells about a step."""
        made = self.made[min(step, len(self.made) - 1)]
        for _, tuples in report.late:
            made.late += tuples
        made.errors += [each.error() for each in report.failures]
        made.errors += [report.error] if report.error else []


@dataclass
class _Played:
    """What comes out of the query, batch by batch."""

    players: Sequence[_Player]
    step: int = 0

    def take(self, batch: DataFrame, _number: int) -> None:
        for row in batch.where("data is not null").collect():
            if row.node == REPORT:
                report = unpacked(bytes(row.data))
                self.players[report.lane].take(self.step, report)
            else:
                player = self.players[-1 - row.node]
                _, held = opened(bytes(row.data))
                made = player.made[min(self.step, len(player.made) - 1)]
                made.output += tuples_of(player.plan.output.type, held)
