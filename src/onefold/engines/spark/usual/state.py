"""Custom state: `transformWithState` with timers in event time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F  # noqa: N812  as everyone writes it
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

PERIOD = 10
FLUSH = 32_503_680_000_000
"""The year 3000: a watermark from there on is made to flush a stream, and no time to reach."""


class Totals(StatefulProcessor):
    """A running total of each key, told at the end of every period.

    A row counts when its period ends, and not when it arrives.
    """

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.handle = handle
        self.total = handle.getValueState("total", "total bigint, told bigint")
        self.coming = handle.getMapState("coming", "due bigint", "n bigint")

    def handleInputRows(self, key: Any, rows: Iterable[Row], timerValues: Any) -> Iterator[Row]:  # noqa: N802, N803  Spark calls it by these names
        for row in rows:
            due = row.at // PERIOD * PERIOD + PERIOD
            (before,) = self.coming.getValue((due,)) or (0,)
            self.coming.updateValue((due,), (before + row.n,))
            self.handle.registerTimer(due)
        yield from ()

    def handleExpiredTimer(  # noqa: N802  Spark calls it by this name
        self,
        key: Any,
        timerValues: Any,  # noqa: N803
        expiredTimerInfo: Any,  # noqa: N803
    ) -> Iterator[Row]:
        first = expiredTimerInfo.getExpiryTimeInMs() - PERIOD
        total, told = self.total.get() or (0, first)
        coming = {due: n for (due,), (n,) in self.coming.iterator()}
        watermark = timerValues.getCurrentWatermarkInMs()
        until = watermark if watermark < FLUSH else max(coming, default=told)
        while told + PERIOD <= until:
            told += PERIOD
            if told in coming:
                total += coming[told]
                self.coming.removeKey((told,))
            yield Row(ts=told, k=key[0], total=total)
        self.total.update((total, told))
        self.handle.registerTimer(told + PERIOD)

    def close(self) -> None: ...


def totals(s: DataFrame) -> DataFrame:
    """Tell the running total of each key, every 10 ms."""
    keyed = s.withColumn("at", F.unix_millis("ts")).groupBy("k")
    schema = "ts bigint, k string, total bigint"
    return keyed.transformWithState(Totals(), schema, "Append", "EventTime")
