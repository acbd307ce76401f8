"""embed (E): all tuples that a window makes, carried in one.

Composition: embed(f) = aggregate(all that f gives for a window, in one tuple, with whose they are)

Cost: holds what `aggregate` holds, and emits one tuple for each window that is as large as all that
the function made of it.
"""

from __future__ import annotations

from dataclasses import replace

from onefold.core.aggregate import Aggregate, Rows, Window
from onefold.core.functions import Step
from onefold.core.plan import Node
from onefold.core.types import Array, Integer, String, Struct, TupleType
from onefold.core.values import identity
from onefold.operators.aggregate import Aggregation

FROM_EMBED = -1
"""The position of a tuple that comes from embed and has not been round the loop yet."""


def embedded_type(output: TupleType) -> TupleType:
    """Return the type of what embed emits: whose tuples, the tuples, which one is next."""
    carried = Array(Struct(output.attributes))
    return TupleType((("identity", String()), ("tuples", carried), ("position", Integer(32))))


def embed(input: Node, meaning: Aggregate, step: Step) -> Aggregation:
    """Return the minimal Aggregate that carries what `meaning` would emit in one tuple.

    The identity of the window goes along: its key, and how many tuples it held, which grows each
    time that it fires. So no two embedded tuples of one time are equal (errata, row 4).

    >>> from onefold.core.plan import plan
    >>> lines = of.source("lines", "line string")
    >>> words = lines.flat_map(lambda t: [(w,) for w in t.line.split()], "word string")
    >>> embedded = of.lower(words, "aggregate").nodes[1]
    >>> engine = of.Engine(plan(embedded))
    >>> engine.input("lines", [(1, "to be")])
    >>> engine.end()
    >>> engine.take_output()
    [(time=1, identity="(('to be'),1)", tuples=((word='to'), (word='be')), position=-1)]
    """
    carried = Struct(meaning.output.attributes)

    def all_in_one(window: Window) -> Rows:
        tuples = tuple(carried.record(row) for row in meaning.function(window))
        whose = identity((window.key, len(window.tuples)))
        return [(whose, tuples, FROM_EMBED)] if tuples else ()

    output = embedded_type(meaning.output)
    name = f"embed {meaning.name}"
    single = replace(
        meaning,
        function=all_in_one,
        output=output,
        many=False,
        name=name,
        each=None,
        embeds=meaning,
    )
    return Aggregation((input,), output, step, single)
