"""unfold (X): the tuples that embed carried in one, one by one, by going round a loop.

Composition: unfold = aggregate(the tuple at the position) of loop(aggregate(the next position))

Cost: holds an embedded tuple until it has gone round as often as it carries tuples. It stays in the
task of embed, so that there is no shuffle.
"""

from __future__ import annotations

from onefold.core.aggregate import Aggregate, KeyBy, Rows, Window
from onefold.core.functions import Step
from onefold.core.plan import Node
from onefold.core.records import Tuple
from onefold.core.time import TICK
from onefold.core.types import TupleType
from onefold.operators.aggregate import Aggregation
from onefold.operators.embed import FROM_EMBED
from onefold.operators.loop import Loop, LoopAggregation

# Keyed by all but the tuples carried: the identity tells them, as no two embedded tuples share one.
BY_IDENTITY = KeyBy(("identity", "position"))


def unfold(embedded: Node, output: TupleType, step: Step, *, lateness: int) -> Aggregation:
    """Return X(embedded): A1 counts the position round and round, A2 takes out the tuple there.

    `lateness` is that of the Aggregate in front: what it emits when it fires again comes that late.

    >>> lines = of.source("lines", "line string")
    >>> words = lines.flat_map(lambda t: [(w,) for w in t.line.split()], "word string")
    >>> turns = []
    >>> engine = of.Engine(of.lower(words, "aggregate"), record=turns.append)
    >>> engine.input("lines", [(1, "to be")])
    >>> engine.end()
    >>> [event.tuple.position for event in turns if event.kind.value == "turned"]
    [0, 1]
    >>> engine.take_output()
    [(time=1, word='to'), (time=1, word='be')]
    """
    counting = Aggregate(
        next_position,
        embedded.type,
        BY_IDENTITY,
        TICK,
        TICK,
        lateness + TICK,
        name="A1 of unfold",
        in_place=True,
    )
    counted = LoopAggregation(
        (embedded,), embedded.type, step, counting, Loop(distance=TICK, successors=successors)
    )
    picking = Aggregate(
        tuple_at_position,
        output,
        BY_IDENTITY,
        TICK,
        TICK,
        lateness,
        name="A2 of unfold",
        in_place=True,
    )
    return Aggregation((counted,), output, step, picking)


def next_position(window: Window) -> Rows:
    """A1: start at position 0, then count up to the last tuple (errata, row 2)."""
    t = window.tuples[0]
    if t.position == FROM_EMBED:
        return [(t.identity, tuple(each for one in window.tuples for each in one.tuples), 0)]
    if t.position + 1 < len(t.tuples):
        return [(t.identity, t.tuples, t.position + 1)]
    return ()


def tuple_at_position(window: Window) -> Rows:
    """A2: the tuple at the position."""
    t = window.tuples[0]
    return [t.tuples[t.position]]


def successors(t: Tuple) -> int:
    """Return how many tuples will come round for one from embed: one for each that it carries."""
    return len(t.tuples)
