"""map: one tuple for each tuple, at the same time.

Cost: none beside the function in `dedicated`, which holds no tuple. A composition holds each tuple
until the watermark passes it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from onefold.core.ddl import tuple_type
from onefold.core.functions import Step, UserFunction
from onefold.core.kernel import Kernel, Outlet, Watch
from onefold.core.plan import Composition, Node
from onefold.core.records import Tuple
from onefold.core.types import TupleType
from onefold.operators.flat_map import FlatMap


def map(input: Node, function: Callable[[Any], Any], type: str | TupleType, step: Step) -> Map:
    """Return M(input, function)."""
    output = tuple_type(type, step)
    row = UserFunction(function, step, "function", lambda row, _: output.conform_row(row)).takes(1)
    return Map((input,), output, step, row)


@dataclass(frozen=True, eq=False, repr=False)
class Map(Node):
    """What the function makes of each tuple."""

    function: UserFunction

    operator: ClassVar[str] = "map"
    emits_ahead: ClassVar[bool | None] = None

    def compose(self, inputs: tuple[Node, ...]) -> Composition:
        """map(f) = flat_map(t -> [f(t)])"""
        conform = self.type.conform_row
        rows = self.function.checked(lambda row, _: [conform(row)])
        return FlatMap(inputs, self.type, self.step, rows).with_late()

    def kernel(self, watch: Watch | None = None) -> Kernel:
        return MapKernel(self)

    def details(self) -> dict[str, str]:
        return {"function": self.function.describe()}


class MapKernel(Kernel):
    """Forwards what the function makes of each tuple, at once."""

    def __init__(self, node: Map) -> None:
        self.function, self.make = node.function, node.type.tuple_class

    def process(self, port: int, tuples: Sequence[Tuple], out: Outlet) -> None:
        make = self.make
        if made := [make((t.time, *row)) for t, row in self.function.over(tuples)]:
            out.emit(made)
