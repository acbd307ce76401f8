"""Settings of a session that fits its master."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from onefold.engines.spark.session import STAYS_HERE, TRIED_ONCE, WORKERS_KEEP


@pytest.mark.parametrize("master", ["local", "local[2]", "local[*]"])
def test_one_process_that_tries_a_task_once(master: str) -> None:
    assert TRIED_ONCE.fullmatch(master)


@pytest.mark.parametrize("master", ["local[4,3]", "local-cluster[2,1,1024]", "spark://here:7077"])
def test_second_tries_and_other_processes(master: str) -> None:
    assert not TRIED_ONCE.fullmatch(master)


def test_what_never_leaves_the_process_is_shuffled_without_checksums(session: SparkSession) -> None:
    assert {name: session.conf.get(name) for name in STAYS_HERE} == STAYS_HERE


def test_workers_keep_their_memory(session: SparkSession) -> None:
    names = [name.removeprefix("spark.executorEnv.") for name in WORKERS_KEEP]

    def look(_: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        told = [*(os.environ.get(name) for name in names), pa.default_memory_pool().backend_name]
        yield pa.RecordBatch.from_pydict({"told": told})

    seen = [
        row.told for row in session.range(1).coalesce(1).mapInArrow(look, "told string").collect()
    ]
    assert seen == [*WORKERS_KEEP.values(), "system"]
