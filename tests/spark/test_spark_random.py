"""Random pipelines on Spark: the same as the reference, step by step and batch by batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import onefold as of
import strategies
from onefold.core.plan import Implementation, Plan
from onefold.core.time import END_OF_TIME
from onefold.engines.reference import Engine
from onefold.engines.spark.script import play
from onefold.engines.steps import Made, Step
from onefold.operators.rewrites import rewrite
from oracle import multiset
from strategies import Arrive, Case, End, Feed, Promise

LANES = 14


def drawn(strategy: st.SearchStrategy[Any], count: int) -> list[Any]:
    """Draw examples; a query takes so long that many of them share one."""
    found: list[Any] = []

    @settings(
        max_examples=count,
        phases=[Phase.generate],
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(example=strategy)
    def draw(example: Any) -> None:
        found.append(example)

    draw()
    return found


def script(plan: Plan, feed: Feed) -> list[Step]:
    """Return a feed as steps: as many tuples at once as watermarks allow, then all of those."""
    steps = [Step()]
    for each in feed:
        match each:
            case Arrive(source, rows):
                if steps[-1].watermarks:
                    steps.append(Step())
                tuples = [plan.sources[source].type.read(row) for row in rows]
                steps[-1].tuples.setdefault(source, []).extend(tuples)
            case Promise(source, watermark):
                steps[-1].watermarks[source] = watermark
            case End(source):
                steps[-1].watermarks[source] = END_OF_TIME
    steps.append(Step(watermarks=dict.fromkeys(plan.sources, END_OF_TIME)))
    return steps


def on_reference(plan: Plan, steps: Sequence[Step]) -> list[tuple[Counter[str], Counter[str]]]:
    engine, made = Engine(plan), []
    for step in steps:
        for source, tuples in step.tuples.items():
            engine.process(source, plan.sources[source].type.sort(tuples))
        for source, watermark in step.watermarks.items():
            engine.watermark(source, watermark)
        made.append((multiset(engine.take_output()), multiset(engine.take_late())))
    return made


def seen(made: Made) -> tuple[Counter[str], Counter[str]]:
    assert made.errors == []
    return multiset(made.output), multiset(made.late)


@st.composite
def in_time(draw: st.DrawFn) -> tuple[Case, Feed]:
    case = draw(strategies.cases(operators=3, tuples=7))
    return case, draw(strategies.feeds(case))


@st.composite
def late(draw: st.DrawFn) -> tuple[Case, Feed]:
    """One operator right behind its sources, so that tuples of one step come in one order."""
    kind = draw(st.sampled_from(strategies.ALL))
    case = draw(strategies.cases(last=kind, operators=0, tuples=7))
    return case, draw(strategies.late_feeds(case))


@st.composite
def one(draw: st.DrawFn, kind: str) -> tuple[Case, Feed]:
    case = draw(strategies.cases(last=kind, operators=0, tuples=6))
    return case, draw(strategies.feeds(case))


WITH_STATE = ("aggregate", "aggregate_plus", "join", "stateful", "loop", "flat_map")


def runs(examples: Sequence[tuple[Case, Feed]]) -> list[tuple[Plan, list[Step], Case]]:
    found = []
    for case, feed in examples:
        for implementation in Implementation:
            plan = of.lower(case.stream(), implementation)
            found.append((plan, script(plan, feed), case))
        shorter, applied = rewrite(of.lower(case.stream(), Implementation.AGGREGATE))
        if applied:
            found.append((shorter, script(shorter, feed), case))
    return found


def check(session: SparkSession, examples: Sequence[tuple[Case, Feed]], **options: Any) -> None:
    together = runs(examples)
    played = play(session, [(plan, steps) for plan, steps, _ in together], **options)
    for (plan, steps, case), made in zip(together, played, strict=True):
        for number, wanted in enumerate(on_reference(plan, steps)):
            assert seen(made[number]) == wanted, (case, [str(n.label()) for n in plan.nodes], steps)


def test_random_pipelines_step_by_step(session: SparkSession) -> None:
    check(session, drawn(in_time(), LANES))


def test_random_operators_with_late_tuples_step_by_step(session: SparkSession) -> None:
    check(session, drawn(late(), LANES))


def test_a_query_may_stop_and_go_on_between_any_two_batches(session: SparkSession) -> None:
    found = [drawn(one(kind), 3)[-1] for kind in WITH_STATE]
    check(session, found, restarting=True)
