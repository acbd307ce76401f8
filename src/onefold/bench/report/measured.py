"""What the figures show: runs averaged over their repetitions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from onefold.bench.ratios import IMPLEMENTATIONS, RATE, SATURATE, Run, comparable, counted, grouped
from onefold.bench.spread import Spread, spread


@dataclass(frozen=True)
class Point:
    """All repetitions at one rate; successful if each is."""

    rate: float
    throughput: float
    p99: float | None
    success: bool


def whiskers(spreads: Iterable[Spread]) -> str:
    """Return what a caption says of whiskers: nothing where none is to be seen.

    >>> whiskers([Spread(1, 1, 1), Spread(2, 1, 3)])
    ' Whiskers are the least and the most of the repetitions.'
    >>> whiskers([Spread(1, 1, 1)])
    ''
    """
    if all(each.least == each.most for each in spreads):
        return ""
    return " Whiskers are the least and the most of the repetitions."


def mode_of(runs: Sequence[Run], experiment: str) -> str:
    """Return the mode whose throughput the figures show: saturated if it was measured."""
    modes = {run["mode"] for run in runs if run["experiment"] == experiment}
    return SATURATE if SATURATE in modes else RATE


def throughput(runs: Sequence[Run], experiment: str, implementation: str) -> Spread | None:
    """Return the throughput of an implementation in an experiment."""
    key = experiment, mode_of(runs, experiment), implementation
    return _spread_of("throughput", grouped(comparable(runs)).get(key, ()))


def latency(runs: Sequence[Run], experiment: str, implementation: str) -> Spread | None:
    """Return the p99 latency at the highest rate that was sustained."""
    return _spread_of("p99", grouped(runs).get((experiment, RATE, implementation), ()))


def points(runs: Iterable[Run]) -> list[Point]:
    """Return the rate runs of one implementation, averaged for each rate."""
    rates: dict[float, list[Run]] = {}
    for run in runs:
        rates.setdefault(run["rate"], []).append(run)
    return [_point(rate, rates[rate]) for rate in sorted(rates)]


def known(names: Iterable[str]) -> list[str]:
    """Return implementations in the order of figures and tables: D, A+, A, then the peers."""
    order: dict[str, Any] = dict.fromkeys(IMPLEMENTATIONS)
    there = set(names)
    return [each for each in order if each in there] + sorted(there - order.keys())


def _spread_of(value: str, runs: Iterable[Run]) -> Spread | None:
    return spread(run.get(value) for run in counted(runs).values())


def _point(rate: float, runs: Sequence[Run]) -> Point:
    latencies = spread(run.get("p99") for run in runs)
    return Point(
        rate,
        fmean(run["throughput"] for run in runs),
        latencies.mean if latencies else None,
        all(run["success"] for run in runs),
    )
