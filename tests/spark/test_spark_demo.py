"""The demo on Spark: edits arrive while the query runs, and it gives what the pipeline means."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import onefold as of
from onefold.bench.demo.answers import Answer, difference
from onefold.bench.demo.edits import Edits, Part, late, write
from onefold.bench.demo.runs import Ran, Stage, run
from onefold.cli.demo import pipeline_place
from onefold.pipelines import load_pipeline

EDITS = Edits(tuples=300, seconds=2)
STREAM = load_pipeline(f"{pipeline_place()}:pipeline")


def meant(parts: list[Part]) -> Answer:
    """What the in-process engine makes of the edits that are not late."""
    table = pa.concat_tables([pq.read_table(part.file) for part in parts])
    times = (at // 1000 for at in table.column("time").cast(pa.int64()).to_pylist())
    rows = zip(times, *(table.column(name).to_pylist() for name in ("orig", "change", "updated")))
    old = {happened for _, happened in late(EDITS)}
    made = of.run(STREAM, {"edits": sorted(row for row in rows if row[0] not in old)})
    return Counter((t.time, t.question, t.about, t.n) for t in made)


@pytest.mark.parametrize(("label", "dropping"), [("D", "aggregate_plus"), ("A", "flat_map")])
def test_what_arrives_live_gives_what_the_pipeline_means(
    session: SparkSession, tmp_path: Path, label: str, dropping: str
) -> None:
    made = tmp_path / "made"
    made.mkdir()
    parts = write(EDITS, made)
    heard: list[tuple[str, int]] = []
    stage = Stage(
        session, STREAM, EDITS, parts, tmp_path, False, lambda _, what, n: heard.append((what, n))
    )
    ran: Ran = run(stage, label)
    assert difference(meant(parts), ran.answer).same
    assert ran.balance.even
    assert ran.balance.read == 300
    assert ran.balance.written == ran.answer.total()
    old = {happened for _, happened in late(EDITS)}
    assert {each.time for each in ran.late} == old
    steps = {step.operator for step, _ in ran.balance.late_at}
    assert steps == {dropping, "aggregate", "join"}
    assert list(dict.fromkeys(what for what, _ in heard)) == [
        "starting",
        "catching up",
        "live",
        "last windows",
    ]
    assert ran.tuples_per_second
    assert ran.p50
    assert ran.p99 >= ran.p50
