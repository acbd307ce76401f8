"""Tuples that wait for the watermark: the windows of an instant, all of them as one list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from onefold.core.block import times_of
from onefold.core.kernel import Kernel, Outlet
from onefold.core.records import Tuple
from onefold.core.time import START_OF_TIME, TICK
from onefold.core.windows import dropped, fires


class InstantsInBulk(Kernel):
    """Runs an Aggregate over windows of one instant: what is due is worked on in one go.

    A window of an instant holds the tuples of one time, so all that a watermark makes fire is what
    came in before it: no window needs to be kept by itself.
    """

    form = ", in bulk"

    def __init__(self) -> None:
        self.watermark = START_OF_TIME
        self.waiting: list[Sequence[Tuple]] = []

    def fire(self, tuples: Sequence[Tuple], out: Outlet) -> None:
        """Emit what the windows of these tuples give, all of them together."""
        raise NotImplementedError(type(self).__name__)

    def process(self, port: int, tuples: Sequence[Tuple], out: Outlet) -> None:
        times = set(times_of(tuples))
        if late := {time for time in times if dropped(time, TICK, 0, self.watermark)}:
            out.late(port, _of(late, tuples))
            tuples = _of(times - late, tuples)
        if tuples:
            self.waiting.append(tuples)

    def advance(self, watermark: int, out: Outlet) -> None:
        self.watermark = watermark
        if due := self._due():
            self.fire(due, out)
        out.watermark(watermark)

    def _due(self) -> Sequence[Tuple]:
        """Take out what fires now."""
        due: list[Sequence[Tuple]] = []
        kept: list[Sequence[Tuple]] = []
        for tuples in self.waiting:
            times = set(times_of(tuples))
            now = {time for time in times if fires(time, TICK, self.watermark)}
            if not now or now == times:
                (due if now else kept).append(tuples)
            else:
                due.append(_of(now, tuples))
                kept.append(_of(times - now, tuples))
        self.waiting = kept
        return due[0] if len(due) == 1 else list(chain.from_iterable(due))

    def held(self) -> int:
        return sum(map(len, self.waiting))

    def snapshot(self) -> Any:
        return self.watermark, [list(tuples) for tuples in self.waiting]

    def restore(self, state: Any) -> None:
        self.watermark, self.waiting = state


def _of(times: set[int], tuples: Iterable[Tuple]) -> list[Tuple]:
    return [t for t in tuples if t.time in times]
