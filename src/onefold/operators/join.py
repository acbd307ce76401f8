"""join: pairs of tuples of equal key, once for every window that holds both.

Cost: tuples of both sides are held until the watermark passes the last window that they fall in. In
each window, every left tuple of a key meets every right one: one call of `where` for each such pair
and window, or few calls for all of them if it is `vectorized`. On Spark a pair is asked once,
however many windows hold it; the composed join holds the rows of its pairs meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any, ClassVar

from onefold.core import windows
from onefold.core.aggregate import (
    WHOLE_TUPLE,
    Aggregate,
    KeyArgument,
    KeyBy,
    Rows,
    Window,
    key_by,
    show_window,
    window_lengths,
)
from onefold.core.ddl import tuple_type
from onefold.core.errors import BadKey, TypeMismatch
from onefold.core.functions import FAILED, About, Step, UserFunction, truth
from onefold.core.kernel import Kernel, Outlet, Watch
from onefold.core.plan import Composition, Late, Node, check_sources
from onefold.core.records import Tuple, values
from onefold.core.showing import USERS_ERRORS
from onefold.core.time import START_OF_TIME, TICK, Duration
from onefold.core.types import Array, Struct, TupleType
from onefold.operators.aggregate import Aggregation
from onefold.operators.aggregate_plus import AggregationPlus
from onefold.operators.union import union
from onefold.operators.vectorized import Vectorized

JoinKey = KeyArgument | tuple[KeyArgument, KeyArgument]
LEFT, RIGHT = 0, 1


def join(
    left: Node,
    right: Node,
    type: str | TupleType,
    *,
    key: JoinKey,
    where: Callable[[Any, Any], Any] | None,
    select: Callable[[Any, Any], Any] | None,
    size: Duration,
    advance: Duration | None,
    step: Step,
) -> Join:
    """Return J(Γ(advance, size, left, key₁), Γ(advance, size, right, key₂), where)."""
    check_sources(step, left, right)
    output = tuple_type(type, step)
    _check_both(left, right, output, step, given=select is not None)
    length, stride, _ = window_lengths(size, advance, 0, step)
    keys = tuple(
        key_by(each, side.type, step) for each, side in zip(_sides(key, step), (left, right))
    )
    return Join(
        (left, right),
        output,
        step,
        keys,
        UserFunction(where or _always, step, "where", truth, About.PAIR).takes(2),
        UserFunction(
            select or _both,
            step,
            "select",
            lambda row, *_: output.conform_row(row),
            About.PAIR,
        ).takes(2),
        length,
        stride,
    )


def _sides(key: JoinKey, step: Step) -> tuple[KeyArgument, KeyArgument]:
    if not isinstance(key, tuple):
        return key, key
    if len(key) != 2 or any(isinstance(each, str) for each in key):
        raise BadKey(
            f"{step}: a join has two keys, one for each side",
            detail=f"got {key!r}",
            hint='write key=(["a"], ["b"]) for a on the left and b on the right, '
            'key=["a", "b"] for both attributes on both sides',
        )
    return key


def _check_both(left: Node, right: Node, output: TupleType, step: Step, *, given: bool) -> None:
    both = [kind for side in (left, right) for _, kind in side.type.attributes]
    if not given and both != [kind for _, kind in output.attributes]:
        raise TypeMismatch(
            f"{step}: without `select` a pair is all of the left tuple and all of the right",
            detail=f"left: {left.type}; right: {right.type}; out: {output}",
            hint="write a `select` that makes the output of a pair",
        )


def _always(_x: Tuple, _y: Tuple) -> bool:
    return True


def _both(x: Tuple, y: Tuple) -> tuple[Any, ...]:
    return values(x) + values(y)


@dataclass(frozen=True, eq=False, repr=False)
class Join(Node):
    """The selected row of each pair that shares a key and a window, and that `where` holds for."""

    keys: tuple[KeyBy, ...]
    where: UserFunction
    select: UserFunction
    size: int
    advance: int
    operator: ClassVar[str] = "join"
    late_ports: ClassVar[int] = 2

    emits_ahead: ClassVar[bool | None] = True

    def match(self, xs: Sequence[Tuple], ys: Sequence[Tuple]) -> Rows:
        """Return the row of each pair of a left and a right tuple that `where` holds for."""
        rows = (self.select(x, y) for x, y in self._holding(xs, ys))
        return [row for row in rows if row is not FAILED]

    def _holding(self, xs: Sequence[Tuple], ys: Sequence[Tuple]) -> list[tuple[Tuple, Tuple]]:
        where = self.where.function
        try:
            if isinstance(where, Vectorized):
                return list(where.holding(xs, ys))
            return [(x, y) for x in xs for y in ys if where(x, y)]
        except USERS_ERRORS:  # of one of these pairs: each is asked by itself
            return [(x, y) for x in xs for y in ys if self.where(x, y) is True]

    def compose(self, inputs: tuple[Node, ...]) -> Composition:
        """join(p) = aggregate_plus(pairs that match; {A1(left), A2(right)}, by key)

        A1 and A2 collect equal tuples of one instant and give both sides one type (theorem 2).
        """
        sides = [Array(Struct(each.type.attributes)) for each in inputs]
        both = TupleType((("left", sides[LEFT]), ("right", sides[RIGHT])))
        collected = [self._collect(each, port, both) for port, each in enumerate(inputs)]
        of_either = UserFunction(self._key_of_collected, self.step, "key")
        key = KeyBy(function=of_either, text=self._key_text())
        meaning = Aggregate(
            Pairs(self),
            self.type,
            key,
            self.size,
            self.advance,
            many=True,
            name="A3 of join",
            in_place=True,
        )
        matched = AggregationPlus((union(collected, self.step),), self.type, self.step, meaning)
        return Composition(matched, tuple(Late.of(each) for each in collected))

    def _collect(self, input: Node, port: int, both: TupleType) -> Aggregation:
        name = f"A{port + 1} of join"
        equal_tuples = Collected(port, Struct(input.type.attributes))
        meaning = Aggregate(
            equal_tuples, both, WHOLE_TUPLE, TICK, TICK, name=name, spread=self.keys[port]
        )
        return Aggregation((input,), both, self.step, meaning)

    def collected(self, t: Tuple) -> tuple[int, list[Tuple]]:
        """Return which side a collected tuple is from, and the tuples that it holds."""
        port = RIGHT if t.left == () else LEFT
        make = self.inputs[port].type.tuple_class
        return port, [make((t.time, *each)) for each in (t.left, t.right)[port]]

    def _key_of_collected(self, t: Tuple) -> Any:
        port, tuples = self.collected(t)
        keyed = [key for _, key in self.keys[port].over(tuples)]
        return keyed[0] if keyed else FAILED

    def kernel(self, watch: Watch | None = None) -> Kernel:
        return JoinKernel(self, watch)

    def shape(self) -> str:
        return f"{super().shape()}, window {show_window(self.size, self.advance)}"

    def details(self) -> dict[str, str]:
        where = {} if self.where.function is _always else {"where": self.where.describe()}
        select = {} if self.select.function is _both else {"select": self.select.describe()}
        window = show_window(self.size, self.advance)
        return {**where, **select, "window": window, "key": self._key_text()}

    def _key_text(self) -> str:
        left, right = (str(key) for key in self.keys)
        return left if left == right else f"{left} on the left, {right} on the right"


@dataclass(frozen=True)
class Collected:
    """What A1 and A2 make of a window: its equal tuples, on their side."""

    port: int
    side: Struct

    def __call__(self, window: Window) -> Rows:
        tuples = tuple(self.side.record(values(t)) for t in window.tuples)
        return [(tuples, ()) if self.port == LEFT else ((), tuples)]


@dataclass(frozen=True, eq=False)
class Pairs:
    """What A3 makes of a window: the rows of its pairs that match."""

    join: Join

    def __call__(self, window: Window) -> Rows:
        sides: tuple[list[Tuple], list[Tuple]] = ([], [])
        for t in window.tuples:
            port, tuples = self.join.collected(t)
            sides[port].extend(tuples)
        return self.join.match(*sides)


class JoinKernel(Kernel):
    """Matches tuples, as they come, with those of the other side in every open window."""

    def __init__(self, node: Join, watch: Watch | None = None) -> None:
        self.node, self.watch = node, watch
        self.watermark = START_OF_TIME
        self.windows: dict[int, dict[Hashable, tuple[list[Tuple], list[Tuple]]]] = {}
        self.lefts: list[int] = []

    def process(self, port: int, tuples: Sequence[Tuple], out: Outlet) -> None:
        node = self.node
        emitted: list[Tuple] = []
        late: list[Tuple] = []
        arrived: dict[tuple[int, Hashable], list[Tuple]] = {}
        for t, key in node.keys[port].over(tuples):
            lefts = windows.lefts(t.time, node.advance, node.size)
            open_ = [w for w in lefts if not windows.dropped(w, node.size, 0, self.watermark)]
            if not open_:
                late.append(t)
            for left in open_:
                arrived.setdefault((left, key), []).append(t)
        for (left, key), new in arrived.items():
            sides = self._sides(left, key)
            rows = node.match(new, sides[RIGHT]) if port == LEFT else node.match(sides[LEFT], new)
            time = windows.output_time(left, node.size)
            emitted += [node.type.tuple_class((time, *row)) for row in rows]
            sides[port].extend(new)
            if self.watch:
                for t in new:
                    self.watch.added(left, left + node.size, self._shown(key), t)
        if late:
            out.late(port, late)
        if emitted:
            out.emit(emitted)

    def _shown(self, key: Hashable) -> Any:
        """Return a key as both sides show it, though each may have one of its own."""
        return self.node.keys[LEFT].shown(key)

    def _sides(self, left: int, key: Hashable) -> tuple[list[Tuple], list[Tuple]]:
        if left not in self.windows:
            self.windows[left] = {}
            heappush(self.lefts, left)
        if key not in self.windows[left]:
            self.windows[left][key] = ([], [])
            if self.watch:
                self.watch.opened(left, left + self.node.size, self._shown(key))
        return self.windows[left][key]

    def advance(self, watermark: int, out: Outlet) -> None:
        self.watermark = watermark
        while self.lefts and windows.dropped(self.lefts[0], self.node.size, 0, watermark):
            left = heappop(self.lefts)
            for key in self.windows.pop(left):
                if self.watch:
                    self.watch.purged(left, left + self.node.size, self._shown(key))
        out.watermark(watermark)

    def held(self) -> int:
        keyed = (sides for keys in self.windows.values() for sides in keys.values())
        return sum(len(left) + len(right) for left, right in keyed)

    def snapshot(self) -> Any:
        return self.watermark, self.windows, self.lefts

    def restore(self, state: Any) -> None:
        self.watermark, self.windows, self.lefts = state
