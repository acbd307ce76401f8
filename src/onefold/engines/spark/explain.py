"""What Spark runs of a plan: stage by stage, and which rewrite changed what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from onefold.core.plan import Late, Node, Plan, Source
from onefold.engines.accounts import written_by_user
from onefold.engines.spark.fragments import cut, shuffled
from onefold.operators.aggregate import Aggregation
from onefold.operators.rewrites import Applied


@dataclass(frozen=True)
class Stage:
    """What runs between two shuffles: how Spark begins it, and the nodes of the plan in it."""

    number: int
    runs: str
    nodes: tuple[Node, ...]


def stages(plan: Plan) -> tuple[Stage, ...]:
    """Return the stages that carry out a plan; a union may be in several.

    >>> words = of.source("words", "word string").map(lambda t: t, "word string")
    >>> for stage in stages(of.lower(words, "aggregate-plus")):
    ...     print(stage.runs, [node.title() for node in stage.nodes])
    read: an Arrow UDF over each source ['source words']
    shuffle 1: groupBy(group of the key).transformWithState ['map']
    """
    return tuple(
        Stage(number, _begun(number), tuple(plan.nodes[n] for n in sorted(each.numbers.values())))
        for number, each in enumerate(cut(plan))
    )


def _begun(number: int) -> str:
    if number == 0:
        return "read: an Arrow UDF over each source"
    return f"shuffle {number}: groupBy(group of the key).transformWithState"


WRITE = "write: an Arrow UDF makes rows of the output"


def text(plan: Plan, applied: Sequence[Applied] = ()) -> str:
    """Write the stages of a plan, and the rewrites that led to it."""
    lines = []
    for stage in stages(plan):
        lines += [stage.runs, *(f"  {_told(node)}" for node in stage.nodes)]
    lines.append(WRITE)
    if applied:
        lines += ["", "rewrites:"]
        lines += [f"  {each}" for each in applied]
    return "\n".join(lines) + "\n"


def _told(node: Node) -> str:
    user = written_by_user(node)
    whose = f"  of {user.step}" if user is not node and not isinstance(node, Source) else ""
    if user is node and not isinstance(node, (Source, Late)):
        whose = f"  {node.step}"
    return f"{role(node)}: {node.label()}{whose}"


def role(node: Node) -> str:
    """Say how a stage runs a node."""
    if shuffled(node):
        return "by key, state in the state store"
    match node:
        case Aggregation():
            loop = ", its loop turn by turn" if node.loops else ""
            return f"in the task{loop}"
        case Source():
            return "withWatermark"
    return "in the task, no state"
