"""Settings of a session that fits its master."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Iterator

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from onefold.engines.spark.session import STAYS_HERE, TRIED_ONCE, WORKERS_KEEP, workers_keep


@pytest.mark.parametrize("master", ["local", "local[2]", "local[*]"])
def test_one_process_that_tries_a_task_once(master: str) -> None:
    assert TRIED_ONCE.fullmatch(master)


@pytest.mark.parametrize("master", ["local[4,3]", "local-cluster[2,1,1024]", "spark://here:7077"])
def test_second_tries_and_other_processes(master: str) -> None:
    assert not TRIED_ONCE.fullmatch(master)


def test_what_never_leaves_the_process_is_shuffled_without_checksums(session: SparkSession) -> None:
    assert {name: session.conf.get(name) for name in STAYS_HERE} == STAYS_HERE


def test_workers_keep_their_memory(session: SparkSession) -> None:
    if not workers_keep(platform.libc_ver()):
        pytest.skip("this system's malloc takes no such thresholds")
    names = list(WORKERS_KEEP)

    def look(_: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        told = [*(os.environ.get(name) for name in names), pa.default_memory_pool().backend_name]
        yield pa.RecordBatch.from_pydict({"told": told})

    seen = [
        row.told for row in session.range(1).coalesce(1).mapInArrow(look, "told string").collect()
    ]
    assert seen == [*WORKERS_KEEP.values(), "system"]


def test_workers_keep_what_the_user_has_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in WORKERS_KEEP:
        monkeypatch.delenv(name, raising=False)
    assert len(workers_keep(("glibc", "2.36"))) == len(WORKERS_KEEP)
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "1")
    assert "spark.executorEnv.MALLOC_TRIM_THRESHOLD_" not in workers_keep(("glibc", "2.36"))
