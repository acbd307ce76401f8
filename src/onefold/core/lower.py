"""Lowering: the same pipeline in another implementation."""

from __future__ import annotations

from dataclasses import replace

from onefold.core.plan import Composition, Implementation, Late, Node, Plan, plan


def lower(given: Plan, implementation: Implementation) -> Plan:
    """Return the plan with every operator carried out as `implementation` says.

    With AGGREGATE nothing is left but sources, unions, single-output Aggregates and their loops.
    """
    lowering = _Lowering(implementation)
    for node in given.nodes:  # inputs first, so that no chain is too long for the stack
        lowering.lowered(node, None)
    # What a late stream needs may be one side of a join; the pipeline has the other source too.
    sources = [lowering.done[each].output for each in given.sources.values()]
    return plan(lowering.done[given.output].output, *sources)


class _Lowering:
    """One lowering: every node is lowered once, so that streams that were shared stay shared."""

    def __init__(self, implementation: Implementation) -> None:
        self.implementation = implementation
        self.done: dict[Node, Composition] = {}

    def lowered(self, node: Node, parent: Node | None) -> Composition:
        if node not in self.done:
            self.done[node] = self._lower(node, parent)
        return self.done[node]

    def _lower(self, node: Node, parent: Node | None) -> Composition:
        if isinstance(node, Late):
            return Composition(self.lowered(node.inputs[0], parent).late[node.port])
        inputs = tuple(self.lowered(each, parent).output for each in node.inputs)
        if node.primitive(self.implementation):
            kept = replace(node, inputs=inputs, parent=parent or node.parent)
            return Composition(kept, tuple(Late.of(kept, n) for n in range(node.late_ports)))
        for each in inputs:
            self.done.setdefault(each, Composition(each))
        own = replace(node, parent=parent) if parent else node
        composed = node.compose(inputs)
        return Composition(
            self.lowered(composed.output, own).output,
            tuple(self.lowered(each, own).output for each in composed.late),
        )
