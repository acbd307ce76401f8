"""aggregate_plus: any number of tuples for each window and key (section 5.1).

Cost: holds what `aggregate` holds. In `aggregate`, what a window emits then goes round a loop as
one tuple, a turn for each that it carries.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from onefold.core.aggregate import (
    Aggregate,
    KeyArgument,
    ManyRows,
    Window,
    key_by,
    window_lengths,
)
from onefold.core.ddl import tuple_type
from onefold.core.functions import About, Step, UserFunction
from onefold.core.plan import Composition, Implementation, Late, Node
from onefold.core.time import Duration
from onefold.core.types import TupleType
from onefold.operators.aggregate import Aggregation, guarded
from onefold.operators.embed import embed
from onefold.operators.unfold import unfold


def aggregate_plus(
    input: Node,
    function: Callable[[Window], Any],
    type: str | TupleType,
    *,
    key: KeyArgument,
    size: Duration,
    advance: Duration | None,
    lateness: Duration,
    step: Step,
) -> AggregationPlus:
    """Return A+(Γ(advance, size, input, key, lateness), function)."""
    output = tuple_type(type, step)
    length, stride, allowed = window_lengths(size, advance, lateness, step)
    check = ManyRows(output)
    rows = UserFunction(function, step, "function", check, About.WINDOW).takes(1)
    by = key_by(key, input.type, step)
    name = "aggregate_plus"
    meaning = Aggregate(guarded(rows), output, by, length, stride, allowed, many=True, name=name)
    return AggregationPlus((input,), output, step, meaning)


@dataclass(frozen=True, eq=False, repr=False)
class AggregationPlus(Aggregation):
    """An Aggregate over a stream that may emit many tuples for a window."""

    operator: ClassVar[str] = "aggregate_plus"

    def primitive(self, implementation: Implementation) -> bool:
        return implementation is not Implementation.AGGREGATE

    def compose(self, inputs: tuple[Node, ...]) -> Composition:
        """aggregate_plus(f) = unfold(embed(f))"""
        embedded = embed(inputs[0], self.aggregate, self.step)
        unfolded = unfold(embedded, self.type, self.step, lateness=self.aggregate.lateness)
        return Composition(unfolded, (Late.of(embedded),))
