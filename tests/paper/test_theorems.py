"""One test for each definition, observation, claim, theorem and lemma of the paper, by its number.

Where a statement is general the test is too: Hypothesis draws streams without late arrivals, with
watermarks anywhere, and schedules that starve the loops.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import printed
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from runs import ALL, Driven, Run, adversary, rows_of, schedules, streams

import onefold as of
from onefold.core import windows
from onefold.core.aggregate import WHOLE_TUPLE
from onefold.core.ddl import tuple_type
from onefold.core.errors import LoopTooShort, RunError
from onefold.core.plan import Source
from onefold.core.time import END_OF_TIME, TICK
from onefold.engines.trace import Event, Kind
from onefold.operators.aggregate import Aggregation
from onefold.operators.embed import FROM_EMBED, embedded_type
from onefold.operators.loop import Loop, LoopAggregation, LoopKernel
from onefold.operators.unfold import unfold
from onefold.operators.union import Union
from onefold.operators.watermarks import DownstreamManager, Owed, UpstreamManager

# A busy machine is slow to draw examples; that is no fault of a law.
law = settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
WORD = tuple_type("word string")
PAIR = "x string, y string"
lengths = st.tuples(st.integers(1, 6), st.integers(0, 6)).map(lambda n: (n[0], n[0] + n[1]))
"""An advance and a size that is no shorter."""


def words(name: str = "s") -> of.Stream:
    return of.source(name, WORD)


def spell(t: Any) -> list[tuple[str]]:
    """A flat_map's function: nothing for a, two equal tuples for b, three tuples for c."""
    return {"a": [], "b": [("x",), ("x",)], "c": [("x",), ("y",), ("z",)]}[t.word]


def flat_map(name: str = "s") -> of.Stream:
    return words(name).flat_map(spell, WORD)


def flat_mapped(run: Run) -> Counter[tuple[Any, ...]]:
    """What FM means, in one line."""
    made = words().type.make
    return Counter((time, w) for time, word in rows_of(run) for (w,) in spell(made(time, [word])))


def all_lefts(rows: list[tuple[int, str]], advance: int, size: int) -> list[int]:
    """The left boundary of every window that holds a row, by the definition."""
    lefts = range(-20 * advance, 20 * advance, advance)
    return [left for left in lefts if any(left <= time < left + size for time, _ in rows)]


def joined(run: Run, advance: int, size: int) -> Counter[tuple[Any, ...]]:
    """What J means here: pairs x ≤ y, both c or neither, for each window that holds both."""
    lefts, rights = rows_of(run, "l"), rows_of(run, "r")
    return Counter(
        (left + size - 1, x, y)
        for left in all_lefts(lefts + rights, advance, size)
        for time_x, x in lefts
        for time_y, y in rights
        if (x == "c") == (y == "c") and x <= y
        if left <= time_x < left + size and left <= time_y < left + size
    )


def join(advance: int, size: int) -> of.Stream:
    return words("l").join(
        words("r"),
        PAIR,
        key=lambda t: t.word == "c",
        where=lambda x, y: x.word <= y.word,
        size=size,
        advance=advance,
    )


# Section 2: the model.


@law
@given(st.integers(-100, 100), lengths)
def test_observation_1_output_is_never_earlier_than_its_input(
    time: int, length: tuple[int, int]
) -> None:
    """For any t_o produced from a window in which t_i falls, t_o.τ ≥ t_i.τ."""
    advance, size = length
    for left in windows.lefts(time, advance, size):
        assert windows.output_time(left, size) >= time
    # And no later than it must be: the next tick is outside of the window.
    latest = words().aggregate(
        lambda w: (str(w.tuples[-1].time),), WORD, size=size, advance=advance
    )
    for output_time, shown in Driven(latest, [("s", (time, "a"))]).output:
        assert time <= output_time < int(shown) + size


@law
@given(st.lists(st.sampled_from("abc"), max_size=6), schedules)
def test_definition_1_successors_are_finite(carried: list[str], counts: list[int]) -> None:
    """t' is a successor of t if it is output upon processing t or a successor of t."""
    node = embedded_source()
    run = [("e", (5, "one", [(each,) for each in carried], FROM_EMBED)), ("e", 20)]
    driven = Driven(node, run[: 2 if carried else 0], schedule=adversary(counts))
    assert len(driven.seen(Kind.TURNED, node.inputs[0])) == len(carried)


@law
@given(streams(), lengths)
def test_definition_2_a_window_is_processed_with_all_its_tuples(
    run: Run, length: tuple[int, int]
) -> None:
    """Execution is correct if all tuples that fall in a window are processed together."""
    advance, size = length
    gather = words().aggregate(
        lambda w: ("".join(t.word for t in w.tuples),), WORD, size=size, advance=advance
    )
    rows = sorted(rows_of(run))
    right = {
        left + size - 1: "".join(word for time, word in rows if left <= time < left + size)
        for left in all_lefts(rows, advance, size)
    }
    for implementation in ALL:
        assert Driven(gather, run, implementation).answer == Counter(right.items())


@law
@given(streams(sources=("l", "r")))
def test_definition_3_a_watermark_is_the_least_of_the_inputs(run: Run) -> None:
    """The watermark is the smallest of the latest ones of all inputs, and is propagated."""
    both = words("l").union(words("r")).aggregate(lambda w: ("",), WORD, size=1)
    reached: dict[str, int] = {}
    expected = []
    for source, what in run:
        if isinstance(what, int):
            reached[source] = max(what, reached.get(source, what))
            if len(reached) == 2 and [min(reached.values())] != expected[-1:]:
                expected.append(min(reached.values()))
    driven = Driven(both, run, end=False)
    assert [event.watermark for event in driven.seen(Kind.WATERMARK)] == expected


@law
@given(streams(), lengths)
def test_definition_4_a_watermark_triggers_the_windows_that_end_by_it(
    run: Run, length: tuple[int, int]
) -> None:
    """t ∈ trig(W): produced when the watermark grows to W, from windows with γ.l + WS ≤ W."""
    advance, size = length
    driven = Driven(words().aggregate(lambda w: ("",), WORD, size=size, advance=advance), run)
    before = -(2**63)
    triggered: list[int] = []
    for event in driven.events:
        if event.node is not driven.engine.plan.output:
            continue
        if event.kind is Kind.TUPLE:
            assert event.tuple is not None
            triggered.append(event.tuple.time)
        elif event.kind is Kind.WATERMARK:
            assert event.watermark is not None
            assert all(before < time + TICK <= event.watermark for time in triggered)
            before, triggered = event.watermark, []
    assert not triggered, "the watermark is forwarded after what it made fire"


# Section 3: what is asked of an engine.


@law
@given(streams(sources=("l", "r")))
def test_p1_streams_of_one_type_feed_one_aggregate(run: Run) -> None:
    """Physical streams sharing the same type can be fed to the same A operator."""
    both = (
        words("l").union(words("r")).aggregate(lambda w: (w.key.word,), WORD, key=["word"], size=5)
    )
    right = {
        (time - time % 5 + 4, word) for name in ("l", "r") for time, word in rows_of(run, name)
    }
    for implementation in ALL:
        assert Driven(both, run, implementation).answer == Counter(right)


@law
@given(streams(), schedules)
def test_p2_a_stream_feeds_many_the_same_in_the_same_order(run: Run, counts: list[int]) -> None:
    """Streams can feed many A operators, delivering the same tuples and watermarks in order."""
    mapped = flat_map()
    left, right = (mapped.filter(lambda t: True) for _ in range(2))
    plan = of.lower(left.union(right), "dedicated")
    driven = Driven(plan, run)
    fed = [
        [
            (event.kind, event.tuple, event.watermark)
            for event in driven.events
            if event.node is each
        ]
        for each in plan.output.inputs
    ]
    assert fed[0] == fed[1]
    for implementation in ALL:
        both = Driven(left.union(right), run, implementation, schedule=adversary(counts))
        assert both.answer == flat_mapped(run) + flat_mapped(run)


def test_p3_an_aggregate_iterates_over_its_own_output() -> None:
    """An A can define a loop over its own output; its own watermark is not fed back to it."""
    numbers = of.source("s", "n int")

    def halve(window: of.Window) -> tuple[int] | None:
        return (window.key.n // 2,) if window.key.n > 1 else None

    looped = numbers.aggregate_loop(halve, key=["n"], size=1, lateness=1)
    driven = Driven(looped, [("s", (3, 9)), ("s", 4)], end=False)
    assert driven.output == [(3, 4), (3, 2), (3, 1)]
    assert [event.tuple for event in driven.seen(Kind.TURNED)] == [(3, 4), (3, 2), (3, 1)]
    # Upstream gave W = 4. While τ = 3 is owed downstream has 3 of it; 4 comes when the loop rests.
    assert [event.watermark for event in driven.seen(Kind.WATERMARK)] == [3, 4]
    kernel = driven.engine.stations[driven.engine.plan.output].kernel
    assert isinstance(kernel, LoopKernel)
    assert kernel.inner.watermark == 4


def test_c1_a_loop_must_cover_the_distance_of_watermarks() -> None:
    """Each stream delivers watermarks with a maximum event-time distance D, and L ≥ D."""
    numbers = of.source("s", "n int")
    for distance, lateness in ((2, 1), (1, 0), (0, 1)):
        with pytest.raises(LoopTooShort):
            numbers.aggregate_loop(lambda w: None, size=1, lateness=lateness, distance=distance)
    numbers.aggregate_loop(lambda w: None, size=1, lateness=2, distance=2)


@law
@given(streams(sources=("l",)), st.integers(1, 4))
def test_c1_holds_behind_an_operator_where_it_holds_in_front(run: Run, distance: int) -> None:
    """If C1 holds for an operator's input, a distance D exists for its output too."""
    rows = sorted(what for what in run if isinstance(what[1], tuple))
    dense: list[Any] = []
    for watermark in range(-5, 20, distance):
        dense.append(("l", watermark))
        dense += [row for row in rows if watermark <= row[1][0] < watermark + distance]
    stream = words("l")
    for pipeline in (flat_map("l"), stream.join(stream, PAIR, size=3, advance=2)):
        driven = Driven(pipeline, [*dense, ("l", 20)], "aggregate", end=False)
        made = [event.watermark or 0 for event in driven.seen(Kind.WATERMARK)]
        assert made[-1] == 20
        assert max(b - a for a, b in pairwise(made)) <= distance


# Section 4: the operators.


@law
@given(streams())
def test_section_4_flat_map_covers_filter_and_map(run: Run) -> None:
    """FM produces any number of tuples for one, F 0 or 1, M exactly 1."""
    for implementation in ALL:
        kept = Driven(words().filter(lambda t: t.word != "a"), run, implementation)
        as_flat_map = words().flat_map(lambda t: [t] if t.word != "a" else [], WORD)
        assert kept.answer == Driven(as_flat_map, run, implementation).answer
        mapped = Driven(words().map(lambda t: (t.word * 2,), WORD), run, implementation)
        as_flat_map = words().flat_map(lambda t: [(t.word * 2,)], WORD)
        assert mapped.answer == Driven(as_flat_map, run, implementation).answer
    for of_one in (words().filter(lambda t: True), words().map(lambda t: t, WORD)):
        lowered = of.lower(of_one, "aggregate")
        as_flat_map = of.lower(words().flat_map(lambda t: [t], WORD), "aggregate")
        assert shapes(lowered) == shapes(as_flat_map)


def shapes(plan: of.Plan) -> list[str]:
    return [type(node).__name__ for node in plan.nodes]


def embedded_by(driven: Driven) -> list[Any]:
    """The tuples that embed emitted."""
    nodes = [n for n in driven.engine.plan.nodes if n.type.names[-1:] == ("position",)]
    return [event.tuple for event in driven.seen(Kind.TUPLE, nodes[0])]


@law
@given(streams())
def test_claim_1_embed_and_unfold_make_flat_map(run: Run) -> None:
    """E and X enforce FM if for each t there is a t_E with t_E.τ = t.τ that carries f(t)."""
    driven = Driven(flat_map(), run, "aggregate")
    made, make = embedded_by(driven), words().type.make
    for time, word in rows_of(run):
        function = [w for (w,) in spell(make(time, [word]))]
        carriers = [t for t in made if t.time == time and repr(word) in t.identity]
        assert len(carriers) == (1 if function else 0)
        for t in carriers:
            copies = rows_of(run).count((time, word))
            assert [each.word for each in t.tuples] == function * copies
            assert t.position == FROM_EMBED
    assert driven.answer == flat_mapped(run)


@law
@given(streams(sources=("l", "r")), lengths)
def test_claim_2_embed_and_unfold_make_join(run: Run, length: tuple[int, int]) -> None:
    """E and X enforce J if each matching pair is carried by the t_E of each window of both."""
    driven = Driven(join(*length), run, "aggregate")
    node = driven.engine.plan.output.inputs[0].inputs[0]
    embedded = [event.tuple for event in driven.seen(Kind.TUPLE, node)]
    carried = Counter((t.time, *pair) for t in embedded if t for pair in t.tuples)
    assert carried == joined(run, *length) == driven.answer


@law
@given(streams())
def test_theorem_1_embed_is_one_aggregate(run: Run) -> None:
    """The semantics of E_FM can be enforced with one A: Γ(δ, δ, S, T(S)), f_O = ∪ f_FM(t')."""
    plan = of.lower(flat_map(), "aggregate")
    embed = plan.nodes[1]
    assert isinstance(embed, Aggregation)
    meaning = embed.aggregate
    assert (meaning.advance, meaning.size, meaning.lateness) == (TICK, TICK, 0)
    assert meaning.key == WHOLE_TUPLE
    assert not meaning.many
    driven = Driven(plan, run)
    carried = Counter((t.time, each.word) for t in embedded_by(driven) for each in t.tuples)
    assert carried == flat_mapped(run)


@law
@given(st.integers(-(2**40), 2**40))
def test_lemma_1_a_tuple_falls_in_one_window_of_a_tick(time: int) -> None:
    """With WA = WS = δ any t falls in one γ, γ.l = t.τ, and t_o.τ = t_i.τ."""
    assert list(windows.lefts(time, TICK, TICK)) == [time]
    assert windows.output_time(time, TICK) == time
    assert [left for left in range(time - 3, time + 4) if left <= time < left + TICK] == [time]


@law
@given(streams(sources=("l", "r")), lengths, schedules)
def test_theorem_2_join_is_three_aggregates(
    run: Run, length: tuple[int, int], counts: list[int]
) -> None:
    """The semantics of E_J can be enforced by composing A1, A2 (δ, by the whole tuple) and A3."""
    advance, size = length
    plan = of.lower(join(advance, size), "aggregate-plus")
    (first, second), (both, third) = plan.nodes[1:4:2], plan.nodes[4:]
    for one in (first, second):
        assert isinstance(one, Aggregation)
        assert (one.aggregate.advance, one.aggregate.size) == (TICK, TICK)
        assert one.aggregate.key == WHOLE_TUPLE
    assert isinstance(both, Union)
    assert isinstance(third, Aggregation)
    assert (third.aggregate.advance, third.aggregate.size) == (advance, size)
    right = joined(run, advance, size)
    for implementation in ALL:
        driven = Driven(join(*length), run, implementation, schedule=adversary(counts))
        assert driven.answer == right


def embedded_source() -> Aggregation:
    """X over a source of embedded tuples."""
    source = of.source("e", embedded_type(WORD))
    return unfold(source.node, WORD, source.node.step, lateness=0)


carriers = st.lists(
    st.tuples(st.integers(0, 6), st.lists(st.sampled_from("xy"), min_size=1, max_size=4)),
    max_size=5,
)


@law
@given(carriers, schedules, st.integers(0, 3))
def test_theorem_3_unfold_is_two_aggregates_and_a_loop(
    carried: list[tuple[int, list[str]]], counts: list[int], gap: int
) -> None:
    """The semantics of X can be implemented by A1, with a loop, and A2, if C1, C2, C3, L ≥ D."""
    node = embedded_source()
    counting = node.inputs[0]
    assert isinstance(counting, LoopAggregation)
    assert (counting.aggregate.size, node.aggregate.size) == (TICK, TICK)
    assert counting.loop.distance <= counting.aggregate.lateness
    run: list[Any] = []
    for n, (time, tuples) in enumerate(sorted(carried)):
        run.append(("e", time - gap))
        run.append(("e", (time, str(n), [(word,) for word in tuples], FROM_EMBED)))
    driven = Driven(node, run, schedule=adversary(counts))
    assert driven.answer == Counter((time, word) for time, tuples in carried for word in tuples)
    assert driven.late == []
    # The index counts round and round: a turn for every tuple that is carried.
    assert len(driven.seen(Kind.TURNED, counting)) == sum(len(tuples) for _, tuples in carried)


@law
@given(streams(values="abcde", latest=1, earliest=0), schedules)
def test_lemma_2_the_first_aggregate_of_unfold_makes_no_duplicates(
    run: Run, counts: list[int]
) -> None:
    """A1 cannot produce duplicates. It takes the identity of windows: errata, row 4."""
    mapped = words().flat_map(lambda t: [("x",)] * (1 + "abcde".index(t.word) % 3), WORD)
    driven = Driven(mapped, run, "aggregate", schedule=adversary(counts))
    counting = driven.engine.plan.output.inputs[0]
    made = [event.tuple for event in driven.seen(Kind.TUPLE, counting)]
    assert len(made) == len(set(made))
    assert len(made) == len(driven.output)


# The watermark managers, C2 and C3.

moves = st.lists(
    st.one_of(
        st.tuples(st.just("watermark"), st.integers(0, 30)),
        st.tuples(st.just("owed"), st.integers(0, 30)),
        st.tuples(st.just("back"), st.integers(0, 5)),
    ),
    max_size=30,
)


@law
@given(moves, st.integers(1, 4))
def test_lemma_3_a_manager_keeps_the_watermark_near_what_is_owed(
    given_moves: list[tuple[str, int]], distance: int
) -> None:
    """If C1 holds for S_E, the manager enforces C2: W ≤ the first owed tuple's time + L."""
    owed, open_, received, given_ = Owed(), [], -(2**63), -(2**63)
    manager = UpstreamManager(owed, distance)
    for move, number in given_moves:
        if move == "watermark":
            received = max(received, number)
            manager.process(number)
        elif move == "owed" and number >= given_:  # what comes in is not late
            owed.expect(number)
            open_.append(number)
        elif move == "back" and open_:
            owed.settle(open_.pop(number % len(open_)))
        forwarded = manager.forward()
        if forwarded is not None:
            assert given_ < forwarded <= min(received, min(open_, default=99) + distance)
            given_ = forwarded
        # As far as it may go, it has gone: nothing is held back without a reason.
        assert given_ == max(min(received, min(open_, default=99) + distance), given_)
        assert manager.forward() is None


@law
@given(moves)
def test_lemma_4_a_manager_lets_a_watermark_follow_all_successors(
    given_moves: list[tuple[str, int]],
) -> None:
    """If C1 and C2 hold, the manager enforces C3: W goes downstream after succ(trig(W))."""
    owed, open_, received, given_ = Owed(), [], -(2**63), -(2**63)
    manager = DownstreamManager(owed)
    for move, number in given_moves:
        if move == "watermark":
            received = max(received, number)
            manager.process(number)
        elif move == "owed" and number >= given_:
            owed.expect(number)
            open_.append(number)
        elif move == "back" and open_:
            owed.settle(open_.pop(number % len(open_)))
        forwarded = manager.forward()
        if forwarded is not None:
            assert given_ < forwarded <= min([received, *open_])
            given_ = forwarded
        assert given_ == min([received, *open_])
        assert manager.forward() is None


def looping(name: str) -> of.Stream:
    """Three loops: the one of unfold, the one of stateful, and a user's with long windows."""
    match name:
        case "unfold":
            return flat_map()
        case "stateful":
            return totals()
    shorten = lambda w: (w.key.word[1:],) if len(w.key.word) > 1 else None  # noqa: E731
    return (
        words()
        .map(lambda t: (t.word * 3,), WORD)
        .aggregate_loop(shorten, key=["word"], size=4, advance=2, lateness=3)
    )


def totals() -> of.Stream:
    return words().stateful(
        "word string, n int",
        key=["word"],
        period=5,
        create=lambda t: (t.word, 1),
        add=lambda s, t: (t.word, s[1] + 1),
        merge=lambda s, other: (s[0], s[1] + other[1]),
        output=lambda s: s,
    )


LOOPS = ("unfold", "stateful", "user's")


@pytest.mark.parametrize("name", LOOPS)
@law
@given(run=streams(), counts=schedules)
def test_lemma_3_no_tuple_of_a_loop_is_late(name: str, run: Run, counts: list[int]) -> None:
    """C2: W_A never prevents a t_o that is fed back from being processed: W < γ.l + WS + L."""

    def in_time(driven: Driven, event: Event) -> None:
        if event.kind is not Kind.TURNED:
            return
        node, t = event.node, event.tuple
        assert isinstance(node, LoopAggregation)
        assert t is not None
        kernel = driven.engine.stations[node].kernel
        assert isinstance(kernel, LoopKernel)
        meaning, watermark = node.aggregate, kernel.inner.watermark
        for left in windows.lefts(t.time, meaning.advance, meaning.size):
            assert watermark < left + meaning.size + meaning.lateness
        assert watermark <= t.time + node.loop.distance

    starved = Driven(looping(name), run, "aggregate", schedule=adversary(counts), watch=in_time)
    assert starved.late == []
    assert starved.answer == Driven(looping(name), run, "aggregate").answer


@pytest.mark.parametrize("name", LOOPS)
@law
@given(run=streams(), counts=schedules)
def test_lemma_4_no_output_of_a_loop_is_late(name: str, run: Run, counts: list[int]) -> None:
    """C3: A forwards outputs and watermarks so that no output is a late arrival."""
    driven = Driven(looping(name), run, "aggregate", schedule=adversary(counts))
    for node in driven.engine.plan.nodes:
        promised = -(2**63)
        for event in driven.events:
            if event.node is node and event.kind is Kind.WATERMARK:
                assert event.watermark is not None
                assert event.watermark > promised
                promised = event.watermark
            elif event.node is node and event.kind is Kind.TUPLE:
                assert event.tuple is not None
                assert event.tuple.time >= promised or isinstance(node, Source)
        assert promised == END_OF_TIME, "and every watermark comes through in the end"


@pytest.mark.parametrize("name", LOOPS)
@law
@given(run=streams())
def test_lemma_4_a_watermark_waits_for_nothing_else(name: str, run: Run) -> None:
    """C3: with the loop at rest, downstream has the watermark that upstream gave."""
    driven = Driven(looping(name), run, "aggregate", end=False)
    given_ = [what for _, what in run if isinstance(what, int)]
    kernels = [s.kernel for s in driven.engine.stations.values()]
    loops = [kernel for kernel in kernels if isinstance(kernel, LoopKernel)]
    assert not any(kernel.queue for kernel in loops)
    if given_:
        owed = min(kernel.owed.first() for kernel in loops)
        assert driven.engine.output_watermark() == min(max(given_), owed)
    if name == "unfold":
        assert all(kernel.owed.first() == END_OF_TIME for kernel in loops)


# Section 5: A+ and custom state.


@law
@given(streams(sources=("l", "r")), lengths)
def test_section_5_1_a_richer_aggregate_needs_no_unfold(run: Run, length: tuple[int, int]) -> None:
    """An A+ based E eliminates X: P3, C1, C2 and C3 are lifted."""
    for pipeline in (flat_map("l"), join(*length)):
        plain, richer = (of.lower(pipeline, each) for each in ("aggregate", "aggregate-plus"))
        assert any(isinstance(node, LoopAggregation) for node in plain.nodes)
        assert not any(isinstance(node, LoopAggregation) for node in richer.nodes)
        one_source = [step for step in run if step[0] in plain.sources]
        assert Driven(plain, one_source).answer == Driven(richer, one_source).answer


@law
@given(streams(), st.integers(1, 6), st.integers(0, 2), schedules)
def test_lemma_5_a_loop_pours_the_state_into_the_next_window(
    run: Run, period: int, extra: int, counts: list[int]
) -> None:
    """The semantics of O can be enforced by A1 over Γ(P, P + δ) with a loop, L > D."""
    gather = words().stateful(
        WORD,
        period=period,
        create=lambda t: t.word,
        add=lambda state, t: state + t.word,
        merge=lambda state, other: state + other,
        output=lambda state: (state,),
        extra_periods=extra,
    )
    rows = sorted(rows_of(run))
    right: Counter[tuple[Any, ...]] = Counter()
    if rows:
        boundary = rows[0][0] - rows[0][0] % period + period
        last = rows[-1][0] - rows[-1][0] % period + period * (1 + extra)
        reached = max([what - TICK for _, what in run if isinstance(what, int)], default=last)
        while boundary <= max(last, reached):
            right[boundary, "".join(word for time, word in rows if time < boundary)] += 1
            boundary += period
    for implementation in ALL:
        driven = Driven(gather, run, implementation, schedule=adversary(counts))
        assert driven.answer == right
    (states,) = (
        n for n in of.lower(gather, "aggregate-plus").nodes if isinstance(n, LoopAggregation)
    )
    assert (states.aggregate.advance, states.aggregate.size) == (period, period + TICK)


# Appendix A.


def test_appendix_a_lateness_alone_does_not_save_a_loop() -> None:
    """L ≥ D is not sufficient: W may grow by any amount before t_o comes round."""
    hour = 60
    source = words().node
    shorten = words().aggregate_loop(
        lambda w: (w.key.word[1:],) if len(w.key.word) > 1 else None,
        key=["word"],
        size=hour,
        lateness=hour,
        distance=hour,
    )
    node = shorten.node
    assert isinstance(node, LoopAggregation)
    parts = ((source,), node.type, node.step, node.aggregate, Loop(distance=hour))
    # A window [10:00, 11:00); W = 12:00 makes it fire; before t_o is back, W grows to 12:05.
    run = [("s", (10 * hour + 5, "ab")), ("s", 12 * hour), ("s", 12 * hour + 5)]
    with pytest.raises(RunError, match="C2 does not hold"):
        Driven(printed.LoopWithoutManagers(*parts), run, schedule=adversary([]))
    ours = Driven(LoopAggregation(*parts), run, schedule=adversary([]))
    assert ours.output == [(11 * hour - 1, "b")]
