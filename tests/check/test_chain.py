"""Chains: several cases one behind the other mean what each of them means."""

from __future__ import annotations

from collections import Counter

import pytest
from pipelines_to_check import counted, filtered, first_and_last, joined, lenient, sliding, totals

from onefold.check.chain import chain, may_be_chained
from onefold.check.definition import define
from onefold.check.generate import Taste, generate
from onefold.core.plan import plan
from onefold.core.records import Tuple
from onefold.stream import Stream

TASTE = Taste(one_watermark=True, negative=False)


@pytest.mark.parametrize("stream", [filtered, counted, sliding, lenient, first_and_last, joined])
def test_a_chain_makes_what_its_cases_make(stream: Stream) -> None:
    tested = plan(stream.node)
    cases = [generate(tested, 3, n, TASTE) for n in range(30)]
    linked = chain(cases, tested)
    made = define(tested, linked.case.steps())
    assert linked.parts[0].start == 0
    assert linked.parts[-1].stop == len(linked.case.steps())
    for case, part in zip(cases, linked.parts):
        alone = [t for each in define(tested, case.steps()) for t in each.output]
        here = [t for each in made[part.start : part.stop] for t in each.output]
        assert Counter(tuple(t)[1:] for t in here) == Counter(tuple(t)[1:] for t in alone)
        assert len({a.time - b.time for a, b in zip(_by_time(here), _by_time(alone))}) <= 1


def _by_time(tuples: list[Tuple]) -> list[Tuple]:
    return sorted(tuples, key=lambda t: t.time)


def test_a_state_is_not_chained() -> None:
    assert may_be_chained(plan(counted.node))
    assert not may_be_chained(plan(totals.node))
