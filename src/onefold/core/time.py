"""Event time: whole milliseconds since the epoch. One tick (the paper's δ) is one millisecond."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from onefold.core.errors import BadDuration

TICK = 1
"""The smallest step of event time, δ."""

END_OF_TIME = 2**63 - 1
"""The watermark of a stream that has ended: no event time reaches it."""

LATEST = 2**62
"""Event times lie within ±2^62 ms, so that every window ends before time does."""

START_OF_TIME = -(2**63)
"""The watermark of a stream that has promised nothing yet."""

Duration = str | timedelta | int

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECONDS = {"ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}
_LONG_NAMES = {
    "millisecond": "ms", "milliseconds": "ms", "second": "s", "seconds": "s", "sec": "s",
    "minute": "min", "minutes": "min", "m": "min", "hour": "h", "hours": "h",
    "day": "d", "days": "d",
}  # fmt: skip
_MOST_DIGITS = 20
_WRITTEN = re.compile(r"\s*(-?\d+)\s*([A-Za-z]+)\s*")


def duration(value: Duration, what: str = "the duration", *, least: int = 0) -> int:
    """Return `value` in milliseconds.

    >>> duration("3 s"), duration("500 ms"), duration(timedelta(minutes=1)), duration(7)
    (3000, 500, 60000, 7)
    """
    length = _milliseconds(value, what)
    if length < least:
        raise BadDuration(
            f"{what} is {show_duration(length)}, and must be at least {show_duration(least)}",
            hint="event time is counted in whole milliseconds",
        )
    if length > LATEST:
        raise BadDuration(f"{what} is {show_duration(length)}, longer than event time itself")
    return length


def _milliseconds(value: object, what: str) -> int:
    match value:
        case bool():
            pass
        case int():
            return value
        case timedelta():
            length, finer = divmod(value, timedelta(milliseconds=1))
            if not finer:
                return length
            raise BadDuration(
                f"{what} is {value!r}, finer than a millisecond",
                hint="event time is counted in whole milliseconds",
            )
        case str():
            if found := _WRITTEN.fullmatch(value):
                unit = _LONG_NAMES.get(found[2].lower(), found[2].lower())
                if unit in _MILLISECONDS and len(found[1]) > _MOST_DIGITS:
                    raise BadDuration(f"{what} is longer than event time itself")
                if unit in _MILLISECONDS:
                    return int(found[1]) * _MILLISECONDS[unit]
    raise BadDuration(
        f"{what} is {value!r}, which is not a duration",
        hint='write "3 s", "500 ms", "2 min", "1 h", a timedelta, or whole milliseconds',
    )


def show_duration(length: int) -> str:
    """Write a duration the way a person would.

    >>> show_duration(90000), show_duration(1500), show_duration(0)
    ('90 s', '1500 ms', '0 s')
    """
    for unit, milliseconds in reversed(list(_MILLISECONDS.items())):
        if length and length % milliseconds == 0:
            return f"{length // milliseconds} {unit}"
    return "0 s"


def show_time(time: int) -> str:
    """Write a time or a watermark; the two ends of time have signs of their own."""
    return {END_OF_TIME: "∞", START_OF_TIME: "-∞"}.get(time, str(time))


def show_moment(time: int) -> str:
    """Write an event time as a date and a time of day, if it has one.

    >>> show_moment(1_480_586_400_000), show_moment(1_500), show_moment(LATEST)
    ('2016-12-01 10:00:00', '1970-01-01 00:00:01.500', '4611686018427387904')
    """
    try:
        moment = EPOCH + timedelta(milliseconds=time)
    except OverflowError:
        return show_time(time)
    finer = "milliseconds" if time % 1000 else "seconds"
    return moment.replace(tzinfo=None).isoformat(" ", finer)


def floor_to_tick(moment: datetime) -> int:
    """Return the event time of `moment`; finer than a millisecond is floored.

    >>> floor_to_tick(datetime(1970, 1, 1, 0, 0, 1, 999, tzinfo=UTC))
    1000
    """
    return (as_utc(moment) - EPOCH) // timedelta(milliseconds=TICK)


def as_utc(moment: datetime) -> datetime:
    """Return `moment` in UTC; without a zone it is taken to be UTC."""
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC)
