"""Operators as the user wrote them, over the stations that carry them out.

In another implementation an operator is several nodes. A node composed for another one names it as
its parent, so the counts of all of them add up to those of the operator.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from onefold.core.functions import Step
from onefold.core.plan import Late, Node, Source
from onefold.engines.reference import Engine
from onefold.engines.station import Station
from onefold.operators.aggregate import Aggregation
from onefold.operators.filter import Filter
from onefold.operators.loop import LoopAggregation
from onefold.operators.map import Map
from onefold.operators.union import Union


class Fate(Enum):
    """What an operator does with tuples."""

    PASSED = "passed on"
    MAPPED = "mapped"
    FILTERED = "filtered"
    CONSUMED = "consumed"


class Operator:
    """An operator as the user wrote it: the stations that carry it out, and their counts."""

    def __init__(self, root: Node) -> None:
        self.root = root
        self.stations: dict[Node, Station] = {}
        self.readers = int(self.loops)
        self.exit: Station | None = None

    @property
    def loops(self) -> bool:
        return isinstance(self.root, LoopAggregation)

    def read_from(self, station: Station) -> None:
        """Note that something outside reads what a station of the operator emits."""
        self.exit = station
        self.readers += 1

    @property
    def emitted(self) -> int:
        if self.loops:
            return sum(station.emitted for station in self.stations.values())
        return self.exit.emitted if self.exit else 0

    @property
    def received(self) -> int:
        outside = sum(station.received[port] for station, port in self._entries())
        return outside + self.emitted if self.loops else outside

    @property
    def late(self) -> int:
        return sum(station.dropped[port] for station, port in self._entries())

    @property
    def late_inside(self) -> int:
        return sum(sum(station.dropped) for station in self.stations.values()) - self.late

    def _entries(self) -> Iterator[tuple[Station, int]]:
        for node, station in self.stations.items():
            for port in range(len(station.received)):
                if not node.inputs or node.inputs[port] not in self.stations:
                    yield station, port

    @property
    def fate(self) -> Fate:
        """What became of the tuples that the operator neither emitted nor set aside."""
        match self.root:
            case Source() | Union() | Late():
                return Fate.PASSED
            case Map() if self.readers:
                return Fate.MAPPED
            case Filter() if self.readers:
                return Fate.FILTERED
        return Fate.CONSUMED

    def steps(self) -> Iterator[Step]:
        """Return the steps that a failure of this operator may name."""
        yield self.root.step
        for node in self.stations:
            if isinstance(node, Aggregation) and node.aggregate.key.function:
                yield node.aggregate.key.function.step


def operators_of(engine: Engine) -> list[Operator]:
    """Return the operators of a plan at work, inputs first."""
    stations, output = engine.stations, engine.plan.output
    operators: dict[Node, Operator] = {}
    of: dict[Node, Operator] = {}
    for node, station in stations.items():
        root = written_by_user(node)
        of[node] = operators.setdefault(root, Operator(root))
        of[node].stations[node] = station
    for node in stations:
        for feeding in node.inputs:
            if of[feeding] is not of[node] and not isinstance(node, Late):
                of[feeding].read_from(stations[feeding])
    of[output].read_from(stations[output])
    return list(operators.values())


def written_by_user(node: Node) -> Node:
    """Return the operator that a node carries out; a late stream is one of its own."""
    if isinstance(node, Late):
        return node
    while node.parent is not None:
        node = node.parent
    return node
