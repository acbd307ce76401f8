"""Operators in bulk against their own kernels: the same answer at every step."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import strategies as st

import onefold as of
import strategies
from onefold.core.block import Block
from onefold.core.functions import Failure, on_failure
from onefold.core.kernel import Kernel
from onefold.core.plan import Implementation, Plan
from onefold.engines.bulk import flat_map, in_bulk
from onefold.engines.bulk.flat_map import FlatMapInBulk
from onefold.engines.bulk.instants import EachInBulk, EmbedInBulk
from onefold.engines.bulk.join import JoinInBulk
from onefold.engines.bulk.pairs import CollectInBulk, EmbeddedPairsInBulk, PairsInBulk
from onefold.engines.bulk.unfold import CountInBulk, PickInBulk
from onefold.engines.reference import Engine
from oracle import multiset
from strategies import Arrive, Feed, Promise
from test_laws import drawn, law, play

Told = list[tuple[Counter[str], Counter[str], int]]


def told(engine: Engine, feed: Feed, *, restored: bool = False) -> Told:
    """What an engine tells after each step: output, late tuples, and the output's watermark."""
    seen: Told = []
    for step in feed:
        play(engine, [step])
        output, late = multiset(engine.take_output()), multiset(engine.take_late())
        seen.append((output, late, engine.output_watermark()))
        if restored:
            snapshot = engine.snapshot()
            engine = Engine(engine.plan, kernel_of=in_bulk)
            engine.restore(snapshot)
    engine.end()
    seen.append((multiset(engine.take_output()), multiset(engine.take_late()), 0))
    return seen


def same(plan: Plan, feed: Feed, *, restored: bool = False) -> None:
    wanted = told(Engine(plan), feed)
    assert told(Engine(plan, kernel_of=in_bulk), feed, restored=restored) == wanted


@law(60)
def test_random_pipelines(data: st.DataObject) -> None:
    case, feed = drawn(data)
    for implementation in Implementation:
        same(of.lower(case.stream(), implementation), feed)


@law(40)
def test_going_on_from_a_snapshot_after_every_step(data: st.DataObject) -> None:
    case, feed = drawn(data)
    for implementation in Implementation:
        same(of.lower(case.stream(), implementation), feed, restored=True)


@pytest.mark.parametrize("kind", ["flat_map", "filter", "map", "join", "aggregate_plus"])
@law(40)
def test_each_operator_and_tuples_that_come_late(kind: str, data: st.DataObject) -> None:
    case = data.draw(strategies.cases(last=kind, operators=1))
    feed = data.draw(strategies.late_feeds(case))
    for implementation in Implementation:
        same(of.lower(case.stream(), implementation), feed)


@pytest.mark.parametrize("implementation", Implementation)
def test_portions_give_what_the_whole_gives(
    implementation: Implementation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flat_map, "AT_ONCE", 4)
    filled: list[Any] = []

    def digits(t: Any) -> list[Any]:
        filled[:] = [(int(each),) for each in str(t.n)]
        return filled

    plan = of.lower(of.source("s", "n int").flat_map(digits, "digit int"), implementation)
    same(plan, (Arrive("s", tuple((n // 3, n) for n in range(50))), Promise("s", 9)))


ROW: dict[str, Any] = {}
VALUES: list[Any] = []
INNER: list[Any] = []


def a_mapping(t: Any) -> Any:
    ROW.update(m=[t.n])
    return [ROW]


def a_list(t: Any) -> Any:
    VALUES[:] = [[t.n]]
    return [VALUES]


def an_array(t: Any) -> Any:
    INNER[:] = [t.n]
    return [(INNER,)]


def a_generator(t: Any) -> Any:
    INNER[:] = [t.n]
    return ((each,) for each in [INNER])


def a_tuple_of_rows(t: Any) -> Any:
    ROW.update(m=[t.n])
    return (ROW,)


@pytest.mark.parametrize("implementation", Implementation)
@pytest.mark.parametrize(
    "function",
    [a_mapping, a_list, an_array, a_generator, a_tuple_of_rows],
    ids=lambda f: f.__name__,
)
def test_what_a_function_fills_anew_for_each_tuple(
    function: Any, implementation: Implementation
) -> None:
    made = of.source("s", "n int").flat_map(function, "m array<int>")
    same(of.lower(made, implementation), (Arrive("s", ((1, 1), (1, 2), (2, 3))),))


@pytest.mark.parametrize("implementation", ["dedicated", "aggregate-plus", "aggregate"])
def test_what_never_changes_may_come_twice_and_the_function_is_called_once(
    implementation: str,
) -> None:
    called: list[int] = []

    def twice(t: Any) -> Any:
        called.append(t.n)
        return [(t.at, t.n), (t.at, t.n)] if t.n else [t]

    made = of.source("s", "at timestamp, n int").flat_map(twice, "at timestamp, n int")
    engine = Engine(of.lower(made, implementation), kernel_of=in_bulk)
    moment = datetime(2020, 1, 1, tzinfo=UTC)
    engine.input("s", [(n, moment, n) for n in range(3)])
    engine.end()
    assert sorted(called) == [0, 1, 2]
    assert [t.n for t in sorted(engine.take_output())] == [0, 1, 1, 2, 2]


@pytest.mark.parametrize("implementation", Implementation)
def test_a_failure_is_told_once_though_a_list_comes_twice(implementation: Implementation) -> None:
    def fails_at_two(t: Any) -> Any:
        VALUES[:] = [(1 // (t.n - 2),)]
        return VALUES

    plan = of.lower(of.source("s", "n int").flat_map(fails_at_two, "m int"), implementation)
    failures: list[Failure] = []
    token = on_failure.set(failures.append)
    try:
        engine = Engine(plan, kernel_of=in_bulk)
        engine.input("s", [(n, n) for n in range(5)])
        engine.end()
    finally:
        on_failure.reset(token)
    assert len(failures) == 1
    assert len(engine.take_output()) == 4


def kernels(stream: of.Stream, implementation: str) -> set[type[Kernel]]:
    engine = Engine(of.lower(stream, implementation), kernel_of=in_bulk)
    return {type(each.kernel) for each in engine.stations.values()}


def words() -> of.Stream:
    return of.source("s", "text string").flat_map(
        lambda t: [(word,) for word in t.text.split()], "word string"
    )


def pairs() -> of.Stream:
    s = of.source("s", "k int, v double")
    return s.join(s, "k int, v double, l int, w double", key=["k"], size=10, advance=5)


def test_what_runs_in_bulk() -> None:
    assert FlatMapInBulk in kernels(words(), "dedicated")
    assert EachInBulk in kernels(words(), "aggregate-plus")
    assert {EmbedInBulk, CountInBulk, PickInBulk} <= kernels(words(), "aggregate")
    assert JoinInBulk in kernels(pairs(), "dedicated")
    assert {CollectInBulk, PairsInBulk} <= kernels(pairs(), "aggregate-plus")
    assert {CollectInBulk, EmbeddedPairsInBulk, CountInBulk} <= kernels(pairs(), "aggregate")


@pytest.mark.parametrize("implementation", Implementation)
def test_what_fails_is_set_aside_alike(implementation: Implementation) -> None:
    def odd(t: of.Tuple) -> list[Any]:
        if t.n == 1:
            raise ValueError(t.n)
        return [(t.n,)] if t.n != 3 else [("three",)]

    plan = of.lower(of.source("s", "n bigint").flat_map(odd, "n bigint"), implementation)
    found = []
    for kernel_of in ({}, {"kernel_of": in_bulk}):
        failures: list[Failure] = []
        token = on_failure.set(failures.append)
        engine = Engine(plan, **kernel_of)
        engine.input("s", [(1, n) for n in (0, 1, 2, 3, 4, 2)])
        engine.end()
        on_failure.reset(token)
        reasons = Counter((each.reason, each.subject) for each in failures)
        found.append((reasons, multiset(engine.take_output())))
    assert found[0] == found[1]
    assert found[0][0].total() == 2


def test_a_block_is_a_sequence_of_its_tuples() -> None:
    block = Block(of.source("s", "w string").node.type, [[3, 4], ["a", "b"]])
    assert list(block) == [block[0], block[1]] == block[:2]
    assert (len(block), block[1].w, block.times) == (2, "b", [3, 4])


@pytest.mark.parametrize("implementation", Implementation)
def test_tuples_without_attributes(implementation: Implementation) -> None:
    plan = of.lower(of.source("s", "").flat_map(lambda _: [(), ()], ""), implementation)
    engine = Engine(plan, kernel_of=in_bulk)
    engine.input("s", [(1,), (1,), (2,)])
    engine.end()
    assert sorted(t.time for t in engine.take_output()) == [1, 1, 1, 1, 2, 2]


@pytest.mark.parametrize("implementation", Implementation)
def test_a_list_that_is_filled_anew_for_each_tuple(implementation: Implementation) -> None:
    kept: list[Any] = []

    def one(t: Any) -> list[Any]:
        kept.clear()
        kept.append((t.word,))
        return kept

    stream = of.source("s", "word string").flat_map(one, "word string")
    engine = Engine(of.lower(stream, implementation), kernel_of=in_bulk)
    engine.input("s", [(1, "a"), (1, "b"), (2, "c")])
    engine.end()
    assert sorted(map(tuple, engine.take_output())) == [(1, "a"), (1, "b"), (2, "c")]
