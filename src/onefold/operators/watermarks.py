"""The two watermark managers of a loop (the paper's listings for C2 and C3, corrected).

Both look at one account of the successors that are still owed: how many tuples are yet to come
round the loop, at which event time. The paper keeps an account on either side of the Aggregate; the
one behind it waits for an index of -1 that never comes by (errata, row 3).
"""

from __future__ import annotations

from heapq import heappop, heappush

from onefold.core.time import END_OF_TIME, START_OF_TIME


class Owed:
    """How many successors are still to come round, by their event time (the listings' succΓ)."""

    def __init__(self) -> None:
        self.counts: dict[int, int] = {}
        self._times: list[int] = []

    def expect(self, time: int, count: int = 1) -> None:
        """Note that `count` more tuples of this time will come round."""
        if count > 0:
            if time not in self.counts:
                heappush(self._times, time)
            self.counts[time] = self.counts.get(time, 0) + count

    def settle(self, time: int, count: int = 1) -> None:
        """Note that `count` of them came, or will not come."""
        if count > 0:
            self.counts[time] -= count
            if self.counts[time] == 0:
                del self.counts[time]

    def first(self) -> int:
        """Return the earliest time at which a tuple is owed; the end of time if none is."""
        while self._times and self._times[0] not in self.counts:
            heappop(self._times)
        return self._times[0] if self._times else END_OF_TIME


class Manager:
    """Lets watermarks by as far as `distance` beyond the first tuple that is owed."""

    def __init__(self, owed: Owed, distance: int) -> None:
        self.owed, self.distance = owed, distance
        self.received = START_OF_TIME
        self.forwarded = START_OF_TIME

    def process(self, watermark: int) -> None:
        """Take a watermark."""
        self.received = max(self.received, watermark)

    def forward(self) -> int | None:
        """Return the watermark that may go on now, if it is a new one."""
        watermark = min(self.received, self.owed.first() + self.distance)
        if watermark > self.forwarded:
            self.forwarded = watermark
            return watermark
        return None


class UpstreamManager(Manager):
    """C2: the Aggregate's watermark never makes a tuple late that is still to come round.

    A watermark that would run more than `distance` ahead of an owed tuple is cut there, and goes on
    once that tuple is back: W promises whatever an earlier watermark does. The listing holds such a
    watermark back whole, and then waits for ever (C1 fails at the end of every stream).
    """


class DownstreamManager(Manager):
    """C3: a watermark goes downstream after all successors of what it made fire."""

    def __init__(self, owed: Owed) -> None:
        super().__init__(owed, distance=0)
