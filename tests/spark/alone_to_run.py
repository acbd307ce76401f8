"""A pipeline that needs nothing beside it, with a state of a class of its own."""

import onefold as of

ROW = "word string, n int"


class Total:
    """A state of a class of its own."""

    def __init__(self, word, n):
        self.word, self.n = word, n


def add(state, t):
    state.n += t.n
    return state


words = of.source("words", ROW)
totals = words.stateful(
    ROW,
    key=["word"],
    period=10,
    create=lambda t: Total(t.word, t.n),
    add=add,
    merge=lambda one, other: Total(one.word, one.n + other.n),
    output=lambda state: (state.word, state.n),
)
