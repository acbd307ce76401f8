"""Blocks of rows that are made each from its own random numbers, and chunks cut from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pyarrow as arrow

Block = Callable[[int, np.random.Generator], arrow.Table]
"""Makes the whole block whose first row has this number."""


def in_chunks(make: Block, size: int, tuples: int, seed: int, chunk: int) -> Iterator[arrow.Table]:
    """Return the first `tuples` rows of a seed's blocks, `chunk` at a time."""
    return cut(_blocks(make, size, tuples, seed), chunk)


def _blocks(make: Block, size: int, tuples: int, seed: int) -> Iterator[arrow.Table]:
    for start in range(0, tuples, size):
        rng = np.random.default_rng((seed, start // size))
        yield make(start, rng).slice(0, tuples - start)


def cut(tables: Iterable[arrow.Table], rows: int) -> Iterator[arrow.Table]:
    """Return the same rows in tables of `rows` each; the last one may have fewer."""
    waiting: list[arrow.Table] = []
    held = 0
    for table in tables:
        waiting.append(table)
        held += table.num_rows
        while held >= rows:
            whole = arrow.concat_tables(waiting)
            yield whole.slice(0, rows)
            held -= rows
            waiting = [whole.slice(rows)]
    if held:
        yield arrow.concat_tables(waiting)
