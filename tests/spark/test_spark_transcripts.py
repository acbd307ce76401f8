"""Every transcript, replayed on Spark as it stands, explicit watermarks included."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from onefold.check.replay import lower_and_rewrite, replay_transcripts
from onefold.check.runners import on_spark
from onefold.check.transcript import Transcript, read_transcript
from onefold.core.lower import lower
from onefold.core.plan import Implementation
from onefold.operators.rewrites import rewrite
from test_transcripts import without_one_tuple

FILES = sorted((Path(__file__).parents[1] / "transcripts").glob("*.yaml"))
TRANSCRIPTS = [read_transcript(file) for file in FILES]


def named(*names: str) -> list[Transcript]:
    return [each for each in TRANSCRIPTS if each.file.stem in names]


@pytest.mark.parametrize("implementation", Implementation)
@pytest.mark.usefixtures("session")
def test_every_transcript_passes(implementation: Implementation) -> None:
    """As it stands, nothing shortened."""
    results = replay_transcripts(TRANSCRIPTS, [implementation], on_spark)
    assert len(results) > 100
    assert [str(each.problem) for each in results if not each.passed] == []


@pytest.mark.usefixtures("session")
def test_every_transcript_passes_with_rewrites() -> None:
    """Where no rule applies, the plan is the one that has passed."""
    results = []
    for implementation in Implementation:
        changed = [each for each in TRANSCRIPTS if rewrite(lower(each.plan, implementation))[1]]
        if changed:
            results += replay_transcripts(changed, [implementation], on_spark, lower_and_rewrite)
    assert len(results) > 100
    assert [str(each.problem) for each in results if not each.passed] == []


@pytest.mark.usefixtures("session")
def test_a_tuple_that_a_case_forgets_is_noticed() -> None:
    wrong = [without_one_tuple(each) for each in named("aggregate", "join", "stateful", "loop")]
    results = replay_transcripts(wrong, [Implementation.DEDICATED], on_spark)
    assert {each.file for each in results} == {each.file for each in wrong}
    assert [str(each.problem) for each in results if not each.passed] == []


@pytest.mark.parametrize("partitions_now", [1, 5])
@pytest.mark.usefixtures("partitions")
def test_with_other_numbers_of_partitions(session: SparkSession, partitions_now: int) -> None:
    session.conf.set("spark.sql.shuffle.partitions", str(partitions_now))
    files = named(
        "aggregate", "aggregate_lateness", "join_sliding", "stateful", "loop", "loop_keys", "late"
    )
    results = replay_transcripts(files, Implementation, on_spark)
    assert [str(each.problem) for each in results if not each.passed] == []
