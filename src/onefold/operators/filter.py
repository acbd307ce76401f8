"""filter: forwards the tuples for which a predicate holds.

Cost: none beside the predicate in `dedicated`, which holds no tuple. A composition holds each tuple
until the watermark passes it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from onefold.core.functions import Step, UserFunction, truth
from onefold.core.kernel import Kernel, Outlet, Watch
from onefold.core.plan import Composition, Node
from onefold.core.records import Tuple, values
from onefold.operators.flat_map import FlatMap


def filter(input: Node, predicate: Callable[[Any], Any], step: Step) -> Filter:
    """Return F(input, predicate)."""
    return Filter(
        (input,), input.type, step, UserFunction(predicate, step, "predicate", truth).takes(1)
    )


@dataclass(frozen=True, eq=False, repr=False)
class Filter(Node):
    """Each tuple for which the predicate holds, as it is."""

    predicate: UserFunction

    operator: ClassVar[str] = "filter"
    emits_ahead: ClassVar[bool | None] = None

    def compose(self, inputs: tuple[Node, ...]) -> Composition:
        """filter(p) = flat_map(t -> [t] if p(t) else [])"""
        rows = self.predicate.checked(lambda holds, t: [values(t)] if holds else [])
        flat_map = FlatMap(inputs, self.type, self.step, rows)
        return flat_map.with_late()

    def kernel(self, watch: Watch | None = None) -> Kernel:
        return FilterKernel(self.predicate)

    def details(self) -> dict[str, str]:
        return {"predicate": self.predicate.describe()}


class FilterKernel(Kernel):
    """Forwards what the predicate holds for, at once."""

    def __init__(self, predicate: UserFunction) -> None:
        self.predicate = predicate

    def process(self, port: int, tuples: Sequence[Tuple], out: Outlet) -> None:
        if kept := [t for t, holds in self.predicate.over(tuples) if holds]:
            out.emit(kept)
