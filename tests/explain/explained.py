"""Pipelines to explain. The lines count: the texts beside this file name them."""

import onefold as of


def words_of(t):
    return [(word,) for word in t.line.split()]


def count(window):
    return window.key.word, len(window.tuples)


lines = of.source("lines", "line string")
words = lines.flat_map(words_of, "word string")
counts = words.aggregate(
    count, "word string, n int", key=["word"], size="10 s", advance="2 s", lateness="1 s"
)
long = words.filter(lambda t: len(t.word) > 3)
shared = long.union(words)
late = counts.late
pairs = counts.join(
    counts,
    "a string, n int, b string, m int",
    key=(["n"], lambda t: t.n + 1),
    where=lambda x, y: x.word != y.word,
    size="1 min",
)
totals = words.stateful(
    "n int",
    key=["word"],
    period="1 s",
    create=lambda t: 1,
    add=lambda n, t: n + 1,
    merge=lambda n, m: n + m,
    output=lambda n: (n,),
)
down = totals.loop(
    lambda s: s.aggregate(
        lambda w: (w.key.n - 1,) if w.key.n else None, "n int", key=["n"], size=1, lateness=1
    )
)
names = of.source('a "b" <c> & `d` | #e; %%{f}', "`g<h>` string").filter(lambda t: True)
nothing = lines.map(lambda t: (), "")
