"""Latency is completion less origin; a sustained rate has outputs in time and no backlog."""

from __future__ import annotations

from collections.abc import Sequence

from onefold.bench.latency import LIMIT, Span, over, per_second
from onefold.bench.observed import Batch
from onefold.bench.rate import judged
from onefold.bench.source import Load

LOAD = Load("", begin=100_000, rate=10, tuples=200)
SECONDS = 20


def batch(begin: int, millis: int, through: int, origins: Sequence[int] = ()) -> Batch:
    offset = {"tuples": through}
    return Batch(begin, millis, 0, offset, len(origins), 0, tuple(origins), 0)


def steady(lag: int = 200) -> list[Batch]:
    """Return a batch every second, complete `lag` ms after the tuples of the second before."""
    made = []
    for second in range(1, SECONDS + 1):
        now = LOAD.begin + second * 1000
        made.append(batch(now, lag, second * 10, range(now - 1000, now, 100)))
    end = LOAD.begin + SECONDS * 1000
    return [*made, batch(end + 1000, 100, LOAD.tuples + 1)]


def test_a_steady_run_is_sustained() -> None:
    told = judged(steady(), LOAD, SECONDS)
    assert told.success
    assert told.over == 0
    assert (told.p50, told.p99) == (0.7, 1.2)
    assert round(told.tuples_per_second) == 10
    assert told.seconds == len(told.per_second) == 16
    assert all(each.p50 == 0.7 for each in told.per_second)


def test_latencies_over_the_limit_fail() -> None:
    late = batch(LOAD.begin + 5000, LIMIT, 50, [LOAD.begin + 3000 + n for n in range(4)])
    told = judged([late, *steady()[5:]], LOAD, SECONDS)
    assert told.over == 4
    assert not told.success


def test_a_growing_backlog_fails_though_none_is_late() -> None:
    seen = []
    for second in range(1, 2 * SECONDS + 1):
        now = LOAD.begin + second * 1000
        seen.append(batch(now, 900, second * 5, [now - 500]))
    told = judged([*seen, batch(LOAD.begin + 41_000, 1, LOAD.tuples + 1)], LOAD, SECONDS)
    assert told.over == 0
    assert not told.success


def test_a_run_that_did_not_come_to_its_end_fails() -> None:
    told = judged(steady()[:-1], LOAD, SECONDS)
    assert not told.complete
    assert not told.success


def test_a_run_that_takes_in_less_than_comes_fails_before_its_backlog_shows() -> None:
    slow = [batch(each.begin, each.millis, through * 8, each.origins)
            for through, each in enumerate(steady()[:-1], 1)]  # fmt: skip
    told = judged([*slow, steady()[-1]], LOAD, SECONDS)
    assert told.complete
    assert told.over == 0
    assert not told.success


def test_no_batch_is_no_success() -> None:
    told = judged([], LOAD, SECONDS)
    assert (told.success, told.p50, told.outputs) == (False, None, 0)


def test_one_output_over_the_limit_is_never_none() -> None:
    many = Batch(20_000, 0, 0, None, 3, 0, (4_999, *range(6000, 6100)), 0)
    assert over([many], Span(0, 30_000)) == 1


def test_a_batch_counts_for_the_seconds_it_ran_in() -> None:
    told = per_second([(batch(500, 2000, 0), 40)], Span(0, 4000), unit=10)
    assert [each.throughput for each in told] == [100, 200, 100, 0]
