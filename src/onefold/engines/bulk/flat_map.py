"""flat_map in bulk: the function for every tuple, its results checked by columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, repeat
from typing import Any

from onefold.core.aggregate import ManyRows
from onefold.core.block import Block, portions, times_of
from onefold.core.functions import FAILED, UserFunction
from onefold.core.kernel import Kernel, Outlet
from onefold.core.records import Tuple
from onefold.core.types import Array, DataType, Struct, TupleType
from onefold.operators.flat_map import FlatMap

AT_ONCE = 1000
"""How many tuples are worked on at once: what that takes in memory stays near the processor."""


def rows_of(
    function: UserFunction, type: TupleType, tuples: Sequence[Tuple]
) -> tuple[list[int], list[Sequence[Any]]]:
    """Return how many rows a function gives for each tuple, and the columns of all of them."""
    if any(_deep(kind) for _, kind in type.attributes):
        return _in_columns(type, map(function, tuples))
    results = function.results(tuples)
    plain = set(map(_type, results)) <= {list} and isinstance(function.check, ManyRows)
    lists = results if plain else [each for each in results if each.__class__ is list]
    rows = list(chain.from_iterable(lists))
    if _comes_twice(lists) or _comes_twice(_kept_arrays(type, rows)):
        return _in_columns(type, map(function, tuples))
    columns = type.normal_columns(rows) if plain else None
    if columns is not None:
        return list(map(len, results)), columns
    if _comes_twice([row for row in rows if not isinstance(row, tuple)]):
        return _in_columns(type, map(function, tuples))
    settled = (function.settled(result, t) for result, t in zip(results, tuples))
    return _in_columns(type, settled)


def _deep(kind: DataType) -> bool:
    """Say whether a value may hold something that holds something."""
    return isinstance(kind, Struct) or (
        isinstance(kind, Array) and isinstance(kind.element, Array | Struct)
    )


def _kept_arrays(type: TupleType, rows: Sequence[Any]) -> list[Any]:
    """Return the arrays that the function may keep, and fill anew for the next tuple."""
    arrays = [n for n, (_, kind) in enumerate(type.attributes) if isinstance(kind, Array)]
    given = (row[n] for n in arrays for row in rows if row.__class__ is tuple and n < len(row))
    return [each for each in given if each is not None and not isinstance(each, tuple)]


def _comes_twice(held: Sequence[Any]) -> bool:
    """Say whether something is held twice: as all of it is held, nothing else has its identity."""
    return len(set(map(id, held))) < len(held)


def _in_columns(type: TupleType, settled: Iterable[Any]) -> tuple[list[int], list[Sequence[Any]]]:
    several = [() if rows is FAILED else rows for rows in settled]
    rows = list(chain.from_iterable(several))
    return list(map(len, several)), list(zip(*rows)) if rows else [()] * len(type.attributes)


_type = type


def flat_mapped(function: UserFunction, type: TupleType, tuples: Sequence[Tuple]) -> Block:
    """Return what a function gives for each tuple, at the tuple's time."""
    counts, columns = rows_of(function, type, tuples)
    times = times_of(tuples)
    if counts.count(1) != len(counts):
        times = list(chain.from_iterable(map(repeat, times, counts)))
    return Block(type, [times, *columns])


def emit_flat_mapped(
    function: UserFunction, type: TupleType, tuples: Sequence[Tuple], out: Outlet
) -> None:
    """Emit what a function gives for each tuple, portion by portion."""
    for portion in portions(tuples, AT_ONCE):
        if made := flat_mapped(function, type, portion):
            out.emit(made)


class FlatMapInBulk(Kernel):
    """Forwards what the function makes of each tuple, at once."""

    def __init__(self, node: FlatMap) -> None:
        self.function, self.type = node.function, node.type

    def process(self, port: int, tuples: Sequence[Tuple], out: Outlet) -> None:
        emit_flat_mapped(self.function, self.type, tuples, out)
