"""What the operators mean, recomputed from scratch: plain loops, and nothing of onefold.

A stream is a list of rows. Every function takes complete, bounded streams and returns all that the
operator ever emits. `late_oracle` alone looks at the order of arrival.
"""

from __future__ import annotations

from collections import Counter, namedtuple
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

Row = Any
"""A row has its time first, as a tuple of a stream has, and attributes by name."""
Names = tuple[str, ...]
Key = None | Names | Callable[[Row], Any]
"""All rows together, by attributes, or by a function."""
NAN = float("nan")


@cache
def row_class(kind: str, names: Names) -> Any:
    return namedtuple(kind, names)  # noqa: PYI024  the names are known only now


def row(names: Names, time: int, values: Iterable[Any]) -> Row:
    return row_class("Row", ("time", *names))(time, *map(clean, values))


def clean(value: Any) -> Any:
    """Return a value as every stream holds it: no negative zero, one NaN, arrays as tuples."""
    if isinstance(value, float):
        return NAN if value != value else 0.0 if value == 0 else value
    if isinstance(value, (list, tuple)):
        return tuple(clean(each) for each in value)
    return value


def equal(one: Any, other: Any) -> bool:
    """Null equals null, NaN equals NaN, tuples by value."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(equal, one, other))
    return one == other or (one != one and other != other)


def rank(value: Any) -> Any:
    """Null before all values, NaN behind them."""
    if isinstance(value, tuple):
        return 1, [rank(each) for each in value]
    if value is None:
        return (0,)
    return (2,) if value != value else (1, value)


def in_order(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda t: (t.time, rank(tuple(t)[1:])))


def key_of(t: Row, key: Key) -> Any:
    if key is None:
        return ()
    if callable(key):
        return clean(key(t))
    return row_class("Key", key)(*(getattr(t, name) for name in key))


def grouped(rows: Sequence[Row], key: Key) -> list[tuple[Any, list[Row]]]:
    """Return the rows by equal keys; found by comparison, so that no hash can be wrong."""
    groups: list[tuple[Any, list[Row]]] = []
    for t in rows:
        mine = key_of(t, key)
        for other, members in groups:
            if equal(mine, other):
                members.append(t)
                break
        else:
            groups.append((mine, [t]))
    return groups


@dataclass(frozen=True)
class Window:
    left: int
    right: int
    key: Any
    tuples: tuple[Row, ...]


def lefts(rows: Sequence[Row], size: int, advance: int) -> Iterator[int]:
    """Return every left boundary at which a window may hold one of the rows, and some more."""
    if rows:
        first, last = min(t.time for t in rows), max(t.time for t in rows)
        for number in range((first - size) // advance, last // advance + 1):
            yield number * advance


def held(rows: Sequence[Row], left: int, size: int) -> list[Row]:
    return [t for t in rows if left <= t.time < left + size]


def filter_(rows: Sequence[Row], predicate: Callable[[Row], Any]) -> list[Row]:
    return [t for t in rows if predicate(t)]


def flat_map(rows: Sequence[Row], function: Callable[[Row], Any], names: Names) -> list[Row]:
    return [row(names, t.time, values) for t in rows for values in function(t)]


def union(*streams: Sequence[Row]) -> list[Row]:
    return [t for rows in streams for t in rows]


def aggregate(
    rows: Sequence[Row],
    function: Callable[[Window], list[Any]],
    names: Names,
    key: Key,
    size: int,
    advance: int,
) -> list[Row]:
    """One call for each window and key that holds a row; `function` returns all that it emits."""
    made = []
    for left in lefts(rows, size, advance):
        for shown, members in grouped(held(rows, left, size), key):
            window = Window(left, left + size, shown, tuple(in_order(members)))
            made += [row(names, left + size - 1, values) for values in function(window)]
    return made


def join(
    left_rows: Sequence[Row],
    right_rows: Sequence[Row],
    keys: tuple[Key, Key],
    where: Callable[[Row, Row], Any],
    select: Callable[[Row, Row], Any],
    names: Names,
    size: int,
    advance: int,
) -> list[Row]:
    """Every pair of equal keys, once for each window that holds both."""
    return [
        row(names, left + size - 1, select(x, y))
        for left in lefts([*left_rows, *right_rows], size, advance)
        for x in held(left_rows, left, size)
        for y in held(right_rows, left, size)
        if equal(bare(key_of(x, keys[0]), keys[0]), bare(key_of(y, keys[1]), keys[1]))
        and where(x, y)
    ]


def bare(value: Any, key: Key) -> Any:
    """Return the value of a key: that of one attribute is the attribute's own."""
    return value[0] if isinstance(key, tuple) and len(key) == 1 else value


def stateful(
    rows: Sequence[Row],
    key: Key,
    period: int,
    create: Callable[[Row], Any],
    add: Callable[[Any, Row], Any],
    output: Callable[[Any], Any],
    names: Names,
    extra_periods: int,
    watermark: int | None,
) -> list[Row]:
    """A row for each key at the end of each period, from the key's first on.

    The last period is that of the last row of any key and `extra_periods` more, or the last that
    `watermark`, the greatest before the end of the stream, has passed.
    """
    if not rows:
        return []
    last = max(t.time for t in rows) // period + extra_periods
    if watermark is not None:
        last = max(last, (watermark - 1) // period - 1)
    made = []
    for _, members in grouped(rows, key):
        state: Any = None
        for number in range(min(t.time for t in members) // period, last + 1):
            for t in in_order(t for t in members if t.time // period == number):
                state = create(t) if state is None else add(state, t)
            values = output(state)
            made += [] if values is None else [row(names, (number + 1) * period, values)]
    return made


def loop(
    rows: Sequence[Row],
    function: Callable[[Window], list[Any]],
    names: Names,
    key: Key,
    size: int,
    advance: int,
) -> list[Row]:
    """Windows fire from left to right, each before the next one takes in what came round.

    What a window emits has its last instant as time, so it falls in that window, which fires again,
    and in later ones.
    """
    everything, made = list(rows), []

    def fire(left: int, like: Any) -> list[Row]:
        members = [t for t in held(everything, left, size) if equal(key_of(t, key), like)]
        window = Window(left, left + size, like, tuple(in_order(members)))
        return [row(names, left + size - 1, values) for values in function(window)]

    left = min(lefts(rows, size, advance), default=0)
    while any(left <= t.time for t in everything):
        waiting = [
            t
            for like, _ in grouped(held(everything, left, size), key)
            for t in fire(left, like)
        ]  # fmt: skip
        while waiting:
            t = waiting.pop(0)
            made.append(t)
            everything.append(t)
            waiting += fire(left, key_of(t, key))
        left += advance
    return made


def late_oracle(
    steps: Iterable[Row | int],
    function: Callable[[Window], list[Any]],
    names: Names,
    key: Key,
    size: int,
    advance: int,
    lateness: int,
) -> Iterator[tuple[list[Row], list[Row]]]:
    """Return what one Aggregate emits and what it drops at each step: a row, or a watermark."""
    kept: list[tuple[int, Any, Row]] = []
    watermark: int | None = None

    def passed(instant: int) -> bool:
        return watermark is not None and watermark >= instant

    def fire(left: int, like: Any) -> list[Row]:
        members = [t for at, mine, t in kept if at == left and equal(mine, like)]
        window = Window(left, left + size, like, tuple(in_order(members)))
        return [row(names, left + size - 1, values) for values in function(window)]

    for step in steps:
        made: list[Row] = []
        late: list[Row] = []
        if isinstance(step, int):
            before = [at for at, _, _ in kept if passed(at + size)]
            watermark = step if watermark is None else max(step, watermark)
            due: list[tuple[int, Any]] = []
            for at, mine, _ in kept:
                if passed(at + size) and at not in before:
                    due += [] if any(map(partial(equal, (at, mine)), due)) else [(at, mine)]
            made += [t for at, like in due for t in fire(at, like)]
        else:
            holding = [at for at in lefts([step], size, advance) if held([step], at, size)]
            open_ = [at for at in holding if not passed(at + size + lateness)]
            for at in open_:
                kept.append((at, key_of(step, key), step))
                made += fire(at, key_of(step, key)) if passed(at + size) else []
            late = [] if open_ else [step]
        yield made, late


def multiset(rows: Iterable[Any]) -> Counter[str]:
    """Return how often each row occurs, written down so that 1, 1.0 and True differ."""
    return Counter(repr(plain(tuple(t))) for t in rows)


def plain(value: Any) -> Any:
    """Return a value without names."""
    return tuple(plain(each) for each in value) if isinstance(value, tuple) else value
