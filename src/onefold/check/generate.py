"""Streams to try: where windows begin and end, equal and odd values, watermarks of every kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from onefold.check.case import Arrival, Case, Cut, Event, Promise
from onefold.check.values import Values
from onefold.core.plan import Node, Plan
from onefold.core.time import END_OF_TIME
from onefold.operators.aggregate import Aggregation
from onefold.operators.join import Join
from onefold.operators.stateful import Stateful

MOST_WINDOWS = 60
"""A tuple in more windows than this makes a stream slow: then there are few tuples."""
MOST_PERIODS = 40
"""A stateful operator emits in every period: so many of them lie between two times at most."""
RECENT = 1_600_000_000_000
FAR = 150_000_000_000_000
"""In the year 6723; Spark takes times up to 8000."""


@dataclass(frozen=True)
class Lengths:
    """The windows of an operator."""

    size: int
    advance: int
    lateness: int = 0


def lengths_of(node: Node) -> Lengths | None:
    """Return the windows of an operator, if it has any."""
    match node:
        case Aggregation(aggregate=each):
            return Lengths(each.size, each.advance, each.lateness)
        case Join():
            return Lengths(node.size, node.advance)
        case Stateful():
            return Lengths(node.period, node.period)
    return None


def lengths(plan: Plan) -> list[Lengths]:
    """Return the windows of a plan's operators; of a plan without any, windows of 10 ms."""
    found = (lengths_of(node) for node in plan.nodes)
    return list(dict.fromkeys(each for each in found if each)) or [Lengths(10, 10)]


@dataclass(frozen=True)
class Taste:
    """What kind of streams to make."""

    late: bool = True
    """Whether tuples may come behind the watermark."""
    one_watermark: bool = False
    """Whether all sources share one watermark, as they do on Spark."""
    negative: bool = True
    """Whether times may lie at 0 or before, where Spark's own watermark begins."""
    most: int = 24
    """How many tuples a stream has at most."""


ANYTHING = Taste()


def generate(plan: Plan, seed: int, number: int, taste: Taste = ANYTHING) -> Case:
    """Return a case; the same for the same seed and number."""
    return _Maker(plan, Random(f"{seed}/{number}"), taste).case()


class _Maker:
    """One case in the making."""

    def __init__(self, plan: Plan, random: Random, taste: Taste) -> None:
        self.plan, self.random, self.taste = plan, random, taste
        self.values = Values(plan, random)
        self.sources = tuple(plan.sources)
        self.lengths = random.choice(lengths(plan))
        periods = [n.period for n in plan.nodes if isinstance(n, Stateful)]
        self.reach = MOST_PERIODS * min(periods) if periods else None
        """How far apart times may lie, if that matters."""
        self.instants = self._instants()

    def case(self) -> Case:
        """Return the case."""
        random = self.random
        arrivals = self._in_some_order([self._arrival() for _ in range(self._count())])
        late = self.taste.late and random.random() < 0.4
        often = random.choice([0.0, 0.2, 0.5, 0.9])
        events: list[Event] = []
        for n, arrival in enumerate(arrivals):
            events.append(arrival)
            if random.random() < often:
                events += self._promises(arrivals[n + 1 :], events, late=late)
        if random.random() < 0.5:
            events += self._promises([], events, late=late)
        return Case(self.sources, tuple(self._cut(events)))

    def _count(self) -> int:
        random, most = self.random, self.taste.most
        windows = max(each.size // each.advance for each in lengths(self.plan))
        most = max(1, min(most, 8 * MOST_WINDOWS // windows))
        few = random.choice([0, 1, 2, 3, 3, 4, 5, 6, 8, 10, 14, most])
        return min(few, most)

    def _instants(self) -> list[int]:
        """Return the times of the case: around the boundaries of some windows, and between them."""
        random, size, advance = self.random, self.lengths.size, self.lengths.advance
        far = random.choice([RECENT, RECENT, FAR, -RECENT]) // advance
        first = advance * random.choice([0, 0, 0, 1, -1, -2, 3, far])
        lefts = [first + advance * n for n in (-1, 0, 0, 1, 1, 2)]
        lefts += [first + advance * random.randint(4, 12)] * random.choice([0, 0, 1])
        ends = [left + size for left in lefts[:3]]
        ends += [end + self.lengths.lateness for end in ends]
        near = [edge + d for edge in (*lefts, *ends) for d in (-1, 0, 0, 1)]
        between = [first + random.randrange(-size, 2 * size) for _ in range(4)]
        chosen = [random.choice([*near, *between]) for _ in range(random.choice([1, 2, 4, 12]))]
        if not self.taste.negative:
            least = min(chosen) - 1
            chosen = [each + max(0, -(least // advance) * advance) for each in chosen]
        return self._within_reach(chosen)

    def _within_reach(self, instants: list[int]) -> list[int]:
        if self.reach is None:
            return instants
        return [instants[0] + (each - instants[0]) % self.reach for each in instants]

    def _arrival(self) -> Arrival:
        source = self.random.choice(self.sources)
        type = self.plan.sources[source].type
        row = [self.values.draw(kind) for _, kind in type.attributes]
        return Arrival(source, type.make(self.random.choice(self.instants), row))

    def _in_some_order(self, arrivals: list[Arrival]) -> list[Arrival]:
        """Return tuples by time, nearly by time, or anyhow; some of them twice."""
        random = self.random
        if arrivals and random.random() < 0.4:
            arrivals += random.choices(arrivals, k=random.randint(1, 3))
        away = random.choice([0, 0, self.lengths.advance, 100 * self.lengths.size])
        return sorted(arrivals, key=lambda each: each.tuple.time + random.uniform(0, away))

    def _promises(
        self, coming: list[Arrival], so_far: list[Event], *, late: bool
    ) -> Iterator[Promise]:
        """Return new watermarks: of one source, or of all."""
        random = self.random
        whose = self.sources
        if not self.taste.one_watermark and random.random() < 0.5:
            whose = (random.choice(self.sources),)
        bounds = [
            min((e.tuple.time for e in coming if e.source == each), default=None) for each in whose
        ]
        least = min((each for each in bounds if each is not None), default=None)
        at = self._watermark(None if late else least)
        for source in whose:
            reached = [e.watermark for e in so_far if isinstance(e, Promise) and e.source == source]
            if not reached or at > max(reached):
                yield Promise(source, at)
        over = not any(each.source in whose for each in coming)
        if over and not self.taste.one_watermark and random.random() < 0.1:
            yield from (Promise(source, END_OF_TIME) for source in whose)

    def _watermark(self, bound: int | None) -> int:
        """Return a watermark: at a time of the case or beside one, and not above the bound."""
        random = self.random
        places = [each + d for each in self.instants for d in (0, 1)]
        ends = [each + self.lengths.size + random.choice([0, 1, -1]) for each in self.instants[:2]]
        chosen = random.choice([*places, *ends])
        if self.reach is not None:
            chosen = min(chosen, max(self.instants) + self.reach)
        if bound is None or chosen <= bound:
            return chosen
        return bound - random.choice([0, 0, 0, 1])

    def _cut(self, events: list[Event]) -> Iterator[Event]:
        """Cut the events into micro-batches: nowhere, anywhere, or everywhere."""
        often = self.random.choice([0.0, 0.3, 1.0])
        for event in events:
            yield event
            if self.random.random() < often:
                yield Cut()
