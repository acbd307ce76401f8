"""A run as a picture: event time from left to right, what arrives from top to bottom."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

from ink import box, dot, line, picture, words

import onefold as of
from onefold.core.records import maker_of
from onefold.core.time import START_OF_TIME
from onefold.engines.trace import Event, Kind

WIDTH, LEFT, RIGHT, TOP = 800, 150, 520, 54
ROW, LANE = 34, 24
SECOND = 1000
"""Steps and pictures are in seconds, event time in milliseconds."""


@dataclass(frozen=True)
class Row:
    """What arrived, where the watermark stands then, and what happened."""

    arrived: tuple[Any, ...] | int
    watermark: int
    events: tuple[Event, ...]

    def told(self) -> list[tuple[str, str]]:
        """Return what happened, each with its ink."""
        found = []
        for event in self.events:
            window = shown(event) if event.left is not None else ""
            match event.kind:
                case Kind.FIRED | Kind.FIRED_AGAIN:
                    again = " again" if event.kind is Kind.FIRED_AGAIN else ""
                    made = ", ".join(_values(each) for each in event.emitted)
                    found.append(("fires", f"{window} fires{again}: {made}"))
                case Kind.PURGED:
                    found.append(("quiet", f"{window} is gone"))
                case Kind.LATE:
                    found.append(("late", "late: its window is gone"))
        return found


def seconds(event: Event) -> tuple[int, int]:
    """Return the boundaries of an event's window in seconds."""
    assert event.left is not None
    assert event.right is not None
    return event.left // SECOND, event.right // SECOND


def shown(event: Event) -> str:
    """Write an event's window."""
    left, right = seconds(event)
    return f"[{left}, {right})"


def _values(t: of.Tuple) -> str:
    return ", ".join(f"{name} {t[name]}" for name in maker_of(t).names)


def rows(stream: of.Stream, steps: Sequence[tuple[Any, ...] | int]) -> list[Row]:
    """Run a pipeline of one source step by step: a tuple, or a watermark, in seconds."""
    events: list[Event] = []
    plan = of.lower(stream, "dedicated")
    engine = of.Engine(plan, record=events.append)
    (source,) = plan.sources
    found, watermark = [], START_OF_TIME
    for step in steps:
        events.clear()
        if isinstance(step, int):
            engine.watermark(source, step * SECOND)
            watermark = step
        else:
            engine.input(source, [(step[0] * SECOND, *step[1:])])
        found.append(Row(step, watermark, tuple(events)))
    return found


Remark = Callable[[Row], tuple[str, str] | None]


@dataclass(frozen=True)
class Timeline:
    """A picture of a run. `remark` may say, with its ink, what the trace of a row does not."""

    title: str
    run: Sequence[Row]
    end: int
    tick: int
    remark: Remark = lambda _: None

    def svg(self) -> str:
        """Return the picture."""
        bottom = self.top + sum(self.height(row) for row in self.run)
        shapes = (self._head(), self._past(), self._rules(bottom), self._marks())
        return picture(WIDTH, bottom + 16, self.title, chain.from_iterable(shapes))

    @cached_property
    def lanes(self) -> dict[tuple[int, int], int]:
        """On which line each window stands."""
        events = (event for row in self.run for event in row.events)
        return _lanes(sorted({seconds(each) for each in events if each.kind is Kind.OPENED}))

    @property
    def top(self) -> int:
        """Where the first row begins."""
        return TOP + LANE * (max(self.lanes.values(), default=-1) + 1)

    def height(self, row: Row) -> int:
        """Return how high a row is."""
        return max(ROW, 20 * len(row.told()) + 12)

    def x(self, time: float) -> float:
        """Return where a time stands."""
        return LEFT + (RIGHT - LEFT) * min(max(time, 0), self.end) / self.end

    def placed(self) -> Iterator[tuple[Row, int, int]]:
        """Return each row with its top and its height."""
        y = self.top
        for row in self.run:
            yield row, y, self.height(row)
            y += self.height(row)

    def _head(self) -> Iterator[str]:
        yield words(14, 24, self.title, look="bold")
        for (left, right), lane in self.lanes.items():
            begin, end, y = self.x(left), self.x(right), TOP - 16 + LANE * lane
            yield box(begin + 1, y, end - begin - 2, 18, fill="box", line="rule", round_by=4)
            middle = (begin + end) / 2
            yield words(middle, y + 13, f"[{left}, {right})", at="middle", look="small")
        yield words(14, self.top - 8, "arrives", ink="quiet", look="small")
        for time in range(0, self.end + 1, self.tick):
            at = self.x(time)
            yield words(at, self.top - 8, f"{time}", ink="quiet", at="middle", look="small")
        yield words(RIGHT + 14, self.top - 8, "s", ink="quiet", look="small")

    def _past(self) -> Iterator[str]:
        for row, y, height in self.placed():
            if row.watermark > 0:
                yield box(LEFT, y, self.x(row.watermark) - LEFT, height, fill="past")
            yield line(14, y + height, WIDTH - 14, y + height, "rule")

    def _rules(self, bottom: int) -> Iterator[str]:
        for time in range(0, self.end + 1, self.tick):
            yield line(self.x(time), self.top, self.x(time), bottom, "rule")

    def _marks(self) -> Iterator[str]:
        before = START_OF_TIME
        for row, y, height in self.placed():
            told = row.told()
            if extra := self.remark(row):
                told.append(extra)
            yield from self._watermark(before, row.watermark, y, height)
            yield from self._arrived(
                row, y + height / 2, late=any(ink == "late" for ink, _ in told)
            )
            yield from self._fired(row, y + height - 7)
            for number, (ink, said) in enumerate(told):
                at = y + height / 2 + 4 + 20 * (number - (len(told) - 1) / 2)
                yield words(RIGHT + 34, at, said, ink=ink)
            before = row.watermark

    def _watermark(self, before: int, now: int, y: int, height: int) -> Iterator[str]:
        if now > 0:
            if before < now:
                yield line(self.x(before), y, self.x(now), y, "watermark", width=2)
            yield line(self.x(now), y, self.x(now), y + height, "watermark", width=2)

    def _arrived(self, row: Row, middle: float, *, late: bool) -> Iterator[str]:
        if isinstance(row.arrived, int):
            yield words(14, middle + 4, f"watermark {row.arrived}", ink="watermark")
            return
        time, *values = row.arrived
        yield words(14, middle + 4, f"{', '.join(map(str, values))} at {time}")
        yield dot(self.x(time), middle, "late" if late else "tuple")

    def _fired(self, row: Row, y: int) -> Iterator[str]:
        for event in row.events:
            if event.kind in {Kind.FIRED, Kind.FIRED_AGAIN}:
                left, right = seconds(event)
                yield line(self.x(left) + 2, y, self.x(right) - 2, y, "fires", width=4)


def _lanes(windows: Sequence[tuple[int, int]]) -> dict[tuple[int, int], int]:
    """Return on which line each window stands, so that none covers another."""
    ends: list[int] = []
    found = {}
    for left, right in windows:
        lane = next((n for n, end in enumerate(ends) if end <= left), len(ends))
        ends[lane:] = [right, *ends[lane + 1 :]]
        found[left, right] = lane
    return found
