"""aggregate: one tuple or none for each window and key. The one operator of all compositions.

Composition: none. `aggregate` is the one operator that all others are made of.

Cost: each tuple is held once for every window that it falls in, size / advance of them, until the
watermark passes the window's end and its lateness. A late tuple calls the function again with all
tuples of its window.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import wraps
from heapq import heappop, heappush
from typing import Any, ClassVar

from onefold.core import windows
from onefold.core.aggregate import (
    Aggregate,
    KeyArgument,
    Rows,
    Window,
    key_by,
    one_row,
    window_lengths,
)
from onefold.core.ddl import tuple_type
from onefold.core.errors import FunctionFailed
from onefold.core.functions import FAILED, About, Step, UserFunction, describe
from onefold.core.kernel import Kernel, Outlet, Watch
from onefold.core.plan import Implementation, Node
from onefold.core.records import Tuple
from onefold.core.time import START_OF_TIME, Duration, show_duration
from onefold.core.types import TupleType


def aggregate(
    input: Node,
    function: Callable[[Window], Any],
    type: str | TupleType,
    *,
    key: KeyArgument,
    size: Duration,
    advance: Duration | None,
    lateness: Duration,
    step: Step,
) -> Aggregation:
    """Return A(Γ(advance, size, input, key, lateness), function)."""
    output = tuple_type(type, step)
    length, stride, allowed = window_lengths(size, advance, lateness, step)
    check = one_row(output, instead=" (aggregate_plus takes a list)")
    rows = UserFunction(function, step, "function", check, About.WINDOW).takes(1)
    meaning = Aggregate(
        guarded(rows), output, key_by(key, input.type, step), length, stride, allowed
    )
    return Aggregation((input,), output, step, meaning)


def guarded(rows: UserFunction) -> Callable[[Window], Rows]:
    """Return a window's function that gives no rows where the user's failed and was set aside."""

    @wraps(rows.function)
    def result(window: Window) -> Rows:
        made = rows(window)
        return () if made is FAILED else made

    return result


@dataclass(frozen=True, eq=False, repr=False)
class Aggregation(Node):
    """An Aggregate over a stream."""

    aggregate: Aggregate
    operator: ClassVar[str] = "aggregate"

    def primitive(self, implementation: Implementation) -> bool:
        return True

    def kernel(self, watch: Watch | None = None) -> Kernel:
        return AggregateKernel(self, watch)

    def label(self) -> str:
        return f"{self.aggregate.name}: {self.aggregate}"

    def title(self) -> str:
        return self.aggregate.name if self.parent else self.step.operator

    def shape(self) -> str:
        meaning = self.aggregate
        by = meaning.key.attributes if meaning.key.function is None else "a function"
        return f"{super().shape()}, window {meaning.window} by {by}, lateness {meaning.lateness} ms"

    def details(self) -> dict[str, str]:
        meaning = self.aggregate
        told = {
            "window": meaning.window,
            "key": str(meaning.key),
            "lateness": show_duration(meaning.lateness),
            "emits": "any number of tuples" if meaning.many else "at most one tuple",
        }
        # Where the operator is part of another, its function is the composition's.
        return told if self.parent else {"function": describe(meaning.function), **told}


class AggregateKernel(Kernel):
    """Runs an Aggregate: `core.aggregate.Aggregate` is its contract."""

    def __init__(self, node: Aggregation, watch: Watch | None = None) -> None:
        self.node, self.watch = node, watch
        self.meaning = node.aggregate
        self.sort = node.inputs[0].type.sort
        self.watermark = START_OF_TIME
        self.windows: dict[int, dict[Hashable, list[Tuple]]] = {}
        self.unfired: list[int] = []
        self.fired: list[int] = []
        self._forget()

    def _forget(self) -> None:
        self.at: int | None = None
        self.panes: dict[Hashable, list[Tuple]] | None = None
        self.passed = False

    def process(self, port: int, tuples: Sequence[Tuple], out: Outlet) -> None:
        emitted: list[Tuple] = []
        add = self._add
        late = [t for t, key in self.meaning.key.over(tuples) if not add(t, key, emitted)]
        if late:
            out.late(port, late)
        if emitted:
            out.emit(emitted)

    def _add(self, t: Tuple, key: Hashable, emitted: list[Tuple]) -> bool:
        """Put a tuple in its windows, firing those again that have fired; False if all are gone."""
        meaning, kept = self.meaning, False
        for left in windows.lefts(t.time, meaning.advance, meaning.size):
            if left != self.at:
                self._look_up(left)
            panes = self.panes
            if panes is None:
                continue
            kept = True
            pane = panes.get(key)
            if pane is None:
                panes[key] = pane = []
                if self.watch:
                    self.watch.opened(left, left + meaning.size, meaning.key.shown(key))
            pane.append(t)
            if self.watch:
                self.watch.added(left, left + meaning.size, meaning.key.shown(key), t)
            if self.passed:
                emitted += self._fire(left, key, pane, again=len(pane) > 1)
        return kept

    def _look_up(self, left: int) -> None:
        """Find a window; tuples come mostly in order, so one look-up serves many."""
        size, watermark = self.meaning.size, self.watermark
        self.at, self.panes = left, None
        self.passed = windows.fires(left, size, watermark)
        if not windows.dropped(left, size, self.meaning.lateness, watermark):
            self.panes = self.windows.get(left)
            if self.panes is None:
                self.panes = self.windows[left] = {}
                heappush(self.fired if self.passed else self.unfired, left)

    def advance(self, watermark: int, out: Outlet) -> None:
        self.watermark = watermark
        self._forget()
        size = self.meaning.size
        while self.unfired and windows.fires(self.unfired[0], size, watermark):
            left = heappop(self.unfired)
            heappush(self.fired, left)
            emitted: list[Tuple] = []
            for key, pane in self.windows[left].items():
                emitted += self._fire(left, key, pane, again=False)
            if emitted:
                out.emit(emitted)
            self._purge()
        self._purge()
        out.watermark(watermark)

    def _fire(self, left: int, key: Hashable, pane: list[Tuple], *, again: bool) -> list[Tuple]:
        meaning = self.meaning
        right = left + meaning.size
        ordered = self.sort(pane) if len(pane) > 1 else pane
        rows = meaning.function(Window(left, right, meaning.key.shown(key), tuple(ordered)))
        if len(rows) > 1 and not meaning.many:
            raise FunctionFailed(
                f"{self.node.step} failed: {len(rows)} tuples for one window",
                detail=f"window [{left}, {right}) of key {key!r}",
                hint="a minimal Aggregate emits at most one; aggregate_plus may emit many",
            )
        make, time = meaning.output.tuple_class, windows.output_time(left, meaning.size)
        emitted = [make((time, *row)) for row in rows]
        if self.watch:
            self.watch.fired(left, right, meaning.key.shown(key), emitted, again=again)
        return emitted

    def _purge(self) -> None:
        size, lateness = self.meaning.size, self.meaning.lateness
        while self.fired and windows.dropped(self.fired[0], size, lateness, self.watermark):
            left = heappop(self.fired)
            panes = self.windows.pop(left)
            if self.watch:
                for key in panes:
                    self.watch.purged(left, left + size, self.meaning.key.shown(key))

    def held(self) -> int:
        return sum(len(pane) for panes in self.windows.values() for pane in panes.values())

    def snapshot(self) -> Any:
        return self.watermark, self.windows, self.unfired, self.fired

    def restore(self, state: Any) -> None:
        self.watermark, self.windows, self.unfired, self.fired = state
        self._forget()
