"""What a user writes: streams and their operators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from onefold.core.aggregate import KeyArgument, Window
from onefold.core.ddl import tuple_type
from onefold.core.errors import BadName, NotAStream
from onefold.core.functions import Step, here
from onefold.core.plan import Node, Source, late_side, late_streams, plan
from onefold.core.time import Duration
from onefold.core.types import TupleType
from onefold.operators.aggregate import aggregate
from onefold.operators.aggregate_plus import aggregate_plus
from onefold.operators.filter import filter as filter_
from onefold.operators.flat_map import flat_map
from onefold.operators.join import JoinKey, join
from onefold.operators.loop import loop
from onefold.operators.map import map as map_
from onefold.operators.stateful import stateful
from onefold.operators.union import union


def source(name: str, type: str | TupleType) -> Stream:
    """Return the stream of a source.

    >>> str(of.source("words", "word string").type)
    'word string'
    """
    step = here("source")
    given: Any = name
    if not isinstance(given, str) or not given or "=" in given:
        raise BadName(
            f"{step}: a source can't be named {name!r}",
            hint="a name is text without an = sign: inputs are given as NAME=FILE",
        )
    return Stream(Source((), tuple_type(type, step), step, name))


@dataclass(frozen=True)
class Stream:
    """A stream of tuples and watermarks. Every operator returns a new one."""

    node: Node

    @property
    def type(self) -> TupleType:
        """The type of the stream's tuples."""
        return self.node.type

    def filter(self, predicate: Callable[[Any], Any]) -> Stream:
        """Return the tuples for which the predicate holds.

        >>> words = of.source("words", "word string")
        >>> of.run(words.filter(lambda t: len(t.word) > 1), {"words": [(1, "a"), (2, "be")]})
        [(time=2, word='be')]
        """
        return Stream(filter_(self.node, predicate, here("filter")))

    def map(self, function: Callable[[Any], Any], type: str | TupleType) -> Stream:
        """Return what the function makes of each tuple: one tuple or mapping, at the same time.

        >>> words = of.source("words", "word string")
        >>> of.run(words.map(lambda t: (len(t.word),), "length int"), {"words": [(2, "be")]})
        [(time=2, length=2)]
        """
        return Stream(map_(self.node, function, type, here("map")))

    def flat_map(self, function: Callable[[Any], Any], type: str | TupleType) -> Stream:
        """Return all tuples that the function makes of each tuple, at the same time.

        >>> lines = of.source("lines", "line string")
        >>> words = lines.flat_map(lambda t: [(w,) for w in t.line.split()], "word string")
        >>> of.run(words, {"lines": [(1, "to be"), (2, "")]})
        [(time=1, word='to'), (time=1, word='be')]
        """
        return Stream(flat_map(self.node, function, type, here("flat_map")))

    def aggregate(
        self,
        function: Callable[[Window], Any],
        type: str | TupleType,
        *,
        key: KeyArgument = None,
        size: Duration,
        advance: Duration | None = None,
        lateness: Duration = 0,
    ) -> Stream:
        """Return one tuple, or none, for each window and key: see `core.aggregate.Aggregate`.

        >>> words = of.source("words", "word string")
        >>> def count(window):
        ...     return window.key.word, len(window.tuples)
        >>> counts = words.aggregate(count, "word string, n int", key=["word"], size="10 ms")
        >>> of.run(counts, {"words": [(1, "be"), (2, "to"), (9, "be"), (10, "be")]})
        [(time=9, word='be', n=2), (time=9, word='to', n=1), (time=19, word='be', n=1)]
        """
        step = here("aggregate")
        return Stream(
            aggregate(
                self.node, function, type,
                key=key, size=size, advance=advance, lateness=lateness, step=step,
            )
        )  # fmt: skip

    def aggregate_plus(
        self,
        function: Callable[[Window], Any],
        type: str | TupleType,
        *,
        key: KeyArgument = None,
        size: Duration,
        advance: Duration | None = None,
        lateness: Duration = 0,
    ) -> Stream:
        """Return any number of tuples for each window and key.

        >>> words = of.source("words", "word string")
        >>> def first_and_last(window):
        ...     return [window.tuples[0], window.tuples[-1]]
        >>> ends = words.aggregate_plus(first_and_last, "word string", size="10 ms")
        >>> of.run(ends, {"words": [(1, "to"), (5, "be"), (7, "or")]})
        [(time=9, word='to'), (time=9, word='or')]
        """
        step = here("aggregate_plus")
        return Stream(
            aggregate_plus(
                self.node, function, type,
                key=key, size=size, advance=advance, lateness=lateness, step=step,
            )
        )  # fmt: skip

    def join(
        self,
        other: Stream,
        type: str | TupleType,
        *,
        key: JoinKey = None,
        where: Callable[[Any, Any], Any] | None = None,
        select: Callable[[Any, Any], Any] | None = None,
        size: Duration,
        advance: Duration | None = None,
    ) -> Stream:
        """Return each pair of equal key for which `where` holds, for every window that holds both.

        >>> bids, asks = of.source("bids", "price int"), of.source("asks", "price int")
        >>> deals = bids.join(
        ...     asks, "bid int, ask int", size=10, where=lambda bid, ask: bid.price >= ask.price
        ... )
        >>> of.run(deals, {"bids": [(1, 7), (2, 3)], "asks": [(5, 5), (12, 1)]})
        [(time=9, bid=7, ask=5)]
        """
        step = here("join")
        return Stream(
            join(
                self.node, _node(other, step), type,
                key=key, where=where, select=select, size=size, advance=advance, step=step,
            )
        )  # fmt: skip

    def stateful(
        self,
        type: str | TupleType,
        *,
        key: KeyArgument = None,
        period: Duration,
        create: Callable[[Any], Any],
        add: Callable[[Any, Any], Any],
        merge: Callable[[Any, Any], Any],
        output: Callable[[Any], Any],
        extra_periods: int = 0,
    ) -> Stream:
        """Return what `output` makes of each key's state at the end of every period.

        `create` makes a state of a key's first tuple, `add` adds a tuple to a state, `merge` makes
        one state of two. At the end of the stream it stops after the last period that holds a tuple
        and `extra_periods` more.

        >>> words = of.source("words", "word string")
        >>> totals = words.stateful(
        ...     "n int",
        ...     period="10 ms",
        ...     create=lambda t: 1,
        ...     add=lambda n, t: n + 1,
        ...     merge=lambda n, m: n + m,
        ...     output=lambda n: (n,),
        ... )
        >>> of.run(totals, {"words": [(1, "to"), (5, "be"), (27, "or")]})
        [(time=10, n=2), (time=20, n=2), (time=30, n=3)]
        """
        step = here("stateful")
        return Stream(
            stateful(
                self.node, type, key=key, period=period, create=create, add=add, merge=merge,
                output=output, extra_periods=extra_periods, step=step,
            )
        )  # fmt: skip

    def union(self, *others: Stream) -> Stream:
        """Return the tuples of this stream and of others of the same type.

        >>> a, b = of.source("a", "n int"), of.source("b", "n int")
        >>> of.run(a.union(b), {"a": [(1, 1)], "b": [(2, 2)]})
        [(time=1, n=1), (time=2, n=2)]
        """
        step = here("union")
        return Stream(union([self.node, *(_node(other, step) for other in others)], step))

    def loop(
        self,
        body: Callable[[Stream], Stream],
        *,
        distance: Duration = 1,
        limit: int = 1_000_000,
    ) -> Stream:
        """Return what an Aggregate emits that is fed this stream and its own output (P3).

        `body` gets the looping stream and returns one `aggregate` over it, of the same type and
        with a lateness of at least `distance`: how far the watermark may run ahead of a tuple that
        is still to come round (C1). A loop that takes `limit` turns without news is stopped.

        >>> numbers = of.source("numbers", "n int")
        >>> def halve(window):
        ...     n = window.key.n
        ...     return (n // 2,) if n > 1 else None
        >>> halves = numbers.loop(
        ...     lambda s: s.aggregate(halve, "n int", key=["n"], size=1, lateness=1)
        ... )
        >>> of.run(halves, {"numbers": [(1, 9)]})
        [(time=1, n=4), (time=1, n=2), (time=1, n=1)]
        """
        step = here("loop")
        made = body(self)
        return Stream(loop(self.node, _node(made, step), distance, limit, step))

    def aggregate_loop(
        self,
        function: Callable[[Window], Any],
        *,
        key: KeyArgument = None,
        size: Duration,
        advance: Duration | None = None,
        lateness: Duration,
        distance: Duration = 1,
        limit: int = 1_000_000,
    ) -> Stream:
        """Return `loop` with an `aggregate` of the stream's own type as its body."""
        return self.loop(
            lambda stream: stream.aggregate(
                function, self.type, key=key, size=size, advance=advance, lateness=lateness
            ),
            distance=distance,
            limit=limit,
        )

    @property
    def late(self) -> Stream:
        """What this operator dropped. It promises nothing before the end of the stream.

        >>> words = of.source("words", "word string")
        >>> counts = words.aggregate(lambda w: (len(w.tuples),), "n int", size="10 ms")
        >>> engine = of.Engine(of.lower(counts.late, "dedicated"))
        >>> engine.watermark("words", 10)
        >>> engine.input("words", [(9, "late"), (10, "in time")])
        >>> engine.take_output()
        [(time=9, word='late')]
        """
        step = here("late")
        sides = late_streams(self.node, step)
        return Stream(sides[0] if len(sides) == 1 else union(sides, step))

    @property
    def late_left(self) -> Stream:
        """What a join dropped of its left stream."""
        return Stream(late_side(self.node, 0, here("late_left")))

    @property
    def late_right(self) -> Stream:
        """What a join dropped of its right stream."""
        return Stream(late_side(self.node, 1, here("late_right")))

    def __repr__(self) -> str:
        return f"<stream of {self.node.step}: {self.type}>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return plan(self.node)._repr_mimebundle_()  # as it was written


def _node(stream: object, step: Step) -> Node:
    if isinstance(stream, Stream):
        return stream.node
    raise NotAStream(
        f"{step}: a stream was expected",
        detail=f"got {stream!r}",
        hint="a stream is what source() and every operator return",
    )
