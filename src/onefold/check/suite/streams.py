"""The pipelines of the suite: each operator, over sources of one shape."""

from __future__ import annotations

from typing import Any

from onefold.stream import source


def count(window: Any) -> Any:
    """The key, and how many tuples."""
    return window.key.k, len(window.tuples)


def listing(window: Any) -> Any:
    """The numbers, as they come."""
    return (" ".join(str(t.n) for t in window.tuples),)


def numbered(window: Any) -> Any:
    """A tuple for each tuple: the key, and a number."""
    return [(window.key.k, n) for n in range(len(window.tuples))]


def halve(window: Any) -> Any:
    """Half of the key, as long as it is more than one."""
    return (window.key.n // 2,) if window.key.n > 1 else None


s, r = source("s", "k string, n int"), source("r", "k string, n int")
x = source("x", "v double")
left, right = source("left", "k string, n int"), source("right", "k string, m int")

COUNT = "k string, c int"
counted = s.aggregate(count, COUNT, key=["k"], size=10)
sliding = s.aggregate(count, COUNT, key=["k"], size=10, advance=5)
uneven = s.aggregate(count, COUNT, key=["k"], size=10, advance=4)
lenient = s.aggregate(count, COUNT, key=["k"], size=10, lateness=5)
ordered = s.aggregate(listing, "listing string", size=10)
by_float = x.aggregate(lambda w: (len(w.tuples),), "c int", key=["v"], size=10)
many = s.aggregate_plus(numbered, COUNT, key=["k"], size=10)
big = s.filter(lambda t: t.n > 1)
doubled = s.map(lambda t: (t.k, 2 * t.n), "k string, n int")
keys = s.map(lambda t: (t.k,), "k string")
copies = s.flat_map(lambda t: [(t.k,)] * t.n, "k string")
both = s.union(r)
both_counted = both.aggregate(count, COUNT, key=["k"], size=10)
PAIR = "k string, n int, m int"
joined = left.join(right, PAIR, key=["k"], select=lambda a, b: (a.k, a.n, b.m), size=10, advance=10)
joined_sliding = left.join(
    right, PAIR, key=["k"], select=lambda a, b: (a.k, a.n, b.m), size=10, advance=5
)
totals = s.stateful(
    "k string, total int",
    key=["k"],
    period=10,
    create=lambda t: (t.k, t.n),
    add=lambda state, t: (t.k, state[1] + t.n),
    merge=lambda state, other: (state[0], state[1] + other[1]),
    output=lambda state: state,
)
halves = source("h", "n int").loop(
    lambda stream: stream.aggregate(halve, "n int", key=["n"], size=10, lateness=1)
)
