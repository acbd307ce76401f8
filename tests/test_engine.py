"""Rules of the reference engine that a single small run shows."""

from __future__ import annotations

from typing import Any

import pytest

import onefold as of
from onefold.engines.trace import Event, Kind

ALL = ["dedicated", "aggregate", "aggregate-plus"]
COMPOSED = ALL[1:]


def totals(stream: of.Stream, **options: Any) -> of.Stream:
    functions: dict[str, Any] = {
        "create": lambda t: [t.n],
        "add": lambda state, t: [*state, t.n],
        "merge": lambda state, other: state + other,
        "output": lambda state: (sum(state),),
    }
    return stream.stateful("n int", period=10, **{**functions, **options})


def pairs(stream: of.Stream) -> of.Stream:
    return stream.join(stream, "a int, b int", size=10)


@pytest.mark.parametrize(
    "row", [(7, 1), (7.9, 1), {"time": 7, "n": 1}, ("1970-01-01T00:00:00.007999", 1)]
)
def test_a_row_is_a_tuple_or_a_mapping_and_finer_times_are_floored(row: Any) -> None:
    assert of.run(of.source("s", "n int"), {"s": [row]}) == [(7, 1)]


@pytest.mark.parametrize("implementation", ALL)
def test_a_function_that_changes_the_state_it_puts_out_changes_nothing(implementation: str) -> None:
    def output(state: list[int]) -> tuple[int]:
        state.append(100)
        return (sum(state),)

    stream = totals(of.source("s", "n int"), output=output)
    rows = of.run(stream, {"s": [(1, 1), (25, 2)]}, implementation)
    assert rows == [(10, 101), (20, 101), (30, 103)]


@pytest.mark.parametrize("implementation", ALL)
def test_the_answer_of_a_key_does_not_depend_on_how_its_class_shows_itself(
    implementation: str,
) -> None:
    class Silent(str):
        __slots__ = ()

        def __repr__(self) -> str:
            return "?"

    stream = of.source("s", "word string").aggregate_plus(
        lambda w: [w.tuples[0]], "word string", key=lambda t: Silent(t.word), size=10, lateness=5
    )
    engine = of.Engine(of.lower(stream, implementation))
    engine.watermark("s", 12)
    engine.input("s", [(1, "a")])
    engine.input("s", [(1, "b")])
    engine.end()
    assert sorted(engine.take_output()) == [(9, "a"), (9, "b")]


def test_a_limit_bounds_turns_and_not_tuples() -> None:
    def once(window: of.Window) -> Any:
        return (window.key.n + 100,) if window.key.n < 100 else None

    stream = of.source("s", "n int").aggregate_loop(once, key=["n"], size=1, lateness=1, limit=2)
    rows = [(time, n) for time in range(5) for n in range(20)]
    assert len(of.run(stream, {"s": rows})) == len(rows)


def test_a_late_arrival_in_an_open_window_is_taken_by_a_dedicated_join_and_state() -> None:
    stream = of.source("s", "n int")
    for made, taken in ((pairs(stream), 1), (totals(stream), 1)):
        engine = of.Engine(of.lower(made, "dedicated"))
        engine.watermark("s", 5)
        engine.input("s", [(2, 1)])
        engine.end()
        assert len(engine.take_output()) == taken
        assert engine.take_late() == []


@pytest.mark.parametrize("implementation", COMPOSED)
def test_a_late_arrival_in_an_open_window_is_late_for_a_composed_join_and_state(
    implementation: str,
) -> None:
    stream = of.source("s", "n int")
    for made, sides in ((pairs(stream), 2), (totals(stream), 1)):
        engine = of.Engine(of.lower(made, implementation))
        engine.watermark("s", 5)
        engine.input("s", [(2, 1)])
        engine.end()
        assert engine.take_output() == []
        assert engine.take_late() == [(2, 1)] * sides


@pytest.mark.parametrize("implementation", ALL)
@pytest.mark.parametrize("operator", [pairs, totals])
def test_a_trace_tells_the_life_of_every_window(operator: Any, implementation: str) -> None:
    events: list[Event] = []
    plan = of.lower(operator(of.source("s", "n int")), implementation)
    engine = of.Engine(plan, record=events.append)
    engine.input("s", [(1, 1), (12, 2)])
    engine.end()
    kinds = {event.kind for event in events}
    assert {Kind.TUPLE, Kind.WATERMARK, Kind.OPENED, Kind.PURGED} <= kinds
    opened = [(e.node, e.left, e.key) for e in events if e.kind is Kind.OPENED]
    assert len(opened) == len(set(opened))
    if implementation == "aggregate":
        assert Kind.TURNED in kinds
    assert all(str(event) for event in events)


@pytest.mark.parametrize("implementation", ALL)
@pytest.mark.parametrize("operator", [pairs, totals])
def test_a_trace_tells_what_stands_in_a_window(operator: Any, implementation: str) -> None:
    events: list[Event] = []
    plan = of.lower(operator(of.source("s", "n int")), implementation)
    engine = of.Engine(plan, record=events.append)
    engine.input("s", [(1, 1), (12, 2)])
    engine.end()
    for node in plan.nodes:
        own = [event for event in events if event.node is node]
        # Only what arrived, or came round, is added, and to windows that it falls in.
        came = [e.tuple for e in own if e.kind in (Kind.ARRIVED, Kind.TURNED)]
        added = [event for event in own if event.kind is Kind.ADDED]
        for event in added:
            assert event.tuple in came
            assert event.tuple is not None
            assert event.tuple.time in range(event.left, event.right)
        opened = {(e.left, e.key) for e in own if e.kind is Kind.OPENED}
        assert {(e.left, e.key) for e in added} == opened
        if node.inputs:
            reached = [e.watermark for e in own if e.kind is Kind.REACHED]
            assert reached == [2**63 - 1]


def test_a_trace_tells_how_far_a_loop_lets_its_watermark_go() -> None:
    def halve(window: Any) -> Any:
        return (window.key.n // 2,) if window.key.n > 1 else None

    events: list[Event] = []
    numbers = of.source("s", "n int")
    loop = numbers.loop(lambda s: s.aggregate(halve, "n int", key=["n"], size=1, lateness=1))
    engine = of.Engine(of.lower(loop, "dedicated"), record=events.append)
    engine.input("s", [(1, 4)])
    engine.watermark("s", 9)
    told = [
        (event.kind, event.watermark)
        for event in events
        if event.node is engine.plan.output and event.watermark is not None
    ]
    # To 2 at first, one tick behind the tuple that is to come round; on when it is back.
    assert told == [
        (Kind.REACHED, 9),
        (Kind.LET_BY, 2),
        (Kind.WATERMARK, 1),
        (Kind.LET_BY, 9),
        (Kind.WATERMARK, 9),
    ]


@pytest.mark.parametrize("implementation", ALL)
def test_nan_in_a_state_is_the_same_nan_ever_after(implementation: str) -> None:
    stream = of.source("s", "x double").stateful(
        "n int",
        period=10,
        create=lambda t: {t.x},
        add=lambda state, t: state | {t.x},
        merge=lambda state, other: state | other,
        output=lambda state: (len(state),),
    )
    rows = of.run(stream, {"s": [(time, float("nan")) for time in (1, 11, 21)]}, implementation)
    assert rows == [(10, 1), (20, 1), (30, 1)]


def test_a_type_of_a_thousand_attributes_is_no_trouble() -> None:
    wide = of.source("s", ", ".join(f"a{n} int" for n in range(1000)))
    (t,) = of.run(wide, {"s": [(1, *range(1000))]}, "aggregate")
    assert t.a999 == 999
