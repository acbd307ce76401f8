"""Shrinking: from a case that shows a difference to the smallest one that still does.

Simpler cases are tried in rounds, the boldest first. An engine that plays many cases as fast as one
gets many at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from typing import Any

from onefold.check.case import Arrival, Case, Cut, Event, Promise, moved
from onefold.check.generate import lengths
from onefold.check.rules import comparable
from onefold.check.values import plain_values
from onefold.core.plan import Plan
from onefold.core.time import END_OF_TIME
from onefold.core.values import order

Differs = Callable[[Sequence[Case]], Sequence[bool]]
"""Says for each case whether it shows the difference."""


def shrink(
    case: Case, plan: Plan, differs: Differs, *, at_once: int = 1, enough: Callable[[], bool]
) -> Case:
    """Return the simplest case found that still differs; stop when `enough` says so."""
    tried: set[tuple[Event, ...]] = set()
    while True:
        simpler = _first(_new(case, plan, tried), differs, at_once, enough)
        if simpler is None:
            return case
        case = simpler


def _new(case: Case, plan: Plan, tried: set[tuple[Event, ...]]) -> Iterator[Case]:
    weight = _weight(case)
    for events in _simpler(case, plan):
        each = replace(case, events=tuple(events))
        if each.events not in tried and _weight(each) < weight:
            tried.add(each.events)
            yield each


def _first(
    cases: Iterator[Case], differs: Differs, at_once: int, enough: Callable[[], bool]
) -> Case | None:
    while not enough() and (several := list(islice(cases, at_once))):
        shown = [each for each, shows in zip(several, differs(several)) if shows]
        if shown:
            return min(shown, key=_weight)
    return None


def _weight(case: Case) -> Any:
    """Return what is to become small: tuples first, then watermarks, cuts, times and values."""
    arrivals, promises = case.arrivals, case.promises
    cuts = sum(isinstance(each, Cut) for each in case.events)
    times = [each.tuple.time for each in arrivals] + [each.watermark for each in promises]
    distance = sum(2 * abs(each) + (each < 0) for each in times if each != END_OF_TIME)
    disorder = sum(a.tuple.time > b.tuple.time for a, b in pairwise(arrivals))
    rows = [tuple(each.tuple)[1:] for each in arrivals]
    values = sum(len(repr(each)) for each in rows), len(set(rows))
    written = repr([order(each) for each in rows])
    return len(arrivals), len(promises), cuts, disorder, values, distance, written


def _simpler(case: Case, plan: Plan) -> Iterator[list[Event]]:
    events = list(case.events)
    for kind in (Arrival, Promise, Cut):
        yield from _without(events, kind)
    yield from _moved_whole(case, plan)
    yield from _sorted(events)
    yield from _times(events, plan)
    yield from _values(events, plan)


def _without(events: list[Event], kind: type[Event]) -> Iterator[list[Event]]:
    """Leave out events of a kind: all, halves, quarters, …, each."""
    at = [n for n, each in enumerate(events) if isinstance(each, kind)]
    length = len(at)
    while length:
        for start in range(0, len(at), length):
            gone = set(at[start : start + length])
            yield [each for n, each in enumerate(events) if n not in gone]
        length = length // 2


def _moved_whole(case: Case, plan: Plan) -> Iterator[list[Event]]:
    """Move all times to where time begins, by whole windows."""
    stride = math.lcm(*(each.advance for each in lengths(plan)))
    times = [each.tuple.time for each in case.arrivals]
    times += [each.watermark for each in case.promises if each.watermark != END_OF_TIME]
    for by in {-(each // stride) * stride for each in times} - {0}:
        yield [moved(each, by) for each in case.events]


def _sorted(events: list[Event]) -> Iterator[list[Event]]:
    """Let tuples come in order, where nothing lies between them."""
    for n in range(len(events) - 1):
        one, other = events[n : n + 2]
        if isinstance(one, Arrival) and isinstance(other, Arrival):
            yield [*events[:n], other, one, *events[n + 2 :]]


def _times(events: list[Event], plan: Plan) -> Iterator[list[Event]]:
    """Bring each time nearer to zero: to a boundary, to another one, half-way, by one."""
    edges = {0, 1}
    for each in lengths(plan):
        edges |= {each.advance, each.size, each.size - 1, each.size + each.lateness}
    known = {each.tuple.time for each in events if isinstance(each, Arrival)}
    for n, event in enumerate(events):
        match event:
            case Arrival(_, t):
                now = t.time
            case Promise(_, watermark) if watermark != END_OF_TIME:
                now = watermark
            case _:
                continue
        near = {now // 2, *edges, *known, *(each + 1 for each in known)}
        near |= {now + sign * 10**n for n in range(13) for sign in (1, -1)}
        for time in sorted(near - {now}, key=lambda each: (abs(each), each < 0)):
            yield [*events[:n], moved(event, time - now), *events[n + 1 :]]


def _values(events: list[Event], plan: Plan) -> Iterator[list[Event]]:
    """Make values plain, in one tuple or in all that have them."""
    for n, event in enumerate(events):
        if not isinstance(event, Arrival):
            continue
        kind = plan.sources[event.source].type
        for at, (_, data_type) in enumerate(kind.attributes, start=1):
            for plain in plain_values(data_type)[:2]:
                value = data_type.conform(plain)
                if event.tuple[at] != value:
                    yield [_with_value(e, event, at, value) for e in events]
                    yield [*events[:n], _with_value(event, event, at, value), *events[n + 1 :]]


def _with_value(event: Event, like: Arrival, at: int, value: Any) -> Event:
    if not isinstance(event, Arrival) or event.source != like.source:
        return event
    row = list(event.tuple)
    if comparable(row[at]) != comparable(like.tuple[at]):
        return event
    row[at] = value
    return Arrival(event.source, type(event.tuple)(row))
