"""The pipelines of the transcripts beside this file. δ is 1 ms, and windows are short."""

import onefold as of

ROW = "word string, n int"


def count(window):
    """How many tuples a key has; nothing for the key `silent`."""
    word = window.key.word
    return None if word == "silent" else (word, len(window.tuples))


def count_from(window):
    """How many tuples a key has, and where its window begins."""
    return window.key.word, window.left, len(window.tuples)


def words():
    return of.source("s", "word string")


def numbers():
    return of.source("s", ROW)


# Stateless operators.
filtered = numbers().filter(lambda t: t.n is not None and t.n > 1)
mapped = numbers().map(
    lambda t: {"twice": t.n * 2, "word": t.word.upper()}, "word string, twice int"
)
split = of.source("s", "line string").flat_map(
    lambda t: [(word,) for word in t.line.split()], "word string"
)

# Aggregates.
tumbling = words().aggregate(count, ROW, key=["word"], size=10)
sliding = words().aggregate(
    count_from, "word string, left bigint, n int", key=["word"], size=10, advance=4
)
lateness = words().aggregate(count, ROW, key=["word"], size=10, lateness=5)
sliding_lateness = words().aggregate(
    count_from, "word string, left bigint, n int", key=["word"], size=10, advance=5, lateness=3
)
by_length = words().aggregate(
    lambda w: (w.key, len(w.tuples)), "length int, n int", key=lambda t: len(t.word), size=10
)
two_sources = (
    of.source("a", "word string")
    .union(of.source("b", "word string"))
    .aggregate(count, ROW, key=["word"], size=10)
)


def each_word_once(window):
    """Each word of the window and how often it came; nothing if there are more than three."""
    came = [t.word for t in window.tuples]
    return [(word, came.count(word)) for word in sorted(set(came))] if len(came) <= 3 else []


several = words().aggregate_plus(each_word_once, ROW, size=10)
several_again = words().aggregate_plus(each_word_once, ROW, size=10, lateness=5)

# Joins.
SIDE = "k int, v string"
left, right = of.source("l", SIDE), of.source("r", SIDE)
joined = left.join(
    right, "k int, a string, b string", key=["k"], select=lambda x, y: (x.k, x.v, y.v), size=10
)
joined_sliding = left.join(
    right,
    "a string, b string",
    key=(["k"], lambda y: y.k % 10),
    where=lambda x, y: x.v != y.v,
    select=lambda x, y: {"a": x.v, "b": y.v},
    size=10,
    advance=5,
)
one = words()
joined_itself = one.join(one, "a string, b string", size=10)


# Custom state: the sum for each word.
def totals(**options):
    return numbers().stateful(
        ROW,
        key=["word"],
        period=10,
        create=lambda t: (t.word, t.n),
        add=lambda state, t: (state[0], state[1] + t.n),
        merge=lambda one, other: (one[0], one[1] + other[1]),
        output=lambda state: state if state[1] else None,
        **options,
    )


def totals_goes_on():
    return totals(extra_periods=2)


# Union and loops.
united = (
    of.source("a", "word string")
    .filter(lambda t: t.word != "no")
    .union(of.source("b", "word string"))
)
together = numbers()
counts_and_words = together.union(
    together.aggregate(lambda w: ("all", len(w.tuples)), ROW, size=10)
)


def halve(window):
    n = window.key.n
    return (n // 2,) if n > 1 else None


halved = of.source("s", "n int").loop(
    lambda s: s.aggregate(halve, "n int", key=["n"], size=1, lateness=1)
)


def halve_and_add(window):
    seen = sum(t.seen for t in window.tuples)
    return (window.key.n // 2, seen) if window.key.n > 1 else None


halved_and_added = of.source("s", "n int, seen int").loop(
    lambda s: s.aggregate(halve_and_add, "n int, seen int", key=["n"], size=1, lateness=1)
)


def below_the_least(window):
    least = min(t.n for t in window.tuples)
    return (least - 1,) if least > 0 else None


counted_down = of.source("s", "n int").aggregate_loop(
    below_the_least, size=10, lateness=2, distance=2
)
endless = of.source("s", "n int").aggregate_loop(
    lambda w: (w.key.n + 1,), key=["n"], size=1, lateness=1, limit=50
)

# Late streams.
late = lateness.late
late_of_sliding = sliding_lateness.late
late_mapped = lateness.late.map(lambda t: (t.word, t.time), "word string, came_for bigint")
late_left = joined.late_left

# The model.
values_counted = of.source("s", "x double, s string, a array<double>").aggregate(
    lambda w: (w.key.x, w.key.s, w.key.a, len(w.tuples)),
    "x double, s string, a array<double>, n int",
    key=["x", "s", "a"],
    size=10,
)
in_order = numbers().aggregate(
    lambda w: (" ".join(f"{t.word}{t.n}" for t in w.tuples),), "seen string", size=10
)
row_4 = words().flat_map(lambda t: [("x",)] * (2 if t.word == "c" else 1), "word string")
TYPES = (
    "flag boolean, i int, l bigint, f float, d double, at timestamp, raw binary, "
    "list array<int>, pair struct<x: int, when: timestamp>"
)
every_type = of.source("s", TYPES).map(lambda t: t, TYPES)
chained = (
    numbers()
    .filter(lambda t: t.n > 0)
    .flat_map(lambda t: [(t.word,)] * t.n, "word string")
    .aggregate(count, ROW, key=["word"], size=10)
    .map(lambda t: (t.word + "!", t.n), ROW)
)


# For cases that must fail.
def raises(window):
    if window.key.word == "bad":
        raise ValueError("a bad word")
    return count(window)


raising = words().aggregate(raises, ROW, key=["word"], size=10)
