"""Watermarks: what Spark's watermark, one for a query, says about each source of the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from onefold.core.time import END_OF_TIME, START_OF_TIME, floor_to_tick
from onefold.engines.spark.fragments import Entry

END_OF_STREAM = datetime(9000, 1, 1, tzinfo=UTC)
"""The event time of a row that is no tuple: it ends its source."""

END_MILLIS = floor_to_tick(END_OF_STREAM)

LAST_MILLIS = floor_to_tick(datetime(8000, 1, 1, tzinfo=UTC))
"""Event times lie before this, and a watermark from here on, the end less any delay, is the end."""

LATE_PROOF = datetime(9900, 1, 1, tzinfo=UTC)
"""The event time of parcels: later than every watermark, so that Spark drops none of them."""

Clock = Callable[[int, int], int]
"""Given a source's number and Spark's watermark: the source's watermark in the model."""


def natural(_source: int, watermark: int) -> int:
    """Take Spark's watermark as it is. It begins at 0, which promises nothing.

    >>> natural(0, 0) == START_OF_TIME, natural(0, 7), natural(0, END_MILLIS - 7) == END_OF_TIME
    (True, 7, True)
    """
    if watermark <= 0:
        return START_OF_TIME
    return END_OF_TIME if watermark >= LAST_MILLIS else watermark


def later(told: Mapping[int, int], now: Mapping[int, int]) -> dict[int, int]:
    """Return the latest watermark that each source has told.

    >>> later({1: 5, 2: 5}, {1: 7, 2: 3})
    {1: 7, 2: 5}
    """
    return {**told, **{source: max(at, told.get(source, at)) for source, at in now.items()}}


def reached(entry: Entry, clock: Clock, watermark: int, told: Mapping[int, int]) -> int:
    """Return the watermark of an entry: the least of the sources that its tuples come from."""
    known = {source: END_OF_TIME if at >= LAST_MILLIS else at for source, at in told.items()}
    least = min(
        max(clock(source, watermark), known.get(source, START_OF_TIME)) for source in entry.sources
    )
    return START_OF_TIME if entry.waits and least != END_OF_TIME else least
