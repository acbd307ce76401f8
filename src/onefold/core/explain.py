"""A plan as people read it: a numbered list, or a drawing in Mermaid's language.

Both show every node once, inputs first, inside the operators that it was composed for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from onefold.core.plan import Late, Node, Plan, walk

_PLAIN = set(" .,()+-_/=")
"""What a Mermaid label may hold as it is, beside letters and digits."""


@dataclass(frozen=True)
class Composed:
    """An operator that was carried out by others: these parts, inputs first."""

    node: Node
    parts: tuple[Part, ...]


Part = Node | Composed


def arranged(given: Plan) -> tuple[Part, ...]:
    """Return the plan's nodes inside the operators they were composed for, inputs first."""
    return _arranged([_derivation(node) for node in given.nodes], 0)


def _derivation(node: Node) -> list[Node]:
    """Return the node, behind the operators that it was composed for, the user's first."""
    derivation = [node]
    while derivation[0].parent is not None:
        derivation.insert(0, derivation[0].parent)
    return derivation


def _arranged(derivations: list[list[Node]], depth: int) -> tuple[Part, ...]:
    belongs = {derivation[-1]: derivation[depth] for derivation in derivations}
    members: dict[Node, list[list[Node]]] = {}
    feeding: dict[Node, list[Node]] = {}
    for derivation in derivations:
        node, operator = derivation[-1], derivation[depth]
        members.setdefault(operator, []).append(derivation)
        inputs = [belongs[each] for each in node.inputs if each in belongs]
        feeding.setdefault(operator, []).extend(each for each in inputs if each is not operator)
    return tuple(
        each if each in belongs else Composed(each, _arranged(members[each], depth + 1))
        for each in walk(*feeding, inputs=feeding.__getitem__)
    )


def _numbered(parts: Iterable[Part]) -> dict[Node, int]:
    return {node: number for number, node in enumerate(leaves(parts), start=1)}


def leaves(parts: Iterable[Part]) -> Iterator[Node]:
    """Return the nodes that parts are made of in the end, inputs first."""
    for part in parts:
        if isinstance(part, Composed):
            yield from leaves(part.parts)
        else:
            yield part


def unchained(composed: Composed) -> tuple[list[Node], tuple[Part, ...]]:
    """Return the operators that are one composition of the next, and the parts of the last."""
    chain = [composed.node]
    while len(composed.parts) == 1 and isinstance(composed.parts[0], Composed):
        composed = composed.parts[0]
        chain.append(composed.node)
    return chain, composed.parts


def text(given: Plan) -> str:
    """Return the plan as a numbered list."""
    parts = arranged(given)
    writer = _Text(_numbered(parts))
    blocks = ["\n".join(writer.part(part, "")) for part in parts]
    return "\n".join([*blocks, f"output: [{writer.numbers[given.output]}]"]) + "\n"


@dataclass(frozen=True)
class _Text:
    numbers: dict[Node, int]

    def part(self, part: Part, indent: str) -> Iterator[str]:
        if not isinstance(part, Composed):
            yield from self.node(part, indent)
            return
        chain, parts = unchained(part)
        first, *others = chain
        names = [str(first.step) if first.parent is None else first.operator]
        yield indent + " = ".join([*names, *(each.operator for each in others)])
        if first.parent is None:
            yield from _told(first, indent + "    ")
        for each in parts:
            yield from self.part(each, indent + "  ")

    def node(self, node: Node, indent: str) -> Iterator[str]:
        where = f" ({node.step.file}, line {node.step.line})" if node.step.file else ""
        inputs = [f"[{self.numbers[each]}]" for each in node.inputs]
        if node.loops:
            inputs.append(f"[{self.numbers[node]}] (loop)")
        fed = f" <- {', '.join(inputs)}" if inputs else ""
        yield f"{indent}[{self.numbers[node]}] {_title(node)}{'' if node.parent else where}{fed}"
        yield from _told(node, indent + "    ")
        yield f"{indent}    gives {_type(node)}"


def _title(node: Node) -> str:
    """Return the node's title; a part of a composition says which operator it is."""
    title = node.title()
    return f"{title}: {node.operator}" if node.parent and title != node.operator else title


def _type(node: Node) -> str:
    return str(node.type) or "no attributes"


def _told(node: Node, indent: str) -> Iterator[str]:
    details = node.details()
    if details:
        yield indent + "; ".join(f"{name} {value}" for name, value in details.items())


def mermaid(given: Plan) -> str:
    """Return the plan as a Mermaid flowchart: a box for each node, a frame for each operator."""
    parts = arranged(given)
    writer = _Mermaid(_numbered(parts))
    lines = [line for part in parts for line in writer.part(part, "  ")]
    lines += ['  output(["output"])']
    lines += [line for node in writer.numbers for line in writer.edges(node)]
    lines += [f"  n{writer.numbers[given.output]} --> output"]
    return "\n".join(["flowchart TD", *lines]) + "\n"


@dataclass(frozen=True)
class _Mermaid:
    numbers: dict[Node, int]

    def part(self, part: Part, indent: str) -> Iterator[str]:
        if not isinstance(part, Composed):
            yield indent + self.node(part)
            return
        chain, parts = unchained(part)
        first, *others = chain
        names = [str(first.step) if first.parent is None else first.operator]
        title = " = ".join([*names, *(each.operator for each in others)])
        number = min(self.numbers[node] for node in leaves(parts))
        depth = len(_derivation(first))
        yield f'{indent}subgraph g{number}_{depth}["{_escaped(title)}"]'
        for each in parts:
            yield from self.part(each, indent + "  ")
        yield f"{indent}end"

    def node(self, node: Node) -> str:
        number = self.numbers[node]
        lines = [f"{number} {_title(node)}"]
        if node.parent is None and node.step.file:
            lines.append(f"{node.step.file}, line {node.step.line}")
        lines += [f"{name} {value}" for name, value in node.details().items()]
        label = "<br/>".join(_escaped(line) for line in lines)
        before, after = ("[", "]") if node.inputs else ("[(", ")]")
        return f'n{number}{before}"{label}"{after}'

    def edges(self, node: Node) -> Iterator[str]:
        number = self.numbers[node]
        for each in node.inputs:
            yield f"  n{self.numbers[each]} {_arrow(each, node)} n{number}"
        if node.loops:
            yield f'  n{number} -.->|"loop"| n{number}'


def _arrow(source: Node, target: Node) -> str:
    if isinstance(target, Late):
        return '-.->|"late"|'
    if _derivation(source)[0] is _derivation(target)[0]:
        # Inside a frame types are long, and the text has them. Longer, where a loop needs room.
        return "--->" if source.loops else "-->"
    return f'-->|"{_escaped(_type(source))}"|'


def _escaped(label: str) -> str:
    """Write every sign that Mermaid or HTML could take for its own as Mermaid's entity."""
    plain = (c if c.isalnum() or c in _PLAIN else f"#{ord(c)};" for c in label)
    return "".join(plain)
