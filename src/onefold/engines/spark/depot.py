"""A depot: where all tasks are on one machine, long parcels lie in files, and rows say where.

Spark copies a long row about ten times on its way through a shuffle. A parcel in a file is written
once, and mapped into memory by the task that it is for. The files of a batch stay until the next
batch of the query begins, so that a task may be tried again, and `foreachBatch` may ask twice for
the same rows. No state holds a slip. What the last batch of a query leaves is in Spark's own
folders of temporary files, and goes with them.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
from pyspark import TaskContext

from onefold.core.errors import RunError

LONG = 2**16
"""From how many bytes on a parcel is worth a file."""
SLIP = b"in file "
"""How a slip begins, and neither Arrow nor a pickle does."""


class BatchIsOver(RunError):
    """Rows of a batch that were asked for when the query had gone on to the next one."""


@dataclass(frozen=True)
class Depot:
    """A folder for the long parcels of one batch."""

    folder: Path

    def keep(self, batch: pa.RecordBatch) -> bytes:
        """Write an Arrow batch into a file; return a slip that says where it is."""
        file = str(self.folder / uuid4().hex)
        with pa.OSFile(file, "wb") as sink, pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        return SLIP + file.encode()


def fetched(slip: bytes) -> pa.MemoryMappedFile:
    """Return the file that a slip tells of, in memory only where it is read."""
    file = slip.removeprefix(SLIP).decode()
    try:
        return pa.memory_map(file)
    except FileNotFoundError:
        raise BatchIsOver(
            "rows of an earlier batch were asked for, and are gone",
            detail=f"they were in {file}",
            hint="read what foreachBatch gets before it returns, or write it down there",
        ) from None


def open_depot() -> Depot | None:
    """Open the depot of the batch that this task works for, if it works for a streaming query.

    The first task of a batch to open it removes what earlier batches of the query have left.
    """
    task, told = TaskContext.get(), os.environ.get("SPARK_LOCAL_DIRS")
    query = task and task.getLocalProperty("sql.streaming.queryId")
    number = task and task.getLocalProperty("streaming.sql.batchId")
    if not (query and number and told):
        return None
    depots = [Path(each) / f"onefold-{query}" for each in told.split(",")]
    folder = depots[int(number) % len(depots)] / number
    if not folder.exists():
        folder.mkdir(parents=True, exist_ok=True)
        for each in (each for depot in depots for each in depot.glob("[0-9]*")):
            if int(each.name) < int(number):
                shutil.rmtree(each, ignore_errors=True)
    return Depot(folder)
