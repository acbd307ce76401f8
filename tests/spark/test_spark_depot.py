"""Long parcels lie in files: as long as a batch may need them, and no longer."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from streams import Drained, Folder, drain

import onefold as of
from onefold import spark
from onefold.core.block import Block
from onefold.core.plan import Implementation
from onefold.engines.spark.blocks import SMALL
from onefold.engines.spark.depot import LONG, SLIP, Depot
from onefold.engines.spark.parcels import opened, pack_tuples, tuples_of
from onefold.engines.spark.session import on_one_machine
from oracle import multiset

ROW = "text string, n int"
TEXT = "x" * 200


def batches(count: int, of_tuples: int) -> list[list[tuple[int, str, int]]]:
    """Return batches that make long parcels, all times of one before those of the next."""
    return [
        [(1_000 * number + n // 9, f"{TEXT}{n % 7}", n) for n in range(of_tuples)]
        for number in range(count)
    ]


def twice() -> of.Stream:
    return of.source("s", ROW).flat_map(lambda t: [(t.text, t.n), (t.text, -t.n)], ROW)


def kept_files(session: SparkSession) -> dict[str, list[str]]:
    """Return the files of all depots of a session, by the number of their batch."""

    def look(rows: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in rows:
            folder = Path(os.environ["SPARK_LOCAL_DIRS"].split(",")[0])
            found = [str(each.relative_to(folder)) for each in folder.glob("onefold-*/*/*")]
            yield pa.RecordBatch.from_arrays([pa.array(found, pa.string())], names=["file"])

    files = [row.file for row in session.range(1).mapInArrow(look, "file string").collect()]
    found: dict[str, list[str]] = {}
    for each in files:
        found.setdefault(Path(each).parent.name, []).append(each)
    return found


def fed(folder: Folder, told: Iterable[list[tuple[int, str, int]]]) -> Folder:
    for rows in told:
        folder.put(rows)
    folder.end()
    return folder


@pytest.mark.parametrize(("count", "in_file"), [(SMALL - 1, False), (SMALL, False), (9_000, True)])
def test_what_is_packed_comes_out_from_a_file_or_a_row(
    tmp_path: Path, count: int, *, in_file: bool
) -> None:
    type = of.source("s", "n int").node.type
    block = Block(type, [range(count), list(range(count))])
    data = pack_tuples(type, 3, block, Depot(tmp_path))
    assert data.startswith(SLIP) == in_file
    assert len(list(tmp_path.iterdir())) == in_file
    assert len(data) < LONG
    port, held = opened(data)
    assert (port, list(tuples_of(type, held))) == (3, list(block))
    assert list(tuples_of(type, opened(pack_tuples(type, 3, block))[1])) == list(block)


@pytest.mark.parametrize("implementation", Implementation)
def test_long_parcels_change_no_answer_and_leave_no_file(
    session: SparkSession, tmp_path: Path, implementation: Implementation
) -> None:
    given = batches(3, 4_000)
    folder = fed(Folder(tmp_path / "in", ROW), given)
    frame = spark.dataframe(
        twice(),
        {"s": folder.stream(session)},
        implementation,
        time="ts",
        delay=0,
        rewrites=False,
    )
    before = kept_files(session)
    found = drain(frame, tmp_path / "checkpoint").rows()
    rows = [row for each in given for row in each]
    assert multiset(found) == multiset(of.run(twice(), {"s": rows}))
    assert kept_files(session) == before


def test_files_lie_for_the_time_of_their_batch_so_that_rows_may_be_asked_for_twice(
    session: SparkSession, tmp_path: Path
) -> None:
    given = batches(3, 4_000)
    folder = fed(Folder(tmp_path / "in", ROW), given)
    frame = spark.dataframe(
        twice(), {"s": folder.stream(session)}, "aggregate-plus", time="ts", delay=0, rewrites=False
    )
    asked: dict[int, tuple[int, int]] = {}
    lay: dict[int, set[str]] = {}

    def take(batch: DataFrame, number: int) -> None:
        asked[number] = batch.count(), len(batch.collect())
        lay[number] = set(kept_files(session))

    query = frame.writeStream.foreachBatch(take)
    query = query.option("checkpointLocation", str(tmp_path / "checkpoint")).start()
    try:
        query.processAllAvailable()
    finally:
        query.stop()
    assert all(counted == collected for counted, collected in asked.values())
    assert sum(counted for counted, _ in asked.values()) == 3 * 8_000
    assert [lay[number] for number in range(3)] == [{"0"}, {"1"}, {"2"}]


def test_a_batch_that_failed_comes_again_with_files_of_its_own(
    session: SparkSession, tmp_path: Path
) -> None:
    given = batches(2, 4_000)
    folder = fed(Folder(tmp_path / "in", ROW), given)
    fail = tmp_path / "fail"
    fail.touch()

    def moody(t: of.Tuple) -> list[tuple[str, int]]:
        if t.time >= 1_000 and fail.exists():
            raise ValueError("not now")
        return [(t.text, t.n)]

    pipeline = of.source("s", ROW).flat_map(moody, ROW)
    frame = spark.dataframe(
        pipeline, {"s": folder.stream(session)}, "aggregate", time="ts", delay=0, rewrites=False
    )
    drained = Drained()
    with pytest.raises(PySparkException, match="not now"):
        drain(frame, tmp_path / "checkpoint", drained)
    assert list(drained.batches) == [0]
    fail.unlink()
    found = drain(frame, tmp_path / "checkpoint", drained).rows()
    assert multiset(found) == multiset(row for each in given for row in each)


def test_only_one_process_on_one_machine_shares_files(session: SparkSession) -> None:
    class Of:
        def __init__(self, master: str) -> None:
            self.conf = {"spark.master": master}

    assert on_one_machine(session)
    told = {master: on_one_machine(Of(master)) for master in ("local", "local[4,3]", "local[*]")}
    assert all(told.values())
    others = ("local-cluster[2,1,1024]", "spark://a:7077", "yarn", "k8s://a", "")
    assert not any(on_one_machine(Of(master)) for master in others)
