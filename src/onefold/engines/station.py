"""A station: a node at work, between those that feed it and those that it feeds."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from onefold.core.kernel import Kernel, Watch
from onefold.core.plan import Node
from onefold.core.records import Tuple
from onefold.core.time import END_OF_TIME, START_OF_TIME
from onefold.engines.trace import Event, Kind, NodeWatch, Record

Work = deque[tuple[Callable[[int, Any], None], int, Any]]
"""What is on its way: whom to hand it to, by which port, and tuples or a watermark."""


KernelOf = Callable[[Node, Watch | None], Kernel]
"""How nodes are run: `Node.kernel`, or an engine's own way to the same answer."""


class Reader(Protocol):
    """Who is fed by a station: another one, or the end of an edge."""

    def receive(self, port: int, tuples: Sequence[Tuple]) -> None: ...

    def advance(self, port: int, watermark: int) -> None: ...


class Station:
    """A node at work: its kernel, the watermarks of its inputs, and whom it feeds."""

    def __init__(self, node: Node, work: Work, record: Record | None, kernel_of: KernelOf) -> None:
        self.node, self.work, self.record = node, work, record
        self.kernel = kernel_of(node, NodeWatch(node, record) if record else None)
        self.watermarks = [START_OF_TIME] * max(1, len(node.inputs))
        self.reached = START_OF_TIME
        self.fed: list[tuple[Reader, int]] = []
        self.late_fed: list[tuple[Reader, int]] = []
        self.taken_by: list[Callable[[Sequence[Tuple]], None]] = []
        """Who takes what is emitted at once, before anyone is fed with it."""
        self.received = [0] * len(self.watermarks)
        self.emitted = 0
        self.dropped = [0] * len(self.watermarks)

    def receive(self, port: int, tuples: Sequence[Tuple]) -> None:
        """Take tuples."""
        self.received[port] += len(tuples)
        if self.record and self.node.inputs:  # what comes to a source is told when it emits it
            for t in tuples:
                self.record(Event(self.node, Kind.ARRIVED, t, port=port))
        self.kernel.process(port, tuples, self)

    def advance(self, port: int, watermark: int) -> None:
        """Take a watermark; the operator's own is the least over its inputs."""
        before, self.watermarks[port] = self.watermarks[port], watermark
        least = min(self.watermarks)
        if least > self.reached:
            self.reached = least
            if self.record and self.node.inputs:
                self.record(Event(self.node, Kind.REACHED, watermark=least, port=port))
            self.kernel.advance(least, self)
        elif self.record and watermark > before:
            self.record(Event(self.node, Kind.HELD_BACK, watermark=watermark, port=port))

    def emit(self, tuples: Sequence[Tuple]) -> None:
        self.emitted += len(tuples)
        if self.record:
            for t in tuples:
                self.record(Event(self.node, Kind.TUPLE, t))
        for take in self.taken_by:
            take(tuples)
        for station, port in self.fed:
            self.work.append((station.receive, port, tuples))

    def watermark(self, watermark: int) -> None:
        if self.record:
            self.record(Event(self.node, Kind.WATERMARK, watermark=watermark))
        for station, port in self.fed:
            self.work.append((station.advance, port, watermark))
        if watermark == END_OF_TIME:
            for station, _ in self.late_fed:
                self.work.append((station.advance, 0, watermark))

    def late(self, port: int, tuples: Sequence[Tuple]) -> None:
        self.dropped[port] += len(tuples)
        if self.record:
            for t in tuples:
                self.record(Event(self.node, Kind.LATE, t, port=port))
        for station, of_port in self.late_fed:
            if of_port == port:
                self.work.append((station.receive, 0, tuples))


class Sink:
    """The end of an edge."""

    def __init__(self, take: Callable[[Sequence[Tuple]], None]) -> None:
        self.take = take
        self.reached = START_OF_TIME

    def receive(self, port: int, tuples: Sequence[Tuple]) -> None:
        self.take(tuples)

    def advance(self, port: int, watermark: int) -> None:
        self.reached = watermark
