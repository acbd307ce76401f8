"""loop: an Aggregate that is fed its own output (P3).

Composition: none. Every engine lets an Aggregate be fed its own output (P3).

Cost: holds what `aggregate` holds, and what is on its way round. Each turn fires a window again;
the watermark waits until all that came of a tuple is out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

from onefold.core import windows
from onefold.core.errors import (
    BadCount,
    LoopBroken,
    LoopNeverEnds,
    LoopRunsAhead,
    LoopTooShort,
    NotALoop,
    TypeMismatch,
)
from onefold.core.functions import Step
from onefold.core.kernel import Kernel, Outlet, Watch
from onefold.core.plan import Node
from onefold.core.records import Tuple
from onefold.core.time import (
    END_OF_TIME,
    START_OF_TIME,
    TICK,
    Duration,
    duration,
    show_duration,
    show_time,
)
from onefold.operators.aggregate import AggregateKernel, Aggregation
from onefold.operators.watermarks import DownstreamManager, Owed, UpstreamManager


def loop(looping: Node, body: Node, distance: Duration, limit: Any, step: Step) -> LoopAggregation:
    """Return `body`, an Aggregate over `looping`, with its output fed back to it."""
    if type(body) is not Aggregation or body.inputs != (looping,):
        raise NotALoop(
            f"{step}: a loop is one Aggregate that is fed its own output (P3)",
            detail=f"the body returned {body.step}",
            hint="return stream.aggregate(…) of the stream that the body is given",
        )
    if not isinstance(limit, int) or limit < 1:
        raise BadCount(
            f"{step}: limit is {limit!r}, and must be a whole number from 1 on",
            hint="it counts how often a tuple and its successors may go round",
        )
    turns = Loop(duration(distance, f"{step}: distance"), limit=limit)
    if turns.distance > TICK and body.aggregate.size > body.aggregate.advance:
        raise LoopRunsAhead(
            f"{step}: overlapping windows need a distance of {show_duration(TICK)}",
            detail=f"it is {show_duration(turns.distance)}: a window could fire before a tuple of "
            "its own has come round, and again when it has",
            hint="leave out `distance`, or let size and advance be equal",
        )
    return LoopAggregation(body.inputs, body.type, step, body.aggregate, turns)


@dataclass(frozen=True)
class Loop:
    """How an Aggregate's output comes back to it."""

    distance: int
    """C1: how far the watermark may run ahead of a tuple that is still to come round."""
    successors: Callable[[Tuple], int] | None = None
    """How often a tuple from upstream goes round, where that is known; else windows are counted."""
    after_end: int | None = None
    """At the end of the stream: how many windows to fire behind the last that holds a tuple from
    upstream. None: go on until the loop has come to rest."""
    limit: int | None = None
    """How often a tuple and its successors may go round before the loop is called endless."""


@dataclass(frozen=True, eq=False, repr=False)
class LoopAggregation(Aggregation):
    """An Aggregate over its input and its own output."""

    loop: Loop

    @property
    def loops(self) -> bool:
        return True

    def __post_init__(self) -> None:
        if self.aggregate.output != self.inputs[0].type:
            raise TypeMismatch(
                f"{self.step}: what goes round a loop has the type of its input",
                detail=f"in: {self.inputs[0].type}; out: {self.aggregate.output}",
                hint="let the Aggregate in the loop return tuples of the looping stream's type",
            )
        if not TICK <= self.loop.distance <= self.aggregate.lateness:
            raise LoopTooShort(
                f"{self.step}: lateness {show_duration(self.aggregate.lateness)} does not cover "
                f"the watermark distance {show_duration(self.loop.distance)}",
                detail="what an Aggregate emits comes back after its window fired (C1, theorem 3)",
                hint="give the Aggregate in the loop a lateness of at least the distance, "
                "and a distance of at least 1 ms",
            )

    def kernel(self, watch: Watch | None = None) -> Kernel:
        return LoopKernel(self, watch)

    def details(self) -> dict[str, str]:
        return {**super().details(), "watermark distance": show_duration(self.loop.distance)}


class LoopKernel(Kernel):
    """Runs an Aggregate with a loop between the two watermark managers.

    What the Aggregate emits goes downstream and into a queue. The engine says when some of the
    queue comes round (`turn`), and may let upstream run ahead: the managers keep the answer.
    """

    def __init__(self, node: LoopAggregation, watch: Watch | None = None) -> None:
        self.node, self.loop, self.watch = node, node.loop, watch
        self.queue: deque[tuple[int, Tuple]] = deque()
        """What is to come round, each with the turn that it then takes."""
        self.owed = Owed()
        self.upstream = UpstreamManager(self.owed, node.loop.distance)
        self.downstream = DownstreamManager(self.owed)
        counted = node.loop.successors is not None
        self.inner = AggregateKernel(node, watch if counted else _OwedWindows(self.owed, watch))
        self.last_input = START_OF_TIME
        self.promised = START_OF_TIME
        self.ending = False
        self.turn_now = 0

    def process(self, port: int, tuples: Sequence[Tuple], out: Outlet) -> None:
        self.turn_now = 0
        self.last_input = max(self.last_input, *(t.time for t in tuples))
        if self.loop.successors:
            for t in tuples:
                self.owed.expect(t.time, self.loop.successors(t))
        self.inner.process(port, tuples, _Both(self, out))
        self._release(out)

    def advance(self, watermark: int, out: Outlet) -> None:
        self.turn_now = 0
        if watermark == END_OF_TIME:
            self.ending = True
            watermark = self._final_watermark()
        else:
            self.promised = watermark
        self.upstream.process(watermark)
        self._release(out)

    def hear(self, time: int) -> None:
        """Note the time of a tuple of any key that another kernel of the operator has taken."""
        self.last_input = max(self.last_input, time)

    def turn(self, count: int, out: Outlet) -> None:
        """Let `count` tuples of the queue come round."""
        coming = [self.queue.popleft() for _ in range(count)]
        for turn, of_one_turn in groupby(coming, key=itemgetter(0)):
            self.turn_now = turn
            self._come_round([t for _, t in of_one_turn], out)
        self._release(out)

    def _come_round(self, tuples: Sequence[Tuple], out: Outlet) -> None:
        if self.loop.limit is not None and self.turn_now > self.loop.limit:
            raise LoopNeverEnds(
                f"{self.node.step}: the loop went round {self.loop.limit} times without an end",
                detail=f"now at {tuples[0]!r}",
                hint="return None when the loop has done its work, or raise `limit`",
            )
        if self.watch:
            for t in tuples:
                self.watch.turned(t)
        self.inner.process(0, tuples, _Both(self, out, looped=True))
        for t in tuples:
            self.owed.settle(t.time)

    def _release(self, out: Outlet) -> None:
        both = _Both(self, out)
        while (watermark := self.upstream.forward()) is not None:
            if watermark <= self._last_right():
                self.turn_now = 0  # what fires now may come from upstream; later, only the loop's
            if self.watch:
                self.watch.let_by(watermark)
            self.inner.advance(watermark, both)
        if (watermark := self.downstream.forward()) is not None:
            out.watermark(watermark)
        if self.ending and not self.queue and self.inner.watermark == self.upstream.received:
            out.watermark(END_OF_TIME)

    def _final_watermark(self) -> int:
        if self.loop.after_end is None or self.last_input == START_OF_TIME:
            return END_OF_TIME
        final = self._last_right() + self.loop.after_end * self.node.aggregate.advance
        return max(final, self.upstream.received)

    def _last_right(self) -> int:
        """Return where the last window ends that holds a tuple from upstream."""
        meaning = self.node.aggregate
        return windows.last_left(self.last_input, meaning.advance) + meaning.size

    def held(self) -> int:
        return self.inner.held() + len(self.queue)

    def snapshot(self) -> Any:
        managers = [(m.received, m.forwarded) for m in (self.upstream, self.downstream)]
        rest = self.queue, self.last_input, self.promised, self.ending, self.turn_now
        return self.inner.snapshot(), self.owed.counts, managers, rest

    def restore(self, state: Any) -> None:
        inner, counts, managers, rest = state
        self.inner.restore(inner)
        for time, count in counts.items():
            self.owed.expect(time, count)
        self.upstream.received, self.upstream.forwarded = managers[0]
        self.downstream.received, self.downstream.forwarded = managers[1]
        self.queue, self.last_input, self.promised, self.ending, self.turn_now = rest


@dataclass
class _Both:
    """What the Aggregate in a loop makes: downstream, and into the queue."""

    kernel: LoopKernel
    out: Outlet
    looped: bool = False

    def emit(self, tuples: Sequence[Tuple]) -> None:
        turn = self.kernel.turn_now + 1
        self.kernel.queue.extend((turn, t) for t in tuples)
        self.out.emit(tuples)

    def watermark(self, watermark: int) -> None:
        # Watermarks that the loop cuts from the end of the stream are its own: downstream, a
        # stateful operator would count periods by them that no source has promised.
        self.kernel.downstream.process(min(watermark, self.kernel.promised))

    def late(self, port: int, tuples: Sequence[Tuple]) -> None:
        if self.looped:
            raise LoopBroken(
                f"{self.kernel.node.step}: C2 does not hold, a looping tuple came too late",
                detail=f"{tuples[0]!r} at watermark {show_time(self.kernel.inner.watermark)}",
            )
        if successors := self.kernel.loop.successors:
            for t in tuples:
                self.kernel.owed.settle(t.time, successors(t))
        self.out.late(port, tuples)


@dataclass
class _OwedWindows:
    """Counts what is owed where a tuple does not tell: every open window may emit one tuple."""

    owed: Owed
    watch: Watch | None

    def opened(self, left: int, right: int, key: Any) -> None:
        self.owed.expect(right - TICK)
        if self.watch:
            self.watch.opened(left, right, key)

    def added(self, left: int, right: int, key: Any, t: Tuple) -> None:
        if self.watch:
            self.watch.added(left, right, key, t)

    def fired(self, left: int, right: int, key: Any, emitted: list[Tuple], *, again: bool) -> None:
        if again:
            self.owed.expect(right - TICK, len(emitted))
        elif not emitted:
            self.owed.settle(right - TICK)
        if self.watch:
            self.watch.fired(left, right, key, emitted, again=again)

    def purged(self, left: int, right: int, key: Any) -> None:
        if self.watch:
            self.watch.purged(left, right, key)

    def turned(self, t: Tuple) -> None:
        """Turns are told by the loop itself."""

    def let_by(self, watermark: int) -> None:
        """As turns are."""
