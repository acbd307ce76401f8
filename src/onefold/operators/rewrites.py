"""Rewrites: the theorems read backwards, so that compositions become operators again.

A rule looks at a few nodes of a lowered plan. Where they carry out one operator together, and
nobody else reads a stream between them, that operator takes their place, with the step and the
parent that it had when it was lowered. The answer stays the same:

- Where no tuple comes late to the operator: at every watermark W, both have emitted the same tuples
  with time + δ ≤ W, and at the end the same multiset. A flat_map or a join may emit before the
  watermark; its composition does not.
- Where one does: an `exact` rule keeps its fate. By any other rule the operator forwards what the
  composition drops, or takes it while a window of it is open: the difference between `dedicated`
  and the others in `docs/model.md`. So no rule touches an operator whose late stream is read,
  except the first, which keeps that stream.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from onefold.core.aggregate import WHOLE_TUPLE
from onefold.core.plan import Late, Node, Plan, plan, walk
from onefold.core.time import TICK
from onefold.operators.aggregate import Aggregation
from onefold.operators.aggregate_plus import AggregationPlus
from onefold.operators.filter import Filter
from onefold.operators.flat_map import FlatMap
from onefold.operators.join import Join
from onefold.operators.loop import LoopAggregation
from onefold.operators.map import Map
from onefold.operators.stateful import Stateful
from onefold.operators.union import Union


@dataclass(frozen=True)
class Found:
    """Nodes that one operator may stand for: the one that a rule looked at, and some before it."""

    operator: Node
    inputs: tuple[Node, ...]
    """What feeds these nodes now, and the operator then."""
    before: tuple[Node, ...] = ()
    """Those before it; nobody else may read them."""
    dropping: Node | None = None
    """The one whose late stream is the operator's."""


@dataclass(frozen=True)
class Uses:
    """Who reads the streams of a plan."""

    shared: frozenset[Node]
    """What more than one operator reads."""
    late_read: frozenset[Node]
    """Operators whose late stream is read."""

    @classmethod
    def of(cls, given: Plan) -> Uses:
        """Return the uses of all streams of a plan."""
        readers: dict[Node, set[Node]] = {}
        for node in given.nodes:
            if not isinstance(node, Late):
                for each in node.inputs:
                    readers.setdefault(each, set()).add(node)
        shared = {node for node, several in readers.items() if len(several) > 1}
        late_read = {node.inputs[0] for node in given.nodes if isinstance(node, Late)}
        return cls(frozenset(shared), frozenset(late_read))

    def allow(self, node: Node, found: Found) -> bool:
        """Say whether nobody reads what would no longer be there."""
        silent = {node, *found.before} - {found.dropping}
        return self.shared.isdisjoint(found.before) and self.late_read.isdisjoint(silent)


@dataclass(frozen=True)
class Rewrite:
    """A rule: its name, what becomes what by which theorem, and how to find it."""

    name: str
    says: str
    find: Callable[[Node, Uses], Found | None]
    exact: bool = False
    """Whether a tuple that comes late meets the same fate."""


@dataclass(frozen=True)
class Applied:
    """One use of a rule: the operator that took the place of others."""

    rewrite: Rewrite
    node: Node

    def __str__(self) -> str:
        return f"{self.node.step}: {self.rewrite.name}"


def _unfold_after_embed(node: Node, _: Uses) -> Found | None:
    match node:
        case Aggregation(
            parent=AggregationPlus() as plus,
            inputs=(LoopAggregation(inputs=(Aggregation() as embedded,)) as counted,),
        ) if _made_for(plus, counted, embedded):
            return Found(plus, embedded.inputs, (embedded, counted), dropping=embedded)
    return None


def _instant_by_whole_tuple(node: Node, _: Uses) -> Found | None:
    match node:
        # The loop of a stateful counts on the flat_map in front of it to keep out what is late.
        case AggregationPlus(parent=FlatMap(parent=None | Filter() | Map()) as flat_map):
            meaning = node.aggregate
            lengths = meaning.size, meaning.advance, meaning.lateness
            if meaning.key == WHOLE_TUPLE and lengths == (TICK, TICK, 0):
                return Found(flat_map, node.inputs)
    return None


def _flat_map_for_another(node: Node, _: Uses) -> Found | None:
    match node:
        case FlatMap(parent=Filter() | Map() as written):
            return Found(written, node.inputs)
    return None


def _pairs_of_collected(node: Node, _: Uses) -> Found | None:
    match node:
        case AggregationPlus(
            parent=Join() as join,
            inputs=(Union(inputs=(Aggregation() as left, Aggregation() as right)) as both,),
        ) if _made_for(join, both, left, right):
            return Found(join, (*left.inputs, *right.inputs), (left, right, both))
    return None


def _states_in_a_loop(node: Node, _: Uses) -> Found | None:
    match node:
        case AggregationPlus(
            parent=FlatMap(parent=Stateful() as stateful),
            inputs=(
                LoopAggregation(
                    inputs=(AggregationPlus(parent=FlatMap() as put_in) as entered,),
                ) as states,
            ),
        ) if _made_for(stateful, states, put_in):
            return Found(stateful, entered.inputs, (entered, states))
    return None


def _union_of_unions(node: Node, uses: Uses) -> Found | None:
    if not isinstance(node, Union):
        return None
    inner: list[Node] = []
    inputs: list[Node] = []
    waiting = [*reversed(node.inputs)]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Union) and each not in uses.shared:
            inner.append(each)
            waiting += reversed(each.inputs)
        else:
            inputs.append(each)
    return Found(node, tuple(inputs), tuple(inner)) if inner else None


def _made_for(operator: Node, *nodes: Node) -> bool:
    return all(node.parent is operator for node in nodes)


RULES: tuple[Rewrite, ...] = (
    Rewrite(
        "unfold after embed is aggregate_plus",
        "Three minimal Aggregates and a loop become the aggregate_plus that they carry out "
        "(theorem 3 and section 5.1).",
        _unfold_after_embed,
        exact=True,
    ),
    Rewrite(
        "aggregate_plus over one instant is flat_map",
        "An aggregate_plus over windows of δ, by the whole tuple, becomes the flat_map whose "
        "function it calls for every tuple (theorem 1).",
        _instant_by_whole_tuple,
    ),
    Rewrite(
        "flat_map for a filter or map is that filter or map",
        "A flat_map that stands for a filter or a map becomes it: a tuple or none is as good as a "
        "list of them.",
        _flat_map_for_another,
        exact=True,
    ),
    Rewrite(
        "aggregate_plus over two aggregates is join",
        "An aggregate_plus that pairs what two Aggregates have collected, one for each side, "
        "becomes the join (theorem 2).",
        _pairs_of_collected,
    ),
    Rewrite(
        "flat_map, aggregate with a loop, flat_map is stateful",
        "Putting tuples in, an Aggregate that is fed its own states, and taking results out "
        "become the stateful operator (lemma 5).",
        _states_in_a_loop,
    ),
    Rewrite(
        "union of unions is one union",
        "A union that only another union reads becomes part of it: the least watermark is the "
        "least of the least.",
        _union_of_unions,
        exact=True,
    ),
)


def rewrite(given: Plan, rules: Sequence[Rewrite] = RULES) -> tuple[Plan, tuple[Applied, ...]]:
    """Return the plan as the rules make it, and each use of a rule.

    They are tried until none finds anything more, in any order with the same answer. The plan keeps
    all of its sources, and what was shared stays shared.

    >>> import onefold as of
    >>> words = of.source("words", "word string").filter(lambda t: len(t.word) > 1)
    >>> plan, applied = rewrite(of.lower(words, "aggregate"))
    >>> [node.operator for node in plan.nodes]
    ['source', 'filter']
    >>> for each in applied:
    ...     print(each.rewrite.name)
    unfold after embed is aggregate_plus
    aggregate_plus over one instant is flat_map
    flat_map for a filter or map is that filter or map
    """
    applied: list[Applied] = []
    before = None
    while before is not given:
        before = given
        for rule in rules:
            given, uses = _once(rule, given)
            applied += uses
    return given, tuple(applied)


def _once(rule: Rewrite, given: Plan) -> tuple[Plan, list[Applied]]:
    """Return the plan with a rule applied wherever it finds something now."""
    found = _found(rule, given)
    if not found:
        return given, []
    dropping = {each.dropping: node for node, each in found.items()}

    def feeding(node: Node) -> tuple[Node, ...]:
        if isinstance(node, Late):
            return tuple(dropping.get(each, each) for each in node.inputs)
        return found[node].inputs if node in found else node.inputs

    done: dict[Node, Node] = {}
    applied = []
    for node in walk(given.output, *given.sources.values(), inputs=feeding):
        inputs = tuple(done[each] for each in feeding(node))
        if node in found:
            done[node] = replace(found[node].operator, inputs=inputs)
            applied.append(Applied(rule, done[node]))
        else:
            done[node] = _fed_by(inputs, node)
    sources = (done[each] for each in given.sources.values())
    return plan(done[given.output], *sources), applied


def _found(rule: Rewrite, given: Plan) -> dict[Node, Found]:
    uses = Uses.of(given)
    found = ((node, rule.find(node, uses)) for node in given.nodes)
    return {node: each for node, each in found if each and uses.allow(node, each)}


def _fed_by(inputs: tuple[Node, ...], node: Node) -> Node:
    if inputs == node.inputs:
        return node
    if isinstance(node, Late):
        return Late.of(inputs[0], node.port)
    return replace(node, inputs=inputs)
