"""The edits of a demo: some wait at the start, the others come live, a few of them too late.

An edit arrives at `BEGIN + i·1000 // rate`. It happened up to a second before that, so edits come a
little out of order, but ahead of the watermark, which stays two seconds behind. A few that come
live are so old that every window they belong to is gone, wherever a query cuts its batches.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from onefold.bench.data import wikipedia
from onefold.bench.prepared import BEGIN, MOMENT, TIME

WAITING = 20
"""How many seconds of edits wait at the start."""
FILE = 500
"""How many milliseconds of edits stand in a file."""
FILES_A_BATCH = 8
"""How many files a query reads at once: no batch holds more than 4 s of edits."""
DISORDER = 1_000
"""How many milliseconds old an edit may be when it arrives."""
DELAY = 2_000
"""How far the watermark stays behind the latest edit."""
TOO_OLD = 16_000
"""How old the late ones are at least: the longest window, the delay and two batches."""
LATE_SHARE = 200
"""One of so many live edits is late, but at least three are."""


@dataclass(frozen=True)
class Edits:
    """How many edits come, how long they come live, and the seed that makes them."""

    tuples: int
    seconds: int
    seed: int = 1

    @property
    def rate(self) -> int:
        """How many edits come in a second."""
        return max(1, self.tuples // (WAITING + self.seconds))

    @property
    def waiting(self) -> int:
        """How many wait at the start."""
        return min(self.tuples, self.rate * WAITING)

    @property
    def live(self) -> int:
        """When the first live edit arrives, in event time."""
        return BEGIN + WAITING * 1000

    @property
    def end(self) -> int:
        """When the last edit has arrived."""
        return BEGIN + self.tuples * 1000 // self.rate


@dataclass(frozen=True)
class Part:
    """Edits in a file, and when the last of them has arrived."""

    file: Path
    arrived: int
    tuples: int


def times(edits: Edits) -> tuple[np.ndarray, np.ndarray]:
    """Return when each edit arrives and when it happened, in milliseconds."""
    rng = np.random.default_rng((edits.seed, edits.tuples))
    arrived = BEGIN + np.arange(edits.tuples, dtype=np.int64) * 1000 // edits.rate
    happened = np.maximum(BEGIN, arrived - rng.integers(0, DISORDER, edits.tuples))
    live = edits.tuples - edits.waiting
    count = min(live, max(3, live // LATE_SHARE))
    late = edits.waiting + (np.arange(count) * live + live // 2) // max(1, count)
    oldest = (WAITING * 1000 - TOO_OLD) // 2
    happened[late] = arrived[late] - TOO_OLD - rng.integers(0, oldest, count)
    return arrived, happened


def late(edits: Edits) -> list[tuple[int, int]]:
    """Return when each late edit arrives and when it happened."""
    arrived, happened = times(edits)
    old = arrived - happened >= TOO_OLD
    return list(zip(arrived[old].tolist(), happened[old].tolist()))


def write(edits: Edits, folder: Path) -> list[Part]:
    """Write the edits to files in the order of their arrival."""
    made = pa.concat_tables(wikipedia.chunks(edits.tuples, edits.seed))
    arrived, happened = times(edits)
    table = made.add_column(0, TIME, pa.array(happened * 1000, MOMENT))
    ends = np.arange(BEGIN + FILE, edits.end + FILE, FILE)
    bounds = [0, *np.searchsorted(arrived, ends).tolist()]
    parts = []
    for number, (first, last) in enumerate(pairwise(bounds)):
        file = folder / f"{number:05}.parquet"
        pq.write_table(table.slice(first, last - first), file)
        os.utime(file, (number, number))  # Spark reads them in this order
        parts.append(Part(file, int(ends[number]), last - first))
    return parts


def split(edits: Edits, parts: Sequence[Part]) -> tuple[list[Part], list[Part]]:
    """Return the files that wait at the start, and those that come live."""
    waiting = [part for part in parts if part.arrived <= edits.live]
    return waiting, list(parts[len(waiting) :])
