"""Where every operator stands after some steps: its watermarks, and what its windows hold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from onefold.core import windows
from onefold.core.plan import Node
from onefold.core.records import Tuple
from onefold.core.showing import shown
from onefold.core.time import START_OF_TIME
from onefold.engines.trace import Event, Kind
from onefold.operators.aggregate import Aggregation
from onefold.operators.filter import Filter
from onefold.operators.join import Join
from onefold.operators.stateful import Stateful

Place = tuple[Node, int | None, Any]
"""A window of a node: its left end and its key."""


@dataclass(frozen=True)
class Lengths:
    """How long windows are, how far apart, and for how long they are kept."""

    size: int
    advance: int
    lateness: int = 0


def lengths_of(node: Node) -> Lengths | None:
    """Return the windows of an operator, if it has some."""
    match node:
        case Aggregation(aggregate=meaning):
            return Lengths(meaning.size, meaning.advance, meaning.lateness)
        case Join():
            return Lengths(node.size, node.advance)
        case Stateful():
            return Lengths(node.size, node.period)
    return None


def lefts_of(node: Node, time: int) -> Sequence[int]:
    """Return the left ends of the windows of an operator that a tuple of this time goes into."""
    lengths = lengths_of(node)
    if lengths is None:
        return ()
    if isinstance(node, Stateful):  # its windows share an instant, which counts for the later one
        return (windows.last_left(time, lengths.advance),)
    return windows.lefts(time, lengths.advance, lengths.size)


def place(event: Event) -> Place:
    """Return the window that an event tells of."""
    try:
        hash(event.key)
    except TypeError:
        return event.node, event.left, shown(event.key)
    return event.node, event.left, event.key


@dataclass
class Stood:
    """What the steps so far have come to."""

    _reached: dict[Node, int] = field(default_factory=dict)
    _let_by: dict[Node, int] = field(default_factory=dict)
    _sent: dict[Node, int] = field(default_factory=dict)
    _held: dict[Place, list[Tuple]] = field(default_factory=dict)
    _fired: set[Place] = field(default_factory=set)
    _passing: dict[Node, set[int]] = field(default_factory=lambda: defaultdict(set))

    @classmethod
    def before(cls, events: Iterable[Event]) -> Stood:
        """Return where all stand before the first step; which tuples filters will let pass."""
        stood = cls()
        for event in events:
            if event.kind is Kind.TUPLE and isinstance(event.node, Filter):
                stood._passing[event.node].add(id(event.tuple))
        return stood

    def note(self, event: Event) -> None:
        """Take a step."""
        match event.kind:
            case Kind.REACHED:
                self._reached[event.node] = _watermark(event)
            case Kind.LET_BY:
                self._let_by[event.node] = _watermark(event)
            case Kind.WATERMARK:
                self._sent[event.node] = _watermark(event)
            case Kind.ADDED:
                assert event.tuple is not None
                self._held.setdefault(place(event), []).append(event.tuple)
            case Kind.FIRED | Kind.FIRED_AGAIN:
                self._fired.add(place(event))
            case Kind.PURGED:
                self._held.pop(place(event), None)
                self._fired.discard(place(event))

    def lengths(self, node: Node) -> Lengths | None:
        """Return the windows of an operator, if it has some."""
        return lengths_of(node)

    def reached(self, node: Node) -> int:
        """Return the least watermark of an operator's inputs."""
        return self._reached.get(node, START_OF_TIME)

    def watermark(self, node: Node) -> int:
        """Return the watermark by which windows fire: in a loop, as far as it is let."""
        own = self._let_by if node.loops else self._reached
        return own.get(node, START_OF_TIME)

    def sent(self, node: Node) -> int:
        """Return the last watermark that a node sent on."""
        return self._sent.get(node, START_OF_TIME)

    def held(self, event: Event) -> list[Tuple]:
        """Return what stands in a window."""
        return self._held.get(place(event), [])

    def fired(self, event: Event) -> bool:
        """Say whether a window has fired."""
        return place(event) in self._fired

    def passing(self, node: Node) -> set[int]:
        """Return the identities of the tuples that a filter lets pass."""
        return self._passing[node]


def _watermark(event: Event) -> int:
    assert event.watermark is not None
    return event.watermark
