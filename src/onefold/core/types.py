"""Tuple types: named, typed attributes, written as Spark writes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import Any

from onefold.core.records import Key, Record, Tuple, record_class, values
from onefold.core.scalars import (
    Binary,
    Boolean,
    DataType,
    Floating,
    Integer,
    Misfit,
    String,
    Timestamp,
    event_time,
    misfit,
)
from onefold.core.values import listed, order

__all__ = [
    "Array",
    "Binary",
    "Boolean",
    "DataType",
    "Floating",
    "Integer",
    "Misfit",
    "String",
    "Struct",
    "Timestamp",
    "TupleType",
]


_NO_ARRAYS = (str, bytes, Mapping, AbstractSet)
"""What can be gone through and is no array: a set has no order of its own."""


@dataclass(frozen=True)
class Array(DataType):
    """Any number of values of one type, as a tuple."""

    element: DataType

    def conform(self, value: Any) -> Any:
        if value is None:
            return None
        if isinstance(value, _NO_ARRAYS) or not hasattr(value, "__iter__"):
            raise misfit(value, f"an {self}")
        conform, items = self.element.conform, []
        for position, item in enumerate(value):
            try:
                items.append(conform(item))
            except Misfit as problem:
                raise Misfit(f"element {position}: {problem}") from None
        return tuple(items)

    def normal(self, column: Sequence[Any]) -> Sequence[Any] | None:
        if not set(map(type, column)) <= {tuple, list}:
            return None
        items = self.element.normal(list(chain.from_iterable(column)))
        if items is None:
            return None
        following = iter(items)
        return [tuple(islice(following, len(array))) for array in column]

    def __str__(self) -> str:
        return f"array<{self.element}>"


@dataclass(frozen=True)
class Struct(DataType):
    """Named values, as a record."""

    attributes: tuple[tuple[str, DataType], ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.attributes)

    @cached_property
    def record(self) -> type[Record]:
        return record_class(Record, self.names, self)

    @cached_property
    def conformers(self) -> tuple[tuple[str, Callable[[Any], Any]], ...]:
        return tuple((name, kind.conform) for name, kind in self.attributes)

    def conform(self, value: Any) -> Any:
        if value is None or type(value) is self.record:
            return value
        return self.record(self.conform_row(value))

    def conform_row(self, row: Any) -> list[Any]:
        """Return the values of a row, given as a mapping or as a tuple, in normal form."""
        if type(row) is tuple:  # what most functions return; asking for a mapping is slow
            pass
        elif isinstance(row, Tuple):
            row = values(row)
        elif isinstance(row, Mapping):
            row = self._in_order(row)
        elif not isinstance(row, (tuple, list)):
            raise misfit(row, f"a tuple or a mapping of {listed(self.names)}")
        if len(row) != len(self.attributes):
            noun = "value" if len(row) == 1 else "values"
            raise Misfit(
                f"{tuple(row)!r} has {len(row)} {noun}, and the type has "
                f"{len(self.attributes)}: {listed(self.names)}"
            )
        conforming = []
        for (name, conform), value in zip(self.conformers, row):
            try:
                # `window.key` of one attribute stands for its only value.
                lone_key = isinstance(value, Key) and len(value) == 1
                conforming.append(conform(value[0] if lone_key else value))
            except Misfit as problem:
                raise Misfit(f"attribute {name}: {problem}") from None
        return conforming

    def normal_columns(self, rows: Sequence[Any]) -> list[Sequence[Any]] | None:
        """Return the columns of plain rows in normal form, all at once; None: conform each row.

        >>> from onefold.core.ddl import tuple_type
        >>> tuple_type("word string, n int").normal_columns([("a", 1), ("b", 2)])
        [('a', 'b'), (1, 2)]
        """
        if not rows:
            return [()] * len(self.attributes)
        if set(map(type, rows)) != {tuple} or len(rows[0]) != len(self.attributes):
            return None
        try:
            all_given = list(zip(*rows, strict=True))
        except ValueError:  # rows of different lengths
            return None
        columns = []
        for (_, kind), given in zip(self.attributes, all_given):
            if (column := kind.normal(given)) is None:
                return None
            columns.append(column)
        return columns

    def __reduce__(self) -> Any:
        return type(self), (self.attributes,)

    def _in_order(self, row: Mapping[str, Any]) -> list[Any]:
        if missing := [name for name in self.names if name not in row]:
            noun, verb = ("attribute", "is") if len(missing) == 1 else ("attributes", "are")
            raise Misfit(f"{noun} {listed(missing)} {verb} missing in {dict(row)!r}")
        if unknown := [str(name) for name in row if name not in self.names]:
            raise Misfit(f"{listed(unknown)} in {dict(row)!r} is no attribute of {self}")
        return [row[name] for name in self.names]

    def __str__(self) -> str:
        return "struct<" + ", ".join(f"{written(n)}: {kind}" for n, kind in self.attributes) + ">"


@dataclass(frozen=True)
class TupleType(Struct):
    """The type of a stream: what its tuples hold beside their time."""

    @cached_property
    def tuple_class(self) -> type[Tuple]:
        """The class of this type's tuples: `tuple_class((time, *values))`, values conforming."""
        return record_class(Tuple, ("time", *self.names), self)

    def make(self, time: int, row: Any) -> Tuple:
        """Return a tuple at `time` with the values of `row`.

        >>> from onefold.core.ddl import tuple_type
        >>> tuple_type("word string, n int").make(5, {"n": 1, "word": "a"})
        (time=5, word='a', n=1)
        """
        row = values(row) if type(row) is self.tuple_class else self.conform_row(row)
        made: Tuple = self.tuple_class((time, *row))
        return made

    def read(self, row: Any) -> Tuple:
        """Return the tuple of a row: `(time, value, …)`, or a mapping with its `time`."""
        if isinstance(row, Mapping):
            rest = {name: value for name, value in row.items() if name != "time"}
            return self.make(event_time(row.get("time")), rest)
        if not isinstance(row, (tuple, list)) or not row:
            raise misfit(row, "a tuple (time, value, …) or a mapping")
        return self.make(event_time(row[0]), row if isinstance(row, Tuple) else tuple(row[1:]))

    @cached_property
    def has_floats(self) -> bool:
        """Whether a value may be NaN, at any depth."""
        return any(_holds_floats(kind) for _, kind in self.attributes)

    def sort(self, tuples: Sequence[Tuple]) -> list[Tuple]:
        """Return tuples by time, ties by value: the order in which a function sees a window."""
        if not self.has_floats:
            try:
                return sorted(tuples)
            except TypeError:  # nulls, which Python does not compare
                pass
        return sorted(tuples, key=order)

    def __str__(self) -> str:
        return ", ".join(f"{written(name)} {kind}" for name, kind in self.attributes)


def written(name: str) -> str:
    """Write an attribute's name so that it can be read back: in backticks if it is no word."""
    return name if re.fullmatch(r"\w+", name) else f"`{name}`"


def _holds_floats(kind: DataType) -> bool:
    match kind:
        case Floating():
            return True
        case Array(element):
            return _holds_floats(element)
        case Struct(attributes):
            return any(_holds_floats(inner) for _, inner in attributes)
    return False
