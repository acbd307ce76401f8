"""Cases of given files: the user's own data, arriving in several ways."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack

from onefold.check.case import Arrival, Case, Cut, Event, Promise
from onefold.core.plan import Plan
from onefold.core.records import Tuple
from onefold.files.formats import opened

BATCHES = (1, 4, 16)
"""Into how many micro-batches the files are cut, one case for each."""


def read(plan: Plan, inputs: Mapping[str, str], time: str) -> dict[str, list[Tuple]]:
    """Return the tuples of each source's file; a bad row is an error with its line."""
    found: dict[str, list[Tuple]] = {name: [] for name in plan.sources}
    with ExitStack() as stack:
        for name, source in plan.sources.items():
            reader = stack.enter_context(opened(inputs[name], source.type, time))
            for tuples, bad in reader.pieces():
                if bad:
                    raise bad.error()
                found[name] += tuples
    return found


def given_cases(streams: Mapping[str, list[Tuple]], delay: int, *, late: bool) -> list[Case]:
    """Return the streams as cases: all at once, and in batches with watermarks behind each.

    A watermark is the latest time so far less the delay. Without `late` it stays at or below all
    that is still to come.
    """
    return [_in_batches(streams, count, delay, late=late) for count in BATCHES]


def _in_batches(streams: Mapping[str, list[Tuple]], count: int, delay: int, *, late: bool) -> Case:
    events: list[Event] = []
    for batch in range(count):
        for name, tuples in streams.items():
            first, last = (len(tuples) * n // count for n in (batch, batch + 1))
            events += [Arrival(name, t) for t in tuples[first:last]]
        for name, tuples in streams.items():
            seen, coming = _halves(tuples, len(tuples) * (batch + 1) // count)
            if seen and batch + 1 < count:
                bound = max(t.time for t in seen) - delay
                if not late:
                    bound = min([bound, *(t.time for t in coming)])
                events.append(Promise(name, bound))
        events.append(Cut())
    return Case(tuple(streams), tuple(events))


def _halves(tuples: list[Tuple], at: int) -> tuple[list[Tuple], list[Tuple]]:
    return tuples[:at], tuples[at:]
