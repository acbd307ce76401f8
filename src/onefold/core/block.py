"""Blocks: many tuples of one type, kept by columns until someone asks for the tuples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

from onefold.core.records import Tuple
from onefold.core.types import TupleType


class Block(Sequence[Tuple]):
    """Tuples as columns, their times first, in normal form.

    >>> from onefold.core.ddl import tuple_type
    >>> block = Block(tuple_type("word string"), [[1, 2], ["a", "b"]])
    >>> len(block), block[1], block.times
    (2, (time=2, word='b'), [1, 2])
    """

    def __init__(self, type: TupleType, columns: Sequence[Sequence[Any]]) -> None:
        self.type = type
        self._columns: Sequence[Sequence[Any]] | None = columns
        self._tuples: list[Tuple] | None = None

    @property
    def columns(self) -> Sequence[Sequence[Any]]:
        """The times, and the values of each attribute."""
        if self._columns is None:
            self._columns = self._read()
        return self._columns

    def _read(self) -> Sequence[Sequence[Any]]:
        raise NotImplementedError(type(self).__name__)

    @property
    def times(self) -> Sequence[int]:
        """The times of the tuples."""
        return self.columns[0]

    @property
    def tuples(self) -> list[Tuple]:
        """The tuples themselves."""
        if self._tuples is None:
            self._tuples = list(map(self.type.tuple_class, zip(*self.columns)))
        return self._tuples

    def part(self, first: int, last: int) -> Block:
        """Return the tuples from the first up to the last position."""
        return Block(self.type, [column[first:last] for column in self.columns])

    def __len__(self) -> int:
        return len(self.columns[0])

    def __iter__(self) -> Iterator[Tuple]:
        return iter(self.tuples)

    @overload
    def __getitem__(self, which: int) -> Tuple: ...

    @overload
    def __getitem__(self, which: slice) -> list[Tuple]: ...

    def __getitem__(self, which: Any) -> Any:
        return self.tuples[which]


def portions(tuples: Sequence[Tuple], size: int) -> Iterator[Sequence[Tuple]]:
    """Return tuples in portions of a size, without making tuples of a block.

    >>> [list(each) for each in portions([1, 2, 3], 2)]
    [[1, 2], [3]]
    """
    for first in range(0, len(tuples), size):
        last = first + size
        yield tuples.part(first, last) if isinstance(tuples, Block) else tuples[first:last]


def times_of(tuples: Sequence[Tuple]) -> Sequence[int]:
    """Return the times of tuples, without making tuples of a block."""
    return tuples.times if isinstance(tuples, Block) else [t.time for t in tuples]


def columns_of(tuples: Sequence[Tuple]) -> list[Sequence[Any]]:
    """Return the columns of one tuple or more, without making tuples of a block."""
    return list(tuples.columns if isinstance(tuples, Block) else zip(*tuples))
