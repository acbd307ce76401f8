"""Boxes: what is written on a node, and how large that makes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from onefold.core.plan import Late, Node, Source
from onefold.core.values import listed
from onefold.operators.aggregate import Aggregation
from onefold.operators.union import Union
from onefold.pages.lettering import LINE, LONGEST, Line, Span, letters, told, width, wrapped

MARGIN = 11
"""Between the edge of a box and its text, left and right."""
ABOVE = 8
LOOP = 60
"""Room beside a box for the wire that leads back into it."""
SIGN = 20
"""Room for the sign that says: there is more inside."""


@dataclass(frozen=True)
class Note:
    """Which stages of an engine run a node, and how."""

    stages: tuple[int, ...]
    text: str


@dataclass(frozen=True)
class Box:
    """Something with text on it. A loop is room on both sides, so that the box is in the middle."""

    path: str
    """Names it among all boxes of a drawing, and in drawings of other implementations."""
    kind: str
    lines: tuple[Line, ...]
    width: float
    height: float
    loops: bool = False
    parts: int = 0
    """How many nodes are inside, if it can be unfolded."""
    stages: tuple[int, ...] = ()
    tip: str = ""

    @property
    def side(self) -> float:
        """How much room there is beside it, left and right."""
        return LOOP if self.loops else 0


def together(notes: Sequence[Note]) -> Note | None:
    """Return what is to be said of nodes that stand as one box."""
    stages = tuple(sorted({stage for note in notes for stage in note.stages}))
    return Note(stages, "") if stages else None


def box(
    node: Node, path: str, note: Note | None, chain: Sequence[Node] = (), parts: int = 0
) -> Box:
    """Return the box of a node; or of an operator that is folded, with what carries it out."""
    lines = _title(node, chain)
    for name, value in node.details().items():
        lines += told(name, value)
    lines += told("gives", str(node.type) or "no attributes")
    if note:
        lines += _staged(note)
    if parts:
        lines.append((Span("name", f"made of {parts} {'node' if parts == 1 else 'nodes'}"),))
    wide = width(lines) + 2 * MARGIN + (SIGN if parts else 0)
    return Box(
        path,
        _kind(node, folded=bool(parts)),
        tuple(lines),
        wide + (2 * LOOP if node.loops and not parts else 0),
        len(lines) * LINE + 2 * ABOVE,
        node.loops and not parts,
        parts,
        note.stages if note else (),
        _tip(node),
    )


def head(chain: Sequence[Node], path: str) -> Box:
    """Return the upper part of a frame: the operators that are one composition of the next."""
    first, *others = chain
    (title, *more), *rest = _title(first, chain)
    names = "".join(f" = {each.operator}" for each in others) if first.parent is None else ""
    lines: list[Line] = [(title, Span("title", names), *more), *rest]
    if first.parent is None:
        for name, value in first.details().items():
            lines += told(name, value)
    wide = width(lines) + 2 * MARGIN + SIGN
    high = len(lines) * LINE + 2 * ABOVE
    return Box(path, "head", tuple(lines), wide, high, parts=1, tip=_tip(first))


def output() -> Box:
    """Return the box at the end of a pipeline."""
    lines: tuple[Line, ...] = ((Span("title", "output"),),)
    return Box("output", "output", lines, width(lines) + 3 * MARGIN, LINE + 2 * ABOVE)


def _title(node: Node, chain: Sequence[Node] = ()) -> list[Line]:
    """Return what a node is called, and where it was written or which operator it is.

    A part of a composition is called by the first in its chain that has a name of its own.
    """
    named = (each for each in (node, *chain) if each.title() != each.operator)
    title = node.title() if node.parent is None else next(named, node).title()
    lines: list[Line] = [(Span("title", each),) for each in wrapped(title)]
    aside = ""
    if node.parent is not None:
        names = " = ".join(each.operator for each in chain or [node])
        aside = f"  {names}" if title != names else ""
    elif node.step.file:
        aside = f"  {node.step.file}, line {node.step.line}"
    if not aside:
        return lines
    span = Span("name", aside)
    if letters(lines[-1][0].text) + letters(aside) <= LONGEST:
        return [*lines[:-1], (*lines[-1], span)]
    return [*lines, (Span("name", aside.strip()),)]


def _staged(note: Note) -> list[Line]:
    several = "stage" if len(note.stages) == 1 else "stages"
    numbers = listed([str(stage) for stage in note.stages])
    return (
        told(f"{several} {numbers}", note.text)
        if note.text
        else [(Span("name", f"{several} {numbers}"),)]
    )


def _kind(node: Node, *, folded: bool) -> str:
    match node:
        case Source():
            return "source"
        case Late():
            return "late"
        case Union():
            return "union"
        case Aggregation() if not folded:
            return "aggregate"
    return "operator"


def _tip(node: Node) -> str:
    """Return everything about a node: what a line was too short for is here."""
    lines = [str(node.step) if node.parent is None else node.title()]
    lines += [f"{name} {value}" for name, value in node.details().items()]
    return "\n".join([*lines, f"gives {node.type}"])
