"""Tuples that wait for the watermark: the windows of an instant, all of them as one list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Any, ClassVar

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
    groups: ClassVar[bool] = False
    """Whether a window may hold several tuples, and they are not worked on one by one."""

    def __init__(self) -> None:
        self.watermark = START_OF_TIME
        self.waiting: list[Sequence[Tuple]] = []

    def fire(self, tuples: Sequence[Tuple], out: Outlet) -> None:
        """Emit what the windows of these tuples give, all of them together."""
        raise NotImplementedError(type(self).__name__)

    def process(self, port: int, tuples: Sequence[Tuple], out: Outlet) -> None:
        times = set(times_of(tuples))
        if late := {time for time in times if dropped(time, TICK, 0, self.watermark)}:
            out.late(port, _of(late, times, tuples))
            tuples = _of(times - late, times, tuples)
        if tuples:
            self.waiting.append(tuples)

    def advance(self, watermark: int, out: Outlet) -> None:
        self.watermark = watermark
        due = self._due()[::-1]
        while due:  # one by one, so that what a part takes in memory serves the next one
            self.fire(due.pop(), out)
        out.watermark(watermark)

    def _due(self) -> list[Sequence[Tuple]]:
        """Take out what fires now, in parts; if it `groups`, such that share no window."""
        parts = [(tuples, set(times_of(tuples))) for tuples in self.waiting]
        of_times = Counter(time for _, times in parts for time in times)
        shared = {time for time, count in of_times.items() if count > 1 and self.groups}
        now = {time for time in of_times if fires(time, TICK, self.watermark)}
        self.waiting = [_of(times - now, times, tuples) for tuples, times in parts]
        alone = [_of(times & now - shared, times, tuples) for tuples, times in parts]
        mixed = [_of(times & now & shared, times, tuples) for tuples, times in parts]
        self.waiting = [tuples for tuples in self.waiting if tuples]
        return [part for part in (*alone, list(chain.from_iterable(mixed))) if part]

    def held(self) -> int:
        return sum(map(len, self.waiting))

    def snapshot(self) -> Any:
        return self.watermark, [list(tuples) for tuples in self.waiting]

    def restore(self, state: Any) -> None:
        self.watermark, self.waiting = state


def _of(wanted: set[int], times: set[int], tuples: Sequence[Tuple]) -> Sequence[Tuple]:
    """Return the tuples of the wanted times, which are some of theirs."""
    if wanted == times:
        return tuples
    return [t for t in tuples if t.time in wanted] if wanted else ()
