"""A task: one fragment of a plan at work in one group, run by the reference engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from onefold.core.aggregate import Window
from onefold.core.block import Block, portions, times_of
from onefold.core.errors import OnefoldError
from onefold.core.functions import Failure, on_failure
from onefold.core.packing import packed
from onefold.core.plan import Node
from onefold.core.records import Tuple
from onefold.core.showing import shown
from onefold.core.time import END_OF_TIME, START_OF_TIME
from onefold.engines.bulk import in_bulk
from onefold.engines.reference import Engine
from onefold.engines.spark import blocks
from onefold.engines.spark.blocks import LARGE, ArrowBlock, in_arrow, merged
from onefold.engines.spark.depot import open_depot
from onefold.engines.spark.fragments import Entry, Exit, Fragment
from onefold.engines.spark.parcels import (
    REPORT,
    Parcel,
    by_group,
    by_time,
    cell,
    opened,
    pack_tuples,
    tuples_of,
)
from onefold.operators.loop import LoopKernel
from onefold.operators.stateful import StatefulKernel

HEARD = -1
"""The port of a parcel that tells the latest time that any group has heard of."""


class Shown(str):
    """A value as text, where the value itself may not travel."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True)
class BadRow:
    """A row that is no tuple of its source."""

    source: int
    reason: str
    row: dict[str, Any] | str
    """The row, or its text where it could not be read."""


@dataclass
class Report:
    """What happened in a task beside its output."""

    lane: int
    late: list[tuple[int, list[Tuple]]] = field(default_factory=list)
    """What operators dropped, by their numbers."""
    failures: list[Failure] = field(default_factory=list)
    bad_rows: list[BadRow] = field(default_factory=list)
    counts: Counter[tuple[int, str, int]] = field(default_factory=Counter)
    """Tuples received, emitted and dropped: by node, what, and port."""
    held: tuple[tuple[int, int], int] | None = None
    """How many tuples the task holds now, by its group and the first of its operators."""
    error: OnefoldError | None = None
    """What stopped the task."""

    def __bool__(self) -> bool:
        return any((self.late, self.failures, self.bad_rows, self.counts, self.held, self.error))


@dataclass(frozen=True)
class Settings:
    """How the tasks of a query work."""

    places: tuple[int, ...]
    """The groups, each by the number that Spark spreads them by."""
    reporting: bool = False
    """Whether to tell of late tuples and to count."""
    forgiving: bool = False
    """Whether a failed call is reported, and the task goes on."""
    one_machine: bool = False
    """Whether all tasks run on one machine, and long parcels may lie in a depot."""


class Task:
    """A fragment at work: takes parcels and watermarks, gives parcels."""

    def __init__(self, fragment: Fragment, group: int, settings: Settings) -> None:
        self.fragment, self.group, self.places = fragment, group, settings.places
        self.reporting, self.forgiving = settings.reporting, settings.forgiving
        self.depot = None
        if settings.one_machine:
            self.depot = open_depot(reading=not fragment.shuffled)
        self.leaving: dict[Exit, list[Sequence[Tuple]]] = {each: [] for each in fragment.exits}
        self.report = Report(fragment.lane)
        self.late: list[tuple[Node, Sequence[Tuple]]] = []
        self.stopped = False
        # The engine knows nothing of the task: without a cycle, both are gone as soon as it is.
        self.engine = Engine(
            fragment.plan,
            on_output=_ignore,
            on_late=partial(_put, self.late),
            kernel_of=in_bulk,
        )
        self.entries = {(each.node, each.port): each for each in fragment.entries}
        for each in fragment.exits:
            self.engine.stations[each.producer].taken_by.append(self._leave(each))
        self.by_number = {number: node for node, number in fragment.numbers.items()}

    def _leave(self, leaving: Exit) -> Callable[[Sequence[Tuple]], None]:
        parts = self.leaving[leaving]
        if leaving.route is not None:
            return parts.append  # the key of each tuple is asked for
        return lambda tuples: parts.extend(_in_arrow(tuples))

    def restore(self, snapshot: bytes) -> None:
        """Take up the state of another task of the same fragment and group."""
        self._watched(lambda: self.engine.restore(snapshot))

    def take(self, parcels: Iterable[tuple[int, bytes]]) -> None:
        """Take the parcels of one batch, each with the number of the node it is for."""
        arrived: dict[Entry, list[Sequence[Tuple]]] = {}
        for number, data in parcels:
            port, held = opened(data)
            if port == HEARD:
                self._hear(number, held[0][0])
                continue
            entry = self.entries[number, port]
            type = self.engine.plan.sources[entry.name].type
            arrived.setdefault(entry, []).append(tuples_of(type, held))
        for entry, parts in arrived.items():
            if entry.ordered:
                sort = self.engine.plan.sources[entry.name].type.sort
                self.feed(entry, sort([t for part in parts for t in part]))
            else:
                for part in merged(parts):
                    self.feed(entry, part)

    def feed(self, entry: Entry, tuples: Sequence[Tuple]) -> None:
        """Take tuples of one batch by an entry."""
        self._watched(lambda: self.engine.process(entry.name, tuples))

    def advance(self, reached: Callable[[Entry], int]) -> None:
        """Take the watermark of every entry."""

        def work() -> None:
            for entry in self.fragment.entries:
                if (watermark := reached(entry)) != START_OF_TIME:
                    self.engine.watermark(entry.name, watermark)

        self._watched(work)

    def end(self) -> None:
        """End every entry."""
        self.advance(lambda _: END_OF_TIME)

    def parcels(self) -> Iterator[Parcel]:
        """Return what was made since the last call."""
        made: list[Parcel] = []
        self._watched(lambda: made.extend(self._all_packed()))  # keys may fail
        if self.report.error is None:
            yield from made
        if self.reporting:
            self._count()
            numbers = self.fragment.numbers
            self.report.late = [(numbers[node], list(tuples)) for node, tuples in self.late]
            if self.fragment.shuffled and self.report.error is None:
                place = self.group, self.fragment.entries[0].node
                self.report.held = place, self.engine.open_tuples()
            if self.report:
                yield Parcel(self.group, REPORT, packed(self.report))
            self.stopped = self.report.error is not None
        self.report = Report(self.fragment.lane)
        self.late.clear()

    def _hear(self, number: int, time: int) -> None:
        kernel = self.engine.stations[self.by_number[number]].kernel
        assert isinstance(kernel, (StatefulKernel, LoopKernel))
        kernel.hear(time)

    def _all_packed(self) -> Iterator[Parcel]:
        for leaving, parts in self.leaving.items():
            for tuples in merged(_taken_out(parts)):
                yield from self._packed(leaving, tuples)

    def _packed(self, leaving: Exit, tuples: Sequence[Tuple]) -> Iterator[Parcel]:
        latest = START_OF_TIME
        for place, part in self._parts(leaving, tuples):
            data = pack_tuples(leaving.producer.type, leaving.port, part, self.depot)
            yield Parcel(place, leaving.node, data)
            if leaving.tells_time:
                latest = max(latest, *times_of(part))
        if leaving.tells_time and latest != START_OF_TIME:
            heard = packed((HEARD, [(latest,)]))
            yield from (Parcel(place, leaving.node, heard) for place in self.places)

    def _parts(
        self, leaving: Exit, tuples: Sequence[Tuple]
    ) -> Iterator[tuple[int, Sequence[Tuple]]]:
        if leaving.node < 0:
            yield self.group, tuples
            return
        if leaving.route is None and isinstance(tuples, ArrowBlock):
            groups = len(self.places)
            for group, block in blocks.by_cell(tuples, groups, cell(groups)):
                yield self.places[group], block
            return
        if leaving.route is None:
            parts = by_time(tuples, len(self.places))
        else:
            parts = by_group(leaving.route.over(tuples), len(self.places))
            if lost := len(tuples) - sum(map(len, parts.values())):
                self.report.counts[leaving.node, "received", leaving.port] += (
                    lost  # their key failed
                )
        for group, part in parts.items():
            yield self.places[group], part

    def _watched(self, work: Callable[[], None]) -> None:
        """Do the work; where failures are reported, it goes on after one, and ends at an error."""
        if not self.forgiving:
            work()
        elif self.report.error is None:
            token = on_failure.set(self._failed)
            try:
                work()
            except OnefoldError as problem:
                self.report.error = problem
            finally:
                on_failure.reset(token)

    def _failed(self, failure: Failure) -> None:
        portable = (
            part if isinstance(part, (Tuple, Window)) else Shown(shown(part))
            for part in failure.subject
        )
        self.report.failures.append(replace(failure, subject=tuple(portable)))

    def _count(self) -> None:
        counts = self.report.counts
        for node, number in self.fragment.numbers.items():
            station = self.engine.stations[node]
            for here, port in enumerate(self.fragment.ports[node]):
                counts[number, "received", port] += station.received[here]
                counts[number, "dropped", port] += station.dropped[here]
                station.received[here] = station.dropped[here] = 0
            counts[number, "emitted", 0] += station.emitted
            station.emitted = 0
        self.report.counts = +counts


def _in_arrow(tuples: Sequence[Tuple]) -> Iterable[Sequence[Tuple]]:
    return map(in_arrow, portions(tuples, LARGE)) if isinstance(tuples, Block) else [tuples]


def _taken_out(parts: list[Sequence[Tuple]]) -> Iterator[Sequence[Tuple]]:
    """Return the parts, and keep none of them: what is packed needs their memory."""
    parts.reverse()
    while parts:
        yield parts.pop()


def _put(kept: list[tuple[Node, Sequence[Tuple]]], node: Node, tuples: Sequence[Tuple]) -> None:
    kept.append((node, tuples))


def _ignore(_: Sequence[Tuple]) -> None:
    """Output leaves by the exits."""
