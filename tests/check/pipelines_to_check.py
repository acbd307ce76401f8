"""Small pipelines, one for each operator, for the judge."""

import onefold as of

s = of.source("s", "k string, n int")
left = of.source("left", "k string, n int")
right = of.source("right", "k string, m int")


def count(window):
    return window.key.k, len(window.tuples)


def ends(window):
    return [(window.tuples[0].n,), (window.tuples[-1].n,)]


def halve(window):
    n = window.key.n
    return (window.key.k, n // 2) if n is not None and n > 1 else None


filtered = s.filter(lambda t: t.n is not None and t.n > 1)
mapped = s.map(lambda t: (t.n,), "n int")
flat_mapped = s.flat_map(lambda t: [(t.k,)] * min(t.n or 0, 3), "k string")
counted = s.aggregate(count, "k string, c int", key=["k"], size=10)
sliding = s.aggregate(count, "k string, c int", key=["k"], size=10, advance=5)
lenient = s.aggregate(count, "k string, c int", key=["k"], size=10, lateness=5)
first_and_last = s.aggregate_plus(ends, "n int", key=["k"], size=10)
joined = left.join(right, "k string, n int, k2 string, m int", key=["k"], size=10, advance=5)
united = s.union(of.source("r", "k string, n int"))
united_count = united.aggregate(count, "k string, c int", key=["k"], size=10)
totals = s.stateful(
    "k string, total int",
    key=["k"],
    period=10,
    create=lambda t: (t.k, 1),
    add=lambda state, t: (t.k, state[1] + 1),
    merge=lambda state, other: (state[0], state[1] + other[1]),
    output=lambda state: state,
)
looped = s.loop(
    lambda stream: stream.aggregate(halve, "k string, n int", key=["k", "n"], size=10, lateness=1)
)
late = lenient.late
by_number = of.source("x", "x double").aggregate(
    lambda w: (w.key.x, len(w.tuples)), "x double, c int", key=["x"], size=10
)
late_on_the_left = joined.late_left
copied = s.flat_map(lambda t: [(t.k,)] * t.n, "k string")
