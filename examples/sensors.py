r"""In which rooms will mould grow? Where the air is damp enough to wet a cold wall.

A thermometer and a hygrometer in each room report on their own clocks. The dew point needs both, so
readings of one room that are at most 5 seconds apart are put together, each such pair once.

    onefold run examples/sensors.py:pipeline \
        --input warmth=examples/data/warmth.csv --input damp=examples/data/damp.csv
    onefold replay examples/sensors.yaml

A join pairs within windows: tumbling ones would part two readings on both sides of an edge, and
sliding ones find a pair once for each window that holds both. Windows of twice the tolerance that
advance by the tolerance hold every pair, and the earlier reading of a pair lies in the first half
of exactly one of them: that one counts.
"""

from __future__ import annotations

from math import log
from typing import Any

import onefold as of

TOLERANCE = 5_000
COLD_WALL = 12.0  # degrees Celsius


def close(warm: Any, damp: Any) -> bool:
    """Say whether two readings are of about the same time."""
    return abs(warm.time - damp.time) <= TOLERANCE


def pair(warm: Any, damp: Any) -> tuple[str, int, float, float]:
    """Return two readings as one, with the earlier of their times."""
    return warm.room, min(warm.time, damp.time), warm.celsius, damp.percent


def in_first_half(t: Any) -> bool:
    """Say whether the earlier reading of a pair lies in the first half of its window."""
    left = t.time + 1 - 2 * TOLERANCE  # a window's output has its last instant as time
    return t.at < left + TOLERANCE


def dew_point(celsius: float, percent: float) -> float:
    """Return where air begins to wet a wall, in degrees Celsius (the Magnus formula)."""
    damp = log(percent / 100) + 17.62 * celsius / (243.12 + celsius)
    return 243.12 * damp / (17.62 - damp)


warmth = of.source("warmth", "room string, celsius double")
damp = of.source("damp", "room string, percent double")
readings = warmth.filter(lambda t: t.celsius is not None and -40 <= t.celsius <= 60).join(
    damp.filter(lambda t: t.percent is not None and 0 < t.percent <= 100),
    "room string, at bigint, celsius double, percent double",
    key=["room"],
    where=close,
    select=pair,
    size=2 * TOLERANCE,
    advance=TOLERANCE,
)
dew = readings.filter(in_first_half).map(
    lambda t: (t.room, t.at, round(dew_point(t.celsius, t.percent), 1)),
    "room string, at bigint, dew_point double",
)
pipeline = dew.filter(lambda t: t.dew_point >= COLD_WALL)
