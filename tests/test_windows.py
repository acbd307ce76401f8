"""Window arithmetic against its definition, and durations."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from onefold.core import windows
from onefold.core.errors import BadDuration
from onefold.core.time import (
    END_OF_TIME,
    START_OF_TIME,
    TICK,
    duration,
    floor_to_tick,
    show_duration,
    show_time,
)

# A busy machine is slow to draw examples; that is no fault of a law.
law = settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])
times = st.integers(-60, 60)
advances = st.integers(1, 9)
windows_of = st.tuples(advances, st.integers(0, 20)).map(lambda pair: (pair[0], sum(pair)))
"""An advance and a size; most sizes are no multiple of the advance."""


def by_definition(time: int, advance: int, size: int) -> list[int]:
    """Try every ℓ: the window [ℓ·advance, ℓ·advance + size) holds the time or does not."""
    tried = (number * advance for number in range(-200, 200))
    return [left for left in tried if left <= time < left + size]


@law
@given(times, windows_of)
def test_a_time_falls_in_the_windows_of_the_definition(time: int, window: tuple[int, int]) -> None:
    advance, size = window
    assert list(windows.lefts(time, advance, size)) == by_definition(time, advance, size)


@law
@given(times, windows_of)
def test_the_last_window_is_the_latest_that_has_begun(time: int, window: tuple[int, int]) -> None:
    advance, size = window
    assert windows.last_left(time, advance) == max(by_definition(time, advance, size))


@law
@given(st.integers(-(2**62), 2**62), windows_of)
def test_large_times_are_exact(time: int, window: tuple[int, int]) -> None:
    advance, size = window
    lefts = windows.lefts(time, advance, size)
    assert len(lefts) in {size // advance, -(-size // advance)}
    assert all(left % advance == 0 and left <= time < left + size for left in lefts)
    assert not lefts[0] - advance <= time < lefts[0] - advance + size
    assert not lefts[-1] + advance <= time


@law
@given(times, windows_of, times)
def test_a_window_fires_when_no_tuple_in_time_can_fall_in_it(
    left: int, window: tuple[int, int], watermark: int
) -> None:
    _, size = window
    in_time = [time for time in range(left, left + size) if time >= watermark]
    assert windows.fires(left, size, watermark) == (not in_time)


@law
@given(times, windows_of, st.integers(0, 20), times)
def test_a_window_is_gone_once_its_lateness_is_over(
    left: int, window: tuple[int, int], lateness: int, watermark: int
) -> None:
    _, size = window
    gone = windows.dropped(left, size, lateness, watermark)
    assert gone == (watermark - lateness >= left + size)
    if gone:
        assert windows.fires(left, size, watermark), "what is gone has fired"
    if lateness == 0:
        assert gone == windows.fires(left, size, watermark)


@law
@given(times, windows_of)
def test_output_has_the_last_instant_of_its_window(left: int, window: tuple[int, int]) -> None:
    advance, size = window
    time = windows.output_time(left, size)
    assert left <= time < left + size
    assert time + TICK == left + size
    if left % advance == 0:
        assert windows.lefts(time, advance, size)[0] == left, "the earliest window that holds it"


def test_at_the_ends_of_time() -> None:
    assert windows.fires(0, 10, END_OF_TIME)
    assert not windows.fires(0, 10, START_OF_TIME)
    assert show_time(END_OF_TIME) == "∞"
    assert show_time(START_OF_TIME) == "-∞"
    assert show_time(-5) == "-5"


# Durations.


@pytest.mark.parametrize(
    ("written", "milliseconds"),
    [
        ("500 ms", 500), ("3 s", 3000), ("2 min", 120_000), ("1 h", 3_600_000),
        ("1 d", 86_400_000), ("3s", 3000), ("  3   s  ", 3000), ("3 S", 3000), ("3 MS", 3),
        ("1 millisecond", 1), ("2 milliseconds", 2), ("1 second", 1000), ("2 seconds", 2000),
        ("2 sec", 2000), ("1 minute", 60_000), ("2 minutes", 120_000), ("2 m", 120_000),
        ("1 hour", 3_600_000), ("2 hours", 7_200_000), ("1 day", 86_400_000),
        ("2 Days", 172_800_000), ("0 s", 0), (0, 0), (7, 7),
        (timedelta(0), 0), (timedelta(minutes=1), 60_000), (timedelta(microseconds=2000), 2),
    ],
)  # fmt: skip
def test_a_duration_is_read(written: object, milliseconds: int) -> None:
    assert duration(written) == milliseconds  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "written",
    ["", "3", "s", "3 weeks", "1.5 s", "3 s 5 ms", "three s", "+3 s", "3_000 ms",
     1.5, None, True, False, b"3 s", [3]],
)  # fmt: skip
def test_what_is_no_duration_is_refused(written: object) -> None:
    with pytest.raises(BadDuration) as refused:
        duration(written, "map: size")  # type: ignore[arg-type]
    assert str(refused.value) == (
        f"map: size is {written!r}, which is not a duration\n"
        '  Hint: write "3 s", "500 ms", "2 min", "1 h", a timedelta, or whole milliseconds'
    )


def test_a_duration_is_whole_milliseconds() -> None:
    with pytest.raises(BadDuration, match="finer than a millisecond"):
        duration(timedelta(microseconds=1500))


def test_a_long_timedelta_is_exact() -> None:
    assert duration(timedelta(milliseconds=2**53 + 1)) == 2**53 + 1
    with pytest.raises(BadDuration, match="finer than a millisecond"):
        duration(timedelta(days=200_000_000, microseconds=1))


@pytest.mark.parametrize(
    ("written", "least", "text"),
    [
        ("-1 s", 0, "size is -1 s, and must be at least 0 s"),
        (0, 1, "size is 0 s, and must be at least 1 ms"),
        (timedelta(0), 1, "size is 0 s, and must be at least 1 ms"),
        ("999 ms", 1000, "size is 999 ms, and must be at least 1 s"),
    ],
)
def test_a_duration_may_be_too_short(written: object, least: int, text: str) -> None:
    with pytest.raises(BadDuration) as refused:
        duration(written, "size", least=least)  # type: ignore[arg-type]
    assert refused.value.what == text
    assert duration(least, "size", least=least) == least


@law
@given(st.integers(-(10**12), 10**12))
def test_a_duration_is_shown_as_it_can_be_read(milliseconds: int) -> None:
    assert duration(show_duration(milliseconds), least=-(10**12)) == milliseconds


@law
@given(
    st.integers(-(10**14), 10**14),
    st.timezones() | st.just(timezone(timedelta(hours=-7))),
)
def test_a_moment_is_floored_to_a_tick(microseconds: int, zone: object) -> None:
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    moment = epoch + timedelta(microseconds=microseconds)
    assert floor_to_tick(moment) == microseconds // 1000
    assert floor_to_tick(moment.astimezone(zone)) == microseconds // 1000  # type: ignore[arg-type]
    assert floor_to_tick(moment.replace(tzinfo=None)) == microseconds // 1000, "without a zone: UTC"
