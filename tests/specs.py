"""Pipelines as data: functions of users, and operators that know how onefold writes them.

Each operator also knows its meaning, by the oracle. `strategies.py` draws pipelines of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import onefold as of
import oracle
from onefold import Stream

Type = tuple[tuple[str, str], ...]
"""Attributes and how their types are written."""
NUMBER: Type = (("n", "bigint"),)
REAL: Type = (("x", "double"),)
TEXT: Type = (("s", "string"),)
KEYED: Type = (("k", "string"), ("m", "bigint"))
PAIR: Type = (("n", "bigint"), ("c", "bigint"))


def names(type: Type) -> tuple[str, ...]:
    return tuple(name for name, _ in type)


def ddl(type: Type) -> str:
    return ", ".join(f"{name} {kind}" for name, kind in type)


# Functions of users. They call nothing of onefold and see the oracle's rows as well as onefold's.


def values(t: Any) -> tuple[Any, ...]:
    return oracle.plain(tuple(t)[1:])


def digest(t: Any) -> int:
    return crc32(repr(values(t)).encode())


def text(key: Any) -> str:
    """Write a key down; equal numbers alike, whatever their type."""
    if isinstance(key, tuple):
        return f"({','.join(map(text, key))})"
    return str(int(key)) if isinstance(key, (bool, float)) and key == 0 else repr(key)


@dataclass(frozen=True)
class Keep:
    modulus: int

    def __call__(self, t: Any) -> bool:
        return digest(t) % self.modulus != 0


@dataclass(frozen=True)
class KeepPair:
    modulus: int

    def __call__(self, x: Any, y: Any) -> bool:
        return (digest(x) + digest(y)) % self.modulus != 0


@dataclass(frozen=True)
class Number:
    modulus: int

    def __call__(self, *tuples: Any) -> dict[str, Any]:
        return {"n": sum(map(digest, tuples)) % self.modulus}


@dataclass(frozen=True)
class Real:
    def __call__(self, t: Any) -> tuple[Any, ...]:
        return ((0.0, -0.0, float("nan"), None, 1.5)[digest(t) % 5],)


@dataclass(frozen=True)
class Pair:
    modulus: int

    def __call__(self, t: Any) -> tuple[Any, ...]:
        return digest(t) % self.modulus, 0


@dataclass(frozen=True)
class Swap:
    def __call__(self, t: Any) -> tuple[Any, ...]:
        return tuple(t)[:0:-1]


@dataclass(frozen=True)
class Copies:
    modulus: int

    def __call__(self, t: Any) -> list[Any]:
        return [tuple(t)[1:]] * (digest(t) % self.modulus)


@dataclass(frozen=True)
class Zeros:
    """Equal tuples of different ones: 1, 2 or more of them (errata, row 4)."""

    modulus: int

    def __call__(self, t: Any) -> list[Any]:
        return [(0,)] * (digest(t) % self.modulus)


@dataclass(frozen=True)
class Count:
    modulus: int

    def __call__(self, window: Any) -> Any:
        count = len(window.tuples)
        return (text(window.key), count) if count % self.modulus else None


@dataclass(frozen=True)
class End:
    """The first tuple of a window, or the last: the order counts."""

    position: int

    def __call__(self, window: Any) -> Any:
        return tuple(window.tuples[self.position])[1:]


@dataclass(frozen=True)
class InOrder:
    def __call__(self, window: Any) -> Any:
        seen = [oracle.plain(tuple(t)) for t in window.tuples]
        return (f"{crc32(repr((window.left, window.right, seen)).encode())}",)


@dataclass(frozen=True)
class All:
    def __call__(self, window: Any) -> list[Any]:
        return [tuple(t)[1:] for t in window.tuples]


@dataclass(frozen=True)
class Numbered:
    modulus: int

    def __call__(self, window: Any) -> list[Any]:
        return [(text(window.key), n // 2) for n in range(len(window.tuples) % self.modulus)]


@dataclass(frozen=True)
class Same:
    """Always the same two tuples: a window that fires again does so with an unchanged result."""

    def __call__(self, window: Any) -> list[Any]:
        return [(7,), (7,)]


@dataclass(frozen=True)
class Countdown:
    def __call__(self, window: Any) -> Any:
        return (window.key.n - 1, len(window.tuples)) if window.key.n > 0 else None


@dataclass(frozen=True)
class ByDigest:
    modulus: int

    def __call__(self, t: Any) -> Any:
        return digest(t) % self.modulus


ALIKE: tuple[tuple[Any, ...], ...] = (
    (None, "None", ()),
    ((), "()", ("",)),
    (0, "0", (0,)),
    (-0.0, 0, False, 0.0),
    (float("nan"), "nan", None),
    (("a", float("nan")), ["a", -0.0], ("a", 0)),
)


@dataclass(frozen=True)
class ByAlike:
    """Keys that are easily taken for one another, or for different ones."""

    which: int

    def __call__(self, t: Any) -> Any:
        keys = ALIKE[self.which]
        return fresh(keys[digest(t) % len(keys)])


def fresh(value: Any) -> Any:
    """Return a copy, so that no NaN equals another by being the same object."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(fresh, value))
    return float(repr(value)) if isinstance(value, float) else value


@dataclass(frozen=True)
class Listing:
    """A state that notes all tuples in order, in place or in a new one."""

    in_place: bool

    def create(self, t: Any) -> list[Any]:
        return [(t.time, values(t))]

    def add(self, state: list[Any], t: Any) -> list[Any]:
        if not self.in_place:
            return [*state, (t.time, values(t))]
        state.append((t.time, values(t)))
        return state

    def merge(self, state: list[Any], other: list[Any]) -> list[Any]:
        raise AssertionError("states come first in a period: there are never two")

    def output(self, state: list[Any]) -> Any:
        return None if len(state) % 4 == 0 else (len(state), crc32(repr(state).encode()))


def rows_of(function: Callable[[Any], Any]) -> Callable[[Any], list[Any]]:
    """Return a function of one row or none as one of many."""

    def many(window: Any) -> list[Any]:
        made = function(window)
        return [] if made is None else [made]

    return many


def in_names(made: Any, type: Type) -> Any:
    return [made[name] for name in names(type)] if isinstance(made, Mapping) else made


# Operators: how to write each with onefold, and what the oracle says it means.


@dataclass(frozen=True)
class Operator:
    inputs: tuple[int, ...]
    type: Type

    def build(self, *streams: Stream) -> Stream:
        raise NotImplementedError

    def meaning(self, watermark: int | None, *streams: list[Any]) -> list[Any]:
        raise NotImplementedError


@dataclass(frozen=True)
class Source(Operator):
    name: str

    def build(self, *streams: Stream) -> Stream:
        return of.source(self.name, ddl(self.type))


@dataclass(frozen=True)
class Filter(Operator):
    predicate: Any

    def build(self, *streams: Stream) -> Stream:
        return streams[0].filter(self.predicate)

    def meaning(self, watermark: int | None, *streams: list[Any]) -> list[Any]:
        return oracle.filter_(streams[0], self.predicate)


@dataclass(frozen=True)
class Map(Operator):
    function: Any

    def build(self, *streams: Stream) -> Stream:
        return streams[0].map(self.function, ddl(self.type))

    def meaning(self, watermark: int | None, *streams: list[Any]) -> list[Any]:
        def one(t: Any) -> list[Any]:
            return [in_names(self.function(t), self.type)]

        return oracle.flat_map(streams[0], one, names(self.type))


@dataclass(frozen=True)
class FlatMap(Operator):
    function: Any

    def build(self, *streams: Stream) -> Stream:
        return streams[0].flat_map(self.function, ddl(self.type))

    def meaning(self, watermark: int | None, *streams: list[Any]) -> list[Any]:
        return oracle.flat_map(streams[0], self.function, names(self.type))


@dataclass(frozen=True)
class Union(Operator):
    def build(self, *streams: Stream) -> Stream:
        return streams[0].union(*streams[1:])

    def meaning(self, watermark: int | None, *streams: list[Any]) -> list[Any]:
        return oracle.union(*streams)


@dataclass(frozen=True)
class Windowed(Operator):
    function: Any
    key: Any
    size: int
    advance: int
    lateness: int

    @property
    def options(self) -> dict[str, Any]:
        key = list(self.key) if isinstance(self.key, tuple) else self.key
        return {"key": key, "size": self.size, "advance": self.advance, "lateness": self.lateness}

    @property
    def rows(self) -> Callable[[Any], list[Any]]:
        """The function as one that returns a list of rows."""
        return rows_of(self.function)

    def meaning(self, watermark: int | None, *streams: list[Any]) -> list[Any]:
        return oracle.aggregate(
            streams[0], self.rows, names(self.type), self.key, self.size, self.advance
        )


@dataclass(frozen=True)
class Aggregate(Windowed):
    def build(self, *streams: Stream) -> Stream:
        return streams[0].aggregate(self.function, ddl(self.type), **self.options)


@dataclass(frozen=True)
class AggregatePlus(Windowed):
    @property
    def rows(self) -> Callable[[Any], list[Any]]:
        return self.function  # type: ignore[no-any-return]

    def build(self, *streams: Stream) -> Stream:
        return streams[0].aggregate_plus(self.function, ddl(self.type), **self.options)


@dataclass(frozen=True)
class Loop(Windowed):
    distance: int

    def build(self, *streams: Stream) -> Stream:
        return streams[0].aggregate_loop(self.function, distance=self.distance, **self.options)

    def meaning(self, watermark: int | None, *streams: list[Any]) -> list[Any]:
        return oracle.loop(
            streams[0], self.rows, names(self.type), self.key, self.size, self.advance
        )


@dataclass(frozen=True)
class Join(Operator):
    keys: tuple[Any, Any]
    where: Any
    select: Any
    size: int
    advance: int

    def build(self, *streams: Stream) -> Stream:
        left, right = (list(key) if isinstance(key, tuple) else key for key in self.keys)
        options = {"where": self.where, "select": self.select}
        sizes = {"size": self.size, "advance": self.advance}
        return streams[0].join(
            streams[1], ddl(self.type), key=(left, right), **options, **sizes
        )  # fmt: skip

    def meaning(self, watermark: int | None, *streams: list[Any]) -> list[Any]:
        def select(x: Any, y: Any) -> Any:
            both = (*tuple(x)[1:], *tuple(y)[1:])
            return in_names(self.select(x, y), self.type) if self.select else both

        where = self.where or (lambda x, y: True)
        sizes = self.size, self.advance
        return oracle.join(*streams, self.keys, where, select, names(self.type), *sizes)


@dataclass(frozen=True)
class Stateful(Operator):
    state: Listing
    key: Any
    period: int
    extra_periods: int

    def build(self, *streams: Stream) -> Stream:
        key = list(self.key) if isinstance(self.key, tuple) else self.key
        s = self.state
        return streams[0].stateful(
            ddl(self.type), key=key, period=self.period, extra_periods=self.extra_periods,
            create=s.create, add=s.add, merge=s.merge, output=s.output,
        )  # fmt: skip

    def meaning(self, watermark: int | None, *streams: list[Any]) -> list[Any]:
        s = self.state
        functions = s.create, s.add, s.output
        return oracle.stateful(
            streams[0], self.key, self.period, *functions, names(self.type), self.extra_periods,
            watermark,
        )  # fmt: skip
