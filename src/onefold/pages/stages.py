"""Notes on a drawing: which of Spark's stages runs each node, and how."""

from __future__ import annotations

from onefold.core.plan import Node, Plan
from onefold.engines.spark.explain import role, stages
from onefold.pages.boxes import Note
from onefold.pages.scene import Notes


def staged(plan: Plan) -> Notes:
    """Return which of Spark's stages runs each node, and how."""
    found: dict[Node, tuple[int, ...]] = {}
    for stage in stages(plan):
        for node in stage.nodes:
            found[node] = (*found.get(node, ()), stage.number)
    return {node: Note(numbers, role(node)) for node, numbers in found.items()}
