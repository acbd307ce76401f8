"""Several cases as one long stream: a query of Spark's takes as long to start as many batches take.

Each case is moved behind the one before it, by whole windows, and where that one ends the watermark
passes all its windows. The definition is asked about the long stream too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from onefold.check.case import Arrival, Case, Cut, Event, Promise, moved
from onefold.check.generate import lengths, lengths_of
from onefold.core.plan import Plan
from onefold.core.time import END_OF_TIME
from onefold.operators.stateful import Stateful


@dataclass(frozen=True)
class Chain:
    """A long case, and which of its steps belong to which of those that it is made of."""

    case: Case
    parts: tuple[range, ...]


def may_be_chained(plan: Plan) -> bool:
    """Say whether a stream with long gaps costs no more: a state emits in every period of them."""
    return not any(isinstance(node, Stateful) for node in plan.nodes)


def chain(cases: Sequence[Case], plan: Plan) -> Chain:
    """Return cases one behind the other."""
    windows = lengths(plan)
    stride = math.lcm(*(each.advance for each in windows))
    longest = sum(each.size + each.lateness for each in map(lengths_of, plan.nodes) if each)
    events: list[Event] = []
    parts: list[range] = []
    reached: int | None = None
    for case in cases:
        by = 0 if reached is None else _shift(case, reached, stride)
        placed = [moved(each, by) for each in case.events if not _ends(each)]
        events += [*placed, Cut()]
        reached = max([*_times(placed), reached or 0]) + longest
        events += [*(Promise(source, reached) for source in case.sources), Cut()]
        begun = parts[-1].stop if parts else 0
        so_far = Case(case.sources, tuple(events))
        parts.append(range(begun, len(so_far.steps()) - 1))
    parts[-1] = range(parts[-1].start, parts[-1].stop + 1)  # the end of all belongs to the last
    return Chain(Case(cases[0].sources, tuple(events)), tuple(parts))


def _ends(event: Event) -> bool:
    """Say whether a source ends: in a chain it goes on."""
    return isinstance(event, Promise) and event.watermark == END_OF_TIME


def _shift(case: Case, reached: int, stride: int) -> int:
    first = min(_times(case.events), default=reached)
    return -((first - reached) // stride) * stride


def _times(events: Sequence[Event]) -> list[int]:
    times = [each.tuple.time for each in events if isinstance(each, Arrival)]
    return times + [each.watermark for each in events if isinstance(each, Promise)]
