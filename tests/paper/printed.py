"""The paper's listings as printed, mistakes and all, built of the library's own pieces.

Each piece stands alone, so that a test can put one printed piece among mended ones and show what
that one does. Nothing here is used outside of the tests.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from onefold.core import windows
from onefold.core.aggregate import Aggregate, KeyBy, Rows, Window
from onefold.core.functions import Step, UserFunction
from onefold.core.kernel import Kernel, Watch
from onefold.core.plan import Node
from onefold.core.records import Tuple
from onefold.core.time import TICK
from onefold.core.types import Array, Binary, Integer, Struct, TupleType
from onefold.core.values import identity
from onefold.operators.aggregate import AggregateKernel, Aggregation
from onefold.operators.embed import FROM_EMBED, embedded_type
from onefold.operators.flat_map import FlatMap
from onefold.operators.loop import Loop, LoopAggregation, LoopKernel
from onefold.operators.stateful import NO_STATE, Stateful, _unpacked
from onefold.operators.unfold import BY_IDENTITY, tuple_at_position

PRINTED = Step("as printed")


# Section 2.4: late arrivals.


def is_processed(left: int, size: int, lateness: int, watermark: int) -> bool:
    """A late arrival is added to γ if γ.l + WS ≤ W + L."""
    return left + size <= watermark + lateness


@dataclass(frozen=True, eq=False, repr=False)
class LatenessAsPrinted(Aggregation):
    """An Aggregate that judges late arrivals by `is_processed`."""

    def kernel(self, watch: Watch | None = None) -> Kernel:
        return _LatenessKernel(self, watch)


class _LatenessKernel(AggregateKernel):
    def _add(self, t: Tuple, key: Any, emitted: list[Tuple]) -> bool:
        if t.time >= self.watermark:
            return super()._add(t, key, emitted)
        size, lateness = self.meaning.size, self.meaning.lateness
        allowed = [
            left
            for left in windows.lefts(t.time, self.meaning.advance, size)
            if is_processed(left, size, lateness, self.watermark)
        ]
        for left in allowed:
            pane = self.windows.setdefault(left, {}).setdefault(key, [])
            pane.append(t)
            emitted += self._fire(left, key, pane, again=len(pane) > 1)
        return bool(allowed)


# Section 2.1: window instances, and keys.


def lefts(time: int, advance: int, size: int) -> list[int]:
    """The windows [ℓ·WA, ℓ·WA + WS) with ℓ ≥ 0 that a time falls in."""
    return [left for left in windows.lefts(time, advance, size) if left >= 0]


def hash_code(text: str) -> int:
    """The authors' key: Java's 32-bit hash code of a string."""
    code = 0
    for character in text:
        code = (31 * code + ord(character)) & 0xFFFFFFFF
    return code


# The listing of E: sets, and nothing to tell one window's T from another's.


def embed_set(input: Node, meaning: Aggregate) -> Aggregation:
    """E with T ← T ∪ f(t') for sets; the identity of the window goes along, as mended."""
    carried, output = Struct(meaning.output.attributes).record, embedded_type(meaning.output)

    def all_in_one(window: Window) -> Rows:
        tuples = dict.fromkeys(carried(row) for row in meaning.function(window))
        return [(identity(window.key), tuple(tuples), FROM_EMBED)] if tuples else ()

    single = replace(meaning, function=all_in_one, output=output, many=False)
    return Aggregation((input,), output, PRINTED, single)


def embed_by_key(input: Node, meaning: Aggregate) -> Aggregation:
    """E with lists, and with the key of the window but not with how often it has fired."""
    carried, output = Struct(meaning.output.attributes).record, embedded_type(meaning.output)

    def all_in_one(window: Window) -> Rows:
        tuples = tuple(carried(row) for row in meaning.function(window))
        return [(identity(window.key), tuples, FROM_EMBED)] if tuples else ()

    single = replace(meaning, function=all_in_one, output=output, many=False)
    return Aggregation((input,), output, PRINTED, single)


def embed_plain(input: Node, meaning: Aggregate) -> Aggregation:
    """E with lists: T ⌢ −1, and nothing to tell whose T it is."""
    carried = Struct(meaning.output.attributes)
    output = TupleType((("tuples", Array(carried)), ("position", Integer(32))))

    def all_in_one(window: Window) -> Rows:
        tuples = tuple(carried.record(row) for row in meaning.function(window))
        return [(tuples, FROM_EMBED)] if tuples else ()

    single = replace(meaning, function=all_in_one, output=output, many=False)
    return Aggregation((input,), output, PRINTED, single)


# The listing of X.


def next_position(window: Window) -> Rows:
    """A1: loops while t[2] < |t[1]|."""
    t = window.tuples[0]
    if t.position == FROM_EMBED:
        return [(t.identity, tuple(each for one in window.tuples for each in one.tuples), 0)]
    if t.position < len(t.tuples):
        return [(t.identity, t.tuples, t.position + 1)]
    return ()


def next_position_plain(window: Window) -> Rows:
    """A1 without an identity, and with the bound mended."""
    t = window.tuples[0]
    if t.position == FROM_EMBED:
        return [(tuple(each for one in window.tuples for each in one.tuples), 0)]
    if t.position + 1 < len(t.tuples):
        return [(t.tuples, t.position + 1)]
    return ()


def unfold(
    embedded: Node,
    output: TupleType,
    count: Callable[[Window], Rows],
    *,
    key: KeyBy = BY_IDENTITY,
    turns: Callable[[Tuple], int] | None = None,
    lateness: int = 0,
) -> Aggregation:
    """X with `count` for A1's function; the loop and its managers are ours.

    `turns` says how often a tuple goes round; None leaves that to the windows of A1.
    """
    counting = Aggregate(count, embedded.type, key, TICK, TICK, lateness + TICK)
    loop = Loop(distance=TICK, successors=turns)
    counted = LoopAggregation((embedded,), embedded.type, PRINTED, counting, loop)
    picking = Aggregate(tuple_at_position, output, key, TICK, TICK, lateness)
    return Aggregation((counted,), output, PRINTED, picking)


# The listings of C2 and C3.

INFINITY = float("inf")


@dataclass
class Upstream:
    """C2 for S_E. `fed` is what A1 is given: tuples (τ, |T|, index) and watermarks."""

    lateness: int
    fed: list[Any] = field(default_factory=list)
    bound: float = INFINITY
    successors: dict[int, int] = field(default_factory=dict)
    pending: list[float] = field(default_factory=list)

    def process_tuple(self, time: int, count: int, index: int) -> None:
        self.fed.append((time, count, index))
        if index == FROM_EMBED:
            self.successors[time] = self.successors.get(time, 0) + count
        else:
            self.successors[time] = self.successors.get(time, 0) - 1
            if self.successors[time] == 0:
                del self.successors[time]
        self.bound = min(self.successors) + self.lateness if self.successors else INFINITY
        next_watermark: float = -1
        while self.pending and self.pending[0] <= self.bound:
            next_watermark = self.pending.pop(0)
        if next_watermark != -1:
            self.fed.append(next_watermark)

    def process_watermark(self, watermark: float) -> None:
        if watermark <= self.bound:
            self.fed.append(watermark)
        else:
            self.pending.append(watermark)


@dataclass
class Downstream:
    """C3 for S_A2. `forwarded` are the watermarks that A2 is given.

    The listing takes the index −1 for the first successor of a tuple; `first=0` mends that alone.
    """

    first: int = FROM_EMBED
    forwarded: list[int] = field(default_factory=list)
    successors: dict[int, int] = field(default_factory=dict)
    last: int = -1

    def process_tuple(self, time: int, count: int, index: int) -> None:
        if index == self.first:
            self.successors[time] = self.successors.get(time, 0) + count - 1
        else:
            self.successors[time] = self.successors.get(time, 0) - 1
            if self.successors[time] == 0:
                del self.successors[time]
        if not self.successors:
            self._forward(time)
        elif min(self.successors) - 1 > self.last:
            self._forward(min(self.successors) - 1)

    def process_watermark(self, watermark: int) -> None:
        if not self.successors:
            self._forward(watermark)
        elif min(self.successors) - 1 > self.last:
            self._forward(min(self.successors) - 1)

    def _forward(self, watermark: int) -> None:
        self.forwarded.append(watermark)
        self.last = watermark


# Appendix A: a loop without managers.


@dataclass(frozen=True, eq=False, repr=False)
class LoopWithoutManagers(LoopAggregation):
    """A loop whose Aggregate takes every watermark at once, and forwards it at once."""

    def kernel(self, watch: Watch | None = None) -> Kernel:
        kernel = LoopKernel(self, watch)
        owes_nothing = type("OwesNothing", (), {"first": lambda _: 2**63})()
        kernel.upstream.owed = kernel.downstream.owed = owes_nothing
        return kernel


# The listing of O.


@dataclass(frozen=True)
class StateFunction:
    """A1's function of the listing of O; each field puts one printed piece among mended ones."""

    node: Stateful
    skips_one_before: bool = False
    """Skips τ = γ.l + P − δ, as printed; else γ.l + P."""
    always_returns: bool = False
    """Returns {t_s} even where no tuple made one, as printed."""
    knows_its_own: bool = True
    """Returns nothing once its own state has come round; not printed."""

    def __call__(self, window: Window) -> Rows:
        node, shared = self.node, window.left + self.node.period
        own = [t for t in window.tuples if t.time == shared and t.input is None]
        if own and self.knows_its_own:
            return ()
        skipped = shared - TICK if self.skips_one_before else shared
        state: Any = NO_STATE
        for t in window.tuples:
            if t.time == skipped:
                continue
            if t.input is not None:
                state = node.fold(state, [node._entered(t)])
            elif state is NO_STATE:
                state = _unpacked(t.state)[1]
            else:
                state = node.merge(state, _unpacked(t.state)[1])
        if state is NO_STATE:
            return [(None, node.keep(window.key, None))] if self.always_returns else ()
        return [(None, node.keep(window.key, state))]


def stateful(node: Stateful, function: StateFunction, loop: Loop, *, lateness: int = TICK) -> Node:
    """O as FM2(A1(FM1)), with `function` for A1's and with this loop."""
    record = Struct(node.inputs[0].type.attributes)
    either = TupleType((("input", record), ("state", Binary())))
    entered = FlatMap(node.inputs, either, PRINTED, held(_enter(record)))
    key = KeyBy(function=held(node._key_of_either))
    meaning = Aggregate(function, either, key, node.size, node.period, lateness)
    states = LoopAggregation((entered,), either, PRINTED, meaning, loop)
    taken = held(lambda t: node.rows(t.state))
    return FlatMap((states,), node.type, PRINTED, taken)


def _enter(record: Struct) -> Callable[[Tuple], Rows]:
    return lambda t: [(record.record(tuple(t)[1:]), None)]


def held(function: Callable[[Tuple], Any]) -> UserFunction:
    """The function as an operator holds it."""
    return UserFunction(function, PRINTED, "function")
