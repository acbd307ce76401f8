"""Strategies for Hypothesis: rows of a type, inputs of a pipeline, cases with watermarks."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import strategies as st

from onefold.check.case import Arrival, Case, Cut, Event, Promise
from onefold.check.generate import lengths
from onefold.check.values import named_values, odd_values, plain_values
from onefold.core.ddl import tuple_type
from onefold.core.plan import Plan, plan
from onefold.core.types import Array, DataType, Struct, TupleType
from onefold.stream import Stream


def rows(
    type: str | TupleType, *, times: st.SearchStrategy[int] | None = None, nulls: bool = True
) -> st.SearchStrategy[tuple[Any, ...]]:
    """Rows `(time, value, …)` of a type: few values and few times, so that many are equal.

    >>> from hypothesis import find
    >>> find(rows("word string, n int", nulls=False), lambda row: row[2] > 0)
    (0, 'a', 1)
    """
    kinds = [kind for _, kind in tuple_type(type).attributes]
    when = st.integers(-10, 30) if times is None else times
    return st.tuples(when, *(values(kind, nulls=nulls) for kind in kinds))


def values(kind: DataType, *, nulls: bool = True, named: tuple[Any, ...] = ()) -> Any:
    """Values of a type: plain ones first, then those that code gets wrong."""
    match kind:
        case Array(element):
            found: Any = st.lists(values(element, nulls=nulls), max_size=3)
        case Struct(attributes):
            found = st.tuples(*(values(each, nulls=nulls) for _, each in attributes))
        case _:
            found = st.sampled_from([*plain_values(kind), *named, *odd_values(kind)])
    return st.one_of(found, st.none()) if nulls else found


def inputs(
    stream: Stream, *, most: int = 10, nulls: bool = True
) -> st.SearchStrategy[dict[str, list[tuple[Any, ...]]]]:
    """What the sources of a stream may hold: `onefold.run(stream, inputs)` takes it."""
    tested = plan(stream.node)
    times = _times(tested)
    return st.fixed_dictionaries(
        {
            name: st.lists(rows(source.type, times=times, nulls=nulls), max_size=most)
            for name, source in tested.sources.items()
        }
    )


def _times(tested: Plan) -> st.SearchStrategy[int]:
    """Times on the boundaries of the pipeline's windows, beside them and between them."""
    found: set[int] = {0, 1, -1}
    longest = 1
    for each in lengths(tested):
        edges = {each.advance, each.size, each.size + each.lateness, -each.advance}
        found |= {edge + by for edge in edges for by in (-1, 0, 1)}
        longest = max(longest, each.size)
    near = sorted(found, key=lambda each: (abs(each), each < 0))
    return st.one_of(st.sampled_from(near), st.integers(-longest, 3 * longest))


@st.composite
def cases(draw: st.DrawFn, stream: Stream, *, late: bool = True, most: int = 10) -> Case:
    """What comes to the sources of a stream, in order, with watermarks and cuts into batches.

    `case.steps()` are the micro-batches. Without `late`, no tuple comes behind a watermark.
    """
    tested = plan(stream.node)
    times = _times(tested)
    sources = tuple(tested.sources)
    named = {
        kind: tuple(named_values(tested, kind))
        for source in tested.sources.values()
        for _, kind in source.type.attributes
    }
    events: list[Event] = []
    for _ in range(draw(st.integers(0, most))):
        name = draw(st.sampled_from(sources))
        type = tested.sources[name].type
        row = [draw(values(kind, named=named[kind])) for _, kind in type.attributes]
        events.append(Arrival(name, type.make(draw(times), row)))
        events += [
            Promise(n, draw(times)) for n in draw(st.lists(st.sampled_from(sources), max_size=1))
        ]
        events += [Cut()] * draw(st.integers(0, 1))
    return Case(sources, tuple(events if late else _kept(events)))


def _kept(events: list[Event]) -> list[Event]:
    """Let each watermark stay at or below all that its source is still to get."""
    least: dict[str, float] = {}
    kept: list[Event] = []
    for event in reversed(events):
        match event:
            case Arrival(source, t):
                least[source] = min(t.time, least.get(source, math.inf))
            case Promise(source, watermark) if watermark > least.get(source, math.inf):
                kept.append(Promise(source, int(least[source])))
                continue
        kept.append(event)
    return kept[::-1]
