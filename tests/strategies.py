"""Random pipelines, streams, and ways for them to arrive."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

import oracle
import specs
from onefold import Stream
from specs import KEYED, NUMBER, PAIR, REAL, TEXT, Operator, Type

LARGEST = 60
"""An operator that would emit more tuples than this is left out of a pipeline."""

_NUMBERS = st.sampled_from([0, 1, -1, None])
_REALS = st.one_of(st.sampled_from([0.0, -0.0, 1.5, None]), st.builds(float, st.just("nan")))
_TEXTS = st.sampled_from(["", "a", "b", None])
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "string": _TEXTS,
    "bigint": _NUMBERS,
    "double": _REALS,
    "float": _REALS,
    "boolean": st.sampled_from([True, False, None]),
    "binary": st.sampled_from([b"", b"\0", None]),
    "timestamp": st.sampled_from([datetime(2020, 1, d, tzinfo=UTC) for d in (1, 2)]),
    "array<double>": st.one_of(st.none(), st.lists(_REALS, max_size=2)),
    "struct<p: bigint, q: string>": st.one_of(st.none(), st.tuples(_NUMBERS, _TEXTS)),
}
TIMES = st.one_of(st.integers(-3, 8), st.sampled_from([-10, -9, -6, -5, -1, 0, 4, 5, 9, 10, 11]))
SIZES = st.sampled_from([(1, 1), (2, 1), (3, 1), (3, 2), (5, 5), (5, 2), (10, 5), (4, 3)])


@dataclass(frozen=True)
class Case:
    """A pipeline, what its sources hold, and all that it must emit."""

    operators: tuple[Operator, ...]
    inputs: dict[str, list[tuple[Any, ...]]]
    closing: int | None
    """The last watermark of every source before its end; None: no watermark before the end."""
    expected: list[Any]

    def stream(self) -> Stream:
        streams: list[Stream] = []
        for each in self.operators:
            streams.append(each.build(*(streams[n] for n in each.inputs)))
        return streams[-1]

    def used(self, kind: type[Operator]) -> list[Any]:
        """Return the operators of a kind that lead to the output."""
        wanted = {len(self.operators) - 1}
        for n in range(len(self.operators) - 1, -1, -1):
            wanted |= set(self.operators[n].inputs) if n in wanted else set()
        return [self.operators[n] for n in sorted(wanted) if isinstance(self.operators[n], kind)]

    @property
    def sources(self) -> list[str]:
        return [source.name for source in self.used(specs.Source)]


@st.composite
def types(draw: st.DrawFn) -> Type:
    kinds = draw(st.lists(st.sampled_from(list(VALUES)), min_size=1, max_size=2))
    return tuple((f"a{n}", kind) for n, kind in enumerate(kinds))


def rows(type: Type, **lengths: int) -> st.SearchStrategy[list[tuple[Any, ...]]]:
    """Rows of a type: few values and few times, so that many are equal."""
    return st.lists(st.tuples(TIMES, *(VALUES[kind] for _, kind in type)), **lengths)


KEY_FUNCTIONS = st.one_of(
    st.builds(specs.ByDigest, st.integers(2, 3)),
    st.builds(specs.ByAlike, st.sampled_from(range(len(specs.ALIKE)))),
)


def keys(type: Type) -> st.SearchStrategy[Any]:
    attributes = st.lists(st.sampled_from(specs.names(type)), min_size=1, max_size=2, unique=True)
    return st.one_of(st.none(), attributes.map(tuple), KEY_FUNCTIONS)


MODULI = st.integers(2, 4)


@st.composite
def filters(draw: st.DrawFn, at: Sequence[int], given: Sequence[Type]) -> Operator:
    return specs.Filter((at[0],), given[0], specs.Keep(draw(st.integers(2, 5))))


@st.composite
def maps(draw: st.DrawFn, at: Sequence[int], given: Sequence[Type]) -> Operator:
    functions = [
        (NUMBER, specs.Number(draw(MODULI))),
        (REAL, specs.Real()),
        (given[0][::-1], specs.Swap()),
    ]
    return specs.Map((at[0],), *draw(st.sampled_from(functions)))


@st.composite
def flat_maps(draw: st.DrawFn, at: Sequence[int], given: Sequence[Type]) -> Operator:
    modulus = draw(MODULI)
    chosen = draw(
        st.sampled_from([(given[0], specs.Copies(modulus)), (NUMBER, specs.Zeros(modulus))])
    )
    return specs.FlatMap((at[0],), *chosen)


@st.composite
def aggregates(draw: st.DrawFn, at: Sequence[int], given: Sequence[Type]) -> Operator:
    functions = [
        (KEYED, specs.Count(draw(MODULI))),
        (given[0], specs.End(draw(st.sampled_from([0, -1])))),
        (TEXT, specs.InOrder()),
    ]
    windows = draw(keys(given[0])), *draw(SIZES), draw(st.integers(0, 3))
    return specs.Aggregate((at[0],), *draw(st.sampled_from(functions)), *windows)


@st.composite
def aggregates_plus(draw: st.DrawFn, at: Sequence[int], given: Sequence[Type]) -> Operator:
    functions = [
        (given[0], specs.All()),
        (KEYED, specs.Numbered(draw(MODULI))),
        (NUMBER, specs.Same()),
    ]
    windows = draw(keys(given[0])), *draw(SIZES), draw(st.integers(0, 3))
    return specs.AggregatePlus((at[0],), *draw(st.sampled_from(functions)), *windows)


@st.composite
def joins(draw: st.DrawFn, at: Sequence[int], given: Sequence[Type]) -> Operator:
    left, right = given
    sides = st.one_of(
        st.just((None, None)),
        st.tuples(keys(left), keys(right)).filter(lambda pair: None not in pair),
        KEY_FUNCTIONS.map(lambda key: (key, key)),
    )
    where = draw(st.one_of(st.none(), st.builds(specs.KeepPair, MODULI)))
    size, advance = draw(SIZES)
    if len(left) + len(right) > 4 or draw(st.booleans()):
        type, select = NUMBER, specs.Number(draw(MODULI))
    else:
        both = [kind for _, kind in (*left, *right)]
        type, select = tuple((f"j{n}", kind) for n, kind in enumerate(both)), None
    return specs.Join(tuple(at), type, draw(sides), where, select, size, advance)


@st.composite
def statefuls(draw: st.DrawFn, at: Sequence[int], given: Sequence[Type]) -> Operator:
    state = specs.Listing(draw(st.booleans()))
    period, extra = draw(st.integers(1, 6)), draw(st.integers(0, 2))
    return specs.Stateful((at[0],), PAIR, state, draw(keys(given[0])), period, extra)


@st.composite
def loops(draw: st.DrawFn, at: Sequence[int], given: Sequence[Type]) -> Operator:
    """A loop; where windows overlap the watermark keeps close, or the answer would depend on it."""
    size, advance = draw(SIZES)
    distance = draw(st.integers(1, 4)) if size == advance else 1
    lateness = distance + draw(st.integers(0, 2))
    windows = ("n",), size, advance, lateness
    return specs.Loop((at[0],), PAIR, specs.Countdown(), *windows, distance)


ONE_INPUT: dict[str, Callable[..., st.SearchStrategy[Operator]]] = {
    "filter": filters,
    "map": maps,
    "flat_map": flat_maps,
    "aggregate": aggregates,
    "aggregate_plus": aggregates_plus,
    "stateful": statefuls,
    "loop": loops,
}
TWO_INPUTS = ("join", "union")
ALL = (*ONE_INPUT, *TWO_INPUTS)


@dataclass
class Growth:
    """A pipeline while it is drawn, with what each operator emits."""

    draw: st.DrawFn
    closing: int | None
    made: list[Operator] = field(default_factory=list)
    meanings: list[list[Any]] = field(default_factory=list)

    def add(self, operator: Operator) -> None:
        """Take an operator, unless it would emit too much."""
        given = [self.meanings[n] for n in operator.inputs]
        meaning = operator.meaning(self.closing, *given)
        if len(meaning) <= LARGEST:
            self.made.append(operator)
            self.meanings.append(meaning)

    def pick(self) -> int:
        """Return a stream: mostly the newest, so that most operators lead to the output."""
        newest = len(self.made) - 1
        return self.draw(st.sampled_from([newest, newest, newest, *range(newest)]))

    def grow(self, kind: str) -> None:
        """Add an operator of a kind."""
        at = self.pick()
        type = self.made[at].type
        if kind == "union":
            alike = [n for n, other in enumerate(self.made) if other.type == type]
            others = self.draw(st.lists(st.sampled_from(alike), min_size=1, max_size=2))
            self.add(specs.Union((at, *others), type))
        elif kind == "join":
            self.join(at, self.pick())
        elif kind == "loop":
            self.add(specs.Map((at,), PAIR, specs.Pair(self.draw(MODULI))))
            self.add(self.draw(loops((len(self.made) - 1,), [PAIR])))
        else:
            self.add(self.draw(ONE_INPUT[kind]((at,), [type])))

    def join(self, *pair: int) -> None:
        self.add(self.draw(joins(pair, [self.made[n].type for n in pair])))

    def meet(self, *, unite: bool) -> None:
        """Bring the two sources together, or numbers made of each."""
        one, other = 0, self.draw(st.sampled_from([1, len(self.made) - 1]))
        if self.draw(st.booleans()):
            for n in (one, other):
                self.add(specs.Map((n,), NUMBER, specs.Number(self.draw(MODULI))))
            one, other = len(self.made) - 2, len(self.made) - 1
        if unite and self.made[one].type == self.made[other].type and self.draw(st.booleans()):
            self.add(specs.Union((one, other), self.made[one].type))
        else:
            self.join(one, other)


@st.composite
def cases(
    draw: st.DrawFn,
    kinds: Sequence[str] = ALL,
    *,
    last: str | None = None,
    operators: int = 5,
    tuples: int = 9,
) -> Case:
    """A chain or tree of operators over one or two sources; `last` names the kind of the last."""
    growth = Growth(draw, draw(st.one_of(st.none(), st.integers(-4, 30))))
    inputs: dict[str, list[tuple[Any, ...]]] = {}
    type = draw(types())
    for name in draw(st.sampled_from([["s"], ["s", "r"], ["s", "r"]])):
        type = draw(st.one_of(st.just(type), types()))
        least = draw(st.sampled_from([0, tuples // 3, tuples // 3]))
        inputs[name] = draw(rows(type, min_size=least, max_size=tuples))
        growth.made.append(specs.Source((), type, name))
        growth.meanings.append([oracle.row(specs.names(type), t[0], t[1:]) for t in inputs[name]])
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=0 if last else 2, max_size=operators))
    meeting = draw(st.integers(0, len(chosen))) if len(inputs) > 1 else None
    for n, kind in enumerate([*chosen, last]):
        if n == meeting:
            growth.meet(unite="union" in kinds)
        if kind:
            growth.grow(kind)
    return Case(tuple(growth.made), inputs, growth.closing, growth.meanings[-1])


@st.composite
def alike(draw: st.DrawFn, kind: str) -> Case:
    """One operator, with keys that look alike, at few times."""
    type: Type = (("a0", "bigint"),)
    made = st.tuples(st.integers(0, 2), st.integers(0, 40))
    inputs = {"s": draw(st.lists(made, min_size=5, max_size=12))}
    held = [oracle.row(("a0",), t[0], t[1:]) for t in inputs["s"]]
    key = specs.ByAlike(draw(st.sampled_from(range(len(specs.ALIKE)))))
    if kind == "join":
        operator: Any = replace(draw(joins((0, 0), [type, type])), keys=(key, key))
    else:
        operator = replace(draw(ONE_INPUT[kind]((0,), [type])), key=key)
    meaning = operator.meaning(None, *[held] * len(operator.inputs))
    return Case((specs.Source((), type, "s"), operator), inputs, None, meaning)


@dataclass(frozen=True)
class Arrive:
    """Rows that arrive at once."""

    source: str
    rows: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class Promise:
    """A watermark."""

    source: str
    watermark: int


@dataclass(frozen=True)
class End:
    """The end of a source, while others may go on."""

    source: str


Step = Arrive | Promise | End
Feed = tuple[Step, ...]


@st.composite
def arrivals(
    draw: st.DrawFn, source: str, held: list[tuple[Any, ...]], most: int | None
) -> list[Step]:
    """One source: any order, watermarks anywhere that make nothing late, none above `most`."""
    order = draw(st.permutations(held))
    steps: list[Step] = []
    for n, arriving in enumerate([*order, None]):
        bound = min([t[0] for t in order[n:]], default=LAST if most is None else most)
        bound = bound if most is None else min(bound, most)
        ahead = draw(st.lists(st.integers(0, 6), max_size=2)) if draw(st.booleans()) else []
        steps += [Promise(source, bound - each) for each in sorted(ahead, reverse=True)]
        if arriving and steps and isinstance(steps[-1], Arrive) and draw(st.booleans()):
            steps[-1] = Arrive(source, (*steps[-1].rows, arriving))
        elif arriving:
            steps.append(Arrive(source, (arriving,)))
    return steps


LAST = 25


@st.composite
def feeds(draw: st.DrawFn, case: Case) -> Feed:
    """Any way for the tuples of a case to arrive without one being late.

    A stateful operator emits at every period that a watermark passes, so its answer depends on the
    last watermark before the end: all sources have the same.
    """
    steady = bool(case.used(specs.Stateful))
    every: dict[str, list[Step]] = {}
    for name in case.sources:
        if steady and case.closing is None:
            order = draw(st.permutations(case.inputs[name]))
            every[name] = [Arrive(name, (t,)) for t in order]
        else:
            most = case.closing if steady else None
            every[name] = draw(arrivals(name, case.inputs[name], most))
            every[name] += [Promise(name, most)] if most is not None else []
        every[name] += draw(st.sampled_from([[], [End(name)]]))
    turns = [name for name, steps in every.items() for _ in steps]
    turns = draw(st.permutations(turns)) if len(every) > 1 else turns
    return tuple(every[name].pop(0) for name in turns)


@st.composite
def late_feeds(draw: st.DrawFn, case: Case) -> Feed:
    """Tuples and watermarks in any order: many tuples are late."""
    steps: list[Step] = []
    for name in case.sources:
        steps += [Arrive(name, (t,)) for t in case.inputs[name]]
        steps += [Promise(name, w) for w in draw(st.lists(TIMES, max_size=4))]
    return tuple(draw(st.permutations(steps)))


@dataclass
class Schedule:
    """How many tuples of a loop come round each time that the engine asks; then it begins anew."""

    counts: Sequence[int]
    asked: int = 0

    def __call__(self, waiting: int) -> int:
        self.asked += 1
        return self.counts[self.asked % len(self.counts)]


SCHEDULES = st.lists(st.integers(0, 3), min_size=1, max_size=5).map(tuple)
