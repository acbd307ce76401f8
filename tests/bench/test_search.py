"""The search finds the highest rate that succeeds, tries few, and the same ones every time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from onefold.bench.search import Search, highest, rounded

MANY = Search(factor=1.5, steps=30, bisections=3)


def tried(limit: float, estimate: float, search: Search = MANY) -> tuple[int, list[int]]:
    rates: list[int] = []

    def run(rate: int) -> bool:
        rates.append(rate)
        return rate <= limit

    return highest(run, estimate, search), rates


@given(st.integers(20, 10**6), st.floats(0.1, 10))
def test_it_comes_close_from_below(limit: int, off: float) -> None:
    found, _ = tried(limit, limit * off)
    assert limit / 1.2 < found <= limit


@given(st.integers(1, 10**6), st.floats(1, 10**6))
def test_no_rate_is_tried_twice(limit: int, estimate: float) -> None:
    _, rates = tried(limit, estimate)
    assert len(rates) == len(set(rates))


def test_it_gives_up_where_nothing_succeeds() -> None:
    assert tried(0, 100, Search(steps=3)) == (0, [100, 67, 45, 30])


def test_it_stops_going_up_though_all_succeed() -> None:
    found, rates = tried(10**9, 100, Search(factor=2, steps=3))
    assert (found, rates) == (800, [100, 200, 400, 800])


def test_a_rate_below_one_is_one() -> None:
    assert tried(0, 0.2) == (0, [1])


@given(st.floats(1, 10**7))
def test_a_rounded_rate_is_near(rate: float) -> None:
    assert abs(rounded(rate) - rate) <= max(0.5, 0.05 * rate)
