"""Joins in bulk: a pair is asked once, and every window that holds it answers as it should."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import onefold as of
from onefold.core.functions import Failure, on_failure
from onefold.core.plan import Implementation, Plan
from onefold.engines.bulk import in_bulk
from onefold.engines.reference import Engine
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


def told(plan: Plan, stream: list[Batch], *, bulk: bool, restored: bool = False) -> list[Any]:
    """All that can be seen of a run after each step: output, late tuples, what was set aside."""
    kernel_of = {"kernel_of": in_bulk} if bulk else {}
    engine, failures, seen, watermark = Engine(plan, **kernel_of), [], [], -10
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
                state, engine = engine.snapshot(), Engine(plan, **kernel_of)
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
