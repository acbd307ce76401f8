"""The reference engine: the executable specification. One thread, deterministic, no JVM.

A plan becomes stations, one for each node, each with its kernel. What a station emits waits in one
queue for those it feeds, so every edge is first in, first out. What goes round a loop waits in a
queue of the loop's own, and a `schedule` says how much of it comes round before upstream goes on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import zip_longest
from typing import Any

from onefold.core.errors import (
    BadSnapshot,
    EngineStopped,
    MistypedTuple,
    StreamEnded,
    UnknownSource,
)
from onefold.core.kernel import Kernel, Watch
from onefold.core.near import did_you_mean
from onefold.core.packing import packed, unpacked
from onefold.core.plan import Late, Node, Plan, Source
from onefold.core.records import Tuple
from onefold.core.scalars import Misfit
from onefold.core.time import END_OF_TIME
from onefold.core.types import TupleType
from onefold.core.values import listed
from onefold.engines.station import KernelOf, Sink, Station, Work
from onefold.engines.trace import Record
from onefold.operators.loop import LoopKernel

Schedule = Callable[[int], int]
"""Given how many tuples wait in a loop's queue, how many of them come round now."""


def everything(waiting: int) -> int:
    """Let the whole queue come round before anything else happens."""
    return waiting


def its_own(node: Node, watch: Watch | None) -> Kernel:
    """Run a node by its own kernel."""
    return node.kernel(watch)


class Engine:
    """Runs a plan. Give it tuples and watermarks; take what it makes.

    >>> import onefold as of
    >>> words = of.source("words", "word string")
    >>> engine = Engine(of.lower(words.filter(lambda t: len(t.word) > 1), "aggregate"))
    >>> engine.input("words", [(1, "a"), (2, "be")])
    >>> engine.watermark("words", 3)
    >>> engine.take_output()
    [(time=2, word='be')]
    """

    def __init__(
        self,
        plan: Plan,
        *,
        on_output: Callable[[Sequence[Tuple]], None] | None = None,
        on_late: Callable[[Node, Sequence[Tuple]], None] | None = None,
        record: Record | None = None,
        schedule: Schedule = everything,
        kernel_of: KernelOf = its_own,
    ) -> None:
        self.plan, self.schedule = plan, schedule
        self._work: Work = deque()
        self._stopped = False
        self.stations = {node: Station(node, self._work, record, kernel_of) for node in plan.nodes}
        for node, station in self.stations.items():
            for port, feeding in enumerate(node.inputs):
                if isinstance(node, Late):
                    self.stations[feeding].late_fed.append((station, node.port))
                else:
                    self.stations[feeding].fed.append((station, port))
        self._loops = [s for s in self.stations.values() if isinstance(s.kernel, LoopKernel)]
        self._output: list[Tuple] = []
        self._late: list[Tuple] = []
        self._sink = Sink(on_output or self._output.extend)
        self.stations[plan.output].fed.append((self._sink, 0))
        for node, station in self.stations.items():
            if node.late_ports:
                station.late_fed.extend(self._late_sinks(node, on_late))
        self.ended: set[str] = set()

    def _late_sinks(
        self, node: Node, on_late: Callable[[Node, Sequence[Tuple]], None] | None
    ) -> Iterable[tuple[Any, int]]:
        take = partial(on_late, node) if on_late else self._late.extend
        return [(Sink(take), port) for port in range(node.late_ports)]

    def input(self, source: str, rows: Iterable[Any]) -> None:
        """Feed rows `(time, value, value, …)`, or mappings with `time`, to a source."""
        type = self._source(source).type
        self.process(source, [_checked(source, type, row) for row in rows])

    def process(self, source: str, tuples: Sequence[Tuple]) -> None:
        """Feed tuples of the source's own type to it."""
        station = self.stations[self._source(source)]
        if source in self.ended:
            raise StreamEnded(f"source {source!r} has ended and takes no more tuples")
        if tuples:
            self._work.append((station.receive, 0, tuples))
            self._settle(self.schedule)

    def watermark(self, source: str, watermark: int) -> None:
        """Promise that every later tuple of the source has a time ≥ `watermark`."""
        station = self.stations[self._source(source)]
        if type(watermark) is not int:
            raise MistypedTuple(
                f"source {source}: a watermark is a time in whole milliseconds",
                detail=f"got {watermark!r}",
            )
        self._work.append((station.advance, 0, max(watermark, station.reached)))
        self._settle(self.schedule)

    def end(self, *sources: str) -> None:
        """End these sources, or all of them: every window fires, and loops come to rest."""
        for source in sources or self.plan.sources:
            self.watermark(source, END_OF_TIME)
            self.ended.add(source)
        if self.ended == set(self.plan.sources):
            self._settle(everything)

    def _settle(self, schedule: Schedule) -> None:
        """Hand on all that is on its way; let loops turn until `schedule` has had enough."""
        self._check_running()
        self._stopped = True  # unless all of it comes through
        work, busy = self._work, True
        while busy:
            while work:
                hand, port, what = work.popleft()
                hand(port, what)
            busy = False
            for station in self._loops:
                kernel = station.kernel
                assert isinstance(kernel, LoopKernel)
                waiting = len(kernel.queue)
                if waiting and (count := min(schedule(waiting), waiting)) > 0:
                    kernel.turn(count, station)
                    busy = True
        self._stopped = False

    def _check_running(self) -> None:
        if self._stopped:
            raise EngineStopped(
                "the engine was stopped by an error, and what was on its way is lost",
                hint="go on in a new engine from the last snapshot before the error",
            )

    def take_output(self) -> list[Tuple]:
        """Return what has come out since the last call."""
        taken, self._output[:] = self._output[:], []
        return taken

    def take_late(self) -> list[Tuple]:
        """Return what all operators have dropped since the last call."""
        taken, self._late[:] = self._late[:], []
        return taken

    def output_watermark(self) -> int:
        """Return up to which time the output is complete."""
        return self._sink.reached

    def open_tuples(self) -> int:
        """Return how many tuples all operators hold."""
        return sum(station.kernel.held() for station in self.stations.values())

    def snapshot(self) -> bytes:
        """Return the whole state between two inputs."""
        self._check_running()
        states = [
            (s.kernel.snapshot(), s.watermarks, s.reached, s.received, s.emitted, s.dropped)
            for s in self.stations.values()
        ]
        taken = self.ended, self._sink.reached, self._output, self._late
        return packed((self._shapes(), states, taken))

    def _shapes(self) -> list[str]:
        return [node.shape() + each.kernel.form for node, each in self.stations.items()]

    def restore(self, snapshot: bytes) -> None:
        """Take up a snapshot of the same plan, in a new engine."""
        try:
            shapes, states, taken = unpacked(snapshot)
        except Exception as problem:  # noqa: BLE001  anything may be in the bytes
            raise BadSnapshot(
                "this is no snapshot",
                detail=f"{type(problem).__name__}: {problem}",
                hint="restore what snapshot() returned, with the same version of the pipeline",
            ) from None
        for there, here in zip_longest(shapes, self._shapes()):
            if there != here:
                raise BadSnapshot(
                    "the snapshot is of another plan",
                    detail=f"where it has {there or 'nothing'}, this one has {here or 'nothing'}",
                    hint="restore with the pipeline and implementation that it was taken of",
                )
        self.ended, self._sink.reached, self._output[:], self._late[:] = taken
        for station, (state, *rest) in zip(self.stations.values(), states):
            station.kernel.restore(state)
            station.watermarks, station.reached, station.received, *last = rest
            station.emitted, station.dropped = last

    def _source(self, name: str) -> Source:
        try:
            return self.plan.sources[name]
        except KeyError:
            raise UnknownSource(
                f"the pipeline has no source {name!r}",
                hint=did_you_mean(
                    name, self.plan.sources, f"its sources are {listed(list(self.plan.sources))}"
                ),
            ) from None


def _checked(source: str, type: TupleType, row: Any) -> Tuple:
    try:
        return type.read(row)
    except Misfit as problem:
        raise MistypedTuple(
            f"source {source}: {problem}",
            detail=f"got {row!r}",
            hint=f"a tuple here is (time, {', '.join(type.names)}), the time in milliseconds",
        ) from None
