"""Joins in bulk: a pair is asked once, and every window that holds it answers as it should."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import onefold as of
from onefold.core.functions import Failure, on_failure
from onefold.core.kernel import Kernel, Watch
from onefold.core.plan import Implementation, Node, Plan
from onefold.engines.bulk import in_bulk
from onefold.engines.bulk.pairs import CollectInBulk
from onefold.engines.reference import Engine, its_own
from onefold.engines.station import KernelOf
from oracle import multiset

Batch = tuple[list[tuple[int, int, int]], list[tuple[int, int, int]], int]
"""What comes from the left and from the right, and the watermark behind it."""

rows = st.lists(st.tuples(st.integers(-5, 30), st.integers(0, 1), st.integers(0, 6)), max_size=5)
streams = st.lists(st.tuples(rows, rows, st.integers(0, 12)), max_size=5)
windows = st.tuples(st.integers(1, 9), st.integers(1, 9)).map(lambda two: (max(two), min(two)))
"""Windows that overlap or touch: size and advance, which need not divide it."""


def joined(size: int, advance: int, where: Any, select: Any) -> of.Stream:
    left, right = (of.source(name, "k int, n int") for name in "lr")
    return left.join(
        right, "a int, b int", key=["k"], where=where, select=select, size=size, advance=advance
    )


def told(
    plan: Plan,
    stream: list[Batch],
    *,
    bulk: bool,
    restored: bool = False,
    kernel_of: KernelOf = in_bulk,
) -> list[Any]:
    """All that can be seen of a run after each step: output, late tuples, what was set aside."""
    run_by = kernel_of if bulk else its_own
    engine, failures, seen, watermark = Engine(plan, kernel_of=run_by), [], [], -10
    token = on_failure.set(failures.append)
    try:
        for left, right, on in [*stream, ([], [], 1000)]:
            engine.input("l", left)
            engine.input("r", right)
            watermark += on
            for source in "lr":
                engine.watermark(source, watermark)
            output, late = multiset(engine.take_output()), multiset(engine.take_late())
            seen.append((output, late, aside(failures), engine.output_watermark()))
            failures.clear()
            if restored:
                state, engine = engine.snapshot(), Engine(plan, kernel_of=run_by)
                engine.restore(state)
    finally:
        on_failure.reset(token)
    return seen


def aside(failures: list[Failure]) -> Counter[Any]:
    return Counter((each.reason, str(each.subject)) for each in failures)


def near(x: Any, y: Any) -> bool:
    return bool(abs(x.n - y.n) <= 2)


def fails_at_six(x: Any, y: Any) -> bool:
    if x.n == 6 == y.n:
        raise ValueError("six")
    return near(x, y)


def fails_at_five(x: Any, y: Any) -> Any:
    return (x.n, y.n if y.n != 5 else "five")


def both(x: Any, y: Any) -> tuple[int, int]:
    return x.n, y.n


@pytest.mark.parametrize("implementation", Implementation)
@given(window=windows, stream=streams)
def test_any_windows(implementation: Implementation, window: Any, stream: list[Batch]) -> None:
    plan = of.lower(joined(*window, near, both), implementation)
    wanted = told(plan, stream, bulk=False)
    assert told(plan, stream, bulk=True) == wanted
    assert told(plan, stream, bulk=True, restored=True) == wanted


@pytest.mark.parametrize("implementation", Implementation)
@given(window=windows, stream=streams)
def test_a_pair_that_fails_is_told_of_by_every_window(
    implementation: Implementation, window: Any, stream: list[Batch]
) -> None:
    plan = of.lower(joined(*window, fails_at_six, fails_at_five), implementation)
    wanted = told(plan, stream, bulk=False)
    assert told(plan, stream, bulk=True) == wanted
    assert told(plan, stream, bulk=True, restored=True) == wanted


@pytest.mark.parametrize("implementation", Implementation)
def test_a_pair_is_asked_once(implementation: Implementation) -> None:
    asked: Counter[tuple[int, int]] = Counter()

    def where(x: Any, y: Any) -> bool:
        asked[x.n, y.n] += 1
        return True

    plan = of.lower(joined(10, 2, where, both), implementation)
    engine = Engine(plan, kernel_of=in_bulk)
    for n in range(30):  # a tuple each millisecond, from both sides
        engine.input("l", [(n, 0, n)])
        engine.input("r", [(n, 0, n)])
        for source in "lr":
            engine.watermark(source, n)
    engine.end()
    outputs = Counter((t.a, t.b) for t in engine.take_output())
    assert outputs[10, 10] == 5  # five windows hold it
    assert set(asked) >= set(outputs)
    assert set(asked.values()) == {1}
    assert all(abs(x - y) < 12 for x, y in asked)


@pytest.mark.parametrize("order", ["lr", "rl"])
@pytest.mark.parametrize("many", [1, 60])
@pytest.mark.parametrize("implementation", Implementation)
def test_pairs_that_share_no_window_are_not_asked(
    implementation: Implementation, many: int, order: str
) -> None:
    asked = set()

    def where(x: Any, y: Any) -> bool:
        asked.add((x.n, y.n))
        return True

    plan = of.lower(joined(10, 9, where, both), implementation)
    engine = Engine(plan, kernel_of=in_bulk)
    for begin in range(0, 60, many):
        for source in order:
            engine.input(source, [(n, 0, n) for n in range(begin, begin + many)])
    engine.end()
    assert asked == {(t.a, t.b) for t in engine.take_output()}


class Counted(dict[int, Any]):
    """Windows, and how often somebody looked at one."""

    looks = 0

    def __contains__(self, left: object) -> bool:
        self.looks += 1
        return super().__contains__(left)

    def __iter__(self) -> Any:
        self.looks += len(self)
        return super().__iter__()


def test_who_comes_looks_at_the_windows_near_it_alone() -> None:
    plan = of.lower(joined(2, 1, near, both), "dedicated")
    engine = Engine(plan, kernel_of=in_bulk)
    kernel = engine.stations[plan.output].kernel
    kernel.windows = looked = Counted()
    rows = [(time, 0, time % 7) for time in range(2000)]
    engine.input("l", rows)
    engine.input("r", rows)
    assert len(looked) == 2000
    assert looked.looks < 20 * len(rows)


@pytest.mark.parametrize("implementation", Implementation)
@pytest.mark.parametrize("kind", ["list", "dict", "inner list"])
def test_a_row_that_is_filled_anew_for_each_pair(implementation: Implementation, kind: str) -> None:
    row: dict[str, Any] = {}
    values: list[Any] = [0, 0]

    def select(x: Any, y: Any) -> Any:
        values[:] = x.n, y.n
        row.update(a=x.n, b=[y.n])
        return {"list": [x.n, values[1:]], "dict": row, "inner list": (x.n, values)}[kind]

    left, right = (of.source(name, "n int") for name in "lr")
    stream = left.join(right, "a int, b array<int>", select=select, size=10, advance=5, key=[])
    inputs = {"l": [(1, 1), (2, 2)], "r": [(3, 3), (4, 4)]}
    engine = Engine(of.lower(stream, implementation), kernel_of=in_bulk)
    for source, rows_ in inputs.items():
        engine.input(source, rows_)
    engine.end()
    assert multiset(engine.take_output()) == multiset(of.run(stream, inputs, implementation))


@pytest.mark.parametrize("reused", [list, dict])
def test_a_plain_row_that_is_filled_anew(reused: Any) -> None:
    kept = reused()

    def select(x: Any, y: Any) -> Any:
        if reused is dict:
            kept.update(a=x.n, b=y.n)
        else:
            kept[:] = x.n, y.n
        return kept

    plan = of.lower(joined(10, 5, near, select), "dedicated")
    stream = [([(1, 0, 1), (2, 0, 2)], [(3, 0, 3)], 5)]
    assert told(plan, stream, bulk=True) == told(plan, stream, bulk=False)


def test_rows_far_more_than_tuples_are_not_written_down() -> None:
    plan = of.lower(joined(1000, 500, lambda x, y: True, both), "aggregate-plus")
    engine = Engine(plan, kernel_of=in_bulk)
    for source in "lr":
        engine.input(source, [(500 + n % 500, 0, n) for n in range(300)])
    for source in "lr":
        engine.watermark(source, 1000)
    assert len(engine.take_output()) == 90_000
    state = engine.snapshot()
    assert len(state) < 50_000
    going_on = Engine(plan, kernel_of=in_bulk)
    going_on.restore(state)
    going_on.end()
    assert len(going_on.take_output()) == 90_000


@given(streams)
def test_collected_tuples_may_come_as_tuples_too(stream: list[Batch]) -> None:
    """A block of collected tuples is what A1 and A2 emit; who asks for its tuples gets them."""
    plan = of.lower(joined(6, 2, near, both), "aggregate-plus")

    def listed(node: Node, watch: Watch | None) -> Kernel:
        kernel = in_bulk(node, watch)
        return Listing(kernel) if isinstance(kernel, CollectInBulk) else kernel

    wanted = told(plan, stream, bulk=True)
    assert told(plan, stream, bulk=True, kernel_of=listed) == wanted


class Listing(Kernel):
    """Another kernel, whose blocks are taken apart."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def process(self, port: int, tuples: Any, out: Any) -> None:
        self.kernel.process(port, tuples, out)

    def advance(self, watermark: int, out: Any) -> None:
        self.kernel.advance(watermark, _TakingApart(out))

    def snapshot(self) -> Any:
        return self.kernel.snapshot()

    def restore(self, state: Any) -> None:
        self.kernel.restore(state)


class _TakingApart:
    def __init__(self, out: Any) -> None:
        self.out, self.watermark, self.late = out, out.watermark, out.late

    def emit(self, tuples: Any) -> None:
        self.out.emit(list(tuples))


@pytest.mark.parametrize("implementation", Implementation)
def test_a_key_that_fails_is_told_of_for_each_of_equal_tuples(
    implementation: Implementation,
) -> None:
    def key(t: of.Tuple) -> int:
        return 6 // int(t.n)

    s = of.source("s", "n int")
    plan = of.lower(s.join(s, "n int, m int", key=(key, key), size=4, advance=3), implementation)
    told = []
    for how in ({}, {"kernel_of": in_bulk}):
        failures: list[Failure] = []
        token = on_failure.set(failures.append)
        try:
            engine = Engine(plan, **how)
            engine.input("s", [(1, 0), (1, 0), (1, 2), (2, 2), (1, 2), (5, 0), (-4, 3), (-4, 3)])
            engine.end()
        finally:
            on_failure.reset(token)
        told.append((len(failures), multiset(engine.take_output())))
    assert told[0] == told[1]
    assert told[0][0] > 0
    assert told[0][1]
