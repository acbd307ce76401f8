"""A case: what comes to the sources of a pipeline, in order, cut into steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from onefold.core.records import Tuple
from onefold.core.time import END_OF_TIME
from onefold.engines.steps import Step


@dataclass(frozen=True)
class Arrival:
    """A tuple that comes to a source."""

    source: str
    tuple: Tuple


@dataclass(frozen=True)
class Promise:
    """A watermark of a source; the end of time ends it."""

    source: str
    watermark: int


@dataclass(frozen=True)
class Cut:
    """The end of a micro-batch."""


Event = Arrival | Promise | Cut


def moved(event: Event, by: int) -> Event:
    """Return an event so much later; an end stays where it is."""
    match event:
        case Arrival(source, t):
            return Arrival(source, type(t)((t.time + by, *tuple(t)[1:])))
        case Promise(source, watermark) if watermark != END_OF_TIME:
            return Promise(source, watermark + by)
    return event


@dataclass(frozen=True)
class Case:
    """A stream for each source, as they come together. At the end all sources end."""

    sources: tuple[str, ...]
    events: tuple[Event, ...]

    @property
    def arrivals(self) -> list[Arrival]:
        """The tuples, as they come."""
        return [each for each in self.events if isinstance(each, Arrival)]

    @property
    def promises(self) -> list[Promise]:
        """The watermarks, without the end."""
        return [each for each in self.events if isinstance(each, Promise)]

    def steps(self) -> list[Step]:
        """Return the micro-batches: tuples, then watermarks. The last one is the end."""
        steps = [Step()]
        for event in self.events:
            match event:
                case Arrival(source, t):
                    if steps[-1].watermarks:
                        steps.append(Step())
                    steps[-1].tuples.setdefault(source, []).append(t)
                case Promise(source, watermark):
                    if source in steps[-1].watermarks:
                        steps.append(Step())
                    steps[-1].watermarks[source] = watermark
                case Cut():
                    if steps[-1].tuples or steps[-1].watermarks:
                        steps.append(Step())
        if not steps[-1].tuples and not steps[-1].watermarks:
            steps.pop()
        return [*steps, Step({}, dict.fromkeys(self.sources, END_OF_TIME))]

    @property
    def in_time(self) -> bool:
        """Whether no tuple is behind a watermark of its source."""
        return not any(True for _ in self.late_arrivals())

    def late_arrivals(self) -> Iterator[Arrival]:
        """Return the tuples that come behind a watermark of their source."""
        reached: dict[str, int] = {}
        for event in self.events:
            match event:
                case Arrival(source, t):
                    if source in reached and t.time < reached[source]:
                        yield event
                case Promise(source, watermark):
                    reached[source] = max(watermark, reached.get(source, watermark))


def case_of(sources: Iterable[str], steps: Sequence[Step]) -> Case:
    """Return the case that has these steps, and then the end."""
    events: list[Event] = []
    for step in steps:
        events += [Arrival(source, t) for source, ts in step.tuples.items() for t in ts]
        events += [Promise(source, each) for source, each in step.watermarks.items()]
        events.append(Cut())
    return Case(tuple(sources), tuple(events))
