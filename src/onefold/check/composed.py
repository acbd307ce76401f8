"""Operators as their compositions are: behind windows of one instant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from onefold.check.meaning import Operator, Place, Row
from onefold.core.records import Tuple


class Composed(Operator):
    """An operator behind windows of one instant, as its composition is.

    It takes a tuple when the watermark of the tuple's own input has passed it, and puts on the late
    stream what comes after that. What it makes waits for the watermark over all inputs.
    """

    def __init__(self, inner: Operator) -> None:
        super().__init__(inner.place, inner.rules)
        self.inner = inner
        inner.place = self.waiting = _Waiting(inner.place)
        self.held: list[tuple[int, Tuple]] = []

    def take(self, port: int, tuples: list[Tuple]) -> None:
        passed = self.inputs[port]
        self.place.drop(port, [t for t in tuples if t.time < passed])
        self.held += [(port, t) for t in tuples if t.time >= passed]

    def pass_by(self, port: int, watermark: int) -> None:
        due = [t for at, t in self.held if at == port and t.time < watermark]
        self.held = [(at, t) for at, t in self.held if at != port or t.time >= watermark]
        if due:
            self.inner.take(port, due)

    def reach(self, watermark: int) -> None:
        self.inner.watermark = self.inner.judged_by = watermark
        self.inner.reach(watermark)
        self.waiting.release(watermark)


@dataclass
class _Waiting:
    """Keeps what an operator makes until the watermark has passed it."""

    place: Place
    rows: list[Row] = field(default_factory=list)

    @property
    def node(self) -> Any:
        return self.place.node

    def emit(self, rows: Sequence[Row]) -> list[Tuple]:
        self.rows += rows
        return []

    def release(self, watermark: int) -> None:
        self.place.emit([row for row in self.rows if row[0] < watermark])
        self.rows = [row for row in self.rows if row[0] >= watermark]

    def forward(self, tuples: list[Tuple]) -> None:
        """Pass tuples on as they are; no operator that is composed does."""
        self.place.forward(tuples)

    def promise(self, watermark: int) -> None:
        """Promise nothing: whoever stands around the operator does."""

    def drop(self, port: int, tuples: list[Tuple]) -> None:
        self.place.drop(port, tuples)
