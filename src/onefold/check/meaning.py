"""What each operator means, by the rules: plain and slow, and nothing shared with the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Protocol

from onefold.check.rules import MODEL, Pairs, Rules, comparable, keyed, matched_by
from onefold.core.aggregate import Aggregate, Window
from onefold.core.errors import LoopNeverEnds
from onefold.core.functions import FAILED
from onefold.core.packing import unpacked
from onefold.core.records import Tuple
from onefold.core.time import END_OF_TIME, START_OF_TIME
from onefold.operators.filter import Filter
from onefold.operators.map import Map

Row = tuple[int, Sequence[Any]]
"""The values of a tuple, and its time."""


class Place(Protocol):
    """Where an operator stands: what it makes goes on from here."""

    @property
    def node(self) -> Any: ...

    def emit(self, rows: Sequence[Row]) -> list[Tuple]: ...

    def forward(self, tuples: list[Tuple]) -> None: ...

    def promise(self, watermark: int) -> None: ...

    def drop(self, port: int, tuples: list[Tuple]) -> None: ...


class Operator:
    """An operator at work; this one passes all tuples on."""

    def __init__(self, place: Place, rules: Rules) -> None:
        self.place, self.node, self.rules = place, place.node, rules
        self.inputs = [START_OF_TIME] * max(1, len(self.node.inputs))
        self.watermark = START_OF_TIME
        self.watermark_before = self.judged_by = START_OF_TIME
        """That of the step before, and that of the one before it."""

    def receive(self, port: int, what: list[Tuple] | int) -> None:
        """Take tuples or a watermark; the operator's own is the least over its inputs."""
        if isinstance(what, list):
            self.take(port, what)
            return
        self.inputs[port] = max(what, self.inputs[port])
        self.pass_by(port, self.inputs[port])
        least = min(self.inputs)
        if least > self.watermark:
            self.watermark = least
            self.reach(least)
            self.place.promise(least)

    def take(self, port: int, tuples: list[Tuple]) -> None:
        self.place.forward(tuples)

    def pass_by(self, port: int, watermark: int) -> None:
        """Note the watermark of one input."""

    def reach(self, watermark: int) -> None:
        """Do what the watermark over all inputs makes due."""

    @property
    def late_watermark(self) -> int:
        """What decides whether a tuple is late."""
        return self.judged_by if self.rules.previous_watermark else self.watermark


class Stateless(Operator):
    """Each tuple on its own: what the function makes of it has its time."""

    def take(self, port: int, tuples: list[Tuple]) -> None:
        node, rows = self.node, []
        for t in tuples:
            if isinstance(node, Filter):
                made: Any = [tuple(t)[1:]] if node.predicate(t) is True else []
            else:
                made = node.function(t)
                made = [made] if isinstance(node, Map) and made is not FAILED else made
            rows += [(t.time, row) for row in made] if made is not FAILED else []
        self.place.emit(rows)


@dataclass
class Pane:
    """The tuples of one key in one window."""

    left: int
    key: Any
    fired: bool = False
    tuples: list[Tuple] = field(default_factory=list)


class Windowed(Operator):
    """An Aggregate: `core.aggregate.Aggregate` is the contract."""

    def __init__(self, place: Place, rules: Rules) -> None:
        super().__init__(place, rules)
        self.meaning: Aggregate = self.node.aggregate
        self.panes: dict[Any, Pane] = {}

    def take(self, port: int, tuples: list[Tuple]) -> None:
        self.place.emit(self.add(port, tuples))

    def add(self, port: int, tuples: list[Tuple]) -> list[Any]:
        """Put tuples in their windows; return what those emit that fire again."""
        meaning, late, made = self.meaning, [], []
        for t, key in keyed(tuples, meaning.key):
            lefts = sorted(self.rules.lefts(t.time, meaning.advance, meaning.size))
            taking = [each for each in lefts if not self._gone(each)]
            late += [] if taking else [t]
            for left in taking:
                pane = self._pane(left, key)
                pane.tuples.append(t)
                if pane.fired and self.rules.fires_again:
                    made += self.fire(pane)
        self.place.drop(port, late)
        return made

    def _gone(self, left: int) -> bool:
        size, lateness = self.meaning.size, self.meaning.lateness
        return self.rules.gone(left, size, lateness, self.late_watermark)

    def _pane(self, left: int, key: Any) -> Pane:
        whose = left, comparable(key) if self.rules.is_key(key) else object()
        if whose not in self.panes:
            fired = self.rules.fires(left, self.meaning.size, self.watermark)
            self.panes[whose] = Pane(left, key, fired)
        return self.panes[whose]

    def reach(self, watermark: int) -> None:
        for pane in self.due(watermark):
            self.place.emit(self.fire(pane))
        self.forget()

    def forget(self) -> None:
        """Let windows go that nothing falls in any more."""
        if self.rules == MODEL:
            self.panes = {
                whose: each for whose, each in self.panes.items() if not self._gone(each.left)
            }

    def due(self, watermark: int) -> list[Pane]:
        """Return the windows that have not fired and are due, from left to right."""
        size = self.meaning.size
        due = [
            each
            for each in self.panes.values()
            if not each.fired and self.rules.fires(each.left, size, watermark)
        ]
        return sorted(due, key=lambda each: each.left)

    def fire(self, pane: Pane) -> list[Any]:
        """Return what a window emits."""
        meaning, left, pane.fired = self.meaning, pane.left, True
        tuples = self.rules.ordered(pane.tuples)
        window = Window(left, left + meaning.size, meaning.key.shown(pane.key), tuples)
        time = self.rules.output_time(left, meaning.size)
        return [(time, row) for row in meaning.function(window)]


class Looping(Windowed):
    """An Aggregate fed its own output: windows fire from left to right, each until it rests."""

    def __init__(self, place: Place, rules: Rules) -> None:
        super().__init__(place, rules)
        self.turns = 0
        self.last_input: int | None = None

    def take(self, port: int, tuples: list[Tuple]) -> None:
        self.turns = 0
        self.last_input = max([t.time for t in tuples] + [self.last_input or tuples[0].time])
        self._round(self.add(port, tuples))

    def reach(self, watermark: int) -> None:
        while due := self.due(watermark):
            first = [each for each in due if each.left == due[0].left]
            self.watermark = min(watermark, due[0].left + self.meaning.size)
            if self.last_input is not None and due[0].left <= self.last_input:
                self.turns = 0  # what fires may come from upstream; later, only the loop's
            self._round([row for pane in first for row in self.fire(pane)])
        self.watermark = watermark
        self.forget()

    def _round(self, rows: list[Any]) -> None:
        limit = self.node.loop.limit
        while rows:
            self.turns += 1
            if limit is not None and self.turns > limit:
                raise LoopNeverEnds(
                    f"{self.node.step}: the loop went round {limit} times without an end"
                )
            rows = self.add(0, self.place.emit(rows))


class Pairing(Operator):
    """A join: pairs of equal key, once for every window that holds both."""

    def __init__(self, place: Place, rules: Rules) -> None:
        super().__init__(place, rules)
        self.sides: tuple[list[Any], list[Any]] = ([], [])

    def take(self, port: int, tuples: list[Tuple]) -> None:
        node, late, rows = self.node, [], []
        for t, key in keyed(tuples, node.keys[port]):
            lefts = sorted(self.rules.lefts(t.time, node.advance, node.size))
            taking = [w for w in lefts if not self.rules.gone(w, node.size, 0, self.late_watermark)]
            late += [] if taking else [t]
            if taking:
                for other, held, like in self.sides[1 - port]:
                    if comparable(key) == comparable(like) and self.rules.is_key(key):
                        pair = (t, other) if port == 0 else (other, t)
                        times = self._times(pair, [w for w in taking if w in held])
                        matched = matched_by(node, *pair) if times else ()
                        rows += [(time, row) for time in times for row in matched]
                self.sides[port].append((t, taking, key))
        self.place.drop(port, late)
        self.place.emit(rows)

    def reach(self, watermark: int) -> None:
        """Forget what no tuple in time can meet any more."""
        if self.rules == MODEL:
            for side in self.sides:
                side[:] = [each for each in side if each[1][-1] + self.node.size > watermark]

    def _times(self, pair: tuple[Tuple, Tuple], shared: list[int]) -> list[int]:
        size = self.node.size
        if self.rules.pairs is Pairs.INTERVAL:
            near = abs(pair[0].time - pair[1].time) < size
            return [max(each.time for each in pair)] if near else []
        times = [self.rules.output_time(left, size) for left in shared]
        return times[:1] if self.rules.pairs is Pairs.ONCE else times


class Keeping(Operator):
    """Custom state: what each key's state puts out at the end of every period."""

    def __init__(self, place: Place, rules: Rules) -> None:
        super().__init__(place, rules)
        self.waiting: list[tuple[int, Any, Tuple]] = []
        self.states: dict[Any, Any] = {}
        self.period: int | None = None
        self.last = START_OF_TIME

    def _number(self, time: int) -> int:
        period: int = self.node.period
        return next(self.rules.lefts(time, period, period)) // period

    def take(self, port: int, tuples: list[Tuple]) -> None:
        late, period = [], self.node.period
        for t, key in keyed(tuples, self.node.key):
            number = self._number(t.time)
            if self.rules.gone(number * period, period + 1, 0, self.late_watermark):
                late.append(t)
            else:
                self.last = max(self.last, number)
                self.waiting.append((number, key, t))
        self.place.drop(port, late)

    def reach(self, watermark: int) -> None:
        period = self.node.period
        while (number := self._next()) is not None:
            over = self.last + self.node.extra_periods
            ended = watermark == END_OF_TIME and number > over
            if ended or not self.rules.fires(number * period, period + 1, watermark):
                return
            self._put_out(number)

    def _next(self) -> int | None:
        return self.period if self.states else min((each[0] for each in self.waiting), default=None)

    def _put_out(self, number: int) -> None:
        node = self.node
        mine = [(key, t) for of, key, t in self.waiting if of == number]
        self.waiting = [each for each in self.waiting if each[0] != number]
        for whose in {comparable(key): None for key, _ in mine}:
            for t in self.rules.ordered(t for key, t in mine if comparable(key) == whose):
                new = whose not in self.states
                after = node.create(t) if new else node.add(self.states[whose], t)
                if after is not FAILED:
                    self.states[whose] = after
            if whose in self.states:  # a state goes from one period to the next as bytes
                self.states[whose] = unpacked(node.keep(None, self.states[whose]))[1]
        self.period = number + 1
        time = self.rules.output_time(number * node.period, node.period + 1)
        for state in self.states.values():
            rows = node.output(deepcopy(state))
            self.place.emit([(time, row) for row in rows] if rows is not FAILED else [])
