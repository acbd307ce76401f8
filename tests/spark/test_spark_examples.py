"""The examples on Spark give what they give in this process."""

from __future__ import annotations

import pytest

from onefold.check.replay import replay_transcripts
from onefold.check.runners import on_spark
from onefold.check.transcript import read_transcript
from onefold.core.plan import Implementation
from test_examples import EXAMPLES, JOBS, multiset, run

pytestmark = pytest.mark.usefixtures("session")


@pytest.mark.parametrize("options", ["dedicated", "aggregate --no-rewrites"])
@pytest.mark.parametrize("name", JOBS)
def test_spark_gives_the_same_over_its_data(name: str, options: str) -> None:
    here = run(name, "--quiet")
    assert here
    there = run(name, "--quiet", "--engine", "spark", "--implementation", *options.split())
    assert multiset(there) == multiset(here)


def test_a_late_view_changes_the_ranking_on_spark() -> None:
    transcript = read_transcript(EXAMPLES / "hot_items.yaml")
    chosen = [Implementation.DEDICATED, Implementation.AGGREGATE]
    results = replay_transcripts([transcript], chosen, on_spark)
    assert len(results) == len(transcript.cases) * len(chosen)
    assert [str(each.problem) for each in results if not each.passed] == []
