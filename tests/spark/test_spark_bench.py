"""The bench on Spark: it sees each output once, the same in all implementations and peers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import standins
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

import onefold as of
from onefold.bench import peers, prepared, series
from onefold.bench.experiments.experiment import Experiment
from onefold.bench.observed import UNUSED
from onefold.bench.order import Mode, Order, steps
from onefold.bench.prepared import Files, parquet_files, read_tuples
from onefold.bench.profile import PROFILES
from onefold.bench.rate import sustain
from onefold.bench.results import Results
from onefold.bench.sameness import OutputsDiffer
from onefold.bench.saturate import saturate
from onefold.bench.series import Series
from onefold.bench.subject import Subject, implementation


@pytest.fixture(autouse=True)
def _data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepared, "GENERATORS", {"wikipedia": standins.chunks})


def subject(label: str) -> Subject:
    if label == "pyspark":
        return peers.pyspark()
    return implementation(label, rewrites=True, vectorized=False)


def files(folder: Path, tuples: int, rate: int) -> Files:
    return parquet_files(
        folder,
        "wikipedia",
        tuples=tuples,
        origin=prepared.Origin(1),
        rate=rate,
        batch=tuples // 3 + 1,
        parts=2,
    )


def expected(session: SparkSession, experiment: Experiment, files: Files) -> tuple[int, str]:
    """Return count and digest of what the in-process engine makes of the same tuples."""
    tuples = read_tuples(experiment, files.table(), files.tuples, files.rate)
    made: Sequence[Any] = of.run(experiment.pipeline(), {"wikipedia": tuples})
    frame = session.createDataFrame(
        [tuple(t) for t in made], f"time bigint, {made[0]._record_maker[2]}"
    )
    hashes = [row[0] >> UNUSED for row in frame.select(F.xxhash64("*")).collect()]
    return len(made), f"{sum(hashes) % 2**64:016x}"


@pytest.mark.parametrize(
    ("experiment", "tuples", "rate", "labels"),
    [
        (standins.HLF, 4000, 1000, ["D", "A+", "A", "pyspark"]),
        (standins.ALJ, 400, 50, ["A+", "pyspark"]),
    ],
    ids=["flat_map", "join"],
)
def test_every_output_is_seen_once(
    session: SparkSession,
    tmp_path: Path,
    experiment: Experiment,
    tuples: int,
    rate: int,
    labels: list[str],
) -> None:
    data = files(tmp_path, tuples, rate)
    wanted = expected(session, experiment, data)
    for label in labels:
        told = saturate(session, experiment, subject(label), data)
        assert (told.outputs, told.digest) == wanted, label
        assert (told.steady.first, told.steady.last) == (data.batch * 2, tuples)
        assert told.steady.seconds > 0
        assert told.worker_mb > 0 or not Path("/proc").exists()


def test_outputs_at_a_rate_have_their_latencies(session: SparkSession, tmp_path: Path) -> None:
    file = prepared.arrow_file(tmp_path, "wikipedia", tuples=500, origin=prepared.Origin(1))
    told = sustain(session, standins.ALF, subject("D"), file, rate=200, seconds=5)
    assert told.complete
    assert told.outputs == 1000
    assert told.p50 is not None
    assert told.p99 is not None
    assert 0 < told.p50 <= told.p99
    assert len(told.per_second) == 4


def test_a_lost_output_fails_the_bench(
    session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def losing(label: str, **options: bool) -> Subject:
        whole = implementation(label, rewrites=True, vectorized=False)

        def frame(experiment: Experiment, data: DataFrame) -> DataFrame:
            made = whole.frame(experiment, data)
            return made if label == "D" else made.where(F.unix_millis("time") % 997 != 0)

        return Subject(label, frame)

    monkeypatch.setattr(series, "implementation", losing)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    order = Order(
        (standins.ALF,), ("D", "A"), Mode.SATURATE, PROFILES["quick"], tmp_path, (2000,), 1000
    )
    monkeypatch.setattr(series, "WARM_UP", 0)
    bench = Series(order, Results({}), start=lambda: session)
    first, second = steps(order)
    assert bench.take(first)
    with pytest.raises(OutputsDiffer, match="ALF: D and A gave different outputs"):
        bench.take(second)
