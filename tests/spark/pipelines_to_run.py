"""Pipelines for runs on Spark, with what a pipeline's file may hold: helpers, a class, a module."""

from helpers_to_run import shout

import onefold as of

ROW = "word string, n int"


class Total:
    """A state of a class of its own."""

    def __init__(self, word, n):
        self.word, self.n = word, n


def counted(window):
    return window.key.word, len(window.tuples)


def add(state, t):
    state.n += t.n
    return state


words = of.source("words", ROW)
counts = words.filter(lambda t: t.n != 0).aggregate(counted, ROW, key=["word"], size=10)
loud = words.map(lambda t: (shout(t.word), 10 // t.n), ROW)
totals = words.stateful(
    ROW,
    key=["word"],
    period=10,
    create=lambda t: Total(t.word, t.n),
    add=add,
    merge=lambda one, other: Total(one.word, one.n + other.n),
    output=lambda state: (state.word, state.n),
)
raising = words.aggregate(lambda w: (w.key.word, 1 // w.tuples[0].n), ROW, key=["word"], size=10)
others = of.source("others", ROW)
pairs = words.join(
    others,
    "word string, a int, b int",
    key=["word"],
    select=lambda x, y: (x.word, x.n, y.n),
    size=10,
)
both = words.union(words.aggregate(counted, ROW, key=["word"], size=10))
ticks = of.source("ticks", "value bigint").aggregate(
    lambda w: (len(w.tuples),), "n int", size="1 s"
)
