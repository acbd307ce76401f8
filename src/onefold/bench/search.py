"""The highest rate that can be sustained: up until it fails, then halving what is between."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import floor, log10, sqrt


@dataclass(frozen=True)
class Search:
    """How to go about it."""

    factor: float = 1.5
    """How far to go up or down in a step."""
    steps: int = 6
    """How many steps up or down at most."""
    bisections: int = 2


PLAIN = Search()


def highest(run: Callable[[int], bool], estimate: float, search: Search = PLAIN) -> int:
    """Return the highest of the rates tried that succeeds, 0 if none does.

    >>> tried = []
    >>> def run(rate):
    ...     tried.append(rate)
    ...     return rate <= 1000
    >>> highest(run, 500), tried
    (1000, [500, 750, 1100, 910, 1000])
    """
    first = rounded(estimate)
    good, bad = _bracket(run, first, search)
    if not good or not bad:
        return good
    for _ in range(search.bisections):
        between = rounded(sqrt(good * bad))
        if between in {good, bad}:
            break
        good, bad = (between, bad) if run(between) else (good, between)
    return good


def _bracket(run: Callable[[int], bool], first: int, search: Search) -> tuple[int, int]:
    """Return a rate that succeeds and one that fails, a step apart; 0 for one not found."""
    rate, good, bad = first, 0, 0
    for _ in range(search.steps + 1):
        if run(rate):
            good = rate
        else:
            bad = rate
        if good and bad:
            break
        onward = rate * search.factor if good else rate / search.factor
        rate = rounded(onward)
        if rate in {good, bad}:  # so few tuples that a step is none
            break
    return good, bad


def rounded(rate: float) -> int:
    """Return a rate with two digits, at least 1: the same search tries the same rates.

    >>> [rounded(rate) for rate in (0.3, 7.4, 123, 98_765)]
    [1, 7, 120, 99000]
    """
    if rate < 10:
        return max(1, round(rate))
    return int(round(rate, 1 - floor(log10(rate))))
