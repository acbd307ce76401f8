"""Every small stream of a pipeline: up to K tuples, every order, watermarks in every place."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from onefold.check.case import Arrival, Case, Event, Promise
from onefold.check.generate import lengths
from onefold.check.values import plain_values
from onefold.core.plan import Plan
from onefold.core.types import DataType


def small_cases(plan: Plan, tuples: int, *, late: bool) -> Iterator[Case]:
    """Return every stream of up to so many tuples, the shortest first.

    Tuples have one of two values, and lie at both ends of the first window or behind it. Between
    any two there is no watermark, or one at the end of that window or beside it; with `late` also
    where it makes a tuple late that is still to come.
    """
    window = min(lengths(plan), key=lambda each: each.size)
    times = sorted({0, window.size - 1, window.size})
    marks = sorted({window.size - 1, window.size, window.size + window.lateness, window.size + 1})
    sources = tuple(plan.sources)
    domain = [
        Arrival(name, source.type.make(time, row))
        for name, source in plan.sources.items()
        for time in times
        for row in _rows(source.type.attributes)
    ]
    for count in range(tuples + 1):
        for arrivals in product(domain, repeat=count):
            for placed in _watermarks(arrivals, sources, marks, late=late):
                yield Case(sources, placed)


def _rows(attributes: tuple[tuple[str, DataType], ...]) -> list[list[object]]:
    """Return two rows that differ in every attribute."""
    values = [plain_values(kind) for _, kind in attributes]
    rows = [[each[0] for each in values], [each[-1] for each in values]]
    return rows if rows[0] != rows[1] else rows[:1]


def _watermarks(
    arrivals: tuple[Arrival, ...], sources: tuple[str, ...], marks: list[int], *, late: bool
) -> Iterator[tuple[Event, ...]]:
    """Return the arrivals with one watermark or none behind each, the same for all sources."""
    choices: list[list[int | None]] = []
    for n in range(len(arrivals)):
        least = min((each.tuple.time for each in arrivals[n + 1 :]), default=marks[-1])
        choices.append([None, *(mark for mark in marks if late or mark <= least)])
    for chosen in product(*choices):
        told = [mark for mark in chosen if mark is not None]
        if told == sorted(set(told)):
            events: list[Event] = []
            for arrival, mark in zip(arrivals, chosen):
                events.append(arrival)
                events += [Promise(name, mark) for name in sources] if mark is not None else []
            yield tuple(events)
