"""union: the tuples of several streams of one type (P1).

Composition: none. Every engine lets several streams feed one operator (P1).

Cost: holds no tuple. The slowest input's watermark holds back the windows behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from onefold.core.errors import TypeMismatch
from onefold.core.functions import Step
from onefold.core.kernel import Kernel, Watch
from onefold.core.plan import Implementation, Node, PassOn, check_sources


def union(inputs: Sequence[Node], step: Step) -> Union:
    """Return {input, input, …}."""
    first, *others = inputs
    for other in others:
        if other.type != first.type:
            raise TypeMismatch(
                f"{step}: the streams have different types",
                detail=f"{first.type}  and  {other.type}",
                hint="map one of them to the type of the other",
            )
    check_sources(step, *inputs)
    return Union(tuple(inputs), first.type, step)


@dataclass(frozen=True, eq=False, repr=False)
class Union(Node):
    """All tuples of all inputs; the watermark is the least of theirs."""

    operator: ClassVar[str] = "union"
    late_ports: ClassVar[int] = 0

    emits_ahead: ClassVar[bool | None] = None

    def primitive(self, implementation: Implementation) -> bool:
        return True

    def kernel(self, watch: Watch | None = None) -> Kernel:
        return PassOn()
