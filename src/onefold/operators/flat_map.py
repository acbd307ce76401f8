"""flat_map: any number of tuples for each tuple, at the same time.

Cost: none beside the function in `dedicated`, which holds no tuple. A composition holds each tuple
until the watermark passes it; in `aggregate`, what the function made of it then goes round a loop
as one tuple, a turn for each that it carries.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from onefold.core.aggregate import WHOLE_TUPLE, Aggregate, ManyRows, Rows, Window
from onefold.core.ddl import tuple_type
from onefold.core.functions import FAILED, Step, UserFunction
from onefold.core.kernel import Kernel, Outlet, Watch
from onefold.core.plan import Composition, Late, Node
from onefold.core.records import Tuple
from onefold.core.time import TICK
from onefold.core.types import TupleType
from onefold.operators.aggregate_plus import AggregationPlus


def flat_map(
    input: Node, function: Callable[[Any], Any], type: str | TupleType, step: Step
) -> FlatMap:
    """Return FM(input, function)."""
    output = tuple_type(type, step)
    rows = UserFunction(function, step, "function", ManyRows(output)).takes(1)
    return FlatMap((input,), output, step, rows)


@dataclass(frozen=True, eq=False, repr=False)
class FlatMap(Node):
    """All tuples that the function makes of each tuple."""

    function: UserFunction

    operator: ClassVar[str] = "flat_map"
    emits_ahead: ClassVar[bool | None] = None

    def compose(self, inputs: tuple[Node, ...]) -> Composition:
        """flat_map(f) = aggregate_plus(all f(t) of a window; windows of δ, by the whole tuple)

        Equal tuples share a window, and each of them counts (theorem 1).
        """
        name = self.step.operator
        rows = _of_window(self.function)
        meaning = Aggregate(
            rows, self.type, WHOLE_TUPLE, TICK, TICK, many=True, name=name, each=self.function
        )
        embed = AggregationPlus(inputs, self.type, self.step, meaning)
        return Composition(embed, (Late.of(embed),))

    def with_late(self) -> Composition:
        """Return this node as what another one is composed of."""
        return Composition(self, (Late.of(self),))

    def kernel(self, watch: Watch | None = None) -> Kernel:
        return FlatMapKernel(self)

    def details(self) -> dict[str, str]:
        return {"function": self.function.describe()}


def _of_window(function: UserFunction) -> Callable[[Window], Rows]:
    def rows(window: Window) -> Rows:
        made = [function(t) for t in window.tuples]
        return [row for several in made if several is not FAILED for row in several]

    return rows


class FlatMapKernel(Kernel):
    """Forwards what the function makes of each tuple, at once."""

    def __init__(self, node: FlatMap) -> None:
        self.function, self.make = node.function, node.type.tuple_class

    def process(self, port: int, tuples: Sequence[Tuple], out: Outlet) -> None:
        make = self.make
        made = [make((t.time, *row)) for t, rows in self.function.over(tuples) for row in rows]
        if made:
            out.emit(made)
