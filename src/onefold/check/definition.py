"""The definition: what a pipeline means, worked out from the rules, operator by operator.

It is slow and plain on purpose. Every operator notes what came, and follows `rules.Rules`. Nothing
here is shared with the kernels that engines run.

A composition begins with windows of one instant: it waits for the watermark, and what the watermark
has passed is late for it. So there are two definitions, and only streams with late arrivals can
tell them apart (docs/model.md).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from onefold.check.composed import Composed
from onefold.check.meaning import (
    Keeping,
    Looping,
    Operator,
    Pairing,
    Row,
    Stateless,
    Windowed,
)
from onefold.check.rules import MODEL, Rules
from onefold.core.errors import OnefoldError
from onefold.core.plan import Late, Node, Plan, Source
from onefold.core.records import Tuple
from onefold.core.time import END_OF_TIME
from onefold.engines.steps import Made, Step
from onefold.operators.aggregate import Aggregation
from onefold.operators.filter import Filter
from onefold.operators.flat_map import FlatMap
from onefold.operators.join import Join
from onefold.operators.loop import LoopAggregation
from onefold.operators.map import Map
from onefold.operators.stateful import Stateful


def define(
    plan: Plan, steps: Sequence[Step], *, composed: bool = False, rules: Rules = MODEL
) -> list[Made]:
    """Return what each step must make: of the dedicated plan, or of its compositions."""
    return Definition(plan, composed=composed, rules=rules).run(steps)


def _operator(place: _Place, rules: Rules, *, composed: bool) -> Operator:
    match place.node:
        case LoopAggregation():
            return Looping(place, rules)
        case Aggregation():
            return Windowed(place, rules)
        case Filter() | Map() | FlatMap():
            meaning: Operator = Stateless(place, rules)
        case Join():
            meaning = Pairing(place, rules)
        case Stateful():
            meaning = Keeping(place, rules)
        case _:
            return Operator(place, rules)
    return Composed(meaning) if composed else meaning


class Definition:
    """A plan's operators, each by its rules, and what is on its way between them."""

    def __init__(self, plan: Plan, *, composed: bool = False, rules: Rules = MODEL) -> None:
        self.plan, self.rules = plan, rules
        self.work: deque[tuple[Operator, int, Any]] = deque()
        self.made = Made()
        self.operators = {
            node: _operator(_Place(self, node), rules, composed=composed) for node in plan.nodes
        }
        self.times: dict[Node, set[int]] = {node: set() for node in plan.nodes}
        """At which times tuples came to each operator."""

    def run(self, steps: Sequence[Step]) -> list[Made]:
        """Return what each step makes; a pipeline that can't go on makes an error, and no more."""
        made: list[Made] = []
        try:
            made.extend(self._step(step) for step in steps)
        except OnefoldError as problem:  # a loop without end, a state that can't be kept
            made.append(Made(errors=[problem]))
        return made + [Made() for _ in steps[len(made) :]]

    def _step(self, step: Step) -> Made:
        self.made = Made()
        for operator in self.operators.values():
            operator.judged_by = operator.watermark_before
            operator.watermark_before = operator.watermark
        for source, tuples in step.tuples.items():
            self._hand(self.plan.sources[source], tuples)
        for source, watermark in step.watermarks.items():
            if watermark != END_OF_TIME or self.rules.end_fires:
                self._hand(self.plan.sources[source], watermark)
        return self.made

    def _hand(self, source: Source, what: list[Tuple] | int) -> None:
        self.work.append((self.operators[source], 0, what))
        while self.work:
            operator, port, handed = self.work.popleft()
            if isinstance(handed, list):
                self.times[operator.node].update(t.time for t in handed)
            operator.receive(port, handed)

    def feed(self, node: Node, what: list[Tuple] | int) -> None:
        """Hand on what a node emits, or the watermark that it promises."""
        for reader, operator in self.operators.items():
            if not isinstance(reader, Late) or what == END_OF_TIME:
                for port, feeding in enumerate(reader.inputs):
                    if feeding is node:
                        self.work.append((operator, port, what))
        if node is self.plan.output and isinstance(what, list):
            self.made.output += what

    def drop(self, node: Node, port: int, tuples: list[Tuple]) -> None:
        """Hand tuples to a late stream."""
        self.made.late += tuples
        for reader, operator in self.operators.items():
            if isinstance(reader, Late) and reader.inputs[0] is node and reader.port == port:
                self.work.append((operator, 0, tuples))


@dataclass
class _Place:
    """Where an operator stands in the plan."""

    definition: Definition
    node: Any

    def emit(self, rows: Sequence[Row]) -> list[Tuple]:
        """Emit rows with their times."""
        make = self.node.type.tuple_class
        tuples = [make((time, *row)) for time, row in rows]
        self.forward(tuples)
        return tuples

    def forward(self, tuples: list[Tuple]) -> None:
        if tuples:
            self.definition.feed(self.node, tuples)

    def promise(self, watermark: int) -> None:
        self.definition.feed(self.node, watermark)

    def drop(self, port: int, tuples: list[Tuple]) -> None:
        if tuples:
            self.definition.drop(self.node, port, tuples)
