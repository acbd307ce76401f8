"""Latency and backlog from a query's batches.

The latency of an output is the moment when its micro-batch was complete, less the time of the last
input that it needed, which is the moment when that was forwarded.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from onefold.bench.observed import Batch

LIMIT = 15_000
"""How many milliseconds an output may take."""
MOST_OVER = 3
"""How many outputs may take longer: with more, a rate is not sustained."""
KEEPING_UP = 0.9
"""How much of the rate must be taken in meanwhile: with less, a backlog grows."""


@dataclass(frozen=True)
class Span:
    """The part of a run that counts, in milliseconds of the clock."""

    begin: int
    end: int

    def __contains__(self, moment: int) -> bool:
        return self.begin <= moment < self.end


@dataclass(frozen=True)
class Point:
    """Outputs of about the same latency."""

    origin: int
    latency: int
    weight: float


@dataclass(frozen=True)
class Second:
    """One second of a run."""

    second: int
    throughput: float
    p50: float | None
    p99: float | None


def counted(begin: int, seconds: int) -> Span:
    """Return a run without its first and its last tenth.

    >>> counted(5000, 20)
    Span(begin=7000, end=23000)
    """
    tenth = seconds * 100
    return Span(begin + tenth, begin + seconds * 1000 - tenth)


def points(seen: Sequence[Batch], span: Span) -> list[Point]:
    """Return the outputs whose last input is of the span."""
    return [each for batch in seen for each in _points(batch) if each.origin in span]


def _points(batch: Batch) -> Iterator[Point]:
    for origin in batch.origins:
        weight = batch.outputs / len(batch.origins)
        yield Point(origin, batch.completion - origin, weight)


def quantile(of: Sequence[Point], share: float) -> float | None:
    """Return the latency that so many of the outputs do not exceed, in seconds.

    >>> quantile([Point(0, 7, 1.0), Point(0, 90, 1.0), Point(0, 8, 98.0)], 0.99)
    0.008
    """
    ordered = sorted(of, key=lambda each: each.latency)
    wanted = share * sum(each.weight for each in ordered)
    reached = 0.0
    for each in ordered:
        reached += each.weight
        if reached >= wanted:
            return each.latency / 1000
    return ordered[-1].latency / 1000 if ordered else None


def over(seen: Sequence[Batch], span: Span) -> int:
    """Return about how many outputs of the span took longer than the limit; 0 only if none did."""
    return sum(_over(batch, span) for batch in seen)


def _over(batch: Batch, span: Span) -> int:
    first = bisect_left(batch.origins, span.begin)
    last = bisect_left(batch.origins, min(span.end, batch.completion - LIMIT))
    if last <= first:
        return 0
    return max(1, round(batch.outputs * (last - first) / len(batch.origins)))


def backlog_grows(lags: Sequence[tuple[int, int]], span: Span) -> bool:
    """Say whether a query falls behind, given (moment, how many milliseconds it was behind).

    >>> span = Span(0, 9000)
    >>> backlog_grows([(1000, 900), (4000, 1500), (8000, 1100)], span)
    False
    >>> backlog_grows([(1000, 900), (4000, 2900), (8000, 5900)], span)
    True
    """
    held = [(moment, lag) for moment, lag in lags if moment in span]
    if len(held) < 2:
        return not held or held[0][1] > LIMIT  # a batch longer than the run
    third = (span.end - span.begin) // 3
    early = [lag for moment, lag in held if moment < span.begin + third] or [held[0][1]]
    late = [lag for moment, lag in held if moment >= span.end - third] or [held[-1][1]]
    return median(late) > 1.5 * median(early) + 1000


def per_second(
    progress: Sequence[tuple[Batch, int]], span: Span, unit: float = 1.0
) -> list[Second]:
    """Return each second of a span, given batches and how many tuples each took in.

    A batch's tuples count for the seconds it ran in; a latency for that of the output's last input.
    `unit` is what a tuple counts: 1, or its comparisons.
    """
    done: dict[int, float] = defaultdict(float)
    heard: dict[int, list[Point]] = defaultdict(list)
    for batch, tuples in progress:
        for second, share in _seconds_of(batch, span.begin):
            done[second] += share * tuples * unit
    for point in points([batch for batch, _ in progress], span):
        heard[(point.origin - span.begin) // 1000].append(point)
    return [
        Second(n, round(done[n], 1), quantile(heard[n], 0.5), quantile(heard[n], 0.99))
        for n in range((span.end - span.begin) // 1000)
    ]


def _seconds_of(batch: Batch, begin: int) -> Iterator[tuple[int, float]]:
    """Return the seconds from `begin` on that a batch ran in, and how much of it fell in each."""
    at, end = batch.begin - begin, batch.completion - begin
    length = max(1, end - at)
    while at < end:
        second = at // 1000
        until = min(end, (second + 1) * 1000)
        yield second, (until - at) / length
        at = until
