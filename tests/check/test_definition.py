"""The definition says what the engines do: for every implementation, at every step, late or not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import strategies
from onefold.check.definition import define
from onefold.check.players import REFERENCE
from onefold.check.rules import Rules, comparable, rank
from onefold.core.lower import lower
from onefold.core.plan import Implementation, Plan, plan
from onefold.core.time import END_OF_TIME
from onefold.engines.steps import Step
from oracle import multiset

thorough = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


def steps_of(tested: Plan, feed: strategies.Feed) -> list[Step]:
    types = {name: source.type for name, source in tested.sources.items()}
    steps = []
    for each in feed:
        match each:
            case strategies.Arrive(source, rows):
                steps.append(Step({source: [types[source].read(row) for row in rows]}))
            case strategies.Promise(source, watermark):
                steps.append(Step({}, {source: watermark}))
            case strategies.End(source):
                steps.append(Step({}, {source: END_OF_TIME}))
    return [*steps, Step({}, dict.fromkeys(tested.sources, END_OF_TIME))]


def engines_do_what_is_defined(case: strategies.Case, feed: strategies.Feed) -> None:
    tested = plan(case.stream().node)
    steps = steps_of(tested, feed)
    for each in Implementation:
        [found] = REFERENCE.play([(lower(tested, each), steps)])
        composed = each is not Implementation.DEDICATED
        agree(found, define(tested, steps, composed=composed))


def agree(found: Sequence[object], expected: Sequence[object]) -> None:
    assert len(found) == len(expected)
    for here, wanted in zip(found, expected):
        assert not here.errors
        assert multiset(here.output) == multiset(wanted.output)
        assert multiset(here.late) == multiset(wanted.late)


@thorough
@given(st.data())
def test_random_pipelines_in_time(data: st.DataObject) -> None:
    case = data.draw(strategies.cases())
    engines_do_what_is_defined(case, data.draw(strategies.feeds(case)))


@thorough
@given(st.data())
def test_random_pipelines_with_late_tuples(data: st.DataObject) -> None:
    case = data.draw(strategies.cases())
    engines_do_what_is_defined(case, data.draw(strategies.late_feeds(case)))


@thorough
@given(st.sampled_from(strategies.ALL), st.data())
def test_each_operator_with_late_tuples(kind: str, data: st.DataObject) -> None:
    case = data.draw(strategies.cases((kind,), last=kind, operators=1))
    engines_do_what_is_defined(case, data.draw(strategies.late_feeds(case)))


@thorough
@given(st.data())
def test_the_definition_is_what_the_oracle_says(data: st.DataObject) -> None:
    """The oracle shares nothing with the definition, and knows only whole streams."""
    case = data.draw(strategies.cases())
    tested = plan(case.stream().node)
    steps = steps_of(tested, data.draw(strategies.feeds(case)))
    for composed in (False, True):
        made = define(tested, steps, composed=composed)
        assert multiset(t for each in made for t in each.output) == multiset(case.expected)


@pytest.mark.parametrize(
    ("rules", "time", "expected"),
    [
        (Rules(), 7, [5, 0]),
        (Rules(), 0, [0, -5]),
        (Rules(), -1, [-5, -10]),
        (Rules(first_instant=1), 5, [0, -5]),
        (Rules(toward_zero=True), -1, [0, -5, -10]),
    ],
)
def test_which_windows_hold_a_time(rules: Rules, time: int, expected: list[int]) -> None:
    assert list(rules.lefts(time, 5, 10)) == expected


def test_nan_equals_nan_and_comes_last() -> None:
    nan, other = float("nan"), float("nan")
    assert comparable((1, (nan,))) == comparable((1, (other,)))
    assert sorted([nan, None, 2.0, 1.0], key=rank)[:3] == [None, 1.0, 2.0]
