"""Generated streams as what functions and predicates are called with."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa

from onefold.bench.data import scans, wikipedia

CHUNKS = {"wikipedia": wikipedia.chunks, "scans": scans.chunks}


@cache
def table(dataset: str, tuples: int, seed: int = 1) -> pa.Table:
    return pa.concat_tables(CHUNKS[dataset](tuples, seed))


@cache
def rows(dataset: str, tuples: int, seed: int = 1) -> list[Any]:
    return [SimpleNamespace(**row) for row in table(dataset, tuples, seed).to_pylist()]


def readings(tuples: int, seed: int = 1) -> np.ndarray:
    dist = table("scans", tuples, seed)["dist"].combine_chunks()
    return dist.flatten().to_numpy().reshape(tuples, -1)


def sides(texts: list[str]) -> tuple[Any, Any]:
    """The two sides of a vectorised predicate, of one column of strings."""
    column = np.array(texts, dtype=np.dtypes.StringDType())
    return SimpleNamespace(orig=column[:, None]), SimpleNamespace(orig=column[None, :])


def scan_sides(dist: np.ndarray) -> tuple[Any, Any]:
    return SimpleNamespace(dist=dist[:, None, :]), SimpleNamespace(dist=dist[None, :, :])
