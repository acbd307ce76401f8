"""Rewrites: each rule keeps the answer, fires where it should, and nowhere else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import Phase, find, note, settings
from hypothesis import strategies as st

import onefold as of
import strategies
from onefold.core.aggregate import KeyBy
from onefold.core.explain import text
from onefold.core.functions import Failure, on_failure
from onefold.core.plan import Implementation, Late, Node, Plan, plan
from onefold.engines.ledger import Balance, Ledger
from onefold.engines.reference import Engine
from onefold.operators.aggregate import Aggregation
from onefold.operators.aggregate_plus import AggregationPlus
from onefold.operators.filter import Filter
from onefold.operators.flat_map import FlatMap
from onefold.operators.rewrites import RULES, Found, Rewrite, Uses, rewrite
from onefold.operators.union import Union
from oracle import multiset
from strategies import Case, Feed, Schedule
from test_laws import by, drawn, late_streams, law, maybe_late, observed, play, taken
from test_ledger import PIPELINES, few_rows

DEDICATED, AGGREGATE, PLUS = Implementation
UNFOLD, FLAT_MAP, ONE_EACH, JOIN, STATEFUL, UNION = RULES
NONE_LATE = (FLAT_MAP, JOIN, STATEFUL)
"""The rules that hold where no tuple comes late."""

LOWERED = [(AGGREGATE, rules) for rules in ((UNFOLD,), RULES)] + [(PLUS, (r,)) for r in RULES[1:]]
"""Where to try each rule: `rewrite` with it, or with all, on a plan of this implementation."""
ids = [f"{given.value}: {rules[0].name if len(rules) == 1 else 'all'}" for given, rules in LOWERED]
each_rule = pytest.mark.parametrize(("given", "rules"), LOWERED, ids=ids)
PIPELINES_OF: dict[Rewrite, dict[str, Any]] = {
    FLAT_MAP: {"last": "flat_map"},
    ONE_EACH: {"last": "filter"},
    JOIN: {"last": "join"},
    STATEFUL: {"last": "stateful"},
    UNION: {"last": "union", "kinds": ("union", "filter", "map")},
}
"""In which pipelines a rule finds something."""

Rules = Sequence[Rewrite]


def types(given: Plan) -> list[type[Node]]:
    return [type(node) for node in given.nodes]


def names(given: Plan) -> list[str]:
    return [node.operator for node in given.nodes]


def rewritten(stream: of.Stream, given: Implementation, rules: Rules = RULES) -> Plan:
    return rewrite(of.lower(stream, given), rules)[0]


def kept(given: Plan, feed: Feed, rules: Rules, counts: Sequence[int] = (9,)) -> bool:
    """Say whether the rules keep the answer, at every watermark and at the end."""
    runs = [
        observed(each, feed, Schedule(counts)).get(each.output, [])
        for each in (given, rewrite(given, rules)[0])
    ]
    answers = [[thing for thing in run if not isinstance(thing, int)] for run in runs]
    same = multiset(answers[0]) == multiset(answers[1])
    return same and all(on_time(run, answers[0]) for run in runs)


def on_time(run: list[Any], answer: list[Any]) -> bool:
    """Say whether all that is due has come at each watermark, and nothing instead of it."""
    emitted: list[Any] = []
    for thing in run:
        if not isinstance(thing, int):
            emitted.append(thing)
        elif by(emitted, thing) != by(answer, thing):
            return False
    return True


# The law of every rule.


def prepared(stream: of.Stream, given: Implementation, rules: Rules) -> Plan:
    """Return a plan in which a rule finds something: some need that others were there before."""
    lowered = of.lower(stream, given)
    return rewrite(lowered, (FLAT_MAP,))[0] if rules == (ONE_EACH,) else lowered


@each_rule
@law(60)
def test_a_rule_keeps_the_answer(given: Implementation, rules: Rules, data: st.DataObject) -> None:
    options = PIPELINES_OF.get(rules[0], {}) if len(rules) == 1 else {}
    case, feed = drawn(data, operators=4, **options)
    note(str(case))
    counts = data.draw(strategies.SCHEDULES)
    assert kept(prepared(case.stream(), given, rules), feed, rules, counts)


@law(60)
def test_any_rules_in_any_order_keep_the_answer(data: st.DataObject) -> None:
    case, feed = drawn(data)
    rules = data.draw(st.lists(st.sampled_from(RULES), unique=True))
    assert kept(of.lower(case.stream(), data.draw(st.sampled_from(Implementation))), feed, rules)


@law(30)
def test_the_output_promises_the_same_after_every_step(data: st.DataObject) -> None:
    case, feed = drawn(data)
    lowered = of.lower(case.stream(), AGGREGATE)
    before, after = Engine(lowered), Engine(rewrite(lowered)[0])
    for step in feed:
        play(before, [step])
        play(after, [step])
        assert before.output_watermark() == after.output_watermark(), step


@law(30)
def test_all_rules_in_any_order_give_the_same_plan(data: st.DataObject) -> None:
    lowered = of.lower(maybe_late(data), AGGREGATE)
    one = rewrite(lowered)[0]
    other = rewrite(lowered, data.draw(st.permutations(RULES)))[0]
    assert types(one) == types(other)
    assert text(one) == text(other)


@law(60)
def test_without_late_streams_all_compositions_become_operators_again(
    data: st.DataObject,
) -> None:
    stream = data.draw(strategies.cases()).stream()
    written = rewrite(of.lower(stream, DEDICATED))[0]
    for implementation in (AGGREGATE, PLUS):
        assert text(rewritten(stream, implementation)) == text(written), implementation


@law(60)
def test_unfold_after_embed_read_backwards_is_the_other_implementation(
    data: st.DataObject,
) -> None:
    stream = data.draw(strategies.cases()).stream()
    result = rewritten(stream, AGGREGATE, (UNFOLD,))
    assert types(result) == types(of.lower(stream, PLUS))
    assert text(result) == text(of.lower(stream, PLUS))


@law(60)
def test_rewriting_keeps_shared_streams_shared_and_all_sources(data: st.DataObject) -> None:
    stream = maybe_late(data)
    for implementation in Implementation:
        lowered = of.lower(stream, implementation)
        once = rewrite(lowered)[0]
        # Read by a filter too, no union goes.
        twice = rewritten(stream.union(stream.filter(bool)), implementation)
        kept = rewritten(stream.filter(bool), implementation)
        assert len(twice.nodes) == len(kept.nodes) + 1, implementation
        assert once.sources == lowered.sources, implementation


def tuple_of(t: Any) -> tuple[Any, ...]:
    return tuple(t)[1:]


@law(30)
def test_rewriting_does_not_change_the_given_plan_and_comes_to_an_end(
    data: st.DataObject,
) -> None:
    lowered = of.lower(maybe_late(data), AGGREGATE)
    before = [(id(node), dict(vars(node))) for node in lowered.nodes]
    once = rewrite(lowered)[0]
    assert [(id(node), dict(vars(node))) for node in lowered.nodes] == before
    assert rewrite(once) == (once, ())


@pytest.mark.parametrize("many", [False, True], ids=["aggregate", "aggregate_plus"])
@law(60)
def test_unfold_after_embed_is_exact_with_late_tuples(
    many: bool,  # noqa: FBT001
    data: st.DataObject,
) -> None:
    case, steps = data.draw(late_streams(many))
    stream = case.stream()
    lowered = of.lower(stream.union(stream.late) if aligned(case) else stream, AGGREGATE)
    engines = Engine(lowered), Engine(rewrite(lowered, (UNFOLD,))[0])
    for step in [*steps, None]:
        for engine in engines:
            match step:
                case int():
                    engine.watermark("s", step)
                case None:
                    engine.end()
                case _:
                    engine.input("s", [step])
        assert taken(engines[0]) == taken(engines[1]), step


def aligned(case: Case) -> bool:
    """Say whether an operator gives the type that it takes."""
    return case.operators[0].type == case.operators[1].type


@law(40)
def test_union_of_unions_is_exact_with_late_tuples(data: st.DataObject) -> None:
    case = data.draw(strategies.cases(**PIPELINES_OF[UNION]))
    feed = data.draw(strategies.late_feeds(case))
    lowered = of.lower(case.stream(), PLUS)
    engines = Engine(lowered), Engine(rewrite(lowered, (UNION,))[0])
    for step in feed:
        for engine in engines:
            play(engine, [step])
        assert taken(engines[0]) == taken(engines[1])


# The ledger.


def balance(given: Plan, rows: Sequence[Any], ahead: Sequence[int]) -> tuple[Balance, Any]:
    """Return where the tuples of a run went, and which calls failed."""
    ledger, failures = Ledger(), Counter[Any]()

    def write(tuples: list[of.Tuple]) -> None:
        ledger.written += len(tuples)

    def failed(failure: Failure) -> None:
        ledger.failed(failure)
        failures[failure.step.operator, failure.function, repr(failure.subject)] += 1

    engine = Engine(given, on_output=write, on_late=ledger.dropped)
    token = on_failure.set(failed)
    try:
        for row, watermark in zip(rows, ahead):
            for source in given.sources:
                engine.watermark(source, watermark)
                engine.input(source, [row])
                ledger.read[source] += 1
        engine.end()
    finally:
        on_failure.reset(token)
    return ledger.balance(engine), failures


def nested_unions() -> of.Stream:
    one, other = of.source("numbers", "n int"), of.source("others", "n int")
    both = one.union(other)
    return both.union(both, one.union(other.union(one))).filter(lambda t: t.n > 1)


by_name = pytest.mark.parametrize(
    "pipeline", [*PIPELINES, nested_unions], ids=lambda each: each.__name__
)


@by_name
@law(20)
def test_the_balance_and_all_failures_stay_the_same(
    pipeline: Callable[[], of.Stream], data: st.DataObject
) -> None:
    rows = data.draw(few_rows)
    promises = [min(time for time, _ in rows[n:]) for n in range(len(rows))]
    for given, rules in LOWERED:
        lowered = prepared(pipeline(), given, rules)
        before = balance(lowered, rows, promises)
        assert balance(rewrite(lowered, rules)[0], rows, promises) == before, (given, rules)


@by_name
@law(20)
def test_the_balance_is_even_with_late_tuples_too(
    pipeline: Callable[[], of.Stream], data: st.DataObject
) -> None:
    rows = data.draw(few_rows)
    ahead = [data.draw(st.integers(-4, 12)) for _ in rows]
    for given, rules in LOWERED:
        lowered = prepared(pipeline(), given, rules)
        assert balance(rewrite(lowered, rules)[0], rows, ahead)[0].even, (given, rules)


# Where each rule fires, and where it must not.


def numbers() -> of.Stream:
    return of.source("numbers", "n int")


def twice(stream: of.Stream) -> of.Stream:
    return stream.flat_map(lambda t: [(t.n,), (t.n,)], "n int")


def every(window: of.Window) -> list[of.Tuple]:
    return list(window.tuples)


def counted(stream: of.Stream) -> of.Stream:
    return stream.stateful(
        "n int", period=3, create=lambda t: 1, add=lambda n, t: n + 1, merge=max,
        output=lambda n: (n,),
    )  # fmt: skip


def paired(stream: of.Stream) -> of.Stream:
    return stream.join(of.source("others", "n int"), "n int, m int", size=4, advance=2)


FIRES: list[tuple[Rewrite, of.Stream, Implementation, list[str]]] = [
    (UNFOLD, twice(numbers()), AGGREGATE, ["source", "aggregate_plus"]),
    (UNFOLD, numbers().aggregate_plus(every, "n int", size=5, advance=2, lateness=3), AGGREGATE,
     ["source", "aggregate_plus"]),
    (FLAT_MAP, twice(numbers()), PLUS, ["source", "flat_map"]),
    (FLAT_MAP, numbers().filter(lambda t: t.n), PLUS, ["source", "flat_map"]),
    (JOIN, paired(numbers()), PLUS, ["source", "source", "join"]),
    (STATEFUL, counted(numbers()), PLUS, ["source", "stateful"]),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "stream", "given", "operators"), FIRES)
def test_a_rule_fires_on_the_composition_that_it_is_about(
    rule: Rewrite, stream: of.Stream, given: Implementation, operators: list[str]
) -> None:
    lowered = of.lower(stream, given)
    result, applied = rewrite(lowered, (rule,))
    assert names(result) == operators
    assert [(each.rewrite, each.node) for each in applied] == [(rule, result.output)]
    assert str(applied[0]) == f"{stream.node.step}: {rule.name}"
    for other in RULES:
        if other is not rule:
            assert rewrite(lowered, (other,)) == (lowered, ()), other.name


def with_changed(given: Plan, part: Node, **changes: Any) -> Plan:
    """Return the plan with another node for a part of it."""
    done: dict[Node, Node] = {}
    for node in given.nodes:
        inputs = tuple(done[each] for each in node.inputs)
        done[node] = replace(node, inputs=inputs, **(changes if node is part else {}))
    return plan(done[given.output])


def stranger(node: Node) -> Node:
    """Return an operator like that which the node was made for, and not the same."""
    assert node.parent
    above = node.parent.parent
    return replace(node.parent, parent=replace(above) if above else None)


@pytest.mark.parametrize(("rule", "stream", "given", "operators"), FIRES)
def test_a_rule_takes_no_part_of_another_operator(
    rule: Rewrite, stream: of.Stream, given: Implementation, operators: list[str]
) -> None:
    lowered = of.lower(stream, given)
    for part in lowered.nodes:
        if part.parent and part is not lowered.output:
            changed = with_changed(lowered, part, parent=stranger(part))
            assert rewrite(changed, (rule,)) == (changed, ()), part.label()


@pytest.mark.parametrize("change", [{"size": 2}, {"lateness": 1}, {"key": KeyBy(("n",))}])
def test_an_aggregate_plus_over_more_than_one_instant_is_no_flat_map(
    change: dict[str, Any],
) -> None:
    lowered = of.lower(twice(numbers()), PLUS)
    assert isinstance(lowered.output, AggregationPlus)
    other = replace(lowered.output.aggregate, **change)
    changed = with_changed(lowered, lowered.output, aggregate=other)
    assert rewrite(changed) == (changed, ())


def test_a_flat_map_that_stands_for_another_becomes_that_one() -> None:
    stream = numbers().filter(lambda t: t.n).map(tuple_of, "n int")
    of_lists = rewritten(stream, PLUS, (FLAT_MAP,))
    assert names(of_lists) == ["source", "flat_map", "flat_map"]
    assert names(rewrite(of_lists, (ONE_EACH,))[0]) == ["source", "filter", "map"]


def test_a_users_own_flat_map_stays_one() -> None:
    lowered = of.lower(twice(numbers()), DEDICATED)
    assert rewrite(lowered) == (lowered, ())


def test_a_nest_of_unions_becomes_one_in_the_order_of_its_inputs() -> None:
    streams = [of.source(name, "n int") for name in "abcde"]
    a, b, c, d, e = streams
    nested = a.union(b.union(c, d.union(a)), e)
    result, applied = rewrite(of.lower(nested, DEDICATED))
    assert [node.label() for node in result.output.inputs] == [f"source {n}" for n in "abcdae"]
    assert len(applied) == 1
    assert result.output.step == nested.node.step


def test_a_union_that_others_read_too_stays() -> None:
    one, other = numbers(), of.source("others", "n int")
    both = one.union(other)
    shared = both.union(both.filter(lambda t: t.n))
    lowered = of.lower(shared, DEDICATED)
    assert rewrite(lowered) == (lowered, ())


def test_of_the_unions_in_a_union_those_go_that_nobody_else_reads() -> None:
    one, other = numbers(), of.source("others", "n int")
    shared, alone = one.union(other), other.union(one)
    result = rewritten(alone.union(shared, shared.filter(lambda t: t.n)), DEDICATED)
    assert [each.operator for each in result.output.inputs] == [
        "source", "source", "union", "filter",
    ]  # fmt: skip


def test_a_union_that_is_read_twice_by_one_union_counts_twice() -> None:
    one, other = numbers(), of.source("others", "n int")
    both = one.union(other)
    result = rewritten(both.union(both), DEDICATED)
    assert names(result) == ["source", "source", "union"]
    assert len(result.output.inputs) == 4


@pytest.mark.parametrize("given", [AGGREGATE, PLUS], ids=lambda each: each.value)
@pytest.mark.parametrize("make", [twice, paired, counted, lambda s: s.filter(lambda t: t.n)])
def test_an_operator_whose_late_stream_is_read_stays_as_it_is(
    make: Callable[[of.Stream], of.Stream], given: Implementation
) -> None:
    stream = make(numbers())
    late = stream.late_left if make is paired else stream.late
    both = late.union(stream.aggregate(lambda w: (len(w.tuples),), "n int", size=9))
    result, applied = rewrite(of.lower(both, given))
    assert {each.rewrite for each in applied} <= {UNFOLD}
    assert text(result) == text(of.lower(both, PLUS))


def test_the_late_stream_of_embed_becomes_that_of_the_aggregate_plus() -> None:
    plus = numbers().aggregate_plus(every, "n int", size=5)
    result = rewritten(plus.late.union(plus), AGGREGATE)
    late, output = result.output.inputs
    assert isinstance(late, Late)
    assert late.inputs == (output,)
    assert late.parent is output.parent is None
    assert isinstance(output, AggregationPlus)
    assert late.step == of.lower(plus.late, PLUS).output.step


def test_a_late_stream_stays_that_of_its_side() -> None:
    one, other = numbers(), of.source("others", "m string")
    nested = one.union(one.union(one))
    late = nested.join(other, "n int, m string", size=2).late_right
    result, applied = rewrite(of.lower(late, DEDICATED))
    assert applied
    assert isinstance(result.output, Late)
    assert (result.output.port, result.output.type) == (1, late.type)


def test_an_embed_of_which_only_the_late_stream_is_read_stays() -> None:
    late = numbers().aggregate_plus(every, "n int", size=5).late
    lowered = of.lower(late, AGGREGATE)
    assert rewrite(lowered) == (lowered, ())


def test_a_users_own_aggregate_plus_over_one_instant_stays() -> None:
    stream = numbers().aggregate_plus(every, "n int", key=["n"], size=1)
    assert names(rewritten(stream, PLUS)) == ["source", "aggregate_plus"]
    assert names(rewritten(stream, AGGREGATE)) == ["source", "aggregate_plus"]


def test_a_users_own_loop_and_aggregate_stay() -> None:
    def halve(window: of.Window) -> tuple[int] | None:
        return (window.key.n // 2,) if window.key.n > 1 else None

    halves = numbers().aggregate_loop(halve, key=["n"], size=1, lateness=1)
    stream = halves.aggregate(lambda w: (len(w.tuples),), "n int", size=1)
    lowered = of.lower(stream, AGGREGATE)
    assert rewrite(lowered) == (lowered, ())


def test_the_flat_map_in_front_of_states_stays_until_all_of_it_goes() -> None:
    lowered = of.lower(counted(numbers()), PLUS)
    assert rewrite(lowered, (FLAT_MAP, ONE_EACH)) == (lowered, ())


def test_a_part_that_others_read_too_is_kept() -> None:
    """No composition does that; if one did, its parts would have to stay for the other reader."""
    picked = of.lower(twice(numbers()), AGGREGATE).output
    counted = picked.inputs[0]
    again = replace(picked, parent=None)
    given = plan(Union((picked, again), picked.type, picked.step))
    assert counted in Uses.of(given).shared
    assert rewrite(given) == (given, ())


@pytest.mark.parametrize("given", [AGGREGATE, PLUS], ids=lambda each: each.value)
def test_stateless_operators_and_joins_are_left_without_loops_and_windows(
    given: Implementation,
) -> None:
    one = twice(numbers().filter(lambda t: t.n)).map(tuple_of, "n int")
    result = rewritten(paired(one).filter(lambda t: t.n > t.m), given)
    assert not any(isinstance(node, Aggregation) for node in result.nodes)
    assert not any(node.loops for node in result.nodes)
    operators = ["source", "filter", "flat_map", "map", "source", "join", "filter"]
    assert names(result) == operators


@pytest.mark.parametrize("given", Implementation, ids=lambda each: each.value)
def test_what_is_shared_is_rewritten_once(given: Implementation) -> None:
    stream = twice(numbers())
    result = rewritten(stream.union(stream.filter(lambda t: t.n), stream), given)
    assert names(result) == ["source", "flat_map", "filter", "union"]
    shared, _, again = result.output.inputs
    assert shared is again


@pytest.mark.parametrize("given", Implementation, ids=lambda each: each.value)
def test_a_source_that_leads_nowhere_stays_in_the_plan(given: Implementation) -> None:
    lowered = of.lower(paired(numbers()).late_left, given)
    assert set(rewrite(lowered)[0].sources) == {"numbers", "others"}
    stream = twice(numbers()).join(of.source("others", "n int"), "n int, m int", size=2)
    assert set(rewritten(stream.late_left, given).sources) == {"numbers", "others"}


def test_a_long_chain_is_not_too_long() -> None:
    first = stream = numbers()
    for _ in range(1200):
        stream = stream.filter(lambda t: t.n)
    assert len(rewritten(stream, AGGREGATE).nodes) == 1201
    stream = first
    for _ in range(1200):
        stream = stream.union(first)
    result, applied = rewrite(of.lower(stream, DEDICATED))
    assert len(result.output.inputs) == 1201
    assert len(applied) == 1


def test_with_late_tuples_a_flat_map_forwards_what_its_composition_drops() -> None:
    """Why the rule leaves an operator alone whose late stream is read: the smallest case."""
    lowered = of.lower(twice(numbers()), PLUS)
    results = []
    for each in (lowered, rewrite(lowered)[0]):
        engine = Engine(each)
        engine.watermark("numbers", 5)
        engine.input("numbers", [(4, 1)])
        engine.end()
        results.append((len(engine.take_output()), len(engine.take_late())))
    assert results == [(0, 1), (2, 0)]


def test_every_rule_is_named_and_says_what_it_does() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert {rule for rule in RULES if not rule.exact} == set(NONE_LATE)
    for rule in RULES:
        assert rule.says.endswith(".")


# Rules that are wrong: the law must notice each.


def once_each(node: Node, _: Uses) -> Found | None:
    """Take equal tuples for one, as sets do (errata, row 8)."""
    match node:
        case AggregationPlus(parent=FlatMap() as flat_map, aggregate=meaning):

            def of_one(window: of.Window) -> Any:
                return meaning.function(replace(window, tuples=window.tuples[:1]))

            wrong = replace(meaning, function=of_one)
            return Found(replace(node, parent=flat_map.parent, aggregate=wrong), node.inputs)
    return None


def without_the_last(node: Node, _: Uses) -> Found | None:
    if isinstance(node, Union) and len(node.inputs) > 1:
        return Found(node, node.inputs[:-1])
    return None


def without_the_filter(node: Node, _: Uses) -> Found | None:
    """Read a filter's input instead of the filter."""
    match node:
        case Union() if any(isinstance(each, Filter) for each in node.inputs):
            inputs = [each.inputs[0] if isinstance(each, Filter) else each for each in node.inputs]
            return Found(node, tuple(inputs))
    return None


def one_tick_shorter(node: Node, _: Uses) -> Found | None:
    match node:
        case AggregationPlus(parent=None, aggregate=meaning) if meaning.size > meaning.advance:
            shorter = replace(meaning, size=meaning.size - 1)
            return Found(replace(node, aggregate=shorter, parent=node), node.inputs)
    return None


@st.composite
def cases_and_feeds(draw: st.DrawFn, **options: Any) -> tuple[Case, Feed]:
    case = draw(strategies.cases(**options))
    return case, draw(strategies.feeds(case))


WRONG = [
    (once_each, PLUS, "flat_map"),
    (without_the_last, DEDICATED, "union"),
    (without_the_filter, DEDICATED, "union"),
    (one_tick_shorter, PLUS, "aggregate_plus"),
]


@pytest.mark.parametrize(
    ("wrong", "given", "last"), WRONG, ids=lambda each: getattr(each, "__name__", "")
)
def test_the_law_notices_a_rule_that_is_wrong(wrong: Any, given: Implementation, last: str) -> None:
    rule = Rewrite(wrong.__name__, "A mistake.", wrong)

    def noticed(drawn: tuple[Case, Feed]) -> bool:
        case, feed = drawn
        return not kept(of.lower(case.stream(), given), feed, (rule,))

    tries = settings(
        max_examples=2000, deadline=None, database=None, derandomize=True, phases=[Phase.generate]
    )
    find(cases_and_feeds(last=last, operators=2), noticed, settings=tries)
