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
    """A folder for the long parcels that the tasks of one stage of a batch make."""

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


def open_depot(*, reading: bool = False) -> Depot | None:
    """Open the depot of the batch that this task works for, if it works for a streaming query.

    The first task of a stage to open it removes what earlier batches of the query have left. A task
    that is `reading` the sources begins a batch, so what is there of that batch is of a try that
    failed: in a try Spark runs the stage that reads once, and gives later stages higher numbers.
    """
    task, told = TaskContext.get(), os.environ.get("SPARK_LOCAL_DIRS")
    if task is None or told is None:
        return None
    query, number = map(task.getLocalProperty, ("sql.streaming.queryId", "streaming.sql.batchId"))
    if query is None or number is None:
        return None
    depots = [Path(each) / f"onefold-{query}" for each in told.split(",")]
    batch, stage = int(number), task.stageId()
    folder = depots[batch % len(depots)] / f"{batch}" / f"{stage}"
    if not folder.exists():
        folder.mkdir(parents=True, exist_ok=True)
        for depot in depots:
            _remove_before(batch, depot)
        if reading:
            _remove_before(stage, folder.parent)
    return Depot(folder)


def _remove_before(number: int, folder: Path) -> None:
    """Remove the folders in a folder whose names are lower numbers."""
    for each in folder.glob("[0-9]*"):
        if int(each.name) < number:
            shutil.rmtree(each, ignore_errors=True)
