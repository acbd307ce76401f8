"""Streams for tests: files that Spark reads one by one, and what came out of each batch."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from onefold.core.time import START_OF_TIME
from onefold.engines.spark.clock import END_MILLIS


@dataclass
class Folder:
    """A folder of files that a streaming query reads in the order they were written."""

    path: Path
    schema: str
    count: int = 0

    def put(self, rows: Iterable[Sequence[Any]]) -> None:
        """Write rows `(time, value, …)` as the next file."""
        names = ["ts", *(part.split()[0] for part in self.schema.split(","))]
        text = "".join(json.dumps(dict(zip(names, row, strict=False))) + "\n" for row in rows)
        self.path.mkdir(exist_ok=True)
        hidden = self.path / f".{self.count}"
        hidden.write_text(text)
        os.utime(hidden, (self.count, self.count))
        hidden.rename(self.path / f"{self.count:06}.json")
        self.count += 1

    def end(self) -> None:
        """Write the row that ends the stream."""
        self.put([(END_MILLIS,)])

    def stream(self, session: SparkSession) -> DataFrame:
        reader = session.readStream.schema(f"ts bigint, {self.schema}")
        return reader.option("maxFilesPerTrigger", 1).json(str(self.path))


@dataclass
class Drained:
    """What each batch of a query gave, and its progress."""

    batches: dict[int, list[tuple[Any, ...]]] = field(default_factory=dict)
    progress: dict[int, Any] = field(default_factory=dict)

    def rows(self) -> list[tuple[Any, ...]]:
        return [row for number in sorted(self.batches) for row in self.batches[number]]

    def watermark(self, batch: int) -> int:
        """Return Spark's watermark of a batch in milliseconds."""
        from datetime import datetime

        told = self.progress[batch]["eventTime"].get("watermark")
        millis = round(datetime.fromisoformat(told).timestamp() * 1000) if told else 0
        return millis if millis > 0 else START_OF_TIME

    def state_rows(self) -> list[int]:
        """Return how many rows of state there are after each batch."""
        return [
            sum(each["numRowsTotal"] for each in self.progress[n]["stateOperators"])
            for n in sorted(self.progress)
        ]


def drain(frame: DataFrame, checkpoint: Path, into: Drained | None = None) -> Drained:
    """Run a query until all that is there has come through."""
    drained = into or Drained()

    def take(batch: DataFrame, number: int) -> None:
        millis = batch.selectExpr("unix_millis(ts)", *(f"`{n}`" for n in batch.columns[1:]))
        drained.batches[number] = [tuple(row) for row in millis.collect()]

    query = (
        frame.writeStream.foreachBatch(take).option("checkpointLocation", str(checkpoint)).start()
    )
    try:
        query.processAllAvailable()
        for told in query.recentProgress:
            drained.progress[told["batchId"]] = json.loads(told.json)
    finally:
        query.stop()
    return drained
