"""What Spark runs of a plan: stage by stage, and which rewrite changed what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from onefold.core.plan import Late, Node, Plan, Source
from onefold.engines.accounts import written_by_user
from onefold.engines.spark.fragments import Fragment, cut, shuffled
from onefold.operators.aggregate import Aggregation
from onefold.operators.rewrites import Applied


def text(plan: Plan, applied: Sequence[Applied] = ()) -> str:
    """Write the stages of a plan, and the rewrites that led to it."""
    lines = list(_stages(plan, cut(plan)))
    if applied:
        lines += ["", "rewrites:"]
        lines += [f"  {each}" for each in applied]
    return "\n".join(lines) + "\n"


def _stages(plan: Plan, fragments: Sequence[Fragment]) -> Iterator[str]:
    for number, fragment in enumerate(fragments):
        if number == 0:
            yield "read: an Arrow UDF over each source"
        else:
            yield f"shuffle {number}: groupBy(group of the key).transformWithState"
        nodes = {each: node for node, each in fragment.numbers.items()}
        for place in sorted(nodes):
            yield f"  {_told(plan.nodes[place])}"
    yield "write: an Arrow UDF makes rows of the output"


def _told(node: Node) -> str:
    user = written_by_user(node)
    whose = f"  of {user.step}" if user is not node and not isinstance(node, Source) else ""
    if user is node and not isinstance(node, (Source, Late)):
        whose = f"  {node.step}"
    return f"{_what(node)}: {node.label()}{whose}"


def _what(node: Node) -> str:
    if shuffled(node):
        return "by key, state in the state store"
    match node:
        case Aggregation():
            loop = ", its loop turn by turn" if node.loops else ""
            return f"in the task{loop}"
        case Source():
            return "withWatermark"
    return "in the task, no state"
