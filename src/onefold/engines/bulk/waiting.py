"""Tuples that wait for the watermark: the windows of an instant, all of them as one list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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

    def parts(self, due: list[Sequence[Tuple]]) -> list[Sequence[Tuple]]:
        """Return what is due in parts that fire one by one; a part holds whole windows."""
        return due

    def process(self, port: int, tuples: Sequence[Tuple], out: Outlet) -> None:
        late, tuples = _split(tuples, lambda time: dropped(time, TICK, 0, self.watermark))
        if late:
            out.late(port, late)
        if tuples:
            self.waiting.append(tuples)

    def advance(self, watermark: int, out: Outlet) -> None:
        self.watermark = watermark
        due = self.parts(self._due())[::-1]
        while due:  # one by one, so that what a part takes in memory serves the next one
            self.fire(due.pop(), out)
        out.watermark(watermark)

    def _due(self) -> list[Sequence[Tuple]]:
        """Take out what fires now."""
        halves = [
            _split(tuples, lambda time: fires(time, TICK, self.watermark))
            for tuples in self.waiting
        ]
        self.waiting = [later for _, later in halves if later]
        return [now for now, _ in halves if now]

    def held(self) -> int:
        return sum(map(len, self.waiting))

    def snapshot(self) -> Any:
        return self.watermark, [list(tuples) for tuples in self.waiting]

    def restore(self, state: Any) -> None:
        self.watermark, self.waiting = state


def _split(
    tuples: Sequence[Tuple], early: Callable[[int], bool]
) -> tuple[Sequence[Tuple], Sequence[Tuple]]:
    """Return the early tuples and the others; every time before an early one is early."""
    times = times_of(tuples)
    if not times or not early(min(times)):
        return (), tuples
    if early(max(times)):
        return tuples, ()
    latest = max(time for time in set(times) if early(time))
    return [t for t in tuples if t.time <= latest], [t for t in tuples if t.time > latest]
