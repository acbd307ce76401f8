"""The ledger: every tuple has a fate, and it is the same one in every implementation."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onefold as of
from onefold.core.functions import About, on_failure
from onefold.core.plan import Implementation
from onefold.engines.ledger import Balance, Ledger, Unbalanced
from onefold.engines.reference import Engine

IMPLEMENTATIONS = [each.value for each in Implementation]
BAD = 3
"""The number that the functions of these pipelines fail on."""

Rows = list[tuple[int, int]]


def refuse(n: int) -> int:
    if n == BAD:
        raise ValueError("no threes")
    return n


def numbers() -> of.Stream:
    return of.source("numbers", "n int")


def others() -> of.Stream:
    return of.source("others", "n int")


def even(t: of.Tuple) -> bool:
    return refuse(t.n) % 2 == 0


def filters_and_maps() -> of.Stream:
    return (
        numbers()
        .map(lambda t: (refuse(t.n - 1) + 1,), "n int")
        .filter(even)
        .map(lambda t: (t.n,), "n int")
        .filter(lambda t: t.n < 4)
    )


def flat_maps() -> of.Stream:
    words = numbers().flat_map(lambda t: [(t.n,)] * refuse(t.n), "n int")
    return words.filter(lambda t: t.n > 1).flat_map(lambda t: [(t.n, 1), (t.n, 1)], "n int, m int")


def aggregates() -> of.Stream:
    return (
        numbers()
        .aggregate(
            lambda w: (len(w.tuples),), "n int", key=lambda t: refuse(t.n), size=4, advance=2
        )
        .aggregate(lambda w: (refuse(len(w.tuples)),), "n int", size=8)
    )


def many_aggregates() -> of.Stream:
    def all_twice(window: of.Window) -> list[of.Tuple]:
        refuse(len(window.tuples))
        return [*window.tuples, *window.tuples]

    return numbers().aggregate_plus(all_twice, "n int", key=["n"], size=4, advance=2, lateness=3)


def joins() -> of.Stream:
    return numbers().join(
        others(),
        "a int, b int",
        key=(lambda t: refuse(t.n) % 2, lambda t: t.n % 2),
        where=lambda x, y: refuse(x.n + y.n - 1) > 0,
        size=4,
        advance=2,
    )


def self_join() -> of.Stream:
    stream = numbers().filter(lambda t: t.n > 0)
    return stream.join(stream, "a int, b int", key=["n"], size=3)


def states() -> of.Stream:
    return numbers().stateful(
        "n int",
        key=lambda t: refuse(t.n) % 2,
        period=3,
        create=lambda t: refuse(t.n + 1),
        add=lambda state, t: state + refuse(t.n - 1),
        merge=lambda a, b: a + b,
        output=lambda state: (refuse(state),),
    )


def states_that_are_tuples() -> of.Stream:
    return numbers().stateful(
        "n int",
        period=3,
        create=lambda t: t,
        add=lambda state, t: t if refuse(t.n) else state,
        merge=lambda a, b: a,
        output=lambda state: (refuse(state.n + 1),),
    )


def branches() -> of.Stream:
    stream = numbers()
    small = stream.filter(lambda t: t.n < 3)
    return small.union(stream.map(lambda t: (t.n + 1,), "n int"), small, others())


def halving() -> of.Stream:
    """Keys fail on tuples from upstream, and on those that come round."""

    def halve(window: of.Window) -> tuple[int] | None:
        return (window.key // 2,) if window.key > 1 else None

    return numbers().aggregate_loop(halve, key=lambda t: refuse(t.n), size=1, lateness=1)


def late_and_main() -> of.Stream:
    counts = numbers().aggregate(lambda w: (len(w.tuples),), "n int", size=4)
    late = counts.late
    return late.union(counts, late.filter(even))


def late_of_a_join() -> of.Stream:
    return numbers().join(others(), "a int, b int", size=2).late


def late_of_a_filter() -> of.Stream:
    return numbers().filter(even).late


def late_of_a_flat_map() -> of.Stream:
    return numbers().flat_map(lambda t: [(refuse(t.n),)] * 2, "n int").late


def late_of_a_loop() -> of.Stream:
    return halving().late


def filters_on_one_line() -> of.Stream:
    stream = numbers()
    for _ in range(3):
        stream = stream.filter(even).map(lambda t: (t.n + 2,), "n int")
    return stream


PIPELINES: list[Callable[[], of.Stream]] = [
    filters_and_maps,
    flat_maps,
    aggregates,
    many_aggregates,
    joins,
    self_join,
    states,
    states_that_are_tuples,
    branches,
    halving,
    late_and_main,
    late_of_a_join,
    late_of_a_filter,
    late_of_a_flat_map,
    late_of_a_loop,
    filters_on_one_line,
]
by_name = pytest.mark.parametrize("pipeline", PIPELINES, ids=lambda each: each.__name__)


def balance(
    stream: of.Stream, rows: Rows, implementation: str, watermarks: list[int] | None = None
) -> Balance:
    """Feed rows to every source, one by one, with watermarks that are promises, or given ones."""
    ledger = Ledger()

    def write(tuples: list[of.Tuple]) -> None:
        ledger.written += len(tuples)

    plan = of.lower(stream, implementation)
    engine = Engine(plan, on_output=write, on_late=ledger.dropped)
    token = on_failure.set(ledger.failed)
    try:
        for position, row in enumerate(rows):
            kept = min(time for time, _ in rows[position:])
            for source in plan.sources:
                engine.watermark(source, watermarks[position] if watermarks else kept)
                engine.input(source, [row])
                ledger.read[source] += 1
        engine.end()
    finally:
        on_failure.reset(token)
    return ledger.balance(engine)


few_rows = st.lists(st.tuples(st.integers(-4, 9), st.integers(0, 6)), max_size=8)


@by_name
@settings(max_examples=25, deadline=None)
@given(few_rows)
def test_the_balance_is_even_and_the_same_in_every_implementation(
    pipeline: Callable[[], of.Stream], rows: Rows
) -> None:
    first, *more = (balance(pipeline(), rows, each) for each in IMPLEMENTATIONS)
    assert first.even
    assert [without_lines(each) for each in more] == [without_lines(first)] * 2


def without_lines(balance: Balance) -> str:
    assert not balance.late_at
    return "\n".join(balance.lines())


@by_name
@settings(max_examples=25, deadline=None)
@given(few_rows, st.data())
def test_the_balance_is_even_with_late_tuples_too(
    pipeline: Callable[[], of.Stream], rows: Rows, data: st.DataObject
) -> None:
    ahead = [data.draw(st.integers(-4, 12)) for _ in rows]
    for implementation in IMPLEMENTATIONS:
        assert balance(pipeline(), rows, implementation, ahead).even


@settings(max_examples=50, deadline=None)
@given(few_rows, st.data())
def test_an_aggregate_on_the_source_counts_the_same_late_tuples_everywhere(
    rows: Rows, data: st.DataObject
) -> None:
    ahead = [data.draw(st.integers(-4, 12)) for _ in rows]
    found = [balance(aggregates_at_once(), rows, each, ahead) for each in IMPLEMENTATIONS]
    reached = -(2**63)
    late = 0
    for (time, _), watermark in zip(rows, ahead):
        reached = max(reached, watermark)
        late += (time // 4 + 1) * 4 <= reached
    assert [each.late for each in found] == [late] * 3


def aggregates_at_once() -> of.Stream:
    return numbers().aggregate(lambda w: (len(w.tuples),), "n int", size=4)


@settings(max_examples=50, deadline=None)
@given(few_rows)
def test_filters_and_maps_count_what_plain_python_counts(rows: Rows) -> None:
    values = [n for _, n in rows]
    mapped = [n for n in values if n - 1 != BAD]
    tried = [n for n in mapped if n != BAD]
    kept = [n for n in tried if n % 2 == 0 and n < 4]
    for implementation in IMPLEMENTATIONS:
        assert balance(filters_and_maps(), rows, implementation) == Balance(
            read=len(values),
            written=len(kept),
            filtered=len(tried) - len(kept),
            quarantined=len(values) - len(tried),
        )


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_the_line_of_a_pipeline_of_filters_and_maps_has_five_terms(implementation: str) -> None:
    rows = [(time, n) for time, n in enumerate([0, 0, 1, 2, 2, BAD, 5, 6])]
    found = balance(filters_and_maps(), rows, implementation)
    assert str(found) == "read 8 = written 4 + filtered 3 + quarantined 1 + late 0"
    assert str(Balance()) == "read 0 = written 0 + filtered 0 + quarantined 0 + late 0"


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_operators_that_consume_have_three_terms_more(implementation: str) -> None:
    rows = [(0, 1), (0, 1), (1, BAD), (1, 2), (1, 2)]
    assert str(balance(flat_maps(), rows, implementation)) == (
        "read 5 + produced 14 + copied 0"
        " = written 8 + filtered 2 + quarantined 1 + late 0 + consumed 8"
    )


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_windows_pairs_and_states_that_fail_are_no_fate_of_a_tuple(implementation: str) -> None:
    three = [(0, 0), (0, 0), (1, 0)]
    windows = balance(many_aggregates(), three, implementation)
    assert windows.calls == ((About.WINDOW, 2),)
    assert list(windows.lines())[1:] == ["quarantined windows: 2"]
    pairs = balance(joins(), [(0, 2), (1, 0)], implementation)
    assert list(pairs.lines())[1:] == ["quarantined pairs: 2"]
    of_states = balance(states_that_are_tuples(), [(0, 2), (4, 2), (4, BAD)], implementation)
    assert list(of_states.lines())[1:] == ["quarantined states: 2"]
    assert of_states.quarantined == 1


def test_late_tuples_are_told_by_operator() -> None:
    found = balance(aggregates_at_once(), [(9, 1), (1, 1), (2, 1)], "aggregate", [0, 4, 4])
    line = aggregates_at_once.__code__.co_firstlineno + 1
    sums = "read 3 + produced 1 + copied 0 = written 1 + filtered 0 + quarantined 0"
    assert list(found.lines()) == [
        f"{sums} + late 2 + consumed 1",
        f"late at aggregate (test_ledger.py, line {line}): 2",
    ]


def test_a_late_stream_that_is_read_produces_its_tuples_again() -> None:
    for implementation in IMPLEMENTATIONS:
        found = balance(late_and_main(), [(9, 1), (1, 2), (2, 5)], implementation, [0, 4, 4])
        assert (found.late, found.produced, found.copied) == (2, 1 + 2, 2), implementation


def meddle_with_received(engine: Engine, ledger: Ledger) -> None:
    engine.stations[engine.plan.output].received[0] -= 1


def meddle_with_emitted(engine: Engine, ledger: Ledger) -> None:
    engine.stations[engine.plan.output].emitted += 1


def meddle_with_read(engine: Engine, ledger: Ledger) -> None:
    ledger.read["numbers"] += 1


def meddle_with_written(engine: Engine, ledger: Ledger) -> None:
    ledger.written -= 1


def meddle_with_late(engine: Engine, ledger: Ledger) -> None:
    engine.stations[engine.plan.output].dropped[0] += 1


def meddle_with_failures(engine: Engine, ledger: Ledger) -> None:
    ledger.failures[engine.plan.output.step] += 1


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
@pytest.mark.parametrize(
    "meddle",
    [
        meddle_with_received,
        meddle_with_emitted,
        meddle_with_read,
        meddle_with_written,
        meddle_with_late,
        meddle_with_failures,
    ],
)
def test_a_tuple_too_many_or_too_few_is_an_internal_error(
    meddle: Callable[[Engine, Ledger], None], implementation: str
) -> None:
    ledger = Ledger()

    def write(tuples: list[of.Tuple]) -> None:
        ledger.written += len(tuples)

    stream = numbers().map(lambda t: (t.n,), "n int")
    engine = Engine(of.lower(stream, implementation), on_output=write, on_late=ledger.dropped)
    engine.input("numbers", [(1, 1), (2, 2)])
    ledger.read["numbers"] += 2
    engine.end()
    assert ledger.balance(engine).even
    meddle(engine, ledger)
    with pytest.raises(Unbalanced, match="internal error: the ledger does not balance"):
        ledger.balance(engine)


def test_a_failure_of_no_operator_is_an_internal_error() -> None:
    stream = numbers()
    engine, ledger = Engine(of.lower(stream, "dedicated")), Ledger()
    ledger.failures[numbers().filter(even).node.step] += 1
    with pytest.raises(Unbalanced, match="which is not in the plan"):
        ledger.balance(engine)


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_a_tuple_whose_key_fails_does_not_make_states_go_on(implementation: str) -> None:
    found = balance(states(), [(0, 0), (3, BAD)], implementation)
    assert (found.written, found.quarantined) == (1, 1)
