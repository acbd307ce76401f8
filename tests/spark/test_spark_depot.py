"""Long parcels lie in files: as long as a batch may need them, and no longer."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

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
from onefold.engines.spark.depot import LONG, SLIP, BatchIsOver, Depot
from onefold.engines.spark.parcels import opened, pack_tuples, tuples_of
from onefold.engines.spark.session import on_one_machine
from oracle import multiset

ROW = "text string, n int"
TEXT = "x" * 200
Rows = list[tuple[int, str, int]]


def batches(count: int, of_tuples: int = 4_000) -> list[Rows]:
    """Return batches that make long parcels, all times of one before those of the next."""
    return [
        [(1_000 * number + n // 9, f"{TEXT}{n % 7}", n) for n in range(of_tuples)]
        for number in range(count)
    ]


def fed(path: Path, told: Iterable[Rows], *, end: bool = True) -> Folder:
    folder = Folder(path, ROW)
    for rows in told:
        folder.put(rows)
    if end:
        folder.end()
    return folder


def mirrored(stream: of.Stream) -> of.Stream:
    return stream.flat_map(lambda t: [(t.text, t.n), (t.text, -t.n)], ROW)


def shuffled_twice(stream: of.Stream) -> of.Stream:
    def largest(window: Any) -> Any:
        return window.key.text, max(t.n for t in window.tuples)

    # what goes by the second shuffle passes the first one's hosts as a slip
    counted = mirrored(stream).aggregate(largest, ROW, key=["text"], size=100)
    return stream.join(
        counted,
        "text string, n int, m int",
        key=["text"],
        where=lambda x, y: x.n == y.n,
        select=lambda x, y: (x.text, x.n, y.n),
        size=200,
    )


def two_inputs(stream: of.Stream) -> of.Stream:
    return mirrored(stream).union(of.source("other", ROW).map(lambda t: (t.text, t.n), ROW))


PIPELINES: dict[str, Callable[[of.Stream], of.Stream]] = {
    "one shuffle": mirrored,
    "two shuffles": shuffled_twice,
    "two inputs": two_inputs,
}


def frame_of(
    session: SparkSession, stream: of.Stream, implementation: Any, **folders: Folder
) -> DataFrame:
    inputs = {name: folder.stream(session) for name, folder in folders.items()}
    return spark.dataframe(stream, inputs, implementation, time="ts", delay=0, rewrites=False)


def files_of(session: SparkSession, query: str) -> dict[str, int]:
    """Return how many files lie in the depots of a query, by the numbers of their batches."""

    def look(rows: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in rows:
            found = Path(os.environ["SPARK_LOCAL_DIRS"]).glob(f"onefold-{query}/*/*/*")
            names = pa.array([each.parts[-3] for each in found], pa.string())
            yield pa.RecordBatch.from_arrays([names], names=["batch"])

    rows = session.range(1).mapInArrow(look, "batch string").collect()
    return {row.batch: sum(each == row for each in rows) for row in rows}


@dataclass
class Looked:
    """Takes the rows of each batch, and looks which files lie there meanwhile."""

    session: SparkSession
    asked: int = 1
    rows: list[list[Any]] = field(default_factory=list)
    lay: dict[int, dict[str, int]] = field(default_factory=dict)

    def run(self, frame: DataFrame, checkpoint: Path) -> str:
        """Run a query until all that is there has come through; return its id."""
        writer = frame.writeStream.foreachBatch(self._take)
        query = writer.option("checkpointLocation", str(checkpoint)).start()
        try:
            query.processAllAvailable()
        finally:
            query.stop()
        return str(query.id)

    def _take(self, batch: DataFrame, number: int) -> None:
        millis = batch.selectExpr("unix_millis(ts)", *batch.columns[1:])
        for _ in range(self.asked):
            self.rows.append([tuple(row) for row in millis.collect()])
        query = self.session.sparkContext.getLocalProperty("sql.streaming.queryId")
        self.lay[number] = files_of(self.session, str(query))


def all_rows(told: Sequence[Sequence[Any]]) -> list[Any]:
    return [row for each in told for row in each]


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


def test_a_file_that_is_gone_is_told_with_a_way_out(tmp_path: Path) -> None:
    with pytest.raises(BatchIsOver) as caught:
        opened(SLIP + str(tmp_path / "gone").encode())
    assert "before it returns" in str(caught.value)


@pytest.mark.parametrize("implementation", Implementation)
@pytest.mark.parametrize("name", PIPELINES)
def test_long_parcels_change_no_answer(
    session: SparkSession, tmp_path: Path, name: str, implementation: Implementation
) -> None:
    stream = PIPELINES[name](of.source("s", ROW))
    given = {"s": batches(3), "other": batches(3, 3_000)}
    given = {each: given[each] for each in of.lower(stream, "dedicated").sources}
    folders = {each: fed(tmp_path / each, told) for each, told in given.items()}
    looked = Looked(session)
    looked.run(frame_of(session, stream, implementation, **folders), tmp_path / "checkpoint")
    wanted = of.run(stream, {each: all_rows(told) for each, told in given.items()})
    assert multiset(all_rows(looked.rows)) == multiset(wanted)
    straight = implementation is Implementation.DEDICATED and name != "two shuffles"
    assert any(looked.lay.values()) != straight  # who needs no shuffle has no files


def test_files_lie_for_the_time_of_their_batch_so_that_rows_may_be_asked_for_twice(
    session: SparkSession, tmp_path: Path
) -> None:
    folder = fed(tmp_path / "in", batches(3), end=False)
    frame = frame_of(session, mirrored(of.source("s", ROW)), "aggregate-plus", s=folder)
    looked = Looked(session, asked=2)
    query = looked.run(frame, tmp_path / "checkpoint")
    first, again = looked.rows[::2], looked.rows[1::2]
    assert list(map(sorted, first)) == list(map(sorted, again))
    assert [list(looked.lay[number]) for number in range(3)] == [["0"], ["1"], ["2"]]
    assert files_of(session, query) == {}  # a batch without rows followed


def test_a_batch_that_failed_comes_again_with_files_of_its_own(
    session: SparkSession, tmp_path: Path
) -> None:
    given = batches(2)
    folder = fed(tmp_path / "in", given)
    fail = tmp_path / "fail"
    fail.touch()

    def moody(t: of.Tuple) -> list[tuple[str, int]]:
        if t.time >= 1_000 and fail.exists():
            raise ValueError("not now")
        return [(t.text, t.n)]

    pipeline = of.source("s", ROW).flat_map(moody, ROW)
    frame = frame_of(session, pipeline, "aggregate", s=folder)
    drained = Drained()
    with pytest.raises(PySparkException, match="not now"):
        drain(frame, tmp_path / "checkpoint", drained)
    assert list(drained.batches) == [0]
    fail.unlink()
    found = drain(frame, tmp_path / "checkpoint", drained).rows()
    assert multiset(found) == multiset(all_rows(given))


def test_a_batch_that_fails_again_and_again_leaves_the_files_of_one_try(
    session: SparkSession, tmp_path: Path
) -> None:
    folder = fed(tmp_path / "in", batches(1))
    frame = frame_of(session, mirrored(of.source("s", ROW)), "aggregate-plus", s=folder)
    lay: list[dict[str, int]] = []

    def refuse(batch: DataFrame, _number: int) -> None:
        assert batch.count() == batch.count() > 0
        query = session.sparkContext.getLocalProperty("sql.streaming.queryId")
        lay.append(files_of(session, str(query)))
        raise ValueError("the sink is full")

    for _ in range(3):
        query = frame.writeStream.foreachBatch(refuse)
        query = query.option("checkpointLocation", str(tmp_path / "checkpoint")).start()
        with pytest.raises(PySparkException, match="the sink is full"):
            query.awaitTermination()
    assert len(lay) == 3
    assert lay[0] == lay[1] == lay[2]
    assert lay[0]["0"] > 0


def test_a_batch_job_inside_a_query_lays_nothing_there(
    session: SparkSession, tmp_path: Path
) -> None:
    rows = batches(1)[0]
    static = session.createDataFrame(rows, f"ts bigint, {ROW}")
    lookup = spark.dataframe(
        mirrored(of.source("s", ROW)), {"s": static}, "aggregate", time="ts", rewrites=False
    )
    counts: list[int] = []
    folder = fed(tmp_path / "in", batches(2, 5))
    query = folder.stream(session).writeStream.foreachBatch(
        lambda _batch, _number: counts.append(len(lookup.collect()))
    )
    query = query.option("checkpointLocation", str(tmp_path / "checkpoint")).start()
    try:
        query.processAllAvailable()
    finally:
        query.stop()
    assert counts == [2 * len(rows)] * 3


def test_only_one_process_on_one_machine_shares_files(session: SparkSession) -> None:
    class Of:
        def __init__(self, master: str) -> None:
            self.conf = {"spark.master": master}

    assert on_one_machine(session)
    assert all(on_one_machine(Of(master)) for master in ("local", "local[4,3]", "local[*]"))
    others = ("local-cluster[2,1,1024]", "spark://a:7077", "yarn", "k8s://a", "")
    assert not any(on_one_machine(Of(master)) for master in others)
