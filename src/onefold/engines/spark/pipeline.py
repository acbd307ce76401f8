"""A plan over DataFrames: everything that comes out of it, and each part of that."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  as everyone writes it

from onefold.core.errors import UnknownSource
from onefold.core.packing import unpacked
from onefold.core.plan import Plan
from onefold.core.records import Tuple
from onefold.core.time import Duration, duration
from onefold.core.types import TupleType
from onefold.core.values import listed
from onefold.engines.accounts import written_by_user
from onefold.engines.spark.fragments import cut
from onefold.engines.spark.parcels import REPORT
from onefold.engines.spark.query import (
    Line,
    by_batch,
    enter,
    outputs,
    places,
    stages,
    straight,
    tells_time,
    timed,
)
from onefold.engines.spark.schema import MARK, WrongSchema, checked
from onefold.engines.spark.session import on_one_machine, with_state_store
from onefold.engines.spark.task import Settings
from onefold.operators.rewrites import rewrite

LATE = "time bigint, operator string, tuple string"


@dataclass(frozen=True)
class Pipeline:
    """A plan over checked DataFrames."""

    plan: Plan
    frames: Mapping[str, DataFrame]
    time: str
    delay: int

    @classmethod
    def over(
        cls,
        plan: Plan,
        inputs: Mapping[str, DataFrame],
        *,
        time: str,
        delay: Duration,
        rewrites: bool,
    ) -> Pipeline:
        """Return a plan over the DataFrames of its sources, checked."""
        if missing := [name for name in plan.sources if name not in inputs]:
            raise UnknownSource(
                f"there is no DataFrame for source {listed(missing)}",
                hint=f'give one: {{"{missing[0]}": df, …}}',
            )
        if unknown := [name for name in inputs if name not in plan.sources]:
            raise UnknownSource(
                f"the pipeline has no source {listed(unknown)}",
                hint=f"its sources are {listed(list(plan.sources))}",
            )
        _check_names(plan.output.type, time)
        frames = {
            name: checked(source, inputs[name], time) for name, source in plan.sources.items()
        }
        shorter = rewrite(plan)[0] if rewrites else plan
        return cls(shorter, frames, time, duration(delay, "delay"))

    @property
    def streaming(self) -> bool:
        """Whether the inputs are streams."""
        return any(frame.isStreaming for frame in self.frames.values())

    def parcels(
        self,
        *,
        reporting: bool = False,
        forgiving: bool = False,
        groups: Sequence[int] | None = None,
    ) -> DataFrame:
        """Return all that comes out: output, and if asked for, reports.

        `groups` are those that a checkpoint began with, by default one for each partition.
        """
        running = with_state_store(self._session)
        spread = tuple(groups or places(running))
        # A batch job inside somebody's foreachBatch would take that query's batches for its own.
        near = self.streaming and on_one_machine(running)
        line = self._line(Settings(spread, reporting, forgiving, near))
        return line.parcels(enter(line, self.plan, self.frames, self._delay))

    def output(self) -> DataFrame:
        """Return the output of the plan."""
        line = self._line(Settings((0,)))
        if len(line.stages) > 1:
            return self.output_of(self.parcels(), mark=self.streaming)
        rows = straight(line, self.plan, self.frames, self._delay)
        return timed(rows, self.plan.output.type, self.time, self._delay)

    @property
    def _session(self) -> SparkSession:
        return next(iter(self.frames.values())).sparkSession

    @property
    def _delay(self) -> int | None:
        return self.delay if self.streaming else None

    def _line(self, settings: Settings) -> Line:
        own = any(not tells_time(frame) for frame in self.frames.values())
        return Line(stages([cut(self.plan)]), settings, self.streaming, timed=own)

    def output_of(self, parcels: DataFrame, *, mark: bool = False) -> DataFrame:
        """Return the output among parcels."""
        return outputs(parcels, self.plan.output.type, self.time, mark=self.delay if mark else None)

    def late(self, write: Callable[[Tuple], str]) -> DataFrame:
        """Return what every operator dropped, each tuple written as text."""
        reports = self.parcels(reporting=True).where(
            (F.col("node") == REPORT) & F.col("data").isNotNull()
        )
        steps = [str(written_by_user(node).step) for node in self.plan.nodes]
        told = by_batch(reports.select("data"), _Dropped(tuple(steps), write), LATE)
        moment = F.timestamp_millis("time")
        metadata: dict[str, Any] = {"metadata": {MARK: self.delay}} if self.streaming else {}
        return told.select(moment.alias(self.time, **metadata), "operator", "tuple")


def _check_names(type: TupleType, time: str) -> None:
    """Raise an error for an output that no DataFrame can hold: Spark's names have no case."""
    names = [each.lower() for each in (time, *type.names)]
    if twice := sorted({each for each in names if names.count(each) > 1}):
        raise WrongSchema(
            f"a DataFrame of the output would have {listed(twice)} twice",
            detail=f"the time is {time!r}, and the attributes are {listed(type.names)}",
            hint="rename the attribute with map, or name the time otherwise with time=…",
        )


@dataclass(frozen=True)
class _Dropped:
    """The late tuples of reports, as rows."""

    steps: tuple[str, ...]
    write: Callable[[Tuple], str]

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        rows = [
            (t.time, self.steps[number], self.write(t))
            for data in batch.column(0).to_pylist()
            for number, tuples in unpacked(data).late
            for t in tuples
        ]
        columns = zip(*rows) if rows else [(), (), ()]
        kinds = (pa.int64(), pa.string(), pa.string())
        arrays = [pa.array(column, kind) for column, kind in zip(columns, kinds)]
        return pa.RecordBatch.from_arrays(arrays, names=["time", "operator", "tuple"])
