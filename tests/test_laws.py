"""The laws: D, A+ and A mean the same, and what the oracle says, however a stream arrives."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

import onefold as of
import oracle
import specs
import strategies
from onefold.core.kernel import Kernel
from onefold.core.plan import Implementation, Late, Node, Plan, Source
from onefold.core.time import END_OF_TIME, START_OF_TIME
from onefold.engines.reference import Engine, everything
from onefold.engines.trace import Event, Kind
from onefold.operators.aggregate import AggregateKernel, Aggregation
from onefold.operators.aggregate_plus import AggregationPlus
from onefold.operators.join import JoinKernel
from onefold.operators.loop import LoopAggregation, LoopKernel
from onefold.operators.stateful import StatefulKernel
from onefold.operators.union import Union
from oracle import multiset
from strategies import Arrive, Case, End, Feed, Promise, Schedule, Step

DEDICATED, AGGREGATE, PLUS = Implementation


def law(examples: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Try a law on random cases; LAW_TRIES=10 in the environment tries ten times as many."""
    examples *= int(os.environ.get("LAW_TRIES", "1"))
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large]
    tries = settings(
        max_examples=examples, deadline=None, print_blob=True, suppress_health_check=slow
    )

    def apply(test: Callable[..., None]) -> Callable[..., None]:
        return tries(given(data=st.data())(test))

    return apply


def play(engine: Engine, feed: Iterable[Step]) -> None:
    for step in feed:
        match step:
            case Arrive(source, rows):
                engine.input(source, rows)
            case Promise(source, watermark):
                engine.watermark(source, watermark)
            case End(source):
                engine.end(source)


def outcome(plan: Plan, feed: Feed, schedule: Any = everything) -> Counter[str]:
    """Return all that a plan emits when it is fed like this."""
    engine = Engine(plan, schedule=schedule)
    play(engine, feed)
    engine.end()
    assert engine.take_late() == []
    return multiset(engine.take_output())


@dataclass
class Observer:
    """Everything that every node of a plan emits, in order."""

    seen: dict[Node, list[Any]] = field(default_factory=dict)

    def __call__(self, event: Event) -> None:
        if event.kind in (Kind.TUPLE, Kind.WATERMARK):
            thing = event.watermark if event.kind is Kind.WATERMARK else event.tuple
            self.seen.setdefault(event.node, []).append(thing)


def observed(plan: Plan, feed: Feed, schedule: Any = everything) -> dict[Node, list[Any]]:
    """Return tuples and watermarks in the order in which each node emits them."""
    observer = Observer()
    engine = Engine(plan, record=observer, schedule=schedule)
    play(engine, feed)
    engine.end()
    return observer.seen


def by(rows: Iterable[Any], watermark: int) -> Counter[str]:
    """Return the rows that are due at a watermark."""
    return multiset(t for t in rows if t.time + 1 <= watermark)


def drawn(data: st.DataObject, **options: Any) -> tuple[Case, Feed]:
    case = data.draw(strategies.cases(**options))
    return case, data.draw(strategies.feeds(case))


@law(180)
def test_every_implementation_emits_what_the_oracle_says(data: st.DataObject) -> None:
    case, feed = drawn(data)
    wanted = multiset(case.expected)
    for implementation in Implementation:
        assert outcome(of.lower(case.stream(), implementation), feed) == wanted, implementation


@pytest.mark.parametrize("kind", strategies.ALL)
@law(25)
def test_every_operator_means_what_the_oracle_says(kind: str, data: st.DataObject) -> None:
    case, feed = drawn(data, last=kind, operators=1)
    wanted = multiset(case.expected)
    for implementation in Implementation:
        assert outcome(of.lower(case.stream(), implementation), feed) == wanted, implementation


@pytest.mark.parametrize("kind", ["aggregate", "aggregate_plus", "join", "stateful"])
@law(25)
def test_keys_are_equal_by_value_and_by_nothing_else(kind: str, data: st.DataObject) -> None:
    case = data.draw(strategies.alike(kind))
    feed = data.draw(strategies.feeds(case))
    wanted = multiset(case.expected)
    for implementation in Implementation:
        assert outcome(of.lower(case.stream(), implementation), feed) == wanted, implementation


@law(90)
def test_at_every_watermark_all_have_emitted_what_is_due(data: st.DataObject) -> None:
    case, feed = drawn(data)
    for implementation in Implementation:
        plan = of.lower(case.stream(), implementation)
        emitted = []
        for thing in observed(plan, feed).get(plan.output, []):
            if isinstance(thing, int):
                assert by(emitted, thing) == by(case.expected, thing), (implementation, thing)
            else:
                emitted.append(thing)


@law(60)
def test_all_forward_the_least_watermark_of_their_sources(data: st.DataObject) -> None:
    case, feed = drawn(data)
    for implementation in Implementation:
        engine = Engine(of.lower(case.stream(), implementation))
        promised = dict.fromkeys(case.sources, START_OF_TIME)
        for step in feed:
            play(engine, [step])
            if not isinstance(step, Arrive):
                watermark = step.watermark if isinstance(step, Promise) else END_OF_TIME
                promised[step.source] = max(promised[step.source], watermark)
            assert engine.output_watermark() == min(promised.values()), implementation


@pytest.mark.parametrize("kind", strategies.ALL)
@law(20)
def test_what_does_not_run_ahead_waits_for_the_watermark(kind: str, data: st.DataObject) -> None:
    case, feed = drawn(data, last=kind, operators=1)
    for implementation in Implementation:
        engine = Engine(of.lower(case.stream(), implementation))
        if not engine.plan.output.ahead:
            for step in feed:
                play(engine, [step])
                early = [t for t in engine.take_output() if t.time >= engine.output_watermark()]
                assert early == [], implementation


@law(60)
def test_any_arrival_within_the_watermark_gives_the_same(data: st.DataObject) -> None:
    """Any order, any placement of watermarks, any interleaving of two sources."""
    case, one = drawn(data)
    other = data.draw(strategies.feeds(case))
    for implementation in Implementation:
        plan = of.lower(case.stream(), implementation)
        assert outcome(plan, one) == outcome(plan, other), implementation


@law(60)
def test_any_chunking_of_the_input_gives_the_same(data: st.DataObject) -> None:
    case, feed = drawn(data)
    single = tuple(piece for step in feed for piece in one_by_one(step))
    merged = tuple(chunked(feed))
    for implementation in Implementation:
        plan = of.lower(case.stream(), implementation)
        results = [outcome(plan, each) for each in (feed, single, merged)]
        assert results[0] == results[1] == results[2], implementation


def one_by_one(step: Step) -> list[Step]:
    if not isinstance(step, Arrive):
        return [step]
    return [Arrive(step.source, (t,)) for t in step.rows]


def chunked(feed: Feed) -> Iterator[Step]:
    """Return the feed with as many tuples of a source at once as watermarks allow."""
    waiting: dict[str, tuple[Any, ...]] = {}
    for step in feed:
        if isinstance(step, Arrive):
            waiting[step.source] = waiting.get(step.source, ()) + step.rows
        else:
            if step.source in waiting:
                yield Arrive(step.source, waiting.pop(step.source))
            yield step
    yield from (Arrive(source, rows) for source, rows in waiting.items())


def with_loops(data: st.DataObject) -> tuple[Case, Feed, tuple[int, ...]]:
    kinds = ("flat_map", "join", "stateful", "loop", "aggregate_plus", "union", "filter")
    case, feed = drawn(data, kinds=kinds, operators=4)
    return case, feed, data.draw(strategies.SCHEDULES)


@law(110)
def test_any_loop_schedule_gives_the_same_and_nothing_is_late(data: st.DataObject) -> None:
    """C2: a looping tuple that is late raises. C3: `outcome` finds every other late tuple."""
    case, feed, counts = with_loops(data)
    for implementation in Implementation:
        plan = of.lower(case.stream(), implementation)
        result = outcome(plan, feed, Schedule(counts))
        assert result == multiset(case.expected), implementation


@law(60)
def test_under_any_loop_schedule_watermarks_come_after_what_is_due(data: st.DataObject) -> None:
    case, feed, counts = with_loops(data)
    for implementation in Implementation:
        plan = of.lower(case.stream(), implementation)
        emitted = []
        for thing in observed(plan, feed, Schedule(counts)).get(plan.output, []):
            if isinstance(thing, int):
                assert by(emitted, thing) == by(case.expected, thing), (implementation, thing)
            else:
                emitted.append(thing)


@law(60)
def test_no_operator_breaks_a_watermark_that_it_has_emitted(data: st.DataObject) -> None:
    case, feed, counts = with_loops(data)
    for implementation in Implementation:
        plan = of.lower(case.stream(), implementation)
        for node, things in observed(plan, feed, Schedule(counts)).items():
            watermarks = [t if isinstance(t, int) else START_OF_TIME for t in things]
            for thing, promised in zip(things, accumulate(watermarks, max)):
                broken = not isinstance(thing, int) and thing.time < promised
                assert not broken, (implementation, node.label(), thing, promised)


@pytest.mark.parametrize("kind", ["aggregate", "aggregate_plus", "join", "stateful", "loop", None])
@law(30)
def test_a_restored_snapshot_goes_on_as_if_nothing_had_happened(
    kind: str | None, data: st.DataObject
) -> None:
    case = data.draw(strategies.cases(last=kind, operators=2))
    feed = data.draw(st.one_of(strategies.late_feeds(case), strategies.feeds(case)))
    keep_up = data.draw(st.sampled_from([everything, lambda waiting: waiting // 2, lambda _: 0]))
    cuts = {*range(0, len(feed), 3), len(feed)}
    for implementation in Implementation:
        plan = of.lower(case.stream(), implementation)
        first = Engine(plan, schedule=keep_up)
        snapshots = {0: first.snapshot()}
        for done, step in enumerate(feed, start=1):
            play(first, [step])
            snapshots[done] = first.snapshot()
        for cut in sorted(cuts):
            # A snapshot holds what was not taken yet: all of the output, up to the cut.
            unbroken = Engine(plan, schedule=keep_up)
            play(unbroken, feed[:cut])
            restored = Engine(of.lower(case.stream(), implementation), schedule=keep_up)
            restored.restore(snapshots[cut])
            assert rest(restored, feed[cut:]) == rest(unbroken, feed[cut:]), implementation


def rest(engine: Engine, feed: Feed) -> list[Any]:
    """Return, for every step that is left, what comes out and what is dropped."""
    seen = [(*taken(engine), START_OF_TIME)]
    for step in feed:
        play(engine, [step])
        seen.append((*taken(engine), engine.output_watermark()))
    engine.end()
    return [*seen, taken(engine)]


def taken(engine: Engine) -> tuple[Counter[str], Counter[str]]:
    return multiset(engine.take_output()), multiset(engine.take_late())


@st.composite
def late_streams(draw: st.DrawFn, many: bool) -> tuple[Case, list[Any]]:  # noqa: FBT001
    """One Aggregate with lateness, and rows and watermarks in any order."""
    if draw(st.booleans()):
        kind = "aggregate_plus" if many else "aggregate"
        alike = draw(strategies.alike(kind))
        (source, operator), rows = alike.operators, alike.inputs["s"]
    else:
        source = specs.Source((), draw(strategies.types()), "s")
        build = strategies.aggregates_plus if many else strategies.aggregates
        operator = draw(build((0,), [source.type]))
        rows = draw(strategies.rows(source.type, min_size=2, max_size=9))
    operator = replace(operator, lateness=draw(st.integers(0, 7)))  # type: ignore[call-arg]
    watermarks = draw(st.lists(strategies.TIMES, max_size=5))
    steps = draw(st.permutations([*rows, *watermarks]))
    return Case((source, operator), {"s": rows}, None, []), steps


@pytest.mark.parametrize("many", [False, True], ids=["aggregate", "aggregate_plus"])
@law(90)
def test_one_aggregate_with_late_tuples_is_the_late_oracle(
    many: bool,  # noqa: FBT001
    data: st.DataObject,
) -> None:
    case, steps = data.draw(late_streams(many))
    source, operator = case.operators
    assert isinstance(operator, specs.Windowed)
    names = specs.names(source.type)
    given = [s if isinstance(s, int) else oracle.row(names, s[0], s[1:]) for s in steps]
    meaning = operator.rows, specs.names(operator.type), operator.key
    lengths = operator.size, operator.advance, operator.lateness
    wanted = list(oracle.late_oracle([*given, END_OF_TIME], *meaning, *lengths))
    for implementation in Implementation:
        engine = Engine(of.lower(case.stream(), implementation))
        for step, (made, late) in zip([*steps, None], wanted):
            match step:
                case int():
                    engine.watermark("s", step)
                case None:
                    engine.end()
                case _:
                    engine.input("s", [step])
            assert taken(engine) == (multiset(made), multiset(late)), (implementation, step)


@law(60)
def test_late_results_survive_any_loop_schedule(data: st.DataObject) -> None:
    case, steps = data.draw(late_streams(many=True))
    counts = data.draw(strategies.SCHEDULES)
    feed = tuple(Promise("s", s) if isinstance(s, int) else Arrive("s", (s,)) for s in steps)
    results = []
    for implementation in Implementation:
        engine = Engine(of.lower(case.stream(), implementation), schedule=Schedule(counts))
        play(engine, feed)
        engine.end()
        results.append(taken(engine))
    assert results[0] == results[1] == results[2]


def nodes_of(plan: Plan, *kinds: type[Node]) -> list[Any]:
    return [node for node in plan.nodes if type(node) in kinds]


@law(50)
def test_lowered_to_aggregate_nothing_is_left_but_the_minimal_aggregate(
    data: st.DataObject,
) -> None:
    plan = of.lower(maybe_late(data), AGGREGATE)
    allowed = Source, Union, Aggregation, LoopAggregation, Late
    assert [node for node in plan.nodes if type(node) not in allowed] == []
    assert [node for node in nodes_of(plan, *allowed[2:4]) if node.aggregate.many] == []


@law(50)
def test_lowered_to_aggregate_plus_the_only_loops_are_those_of_states_and_users(
    data: st.DataObject,
) -> None:
    case = data.draw(strategies.cases())
    plan = of.lower(case.stream(), PLUS)
    allowed = Source, Union, Aggregation, AggregationPlus, LoopAggregation, Late
    assert [node for node in plan.nodes if type(node) not in allowed] == []
    wanted = len(case.used(specs.Stateful)) + len(case.used(specs.Loop))
    assert len(nodes_of(plan, LoopAggregation)) == wanted


@law(60)
def test_lowering_keeps_shared_streams_shared(data: st.DataObject) -> None:
    stream = maybe_late(data)
    for implementation in Implementation:
        once = of.lower(stream, implementation)
        twice = of.lower(stream.union(stream, stream), implementation)
        assert len(twice.nodes) == len(once.nodes) + 1, implementation
        assert len(nodes_of(once, Source)) == len(once.sources), implementation


@law(60)
def test_lowering_does_not_change_the_given_plan(data: st.DataObject) -> None:
    given_plan = of.lower(maybe_late(data), DEDICATED)
    before = [(id(node), dict(vars(node))) for node in given_plan.nodes]
    for implementation in Implementation:
        of.core.lower.lower(given_plan, implementation)
    after = [(id(node), dict(vars(node))) for node in given_plan.nodes]
    assert before == after


@law(60)
def test_lowering_what_is_lowered_means_the_same(data: st.DataObject) -> None:
    case, feed = drawn(data)
    lower = of.core.lower.lower
    for first, then in [(DEDICATED, PLUS), (PLUS, PLUS), (PLUS, AGGREGATE), (AGGREGATE, AGGREGATE)]:
        twice = lower(of.lower(case.stream(), first), then)
        once = of.lower(case.stream(), then)
        assert [type(node) for node in twice.nodes] == [type(node) for node in once.nodes]
        assert outcome(twice, feed) == multiset(case.expected), (first, then)


def maybe_late(data: st.DataObject) -> of.Stream:
    """A pipeline, or what its last operator drops."""
    case = data.draw(strategies.cases())
    note(str(case))
    stream = case.stream()
    droppers = specs.Windowed, specs.Stateful, specs.Filter, specs.Map, specs.FlatMap
    late = isinstance(case.operators[-1], droppers) and data.draw(st.booleans())
    return stream.late if late else stream


@dataclass
class Census:
    """Counts what enters one Aggregate, and where each tuple is found again."""

    kernel: AggregateKernel
    entered: list[Any] = field(default_factory=list)
    late: list[Any] = field(default_factory=list)
    windows: list[tuple[Any, ...]] = field(default_factory=list)

    def __post_init__(self) -> None:
        process, function = self.kernel.process, self.kernel.meaning.function

        def counting(port: int, tuples: list[Any], out: Any) -> None:
            self.entered += tuples
            process(port, tuples, Listening(out, self.late))

        def seeing(window: Any) -> Any:
            self.windows.append(window.tuples)
            return function(window)

        self.kernel.process = counting  # type: ignore[method-assign]
        self.kernel.meaning = replace(self.kernel.meaning, function=seeing)

    def lost(self) -> list[Any]:
        """Return the tuples that are not exactly once late or in a window."""
        panes = [pane for panes in self.kernel.windows.values() for pane in panes.values()]
        held: Counter[int] = Counter()
        for window in (*self.windows, *panes):
            held |= Counter(map(id, window))
        entered, late = Counter(map(id, self.entered)), Counter(map(id, self.late))
        return [t for t in self.entered if entered[id(t)] != late[id(t)] + held[id(t)]]


@dataclass
class Listening:
    """An outlet that notes what is late."""

    out: Any
    dropped: list[Any]

    def emit(self, tuples: list[Any]) -> None:
        self.out.emit(tuples)

    def watermark(self, watermark: int) -> None:
        self.out.watermark(watermark)

    def late(self, port: int, tuples: list[Any]) -> None:
        self.dropped += tuples
        self.out.late(port, tuples)


def aggregates_of(engine: Engine) -> Iterator[AggregateKernel]:
    for kernel in kernels(engine):
        inner = kernel.inner if isinstance(kernel, LoopKernel) else kernel
        if isinstance(inner, AggregateKernel):
            yield inner


def kernels(engine: Engine) -> list[Kernel]:
    return [station.kernel for station in engine.stations.values()]


@law(60)
def test_every_tuple_that_enters_an_aggregate_is_in_a_window_or_late(data: st.DataObject) -> None:
    case = data.draw(strategies.cases())
    feed = data.draw(st.one_of(strategies.feeds(case), strategies.late_feeds(case)))
    for implementation in Implementation:
        engine = Engine(of.lower(case.stream(), implementation))
        counts = [Census(kernel) for kernel in aggregates_of(engine)]
        play(engine, feed)
        engine.end()
        for census in counts:
            assert census.lost() == [], (implementation, census.kernel.node.label())


@law(60)
def test_after_the_end_nothing_is_held_but_the_last_states(data: st.DataObject) -> None:
    case = data.draw(strategies.cases())
    feed = data.draw(st.one_of(strategies.feeds(case), strategies.late_feeds(case)))
    for implementation in Implementation:
        engine = Engine(of.lower(case.stream(), implementation), schedule=lambda _: 0)
        play(engine, feed)
        engine.end()
        assert engine.output_watermark() == END_OF_TIME
        for kernel in kernels(engine):
            assert at_rest(kernel), (implementation, kernel)


def at_rest(kernel: Kernel) -> bool:
    match kernel:
        case LoopKernel(loop=loop) if loop.after_end is not None:
            # The last state has come round: into its own window and the one that never fires.
            return not kernel.queue and len(kernel.inner.windows) <= 2
        case LoopKernel():
            return not kernel.queue and not kernel.owed.counts and at_rest(kernel.inner)
        case AggregateKernel():
            return not (kernel.windows or kernel.unfired or kernel.fired)
        case JoinKernel():
            return not (kernel.windows or kernel.lefts)
        case StatefulKernel():
            return not kernel.waiting
    return kernel.held() == 0


# What the laws have found, in its smallest form.


@pytest.mark.parametrize("implementation", Implementation, ids=lambda each: each.value)
def test_a_loop_promises_nothing_of_its_own_at_the_end(implementation: Implementation) -> None:
    """Watermarks cut from the end would make the last operator count nine periods more."""
    numbers = of.source("s", "n int")
    several = numbers.flat_map(lambda t: [(t.n,)] * (1 + t.time), "n int")
    counted = several.filter(lambda t: t.time == 0).stateful(
        "n int", period=1, create=lambda t: 1, add=lambda n, t: n + 1, merge=max,
        output=lambda n: (n,),
    )  # fmt: skip
    assert list(map(tuple, of.run(counted, {"s": [(0, 1), (10, 2)]}, implementation))) == [(1, 1)]


@pytest.mark.parametrize("implementation", Implementation, ids=lambda each: each.value)
def test_a_union_of_different_sources_runs_ahead(implementation: Implementation) -> None:
    one, other = (of.source(name, "n int").map(lambda t: (t.n,), "n int") for name in "sr")
    engine = Engine(of.lower(one.union(other), implementation))
    engine.input("s", [(0, 1)])
    engine.watermark("s", 5)
    assert len(engine.take_output()) == 1
    assert engine.output_watermark() == START_OF_TIME
    assert engine.plan.output.ahead


@pytest.mark.parametrize("implementation", Implementation, ids=lambda each: each.value)
def test_a_snapshot_keeps_the_output_watermark_and_the_one_nan(
    implementation: Implementation,
) -> None:
    reals = of.source("s", "x double")
    counts = reals.aggregate_plus(lambda w: [(len(w.tuples),)], "n int", key=["x"], size=9)
    engine, restored = (Engine(of.lower(counts, implementation)) for _ in range(2))
    engine.input("s", [(0, float("nan"))])
    engine.watermark("s", 5)
    restored.restore(engine.snapshot())
    assert restored.output_watermark() == 5
    restored.input("s", [(6, float("nan"))])
    restored.end()
    assert list(map(tuple, restored.take_output())) == [(8, 2)]
