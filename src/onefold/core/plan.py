"""The plan: an immutable graph of operators. Nodes are equal only to themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from operator import attrgetter
from typing import Any, ClassVar

from onefold.core.errors import (
    NoLateStream,
    SourceNamedTwice,
    TypeMismatch,
    UnknownImplementation,
)
from onefold.core.functions import Step
from onefold.core.kernel import Kernel, Watch
from onefold.core.near import did_you_mean
from onefold.core.types import TupleType


class Implementation(Enum):
    """How the operators of a plan are carried out."""

    DEDICATED = "dedicated"
    AGGREGATE = "aggregate"
    AGGREGATE_PLUS = "aggregate-plus"

    @classmethod
    def of(cls, name: str | Implementation) -> Implementation:
        """Return the implementation of this name."""
        try:
            return cls(name)
        except ValueError:
            names = ", ".join(one.value for one in cls)
            raise UnknownImplementation(
                f"there is no implementation {name!r}",
                hint=did_you_mean(str(name), [one.value for one in cls], f"there are {names}"),
            ) from None


@dataclass(frozen=True, eq=False, repr=False)
class Node:
    """An operator in a plan: its inputs, the type of its output, where the user wrote it."""

    inputs: tuple[Node, ...]
    type: TupleType
    step: Step
    parent: Node | None = field(default=None, kw_only=True)
    """The operator that this node was composed for."""

    operator: ClassVar[str] = "operator"
    """What the operator is called in the API."""
    late_ports: ClassVar[int] = 1
    """How many late streams the operator has: one for each input that it may drop tuples of."""

    emits_ahead: ClassVar[bool | None] = False
    """Whether it may emit tuples before the watermark has passed them; None: if its inputs do, or
    have different sources."""

    @property
    def ahead(self) -> bool:
        """Whether tuples of this stream may come before the watermark has passed them."""
        known: dict[Node, bool] = {}
        leads: dict[Node, frozenset[Node]] = {}
        for node in walk(self):
            above = [leads[each] for each in node.inputs]
            leads[node] = frozenset().union(*above) if above else frozenset({node})
            # A union of different sources passes on what is ahead of the least of their watermarks.
            uneven = len(set(above)) > 1
            own = node.emits_ahead
            known[node] = uneven or any(known[n] for n in node.inputs) if own is None else own
        return known[self]

    @property
    def loops(self) -> bool:
        """Whether the operator is fed its own output."""
        return False

    def primitive(self, implementation: Implementation) -> bool:
        """Say whether the node stays as it is in this implementation."""
        return implementation is Implementation.DEDICATED

    def compose(self, inputs: tuple[Node, ...]) -> Composition:
        """Return the node as a composition of lower ones, over these inputs."""
        raise NotImplementedError(type(self).__name__)

    def kernel(self, watch: Watch | None = None) -> Kernel:
        """Return the running operator: what the node means."""
        raise NotImplementedError(type(self).__name__)

    def label(self) -> str:
        """Return a short description, for people."""
        return self.step.operator

    def title(self) -> str:
        """Return what the node is called in a drawing."""
        return self.operator

    def details(self) -> dict[str, str]:
        """Return what a drawing tells about the node: its windows, keys and functions, by name."""
        return {}

    def shape(self) -> str:
        """Return what the state of the operator depends on: a snapshot fits no other shape."""
        return f"{type(self).__name__} giving {self.type}"

    def __repr__(self) -> str:
        return f"<{self.step}: {self.type}>"


@dataclass(frozen=True)
class Composition:
    """A node as lower nodes: the stream it gives, and its late streams, one for each port."""

    output: Node
    late: tuple[Node, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class Source(Node):
    """Where tuples and watermarks come in."""

    name: str
    operator: ClassVar[str] = "source"
    late_ports: ClassVar[int] = 0

    emits_ahead: ClassVar[bool | None] = True

    def primitive(self, implementation: Implementation) -> bool:
        return True

    def kernel(self, watch: Watch | None = None) -> Kernel:
        return PassOn()

    def label(self) -> str:
        return f"source {self.name}"

    def title(self) -> str:
        return self.label()


@dataclass(frozen=True, eq=False, repr=False)
class Late(Node):
    """What the operator `inputs[0]` dropped from one of its inputs.

    Its tuples are older than any watermark of the operator, so it promises nothing before the end.

    Composition: none. Every Aggregate has a late stream; a composed operator has that of its
    first.

    Cost: holds no tuple. What stands behind it waits for the end of the stream.
    """

    port: int = 0
    operator: ClassVar[str] = "late"
    late_ports: ClassVar[int] = 0
    emits_ahead: ClassVar[bool | None] = True

    @classmethod
    def of(cls, node: Node, port: int = 0) -> Late:
        """Return the late stream of `node`."""
        step = replace(node.step, operator=f"late of {node.step.operator}")
        return cls((node,), node.inputs[port].type, step, port=port, parent=node.parent)

    def title(self) -> str:
        sides = self.inputs[0].late_ports
        return "late" if sides == 1 else ("late_left", "late_right")[self.port]

    def primitive(self, implementation: Implementation) -> bool:
        return True

    def kernel(self, watch: Watch | None = None) -> Kernel:
        return PassOn()


def late_streams(node: Node, step: Step) -> list[Node]:
    """Return the late streams of an operator, one for each input; all of one type."""
    sides: list[Node] = [Late.of(node, port) for port in range(node.late_ports)]
    if not sides:
        raise NoLateStream(
            f"{step}: {node.step} drops nothing, and has no late stream",
            hint="ask an operator that has windows",
        )
    if any(side.type != sides[0].type for side in sides):
        raise TypeMismatch(
            f"{step}: the two sides of the join have different types",
            detail=f"{sides[0].type}  and  {sides[1].type}",
            hint="use late_left and late_right",
        )
    return sides


def late_side(node: Node, port: int, step: Step) -> Node:
    """Return what an operator with two inputs dropped of one of them."""
    if node.late_ports != 2:
        raise NoLateStream(f"{step}: {node.step} has no two sides", hint="use late")
    return Late.of(node, port)


class PassOn(Kernel):
    """Passes every tuple on."""

    def process(self, port: int, tuples: Sequence[Any], out: Any) -> None:
        out.emit(tuples)


@dataclass(frozen=True, eq=False)
class Plan:
    """A pipeline: its output, and every node that leads there, inputs first."""

    output: Node
    nodes: tuple[Node, ...]
    sources: Mapping[str, Source]

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Show the plan in a notebook: a drawing, or text."""
        from onefold.pages.notebook import of_plan

        return of_plan(self)


def plan(output: Node, *others: Node) -> Plan:
    """Return the plan of a pipeline that ends in `output`, and has other nodes beside."""
    nodes = tuple(walk(output, *others))
    sources = {node.name: node for node in nodes if isinstance(node, Source)}
    return Plan(output, nodes, sources)


def walk(
    *outputs: Node, inputs: Callable[[Node], Sequence[Node]] = attrgetter("inputs")
) -> Iterator[Node]:
    """Return every node that leads to the outputs, once, inputs before those they feed."""
    seen: set[Node] = set()
    stack = [(node, False) for node in reversed(outputs)]
    while stack:
        node, inputs_done = stack.pop()
        if inputs_done:
            yield node
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack.extend((each, False) for each in reversed(inputs(node)) if each not in seen)


def check_sources(step: Step, *outputs: Node) -> None:
    """Raise an error if two sources of one name come together."""
    named: dict[str, Source] = {}
    for node in walk(*outputs):
        if isinstance(node, Source) and named.setdefault(node.name, node) is not node:
            raise SourceNamedTwice(
                f"{step}: two sources are named {node.name!r}",
                detail=f"one is {named[node.name].step}, the other {node.step}",
                hint="call source() once for each name, and use that stream wherever it is needed",
            )
