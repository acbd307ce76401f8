"""stateful (O): a state for each key, fed by every tuple, put out at the end of every period.

Cost: one state for each key, for as long as the stream lasts, and the tuples of periods that are
not over. Every key's state is put out at the end of every period, with or without new tuples.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from onefold.core import windows
from onefold.core.aggregate import Aggregate, KeyArgument, KeyBy, Rows, Window, key_by, one_row
from onefold.core.ddl import tuple_type
from onefold.core.errors import BadCount, StateNotPicklable
from onefold.core.functions import FAILED, About, Step, UserFunction
from onefold.core.kernel import Kernel, Outlet, Watch
from onefold.core.packing import packed, unpacked
from onefold.core.plan import Composition, Late, Node
from onefold.core.records import Tuple, values
from onefold.core.time import END_OF_TIME, START_OF_TIME, TICK, Duration, duration, show_duration
from onefold.core.types import Binary, Struct, TupleType
from onefold.core.values import normal
from onefold.operators.flat_map import FlatMap
from onefold.operators.loop import Loop, LoopAggregation

NO_STATE: Any = object()
"""Stands for the state of a key that has none yet."""


def stateful(
    input: Node,
    type: str | TupleType,
    *,
    key: KeyArgument,
    period: Duration,
    create: Callable[[Any], Any],
    add: Callable[[Any, Any], Any],
    merge: Callable[[Any, Any], Any],
    output: Callable[[Any], Any],
    extra_periods: int,
    step: Step,
) -> Stateful:
    """Return O(create, add, merge, output, period, key, input)."""
    made = tuple_type(type, step)
    _check_count(extra_periods, step)
    return Stateful(
        (input,),
        made,
        step,
        key_by(key, input.type, step),
        duration(period, f"{step}: period", least=TICK),
        UserFunction(create, step, "create").takes(1),
        UserFunction(add, step, "add").takes(2),
        UserFunction(merge, step, "merge", about=About.STATE).takes(2),
        UserFunction(output, step, "output", one_row(made), About.STATE).takes(1),
        extra_periods,
    )


def _check_count(extra_periods: Any, step: Step) -> None:
    if not isinstance(extra_periods, int) or extra_periods < 0:
        raise BadCount(
            f"{step}: extra_periods is {extra_periods!r}, and must be a whole number from 0 on",
            hint="it counts the periods to put out after the end of the stream",
        )


@dataclass(frozen=True, eq=False, repr=False)
class Stateful(Node):
    """What `output` makes of each key's state at every period boundary that the watermark passes.

    It begins with the first window that holds a tuple of the key. After the end of the stream it
    goes on to the last window that holds a tuple of any key, and `extra_periods` more.
    """

    key: KeyBy
    period: int
    create: UserFunction
    add: UserFunction
    merge: UserFunction
    output: UserFunction
    extra_periods: int
    operator: ClassVar[str] = "stateful"

    @property
    def size(self) -> int:
        """Windows are one tick longer than the period, so that a state falls in the next one."""
        return self.period + TICK

    def fold(self, state: Any, tuples: Iterable[Tuple]) -> Any:
        """Return the state after these tuples; a tuple that fails leaves it as it is."""
        for t in tuples:
            after = self.create(t) if state is NO_STATE else self.add(state, t)
            state = state if after is FAILED else after
        return state

    def rows(self, kept: bytes) -> Rows:
        """Return the row that a state puts out, or none; `output` gets a state of its own."""
        rows = self.output(_unpacked(kept)[1])
        return () if rows is FAILED else rows

    def compose(self, inputs: tuple[Node, ...]) -> Composition:
        """stateful = flat_map(take out) of loop(aggregate over period + δ) of flat_map(put in)

        A state that a window emits has the time of the instant that it shares with the next window,
        and comes round into that one (lemma 5; errata, rows 5 to 7).
        """
        entering = Struct(self.inputs[0].type.attributes)
        either = TupleType((("input", entering), ("state", Binary())))

        def enter(t: Tuple) -> Rows:  # set aside here if its key fails, so that no window holds it
            return [(entering.record(values(kept)), None) for kept, _ in self.key.over([t])]

        put_in = UserFunction(enter, self.step, "put in")
        entered = FlatMap(inputs, either, self._part("put in"), put_in)
        of_either = UserFunction(self._key_of_either, self.step, "key")
        key = KeyBy(function=of_either, text=str(self.key))
        meaning = Aggregate(
            self._next_state, either, key, self.size, self.period, TICK, name="A1 of stateful"
        )
        loop = Loop(distance=TICK, after_end=self.extra_periods)
        states = LoopAggregation((entered,), either, self.step, meaning, loop)
        take_out = UserFunction(lambda t: self.rows(t.state), self.step, "take out")
        taken_out = FlatMap((states,), self.type, self._part("take out"), take_out)
        return Composition(taken_out, (Late.of(entered),))

    def _part(self, name: str) -> Step:
        return replace(self.step, operator=name)

    def _entered(self, t: Tuple) -> Tuple:
        return self.inputs[0].type.tuple_class((t.time, *t.input))

    def _key_of_either(self, t: Tuple) -> Any:
        if t.input is None:
            return _unpacked(t.state)[0]
        return next((key for _, key in self.key.over([self._entered(t)])), FAILED)

    def _next_state(self, window: Window) -> Rows:
        shared = window.left + self.period
        if any(t.time == shared and t.input is None for t in window.tuples):
            return ()  # its own state has come round: it has fired before
        state: Any = NO_STATE
        for t in window.tuples:
            if t.time == shared:
                continue  # counts in the next window
            if t.input is not None:
                state = self.fold(state, [self._entered(t)])
            elif state is NO_STATE:
                state = _unpacked(t.state)[1]
            else:
                merged = self.merge(state, _unpacked(t.state)[1])
                state = state if merged is FAILED else merged
        return () if state is NO_STATE else [(None, self.keep(window.key, state))]

    def keep(self, key: Hashable, state: Any) -> bytes:
        """Return a state as it goes from one period to the next, in every implementation alike."""
        try:
            return packed((key, state))
        except Exception as problem:
            raise StateNotPicklable(
                f"{self.step}: the state can't be kept, as it can't be pickled",
                detail=f"{type(problem).__name__}: {problem}",
                hint="build the state of plain values, or of classes at the top of a module",
            ) from problem

    def kernel(self, watch: Watch | None = None) -> Kernel:
        return StatefulKernel(self, watch)

    def shape(self) -> str:
        return f"{super().shape()}, period {show_duration(self.period)}"

    def details(self) -> dict[str, str]:
        functions = (self.create, self.add, self.merge, self.output)
        told = {each.role: each.describe() for each in functions}
        return {**told, "period": show_duration(self.period), "key": str(self.key)}


def _unpacked(state: bytes) -> tuple[Any, Any]:
    key, value = unpacked(state)
    return normal(key), value


class StatefulKernel(Kernel):
    """Keeps the tuples of the periods that are not over, and a state for each key."""

    def __init__(self, node: Stateful, watch: Watch | None = None) -> None:
        self.node, self.watch = node, watch
        self.watermark = START_OF_TIME
        self.waiting: dict[int, dict[Hashable, list[Tuple]]] = {}
        self.states: dict[Hashable, bytes] = {}
        self.last_input = START_OF_TIME
        self.next_left = START_OF_TIME

    def process(self, port: int, tuples: Sequence[Tuple], out: Outlet) -> None:
        node = self.node
        late: list[Tuple] = []
        for t, key in node.key.over(tuples):
            left = windows.last_left(t.time, node.period)
            if windows.dropped(left, node.size, 0, self.watermark):
                late.append(t)
                continue
            self.last_input = max(self.last_input, t.time)
            waiting = self.waiting.setdefault(left, {})
            if key not in waiting:
                waiting[key] = []
                if self.watch:
                    self.watch.opened(left, left + node.size, node.key.shown(key))
            waiting[key].append(t)
            if self.watch:
                self.watch.added(left, left + node.size, node.key.shown(key), t)
        if late:
            out.late(port, late)

    def hear(self, time: int) -> None:
        """Note the time of a tuple of any key that another kernel of the operator has taken."""
        left = windows.last_left(time, self.node.period)
        if not windows.dropped(left, self.node.size, 0, self.watermark):
            self.last_input = max(self.last_input, time)

    def advance(self, watermark: int, out: Outlet) -> None:
        reached = self._final_watermark() if watermark == END_OF_TIME else watermark
        while (left := self._next_window()) is not None and windows.fires(
            left, self.node.size, reached
        ):
            self._end_period(left, out)
        self.watermark = watermark
        out.watermark(watermark)

    def _next_window(self) -> int | None:
        if self.states:
            return self.next_left
        return min(self.waiting, default=None)

    def _end_period(self, left: int, out: Outlet) -> None:
        node = self.node
        for key, tuples in self.waiting.pop(left, {}).items():
            before = _unpacked(self.states[key])[1] if key in self.states else NO_STATE
            state = node.fold(before, node.inputs[0].type.sort(tuples))
            if state is not NO_STATE:
                self.states[key] = node.keep(key, state)
        self.next_left = left + node.period
        for key, kept in self.states.items():
            self._put_out(left, key, kept, out)

    def _put_out(self, left: int, key: Hashable, kept: bytes, out: Outlet) -> None:
        node, right = self.node, left + self.node.size
        make, time = node.type.tuple_class, windows.output_time(left, node.size)
        emitted = [make((time, *row)) for row in node.rows(kept)]
        if self.watch:
            self.watch.fired(left, right, node.key.shown(key), emitted, again=False)
            self.watch.purged(left, right, node.key.shown(key))
        if emitted:
            out.emit(emitted)

    def _final_watermark(self) -> int:
        if self.last_input == START_OF_TIME:
            return self.watermark
        last = windows.last_left(self.last_input, self.node.period)
        final = last + self.node.size + self.node.extra_periods * self.node.period
        return max(final, self.watermark)

    def held(self) -> int:
        waiting = sum(len(each) for keys in self.waiting.values() for each in keys.values())
        return waiting + len(self.states)

    def snapshot(self) -> Any:
        return self.watermark, self.waiting, self.states, self.last_input, self.next_left

    def restore(self, state: Any) -> None:
        self.watermark, self.waiting, self.states, self.last_input, self.next_left = state
