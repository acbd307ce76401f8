"""What happens in a run, as a list of events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from onefold.core.plan import Node
from onefold.core.records import Tuple
from onefold.core.time import show_time


class Kind(Enum):
    """What may happen."""

    TUPLE = "tuple"
    WATERMARK = "watermark"
    LATE = "late"
    OPENED = "opened"
    FIRED = "fired"
    FIRED_AGAIN = "fired again"
    PURGED = "purged"
    TURNED = "turned"
    ARRIVED = "arrived"
    ADDED = "added"
    REACHED = "reached"
    HELD_BACK = "held back"
    LET_BY = "let by"


@dataclass(frozen=True)
class Event:
    """Something that happened at a node.

    A tuple or a watermark that it emitted, or that came to it; a window's life; what goes round a
    loop, and how far the loop lets its own watermark go.
    """

    node: Node
    kind: Kind
    tuple: Tuple | None = None
    watermark: int | None = None
    left: int | None = None
    right: int | None = None
    key: Any = None
    emitted: Sequence[Tuple] = ()
    port: int = 0
    """By which input it came, where it came by one."""

    def __str__(self) -> str:
        where = f"{self.node.label()}: {self.kind.value}"
        if self.watermark is not None:
            return f"{where} {show_time(self.watermark)}"
        if self.left is not None:
            added = f" {self.tuple!r} to" if self.tuple is not None else ""
            made = f" -> {', '.join(map(repr, self.emitted))}" if self.emitted else ""
            return f"{where}{added} [{self.left}, {self.right}) of {self.key!r}{made}"
        return f"{where} {self.tuple!r}"


Record = Callable[[Event], None]


@dataclass(frozen=True)
class NodeWatch:
    """Tells what happens inside the kernel of one node."""

    node: Node
    record: Record

    def opened(self, left: int, right: int, key: Any) -> None:
        self.record(Event(self.node, Kind.OPENED, left=left, right=right, key=key))

    def added(self, left: int, right: int, key: Any, t: Tuple) -> None:
        self.record(Event(self.node, Kind.ADDED, t, left=left, right=right, key=key))

    def fired(self, left: int, right: int, key: Any, emitted: list[Tuple], *, again: bool) -> None:
        kind = Kind.FIRED_AGAIN if again else Kind.FIRED
        self.record(Event(self.node, kind, left=left, right=right, key=key, emitted=emitted))

    def purged(self, left: int, right: int, key: Any) -> None:
        self.record(Event(self.node, Kind.PURGED, left=left, right=right, key=key))

    def turned(self, t: Tuple) -> None:
        self.record(Event(self.node, Kind.TURNED, t))

    def let_by(self, watermark: int) -> None:
        self.record(Event(self.node, Kind.LET_BY, watermark=watermark))
