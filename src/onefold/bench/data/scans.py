"""Synthetic scans of a rangefinder that drives through a hall.

    id int, dist array<double>

The first readings are of a wall that drives along, as it were: they differ from scan to scan by
noise alone, in which neighbours share. So a sum of differences below a threshold is as rare as in
the paper. The others are of the hall: how far its walls are changes from scan to scan.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as arrow

from onefold.bench.data.blocks import in_chunks
from onefold.bench.experiments.scans import COMPARED, READINGS

BLOCK = 1_024
SCHEMA = arrow.schema([("id", arrow.int32()), ("dist", arrow.list_(arrow.float64()))])

NEAR_WALL = 1.4
"""How far the wall of the first readings is, in metres."""
NOISE, SHARED = 0.0225, 32
"""The deviation of a reading in metres, and over how many neighbours it is spread."""
HALL, HALL_DEVIATION = 2.91, 0.40
"""The mean distance of the hall's walls in metres, and how much it changes."""
CORNERS = 0.25
"""How much further away the corners of the hall are than its walls."""
SKEW, SKEW_DEVIATION = -0.12, 0.1
"""How much further the hall's left wall is than its right one, in parts."""
OBSTACLE, OBSTACLE_WIDTH = 0.6, 90
"""A pallet that stands in the way: its distance as a part of the wall's, and its readings."""

Readings = npt.NDArray[np.float64]


def chunks(tuples: int, seed: int, chunk: int = BLOCK) -> Iterator[arrow.Table]:
    """Return scans, `chunk` at a time: the same ones for every size of a chunk."""
    return in_chunks(_block, BLOCK, tuples, seed, chunk)


def _block(start: int, rng: np.random.Generator) -> arrow.Table:
    dist = np.full((BLOCK, READINGS), NEAR_WALL)
    dist[:, COMPARED:] = _hall(rng)
    dist += _noise(rng)
    readings = np.round(dist, 3).ravel()  # whole millimetres
    ends = np.arange(BLOCK + 1, dtype=np.int32) * READINGS
    ids = np.arange(start, start + BLOCK, dtype=np.int32)
    columns = [arrow.array(ids), arrow.ListArray.from_arrays(ends, readings)]
    return arrow.table(columns, schema=SCHEMA)


def _hall(rng: np.random.Generator) -> Readings:
    across = np.linspace(-1, 1, READINGS - COMPARED)
    walls = rng.normal(HALL, HALL_DEVIATION, (BLOCK, 1)).clip(0.8)
    skew = rng.normal(SKEW, SKEW_DEVIATION, (BLOCK, 1))
    shape: Readings = walls * (
        1 + CORNERS * (np.abs(np.sin(2 * np.pi * across)) - 0.5) + skew * across
    )
    left = rng.integers(0, across.size - OBSTACLE_WIDTH, (BLOCK, 1))
    behind = np.arange(across.size) - left
    shape[(behind >= 0) & (behind < OBSTACLE_WIDTH)] *= OBSTACLE
    return shape


def _noise(rng: np.random.Generator) -> Readings:
    """Return noise in which SHARED neighbours have a part in common: a moving sum."""
    own = rng.standard_normal((BLOCK, READINGS + SHARED))
    sums = np.cumsum(own, axis=1)
    noise: Readings = (sums[:, SHARED:] - sums[:, :-SHARED]) * (NOISE / SHARED**0.5)
    return noise
