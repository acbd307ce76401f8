"""The twelve experiments over scans of a rangefinder: points in the plane, pairs of alike scans."""

from __future__ import annotations

import math
from collections.abc import Callable
from operator import mul, sub
from typing import Any

import numpy as np
import numpy.typing as npt

from onefold.bench.experiments.experiment import Experiment
from onefold.stream import Stream, source

TYPE = "id int, dist array<double>"
POINTS = "x array<double>, y array<double>"
PAIR = "left int, right int, latest bigint"

READINGS, FIELD_OF_VIEW = 761, 190.0
"""Of a scan, in degrees; it looks as far beyond the x axis on its right as on its left."""
REFERENCE = (10.0, 10.0)
LEAST_DISTANCE, LEAST_FROM_REFERENCE = 3.0, 13.0
"""In metres: as the authors' program has them, see docs/errata.md."""
PART = 254
"""How many points a part of a scan has: three parts in all."""
COMPARED = 76
"""How many readings joins compare, the first ones."""
ROUNDING = 1e-9
"""A nanometre above the threshold: whichever way a sum of millimetres is rounded, it counts."""
ADVANCE, SHORT, WIDE = 500, 1_000, 2_000
"""Windows of joins in milliseconds."""

_ANGLES = [
    math.radians((180 - FIELD_OF_VIEW) / 2 + n * FIELD_OF_VIEW / (READINGS - 1))
    for n in range(READINGS)
]
COSINES = tuple(map(math.cos, _ANGLES))
SINES = tuple(map(math.sin, _ANGLES))

Points = tuple[list[float], list[float]]


def scans() -> Stream:
    """Return the stream of scans."""
    return source("scans", TYPE)


def cartesian(dist: tuple[float, ...]) -> Points:
    """Return the points of a scan in metres; the sensor is at (0, 0)."""
    return list(map(mul, dist, COSINES)), list(map(mul, dist, SINES))


def from_reference(dist: tuple[float, ...]) -> Points:
    """Return the points of a scan as seen from the reference point."""
    x, y = REFERENCE
    return (
        [reading * cosine - x for reading, cosine in zip(dist, COSINES)],
        [reading * sine - y for reading, sine in zip(dist, SINES)],
    )


def average_distance(points: Points) -> float:
    """Return how far points are from (0, 0) on average."""
    return sum(map(math.hypot, *points)) / len(points[0])


def in_parts(points: Points) -> list[Points]:
    """Return points in three parts."""
    x, y = points
    return [(x[n : n + PART], y[n : n + PART]) for n in range(0, len(x), PART)]


def far_points(t: Any) -> list[Points]:
    """Return the points, if the readings are 3 m or more on average: llf."""
    points = cartesian(t.dist)
    return [points] if sum(t.dist) >= LEAST_DISTANCE * len(t.dist) else []


def points(t: Any) -> list[Points]:
    """Return the points: alf."""
    return [cartesian(t.dist)]


def parts(t: Any) -> list[Points]:
    """Return the points in three parts: hlf."""
    return in_parts(cartesian(t.dist))


def far_from_reference(t: Any) -> list[Points]:
    """Return the points from the reference point, if more than 13 m away on average: lhf."""
    points = from_reference(t.dist)
    return [points] if average_distance(points) > LEAST_FROM_REFERENCE else []


def points_from_reference(t: Any) -> list[Points]:
    """Return the points from the reference point: ahf."""
    return [from_reference(t.dist)]


def parts_from_reference(t: Any) -> list[Points]:
    """Return the points from the reference point in three parts: hhf."""
    return in_parts(from_reference(t.dist))


def alike(threshold: float) -> Callable[[Any, Any], bool]:
    """Return whether the first readings of two scans differ, by no more than a threshold in all."""

    def where(x: Any, y: Any) -> bool:
        difference: float = sum(map(abs, map(sub, x.dist[:COMPARED], y.dist[:COMPARED])))
        return 0 < difference <= threshold + ROUNDING

    return where


def alike_columns(threshold: float) -> Callable[[Any, Any], npt.NDArray[np.bool_]]:
    """Return `alike` for all pairs of two columns, of shapes (n, 1, k) and (1, m, k)."""

    def where(x: Any, y: Any) -> npt.NDArray[np.bool_]:
        rights = y.dist[:, :, :COMPARED]
        difference = np.empty((x.dist.shape[0], rights.shape[1]))
        for row, left in enumerate(x.dist[:, :, :COMPARED]):  # a row at a time stays in the cache
            difference[row] = np.abs(rights[0] - left).sum(axis=1)
        holds: npt.NDArray[np.bool_] = (difference > 0) & (difference <= threshold + ROUNDING)
        return holds

    return where


def both(x: Any, y: Any) -> tuple[int, int, int]:
    """Return what a pair gives; its latest time is there to tell the latency."""
    return x.id, y.id, max(x.time, y.time)


def pairs(where: Callable[[Any, Any], Any], size: int) -> Stream:
    """Return pairs of scans, all of one key."""
    stream = scans()
    return stream.join(stream, PAIR, where=where, select=both, size=size, advance=ADVANCE)


def _pairs_by_column(threshold: float, size: int) -> Stream:
    from onefold import vectorized

    return pairs(vectorized(alike_columns(threshold)), size)


def _points(
    name: str, selectivity: float, function: Callable[[Any], Any], notes: str
) -> Experiment:
    def pipeline() -> Stream:
        return scans().flat_map(function, POINTS)

    return Experiment(name, "scans", notes, selectivity, pipeline, function)


def _pairs(name: str, selectivity: float, threshold: float, size: int) -> Experiment:
    return Experiment(
        name,
        "scans",
        f"pairs of scans that differ by {threshold} m at most, windows of {size // 1000} s",
        selectivity,
        lambda: pairs(alike(threshold), size),
        size=size,
        advance=ADVANCE,
        vectorized=lambda: _pairs_by_column(threshold, size),
    )


EXPERIMENTS = (
    _points("llf", 0.2, far_points, "points of scans of 3 m or more on average"),
    _points("alf", 1, points, "points of scans"),
    _points("hlf", 3, parts, "points of scans in three parts"),
    _points("lhf", 0.7, far_from_reference, "points of scans > 13 m from (10, 10) on average"),
    _points("ahf", 1, points_from_reference, "points of scans from (10, 10)"),
    _points("hhf", 3, parts_from_reference, "points of scans from (10, 10) in three parts"),
    _pairs("llj", 8e-5, 0.5, SHORT),
    _pairs("alj", 8e-4, 0.6, SHORT),
    _pairs("hlj", 5e-3, 0.7, SHORT),
    _pairs("lhj", 6e-5, 0.5, WIDE),
    _pairs("ahj", 7e-4, 0.6, WIDE),
    _pairs("hhj", 3e-3, 0.7, WIDE),
)
