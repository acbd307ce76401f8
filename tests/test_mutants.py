"""Break the arithmetic of windows, managers and loops by one: the small suite notices each.

Every comparison is moved to its neighbour (< to <=, == to !=, …), every whole number and every TICK
by one up and one down, every min to max, every + to -, every `and` to `or`. Each mutant runs
`mutant_suite` in a process of its own. Those that change nothing stand in EQUIVALENT, with reasons.
"""

from __future__ import annotations

import ast
import copy
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RUNNER = Path(__file__).with_name("mutant_runner.py")
MODULES = (
    "onefold.core.windows",
    "onefold.operators.watermarks",
    "onefold.operators.aggregate",
    "onefold.operators.embed",
    "onefold.operators.unfold",
    "onefold.operators.join",
    "onefold.operators.stateful",
    "onefold.operators.loop",
)
NEIGHBOUR: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
OPPOSITE = {"min": "max", "max": "min"}
FOR_PEOPLE = {"details", "label", "title", "held", "__str__", "__repr__"}
"""Functions that only show or measure; other tests read what they say."""

_TURN = "loop.LoopKernel._come_round: self.inner.process({}, tuples, _Both(self, out, looped=True))"
_NOT_LATE = "a port tells whose tuple is late, and no tuple that comes round is late (C2)"
_SORTED = "one tuple is sorted already; it saves time"
_CHECKED = "the rows of embed are in normal form, so its types are never asked whether they fit"
_NO_TURN_YET = "nothing can come round before tuples or a watermark came in, which set it to 0"
EQUIVALENT = {
    "aggregate.AggregateKernel._fire: self.sort(pane) if len(pane) > 1 else pane  ->  "
    "self.sort(pane) if len(pane) >= 1 else pane": _SORTED,
    "aggregate.AggregateKernel._fire: len(pane) > 1  ->  len(pane) > 0": _SORTED,
    "embed.: -1  ->  -2": "any number that is no position tells what comes from embed",
    "embed.embedded_type: Integer(32)  ->  Integer(33)": _CHECKED,
    "embed.embedded_type: Integer(32)  ->  Integer(31)": _CHECKED,
    "join.join: window_lengths(size, advance, 0, step)  ->  "
    "window_lengths(size, advance, 1, step)": "a join has no lateness; what is checked is not used",
    "loop.LoopKernel.__init__: 0  ->  1": _NO_TURN_YET,
    "loop.LoopKernel.__init__: 0  ->  -1": _NO_TURN_YET,
    f"{_TURN.format(0)}  ->  {_TURN.format(1).partition(': ')[2]}": _NOT_LATE,
    f"{_TURN.format(0)}  ->  {_TURN.format(-1).partition(': ')[2]}": _NOT_LATE,
}
"""What no input can tell from the code as it is, and why."""


@dataclass(frozen=True)
class Mutant:
    """A module with one thing changed."""

    module: str
    change: str
    source: str

    def __str__(self) -> str:
        return f"{self.module.rpartition('.')[2]}.{self.change}"


def variants(node: ast.AST) -> Iterator[ast.AST]:
    """The node with one thing changed, once for each thing."""
    match node:
        case ast.Compare(ops=ops):
            for position, op in enumerate(ops):
                changed = copy.deepcopy(node)
                changed.ops[position] = NEIGHBOUR[type(op)]()
                yield changed
        case ast.Constant(value=int() as number) if not isinstance(number, bool):
            yield from (ast.Constant(number + by) for by in (1, -1))
        case ast.Name(id="TICK", ctx=ast.Load()):
            yield from (ast.BinOp(node, op, ast.Constant(1)) for op in (ast.Add(), ast.Sub()))
        case ast.Name(id=("min" | "max") as name):
            yield ast.Name(OPPOSITE[name], ast.Load())
        case ast.BinOp(left, ast.Add() | ast.Sub() as op, right):
            yield ast.BinOp(left, ast.Sub() if isinstance(op, ast.Add) else ast.Add(), right)
        case ast.BoolOp(op, parts):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), parts)


def mutants(module: str) -> Iterator[Mutant]:
    """Every mutant of a module."""
    file = ROOT / "src" / Path(*module.split(".")).with_suffix(".py")
    tree = ast.parse(file.read_text(encoding="utf-8"))
    seen: Counter[str] = Counter()
    for parent, field, position, inside in places(tree, ""):
        was = getattr(parent, field) if position is None else getattr(parent, field)[position]
        shown = parent if isinstance(parent, ast.expr) else was
        before = ast.unparse(shown)
        for changed in variants(was):
            if field == "slice" and ast.unparse(changed) == "-1":
                continue  # the last one: no neighbour of the first
            put(parent, field, position, changed)
            after = ast.unparse(parent if shown is parent else changed)
            change = f"{inside}: {before}  ->  {after}"
            seen[change] += 1
            number = f"  (number {seen[change]})" if seen[change] > 1 else ""
            yield Mutant(module, change + number, ast.unparse(tree))
        put(parent, field, position, was)


def places(tree: ast.AST, inside: str) -> Iterator[tuple[ast.AST, str, int | None, str]]:
    """Where each expression stands: parent, field, position, and the function it is in."""
    for field, value in ast.iter_fields(tree):
        several = isinstance(value, list)
        for position, child in enumerate(value if several else [value]):
            if not isinstance(child, ast.AST) or left_alone(child):
                continue
            name = getattr(child, "name", "")
            if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
                yield from places(child, f"{inside}.{name}".strip("."))
                continue
            if isinstance(child, ast.expr):
                yield tree, field, position if several else None, inside
            yield from places(child, inside)


def left_alone(node: ast.AST) -> bool:
    """Texts for people (what an error says, what a drawing tells), imports, and field types."""
    match node:
        case ast.FunctionDef(name=name):
            return name in FOR_PEOPLE
        case ast.AnnAssign(value=None) | ast.Raise() | ast.JoinedStr() | ast.ImportFrom():
            return True
    return False


def put(parent: ast.AST, field: str, position: int | None, child: ast.AST) -> None:
    if position is None:
        setattr(parent, field, child)
    else:
        getattr(parent, field)[position] = child


def noticed(several: list[Mutant]) -> list[str]:
    """What the suite says to each mutant; nothing where it notices nothing."""
    done = subprocess.run(
        [sys.executable, "-S", str(RUNNER), str(ROOT / "src")],
        input=json.dumps([(each.module, each.source) for each in several]),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@cache
def verdicts() -> dict[Mutant, str]:
    made = [mutant for module in MODULES for mutant in mutants(module)]
    halves = [made[0::2], made[1::2]]
    with ThreadPoolExecutor(len(halves)) as pool:
        answers = list(pool.map(noticed, halves))
    found = {
        mutant: answer
        for half, said in zip(halves, answers, strict=True)
        for mutant, answer in zip(half, said, strict=True)
    }
    return {mutant: found[mutant] for mutant in made}


def test_the_suite_has_nothing_to_say_to_the_code_as_it_is() -> None:
    """Rewritten from its tree and loaded the same way, every module passes."""
    plain = []
    for module in MODULES:
        file = ROOT / "src" / Path(*module.split(".")).with_suffix(".py")
        plain.append(Mutant(module, "", ast.unparse(ast.parse(file.read_text(encoding="utf-8")))))
    assert noticed(plain) == [""] * len(MODULES)


def test_every_mutant_is_noticed() -> None:
    alive = [str(mutant) for mutant, said in verdicts().items() if not said]
    unexpected = [mutant for mutant in alive if mutant not in EQUIVALENT]
    assert not unexpected, f"{len(unexpected)} live:\n" + "\n".join(unexpected)


def test_what_is_called_equivalent_is_so() -> None:
    said = {str(mutant): answer for mutant, answer in verdicts().items()}
    gone = [mutant for mutant in EQUIVALENT if mutant not in said]
    assert not gone, "no such mutant any more:\n" + "\n".join(gone)
    dead = [f"{mutant}: {said[mutant]}" for mutant in EQUIVALENT if said[mutant]]
    assert not dead, "noticed, so not equivalent:\n" + "\n".join(dead)


def test_every_module_has_mutants_of_each_kind_that_it_can_have() -> None:
    made = Counter(mutant.module for mutant in verdicts())
    assert set(made) == set(MODULES)
    changes = [mutant.change for mutant in verdicts()]
    for expected in (
        "fires: left + size <= watermark  ->  left + size < watermark",
        "dropped: left + size + lateness <= watermark  ->  left + size + lateness < watermark",
        "next_position: t.position + 1 < len(t.tuples)  ->  t.position + 1 <= len(t.tuples)",
        "Stateful._next_state: t.time == shared  ->  t.time != shared",
    ):
        assert expected in changes
