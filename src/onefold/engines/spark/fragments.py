"""Cutting a plan into fragments, one for each time that tuples go to the task of their key.

A fragment holds the operators whose keys its shuffle brings together, and everything behind them
that can stay in the task: stateless operators, unions, late streams, and an Aggregate whose keys
come from one window of the operator in front (`Aggregate.in_place`, the loop of unfold).
Fragment 0 is what runs where the sources are read, before any shuffle.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from onefold.core.aggregate import KeyBy
from onefold.core.plan import Late, Node, Plan, Source, plan, walk
from onefold.core.time import TICK
from onefold.operators.aggregate import Aggregation
from onefold.operators.join import Join
from onefold.operators.loop import LoopAggregation
from onefold.operators.stateful import Stateful


@dataclass(frozen=True)
class Entry:
    """Where tuples come into a fragment: an input of an operator, or a source."""

    node: int
    port: int
    name: str
    """The source that stands for it in the fragment's own plan."""
    sources: tuple[int, ...]
    """Which sources of the whole plan its tuples come from, by their numbers."""
    waits: bool
    """Whether its watermark stays where it is until the end, as that of a late stream does."""
    ordered: bool
    """Whether the order of tuples shows in what its operator emits."""


@dataclass(frozen=True)
class Exit:
    """Where tuples leave a fragment: for an input of a later operator, or for the output."""

    producer: Node
    node: int
    """The later operator's number; for the output, that of the lane's output."""
    port: int
    route: KeyBy | None
    """What brings tuples of one key to one group; None: their time does."""
    tells_time: bool
    """Whether every group of the operator has to know the latest time."""


@dataclass(frozen=True)
class Fragment:
    """A piece of a plan that runs in one task."""

    lane: int
    plan: Plan
    entries: tuple[Entry, ...]
    exits: tuple[Exit, ...]
    numbers: Mapping[Node, int]
    """The number that each node of the fragment has in the whole plan."""
    shuffled: tuple[Node, ...]
    """The operators that the fragment's shuffle is for."""
    ports: Mapping[Node, tuple[int, ...]]
    """Which inputs each node has here: of a union, those that are in this fragment."""


def cut(whole: Plan, *, lane: int = 0, first: int = 0) -> tuple[Fragment, ...]:
    """Return the fragments of a plan in the order of their shuffles.

    Operators of one depth share a shuffle. Several plans may run side by side in one query: each
    has a lane, and numbers its nodes from `first` on.
    """
    numbers = {node: number for number, node in enumerate(whole.nodes, first)}
    places = _places(whole)
    readers: dict[Node, list[tuple[Node, int]]] = {node: [] for node in whole.nodes}
    for node in whole.nodes:
        for port, feeding in enumerate(node.inputs):
            readers[feeding].append((node, port))
    last = max(max(each) for each in places.values())
    return tuple(
        _Cutting(whole, lane, numbers, places, readers, stage).fragment()
        for stage in range(last + 1)
    )


def output_of(lane: int) -> int:
    """Return the number that stands for a lane's output among those of operators."""
    return -1 - lane


def shuffled(node: Node) -> bool:
    """Say whether an operator needs its tuples brought together by key."""
    match node:
        case Aggregation():
            return not node.aggregate.in_place
        case Join() | Stateful():
            return True
    return False


def _places(whole: Plan) -> dict[Node, frozenset[int]]:
    """Return in which fragments each node runs: a union may have inputs in several."""
    depth: dict[Node, int] = {}
    while True:
        places: dict[Node, frozenset[int]] = {}
        together: dict[Node, int] = {}
        for node in whole.nodes:
            above = frozenset().union(*(places[each] for each in node.inputs))
            if isinstance(node, Source):
                places[node] = frozenset({0})
            elif shuffled(node):
                own = max(max(above) + 1, depth.get(_with(node), 0))
                together[_with(node)] = max(own, together.get(_with(node), 0))
                places[node] = frozenset({own})
            else:
                places[node] = above
        if together == depth:
            return places
        depth = together


def _with(node: Node) -> Node:
    """Return what an operator shares its shuffle with: both sides of a composed join have one."""
    spread = isinstance(node, Aggregation) and node.aggregate.spread is not None
    return node.parent if spread and node.parent else node


@dataclass(frozen=True)
class _Cutting:
    whole: Plan
    lane: int
    numbers: Mapping[Node, int]
    places: Mapping[Node, frozenset[int]]
    readers: Mapping[Node, list[tuple[Node, int]]]
    stage: int

    def fragment(self) -> Fragment:
        here = [node for node in self.whole.nodes if self.stage in self.places[node]]
        own: dict[Node, Node] = {}
        entries: list[Entry] = []
        for node in here:
            if isinstance(node, Source):
                entry = self._entry(node, 0)
                entries.append(entry)
                own[node] = replace(node, name=entry.name)
            elif shuffled(node):
                entering = []
                for port, feeding in enumerate(node.inputs):
                    entry = self._entry(node, port)
                    entries.append(entry)
                    entering.append(Source((), feeding.type, feeding.step, entry.name))
                own[node] = replace(node, inputs=tuple(entering), parent=None)
            else:
                inputs = tuple(own[each] for each in node.inputs if each in own)
                own[node] = replace(node, inputs=inputs, parent=None)
        exits = tuple(self._exits(here, own))
        nodes = list(own.values())
        return Fragment(
            self.lane,
            plan(nodes[0], *nodes[1:]),
            tuple(entries),
            exits,
            {own[node]: self.numbers[node] for node in here},
            tuple(own[node] for node in here if shuffled(node)),
            {own[node]: self._ports(node, own) for node in here},
        )

    def _ports(self, node: Node, own: Mapping[Node, Node]) -> tuple[int, ...]:
        if shuffled(node) or not node.inputs:
            return tuple(range(max(1, len(node.inputs))))
        return tuple(port for port, each in enumerate(node.inputs) if each in own)

    def _entry(self, node: Node, port: int) -> Entry:
        feeding = node.inputs[port] if node.inputs else node
        above = list(walk(feeding))
        return Entry(
            self.numbers[node],
            port,
            f"{self.numbers[node]}.{port}",
            tuple(self.numbers[each] for each in above if isinstance(each, Source)),
            any(isinstance(each, Late) for each in above),
            isinstance(node, Aggregation) and node.aggregate.lateness > 0,
        )

    def _exits(self, here: list[Node], own: Mapping[Node, Node]) -> Iterator[Exit]:
        for node in here:
            for reader, port in self.readers[node]:
                if shuffled(reader):
                    yield Exit(
                        own[node],
                        self.numbers[reader],
                        port,
                        _route(reader, port),
                        _ends_by_time(reader),
                    )
            if node is self.whole.output:
                yield Exit(own[node], output_of(self.lane), 0, None, tells_time=False)


def _route(node: Node, port: int) -> KeyBy | None:
    match node:
        case LoopAggregation() if node.parent is None:
            return KeyBy()  # the user's: what comes round may have any key, and meets all others
        case Aggregation():
            meaning = node.aggregate
            if meaning.spread is not None:
                return meaning.spread
            # Every window of an instant is its own: who shares it has the same time.
            alone = meaning.size == meaning.advance == TICK and not node.loops
            return None if alone else meaning.key
        case Join():
            return node.keys[port]
        case Stateful():
            return node.key
    raise TypeError(type(node).__name__)


def _ends_by_time(node: Node) -> bool:
    """Say whether what the operator does at the end depends on the latest tuple of any key."""
    if isinstance(node, LoopAggregation):
        return node.loop.after_end is not None
    return isinstance(node, Stateful)
