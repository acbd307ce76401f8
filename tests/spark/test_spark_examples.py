"""The examples on Spark give what they give in this process."""

from __future__ import annotations

import pytest

from onefold.check.replay import replay_transcripts
from onefold.check.runners import on_spark
from onefold.check.transcript import read_transcript
from onefold.core.plan import Implementation
from test_examples import EXAMPLES, JOBS, multiset, run

pytestmark = pytest.mark.usefixtures("session")


@pytest.mark.parametrize("implementation", ["dedicated", "aggregate"])
@pytest.mark.parametrize("name", JOBS)
def test_spark_gives_the_same_over_its_data(name: str, implementation: str) -> None:
    here = run(name, "--quiet")
    assert here
    options = ("--engine", "spark", "--implementation", implementation, "--quiet")
    assert multiset(run(name, *options)) == multiset(here)


@pytest.mark.parametrize(
    "implementation", [Implementation.DEDICATED, Implementation.AGGREGATE], ids=lambda i: i.value
)
def test_transcripts_hold_on_spark(implementation: Implementation) -> None:
    transcripts = [read_transcript(EXAMPLES / f"{name}.yaml") for name in JOBS]
    results = replay_transcripts(transcripts, [implementation], on_spark)
    assert len(results) > len(JOBS)
    assert [str(each.problem) for each in results if not each.passed] == []
