"""Values over repetitions: their mean, and how far they spread."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import nan
from statistics import fmean

from onefold.bench.ratios import Run


@dataclass(frozen=True)
class Spread:
    """A value over repetitions."""

    mean: float
    least: float
    most: float

    @property
    def whisker(self) -> tuple[float, float]:
        """How far it reaches below and above the mean, which floats may put outside."""
        if self.least == self.most:
            return nan, nan  # not even a dash is drawn
        return max(self.mean - self.least, 0), max(self.most - self.mean, 0)


def spread(values: Iterable[float | None]) -> Spread | None:
    """Return mean, least and most of the values that there are.

    >>> spread([1, None, 3])
    Spread(mean=2.0, least=1, most=3)
    """
    known = [each for each in values if each is not None]
    return Spread(fmean(known), min(known), max(known)) if known else None


def sizes(runs: Iterable[Run], value: str) -> dict[int, Spread]:
    """Return a value of one implementation for each number of tuples."""
    found: dict[int, list[float | None]] = {}
    for run in runs:
        found.setdefault(run["tuples"], []).append(run.get(value))
    spreads = {tuples: spread(found[tuples]) for tuples in sorted(found)}
    return {tuples: each for tuples, each in spreads.items() if each}
