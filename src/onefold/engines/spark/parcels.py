"""Parcels: what goes from task to task, many tuples in one row of a DataFrame.

A row holds the group that it goes to, whom it is for, and the bytes. Groups are to Spark what keys
are to the operator: a key is always in the same group, and a group in one task.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any
from zlib import crc32

import pyarrow as pa

from onefold.core.packing import packed, unpacked
from onefold.core.records import Tuple
from onefold.core.types import TupleType
from onefold.core.values import identity
from onefold.engines.spark.blocks import NOT_IN_ARROW, SMALL, ArrowBlock, as_batch
from onefold.engines.spark.depot import LONG, SLIP, Depot, fetched

_ARROW = b"\xff\xff\xff\xff"
"""How a stream of Arrow begins, and no pickle does."""

_PORT = b"port"
LONGEST_CELL = 64
"""For at most how many milliseconds tuples go to the same group: all groups get some of a batch."""

REPORT = -(2**31)
"""Whom a parcel is for that tells what happened: late tuples, failures, counts."""


TOLD = REPORT + 1
"""Whom a parcel is for that tells a source's watermark: everyone on the way."""


@dataclass(frozen=True)
class Parcel:
    """Bytes on their way: for an operator (its number), an output (-1, -2, …), or a report."""

    group: int
    node: int
    data: bytes | None


def pack_tuples(
    type: TupleType, port: int, tuples: Sequence[Tuple], depot: Depot | None = None
) -> bytes:
    """Return tuples as bytes: a few are pickled, many are written as Arrow, or lie in a depot."""
    if len(tuples) >= SMALL:
        try:
            batch = _addressed(as_batch(type, tuples), port)
        except NOT_IN_ARROW:
            pass
        else:
            if depot is not None and batch.nbytes >= LONG:
                return depot.keep(batch)
            return _written(batch)
    return packed((port, [tuple(t) for t in tuples]))


def opened(data: bytes) -> tuple[int, pa.RecordBatch | list[tuple[Any, ...]]]:
    """Return the port of a parcel, and what it holds: an Arrow batch, or bare rows."""
    if data.startswith((SLIP, _ARROW)):
        reader = pa.ipc.open_stream(fetched(data) if data.startswith(SLIP) else data)
        return int(reader.schema.metadata[_PORT]), reader.read_next_batch()
    port, rows = unpacked(data)
    return port, rows


def tuples_of(type: TupleType, held: pa.RecordBatch | list[tuple[Any, ...]]) -> Sequence[Tuple]:
    """Return what an opened parcel holds, as tuples of its type."""
    if isinstance(held, list):
        return list(map(type.tuple_class, held))
    return ArrowBlock(type, held)


def _addressed(batch: pa.RecordBatch, port: int) -> pa.RecordBatch:
    return batch.replace_schema_metadata({_PORT: str(port).encode()})


def _written(batch: pa.RecordBatch) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    written: bytes = sink.getvalue().to_pybytes()
    return written


def group_of(key: Any, groups: int) -> int:
    """Return the group of a key: the same in every process, and for equal keys.

    >>> group_of("a", 7) == group_of("a", 7), group_of(1, 7) == group_of(1.0, 7)
    (True, True)
    """
    text = key if type(key) is str else identity(key)
    return crc32(text.encode("utf-8", "surrogatepass")) % groups


def by_group(keyed: Iterable[tuple[Tuple, Any]], groups: int) -> dict[int, list[Tuple]]:
    """Return tuples by the group of their key."""
    if groups == 1:
        return {0: tuples} if (tuples := list(map(itemgetter(0), keyed))) else {}
    found: dict[int, list[Tuple]] = {}
    known: dict[Any, int] = {}
    for t, key in keyed:
        group = known.get(key)
        if group is None:
            group = known[key] = group_of(key, groups)
        found.setdefault(group, []).append(t)
    return found


def cell(groups: int) -> int:
    """Return for how many milliseconds tuples go to the same group if those of one time must.

    The more groups, the fewer. An odd number of them: times are often whole seconds.

    >>> [cell(groups) for groups in (2, 8, 200)]
    [33, 9, 1]
    >>> sorted({second * 1000 // cell(2) % 2 for second in range(10)})
    [0, 1]
    """
    return max(1, LONGEST_CELL // groups) | 1


def by_time(tuples: Iterable[Tuple], groups: int) -> dict[int, list[Tuple]]:
    """Return tuples by a group that those of one time share."""
    found: dict[int, list[Tuple]] = {}
    width = cell(groups)
    for t in tuples:
        found.setdefault(t[0] // width % groups, []).append(t)
    return found
