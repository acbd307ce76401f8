"""A small, fast suite: the focused checks that every mutant of `test_mutants` must fail one of.

Exact outputs after each step, late tuples, promised watermarks, schedules, snapshots. It imports
nothing but onefold, so that a mutant costs a few hundredths of a second.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import onefold as of
from onefold.core import windows
from onefold.core.errors import (
    BadCount,
    BadDuration,
    BadKey,
    BadSnapshot,
    FunctionFailed,
    LoopNeverEnds,
    LoopRunsAhead,
    LoopTooShort,
    NotALoop,
    TypeMismatch,
    WrongArity,
)
from onefold.core.functions import on_failure
from onefold.core.time import END_OF_TIME, START_OF_TIME
from onefold.engines.reference import Engine
from onefold.engines.trace import Kind
from onefold.operators.loop import LoopAggregation
from onefold.operators.watermarks import DownstreamManager, Owed, UpstreamManager

COMPOSED = ("aggregate", "aggregate-plus")
END = END_OF_TIME


def raises(kind: type[Exception], call: Callable[[], Any]) -> None:
    try:
        call()
    except kind:
        return
    raise AssertionError(f"{kind.__name__} was not raised")


def rows(tuples: Iterable[Any]) -> list[tuple[Any, ...]]:
    return sorted(tuple(t) for t in tuples)


def starved(pattern: Iterable[int]) -> Callable[[int], int]:
    left = iter(pattern)
    return lambda waiting: min(next(left, 0), waiting)


def prompt() -> Callable[[int], int]:
    """All that waits comes round; a loop that does so 200 times will never end."""
    calls = iter(range(200))
    return lambda waiting: waiting + 0 * next(calls)


Steps = list[tuple[Any, ...]]
"""`(watermark, output)`, `(rows, output)` or `(rows, output, late)`, in order."""


def give(engine: Engine, what: Any) -> None:
    if isinstance(what, list):
        engine.input("s", what)
    elif what == END:
        engine.end()
    else:
        engine.watermark("s", what)


def replay(stream: of.Stream, steps: Steps, implementation: str) -> None:
    """The composed ones emit exactly this at every step, and promise what they were promised."""
    engine = Engine(of.lower(stream, implementation), schedule=prompt())
    for what, output, *late in steps:
        give(engine, what)
        assert rows(engine.take_output()) == rows(output)
        assert rows(engine.take_late()) == rows(*late or [[]])
        if isinstance(what, int):
            assert engine.output_watermark() == what
    assert not any(s.kernel.queue for s in engine._loops)  # type: ignore[attr-defined]


def same_in_the_end(stream: of.Stream, steps: Steps, pattern: list[int]) -> None:
    """Whatever the loops do, whenever the run is cut: the same multiset, and no broken promise."""
    promised = [START_OF_TIME]

    def watch(event: Any) -> None:
        if event.node is not plan.output:
            return
        if event.kind is Kind.WATERMARK:
            promised.append(event.watermark)
        elif event.kind is Kind.TUPLE:
            assert event.tuple.time >= promised[-1] or late

    late = any(late for _, _, *late in steps)
    plan = of.lower(stream, "aggregate")
    engine = Engine(plan, schedule=starved(pattern), record=watch)
    for what, *_ in steps:
        give(engine, what)
        copy = Engine(plan, schedule=engine.schedule, record=watch)
        copy.restore(engine.snapshot())
        engine = copy
    assert Counter(tuple(t) for t in engine.take_output()) == answer(steps)
    assert promised == sorted(set(promised))


def answer(steps: Steps) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(t) for _, output, *_ in steps for t in output)


def check(stream: of.Stream, steps: Steps, *, refires: bool = False, starve: bool = True) -> None:
    for implementation in COMPOSED:
        replay(stream, steps, implementation)
    if refires:
        return
    for pattern in ([], [0, 2, 0, 1] * 9) if starve else ():
        same_in_the_end(stream, steps, pattern)
    if not any(late for _, _, *late in steps):
        engine = Engine(of.lower(stream, "dedicated"))
        for what, *_ in steps:
            give(engine, what)
        assert Counter(tuple(t) for t in engine.take_output()) == answer(steps)


def words() -> of.Stream:
    return of.source("s", "w string")


# Window arithmetic.


def window_arithmetic() -> None:
    for advance in (1, 2, 3, 5):
        for size in range(advance, advance * 3 + 2):
            for time in range(-11, 12):
                tried = range(-20 * advance, 20 * advance, advance)
                right = [left for left in tried if left <= time < left + size]
                assert list(windows.lefts(time, advance, size)) == right
                assert windows.last_left(time, advance) == right[-1]
            for watermark in range(-3, 20):
                assert windows.fires(2, size, watermark) is (watermark - 2 >= size)
                for lateness in (0, 1, 4):
                    gone = watermark - 2 - lateness >= size
                    assert windows.dropped(2, size, lateness, watermark) is gone
            assert windows.output_time(-4, size) == size - 5


# The account and the two managers.


def account() -> None:
    owed = Owed()
    assert owed.first() == END
    owed.expect(5, 0)
    assert owed.counts == {}
    assert owed.first() == END
    owed.expect(5)
    owed.expect(5, 2)
    owed.expect(3)
    assert owed.counts == {5: 3, 3: 1}
    assert owed.first() == 3
    owed.settle(7, 0)
    owed.settle(3)
    assert owed.first() == 5
    owed.settle(5, 2)
    assert owed.counts == {5: 1}
    owed.expect(4)
    owed.settle(5)
    assert owed.first() == 4
    owed.settle(4)
    assert owed.counts == {}
    assert owed.first() == END
    owed.expect(4)
    assert owed.first() == 4


def manager_in_front() -> None:
    for distance in (1, 3):
        owed = Owed()
        manager = UpstreamManager(owed, distance)
        assert manager.forward() is None
        manager.process(4)
        assert manager.forward() == 4
        assert manager.forward() is None
        owed.expect(5)
        manager.process(5 + distance)
        assert manager.forward() == 5 + distance
        manager.process(40)
        manager.process(6 + distance)
        assert manager.forward() is None
        owed.expect(4)
        owed.settle(5)
        assert manager.forward() is None, "never back"
        owed.settle(4)
        assert manager.forward() == 40


def manager_behind() -> None:
    owed = Owed()
    manager = DownstreamManager(owed)
    assert manager.forward() is None
    owed.expect(5)
    manager.process(9)
    manager.process(3)
    assert manager.forward() == 5
    assert manager.forward() is None
    owed.settle(5)
    owed.expect(4)
    assert manager.forward() is None, "never back"
    owed.settle(4)
    assert manager.forward() == 9


# The operators.


def spell(t: Any) -> list[tuple[str]]:
    return [(letter,) for letter in t.w]


def unfolding() -> None:
    stream = words().flat_map(spell, "w string")
    check(stream, [
        ([(5, "ab"), (5, "ab"), (5, ""), (6, "c")], []),
        (5, []),
        (6, [(5, "a"), (5, "a"), (5, "b"), (5, "b")]),
        ([(6, "de")], []),
        (7, [(6, "c"), (6, "d"), (6, "e")]),
        ([(9, "x"), (7, "yyy")], []),
        (20, [(7, "y"), (7, "y"), (7, "y"), (9, "x")]),
        ([(19, "z"), (20, "w")], [], [(19, "z")]),
        (END, [(20, "w")]),
    ])  # fmt: skip
    assert [node.label() for node in of.lower(stream, "aggregate").nodes] == [
        "source s",
        "embed flat_map: A every 1 ms by the whole tuple",
        "A1 of unfold: A every 1 ms by identity and position, lateness 1 ms",
        "A2 of unfold: A every 1 ms by identity and position",
    ]


def unfolding_again() -> None:
    stream = words().aggregate_plus(lambda w: w.tuples, "w string", size=10, lateness=5)
    check(stream, [
        ([(1, "a"), (9, "b"), (10, "c")], []),
        (9, []),
        (10, [(9, "a"), (9, "b")]),
        ([(2, "d")], [(9, "a"), (9, "d"), (9, "b")]),
        (14, []),
        ([(2, "d")], [(9, "a"), (9, "d"), (9, "d"), (9, "b")]),
        (15, []),
        ([(3, "e")], [], [(3, "e")]),
        (END, [(19, "c")]),
    ], refires=True)  # fmt: skip
    labels = [node.label() for node in of.lower(stream, "aggregate").nodes]
    assert labels[2].endswith("lateness 6 ms")
    assert labels[3].endswith("lateness 5 ms")


def restored_in_the_midst() -> None:
    """What waits in the loop, and what was promised on either side of it, is in the snapshot."""
    plan = of.lower(words().flat_map(spell, "w string"), "aggregate")
    for watermark in (6, 20):
        engine = Engine(plan, schedule=starved([]))
        give(engine, [(5, "ab")])
        give(engine, watermark)
        assert engine.take_output() == []
        assert engine.output_watermark() == 5
        copy = Engine(plan, schedule=prompt())
        copy.restore(engine.snapshot())
        give(copy, [(30, "x")])
        assert rows(copy.take_output()) == [(5, "a"), (5, "b")]
        assert copy.output_watermark() == watermark


def totals(key: Any = None, period: int = 10, extra: int = 0) -> of.Stream:
    return words().stateful(
        "w string",
        key=key,
        period=period,
        create=lambda t: t.w,
        add=lambda state, t: state + t.w,
        merge=lambda state, other: state + "+" + other,
        output=lambda state: (state,),
        extra_periods=extra,
    )


def custom_state() -> None:
    check(totals(), [
        ([(10, "b"), (9, "a"), (11, "c"), (0, "x")], []),
        (10, []),
        (11, [(10, "xa")]),
        (20, []),
        (21, [(20, "xabc")]),
        (31, [(30, "xabc")]),
        ([(31, "d"), (40, "e")], []),
        (END, [(40, "xabcd"), (50, "xabcde")]),
    ])  # fmt: skip
    check(totals(key=["w"]), [
        ([(1, "a"), (12, "b"), (-1, "c")], []),
        (1, [(0, "c")]),
        (11, [(10, "a"), (10, "c")]),
        (END, [(20, "a"), (20, "b"), (20, "c")]),
    ])  # fmt: skip
    labels = [node.label() for node in of.lower(totals(), "aggregate-plus").nodes]
    assert "A1 of stateful: A 11 ms every 10 ms by none, lateness 1 ms" in labels


def custom_state_at_the_edges() -> None:
    every = [(10 * n, "a") for n in range(1, 5)]
    for extra, steps in (
        (0, [([(40, "a")], []), (40, []), (50, []), (51, [(50, "a")]), (END, [])]),
        (0, [([(3, "a")], []), (31, every[:3]), (END, [])]),
        (0, [(5, []), (END, [])]),
        (1, [([(1, "a")], []), (END, every[:2])]),
        (2, [([(1, "a")], []), (END, every[:3])]),
        (2, [([(1, "a")], []), (11, every[:1]), (END, every[1:3])]),
        (1, [([(1, "a")], []), (41, every), (END, [])]),
    ):
        check(totals(extra=extra), steps, starve=False)  # type: ignore[arg-type]
    by_the_tick = [([(3, "a"), (4, "b")], []), (5, [(4, "a")]), (END, [(5, "ab")])]
    check(totals(period=1), by_the_tick, starve=False)  # type: ignore[arg-type]
    raises(BadCount, lambda: totals(extra=-1))
    raises(BadDuration, lambda: totals(period=0))


def late_state() -> None:
    """A dedicated state keeps its period open to the last tick."""
    engine = Engine(of.lower(totals(), "dedicated"))
    give(engine, 10)
    give(engine, [(9, "a"), (10, "b")])
    assert engine.take_late() == []
    give(engine, 11)
    give(engine, [(9, "c"), (10, "d")])
    assert rows(engine.take_late()) == [(9, "c")]
    give(engine, END)
    assert rows(engine.take_output()) == [(10, "a"), (20, "abd")]
    # What is late does not lengthen the stream.
    engine = Engine(of.lower(totals(extra=3), "dedicated"))
    give(engine, [(1, "a")])
    give(engine, 91)
    give(engine, [(85, "z")])
    engine.take_output()
    give(engine, END)
    assert engine.take_output() == []


def a_state_is_merged_where_it_comes_second() -> None:
    node: Any = totals().node
    window = of.Window(0, 11, (), ())
    packed = [node.keep((), each) for each in "ab"]
    either: Any = of.lower(totals(), "aggregate-plus").nodes[2].type
    two = of.Window(0, 11, (), tuple(either.make(0, (None, each)) for each in packed))
    assert node._next_state(window) == ()
    assert node._next_state(two) == [(None, node.keep((), "a+b"))]
    own = of.Window(0, 11, (), (either.make(3, (("x",), None)), either.make(10, (None, packed[0]))))
    assert node._next_state(own) == ()
    boundary = of.Window(0, 11, (), (either.make(10, (("x",), None)),))
    assert node._next_state(boundary) == ()


# Windows and joins.


def windows_live_and_die() -> None:
    """What a trace tells of one window: opened, fired, fired again, gone."""
    events: list[Any] = []
    counts = words().aggregate(lambda w: ("".join(t.w for t in w.tuples),), "w string", key=["w"],
                               size=4, advance=2, lateness=1)  # fmt: skip
    engine = Engine(of.lower(counts, "aggregate"), record=events.append)
    told: list[list[tuple[Any, ...]]] = []
    for what in ([(3, "b"), (2, "b"), (3, "a")], 4, [(1, "b")], 5, [(0, "z")], END):
        give(engine, what)
        told.append(
            [(e.kind.value, e.left, e.right, e.key.w) for e in events if e.left is not None]
        )
        events.clear()
    opened = [("opened", left, left + 4, key) for key in "ba" for left in (0, 2)]
    added = [("added", left, left + 4, key) for key in "bba" for left in (0, 2)]
    assert sorted(told[0]) == sorted(opened + added)
    assert told[1] == [("fired", 0, 4, key) for key in "ba"]
    assert told[2] == [("added", 0, 4, "b"), ("fired again", 0, 4, "b")]
    assert told[3] == [("purged", 0, 4, key) for key in "ba"]
    assert told[4] == []
    assert told[5] == [(kind, 2, 6, key) for kind in ("fired", "purged") for key in "ba"]
    assert rows(engine.take_output()) == [(3, "a"), (3, "bb"), (3, "bbb"), (5, "a"), (5, "bb")]
    assert rows(engine.take_late()) == [(0, "z")]
    two: Any = of.lower(words().aggregate(lambda w: None, "w string", size=4), "aggregate").output
    kernel = replace(
        two, aggregate=replace(two.aggregate, function=lambda w: [("a",)] * 2)
    ).kernel()
    raises(FunctionFailed, lambda: kernel._fire(0, (), [], again=False))


def pairs(**options: Any) -> of.Stream:
    left, right = of.source("l", "w string"), of.source("r", "w string")
    return left.join(right, "x string, y string", size=3, **options)


def feed(stream: of.Stream, implementation: str, steps: list[tuple[str, Any]]) -> Engine:
    engine = Engine(of.lower(stream, implementation))
    for source, what in steps:
        if isinstance(what, list):
            engine.input(source, what)
        else:
            engine.watermark(source, what)
    return engine


def joins() -> None:
    steps = [
        ("l", [(5, "a"), (5, "a"), (6, "B"), (2, "c")]),
        ("r", [(6, "a"), (4, "b"), (7, "b"), (5, "c")]),
    ]
    keyed = pairs(advance=1, key=(lambda t: t.w.lower(), ["w"]), where=lambda x, y: x.w != "c",
                  select=lambda x, y: (x.w + "<", y.w + ">"))  # fmt: skip
    right = [(t, "a<", "a>") for t in (6, 7) for _ in "aa"]
    right += [(6, "B<", "b>"), *((t, "B<", "b>") for t in (7, 8))]
    by_key = pairs(key=["w"])
    for implementation in ("dedicated", *COMPOSED):
        for order in (steps, steps[::-1]):
            engine = feed(keyed, implementation, order)
            engine.end()
            assert rows(engine.take_output()) == rows(right)
            engine = feed(by_key, implementation, order)
            engine.end()
            assert rows(engine.take_output()) == []
            engine = feed(pairs(), implementation, [("l", [(5, "x")]), ("r", [(3, "y"), (6, "z")])])
            engine.end()
            assert rows(engine.take_output()) == [(5, "x", "y")]
    labels = [node.label() for node in of.lower(pairs(advance=1), "aggregate-plus").nodes]
    assert labels[1::2][:2] == [
        "A1 of join: A every 1 ms by the whole tuple",
        "A2 of join: A every 1 ms by the whole tuple",
    ]
    assert "A3 of join: A+ 3 ms every 1 ms by none" in labels
    raises(BadKey, lambda: pairs(key=(["w"],)))
    raises(BadKey, lambda: pairs(key=(["w"], ["w"], ["w"])))
    for role in ("where", "select"):
        raises(WrongArity, lambda role=role: pairs(**{role: lambda x: x}))
        raises(WrongArity, lambda role=role: pairs(**{role: lambda x, y, z: x}))


def joins_of_the_late() -> None:
    """A dedicated join keeps each window open to its last tick, and no longer."""
    told = [("l", [(5, "x"), (8, "w")]), ("l", 8), ("r", 8), ("r", [(5, "y"), (6, "z"), (7, "v")])]
    engine = feed(pairs(advance=1), "dedicated", told)
    assert rows(engine.take_late()) == [(5, "y")]
    assert rows(engine.take_output()) == [(8, "w", "v"), (8, "w", "z"), (9, "w", "v")]
    kernel: Any = engine.stations[engine.plan.output].kernel
    assert sorted(kernel.windows) == sorted(kernel.lefts) == [6, 7, 8]
    assert pairs().late_left.type == pairs().late_right.type
    engine.end()
    assert kernel.windows == {}


def joins_go_on_without_what_fails() -> None:
    set_aside: list[Any] = []
    token = on_failure.set(set_aside.append)
    try:
        for role in ("where", "select"):
            for implementation in ("dedicated", *COMPOSED):
                function = {role: lambda x, y: (x.w, y.w) if x.w != y.w else 1 / 0}
                told = [("l", [(5, "a"), (5, "b")]), ("r", [(5, "a")])]
                engine = feed(pairs(**function), implementation, told)
                engine.end()
                assert rows(engine.take_output()) == [(5, "b", "a")]
    finally:
        on_failure.reset(token)
    assert len(set_aside) == 6


# Loops.


def shorten(window: of.Window) -> tuple[str] | None:
    return (window.key.w[1:],) if len(window.key.w) > 1 else None


def shortened(size: int = 1, lateness: int = 1, distance: int = 1, **options: Any) -> of.Stream:
    return words().aggregate_loop(
        shorten, key=["w"], size=size, lateness=lateness, distance=distance, **options
    )


def users_loop() -> None:
    steps: Steps = [
        ([(5, "abc"), (5, "x"), (6, "de")], []),
        (5, []),
        (6, [(5, "bc"), (5, "c")]),
        ([(5, "fg")], [(5, "g")]),
        (7, [(6, "e")]),
        ([(5, "hi")], [], [(5, "hi")]),
        ([(7, "jk"), (90, "lm")], []),
        (END, [(7, "k"), (90, "m")]),
    ]
    check(shortened(), steps, refires=True)
    check(shortened(), [step for step in steps if step[0] != [(5, "fg")] and len(step) < 3])
    # A window's output falls in that window and in the next one: bc of [2, 6) fires twice.
    long = shortened(size=4, advance=2, lateness=3)
    check(long, [
        ([(3, "abc")], []),
        (3, []),
        (4, [(3, "bc"), (3, "c")]),
        (5, []),
        (6, [(5, "bc"), (5, "c"), (5, "c")]),
        (END, [(7, "c")]),
    ])  # fmt: skip


def a_loop_takes_its_limit_and_no_more() -> None:
    def turns(limit: int, steps: list[Any]) -> Counter[tuple[Any, ...]]:
        engine = Engine(of.lower(shortened(limit=limit), "aggregate"))
        for what in steps:
            give(engine, what)
        return Counter(tuple(t) for t in engine.take_output())

    three = [(3, "bcd"), (3, "cd"), (3, "d")]
    # At the watermark, and for a late tuple, and for another: each time three turns from none.
    steps = [[(3, "abcd")], 4, [(3, "abcd")], [(3, "abcd")], END]
    assert turns(6, steps) >= Counter(three * 2)
    raises(LoopNeverEnds, lambda: turns(2, steps[:2]))
    assert turns(3, steps[:2]) == Counter(three)
    assert turns(3, [*steps[:2], [(3, "zbcd")]]) >= Counter(three)
    raises(LoopNeverEnds, lambda: turns(3, [[(3, "abcd"), (3, "x")], 4, [(3, "abcde")]]))


def onward(window: of.Window) -> tuple[str] | None:
    """Go on to the next window, for ever."""
    own = any(t.w == "on" and t.time == window.right - 1 for t in window.tuples)
    return None if own else ("on",)


def a_loop_through_time_takes_its_limit_and_no_more() -> None:
    def went_on(limit: int, *steps: Any) -> int:
        stream = words().aggregate_loop(onward, size=11, advance=10, lateness=1, limit=limit)
        engine = Engine(of.lower(stream, "dedicated"))
        for what in steps:
            give(engine, what)
        return len(engine.take_output())

    # News from upstream, a tuple or a watermark, begin to count anew.
    assert went_on(1, [(1, "a")], 11, 21, 31) == 3
    assert went_on(1, [(1, "a"), (15, "b")], 21) == 2
    assert went_on(2, [(1, "a")], 11, 31) == 3
    raises(LoopNeverEnds, lambda: went_on(1, [(1, "a")], 11, 31))
    raises(LoopNeverEnds, lambda: went_on(5, [(1, "a")], END))


def turns_are_counted_for_each_lineage() -> None:
    engine = Engine(of.lower(shortened(limit=3), "dedicated"), schedule=starved([1, 0, 9, 9, 9, 9]))
    give(engine, [(3, "abcd"), (3, "vwxy")])
    give(engine, 4)
    give(engine, 5)
    give(engine, END)
    assert len(engine.take_output()) == 6


def lives_of_windows(stream: of.Stream) -> list[tuple[Any, ...]]:
    lives: list[tuple[Any, ...]] = []

    def watch(event: Any) -> None:
        if event.left is not None:
            lives.append((event.kind, event.left, event.right))

    engine = Engine(of.lower(stream, "dedicated"), record=watch)
    give(engine, [(1, "a")])
    give(engine, END)
    return lives


def a_trace_tells_where_windows_begin_and_end() -> None:
    stream = words()
    both = stream.join(stream, "w string, v string", size=10)
    pair = [Kind.OPENED, Kind.ADDED, Kind.ADDED, Kind.PURGED]
    assert lives_of_windows(both) == [(kind, 0, 10) for kind in pair]
    own = [(kind, 0, 11) for kind in (Kind.OPENED, Kind.ADDED, Kind.FIRED, Kind.PURGED)]
    assert lives_of_windows(totals()) == own
    raises(TypeMismatch, lambda: stream.join(stream, "w string", size=10))


def a_snapshot_fits_its_own_plan() -> None:
    def keyed(key: Any) -> Engine:
        stream = words().aggregate(lambda w: ("x",), "w string", key=key, size=1)
        return Engine(of.lower(stream, "aggregate"))

    raises(BadSnapshot, lambda: keyed(["w"]).restore(keyed([]).snapshot()))
    raises(BadSnapshot, lambda: keyed(["w"]).restore(keyed(len).snapshot()))
    keyed(["w"]).restore(keyed(["w"]).snapshot())


def a_loop_is_checked_when_it_is_built() -> None:
    raises(LoopTooShort, lambda: shortened(lateness=0, distance=0))
    raises(LoopTooShort, lambda: shortened(lateness=1, distance=0))
    raises(LoopTooShort, lambda: shortened(lateness=1, distance=2))
    shortened(lateness=2, distance=2)
    raises(LoopRunsAhead, lambda: shortened(size=2, advance=1, lateness=2, distance=2))
    shortened(size=2, advance=1, lateness=2, distance=1)
    shortened(size=2, advance=2, lateness=2, distance=2)
    raises(BadCount, lambda: shortened(limit=0))
    shortened(limit=1)
    raises(NotALoop, lambda: words().loop(lambda s: s))
    other = words()
    raises(NotALoop, lambda: words().loop(
        lambda s: other.aggregate(shorten, "w string", key=["w"], size=1, lateness=1)
    ))  # fmt: skip
    raises(NotALoop, lambda: words().loop(
        lambda s: s.aggregate_plus(lambda w: [], "w string", key=["w"], size=1, lateness=1)
    ))  # fmt: skip
    raises(TypeMismatch, lambda: words().loop(
        lambda s: s.aggregate(lambda w: None, "n int", size=1, lateness=1)
    ))  # fmt: skip
    looped = of.lower(shortened(), "aggregate").output
    assert isinstance(looped, LoopAggregation)
    assert looped.loops


def what_other_kernels_took_is_heard() -> None:
    state = of.lower(totals(), "dedicated").output
    for watermark, last in ((30, 25), (31, START_OF_TIME)):  # the window [20, 31) is gone at 31
        kernel: Any = state.kernel()
        kernel.watermark = watermark
        kernel.hear(25)
        assert kernel.last_input == last
    kernel = state.kernel()
    nodes = of.lower(totals(), "aggregate").nodes
    states = next(
        n for n in nodes if isinstance(n, LoopAggregation) and n.loop.after_end is not None
    )
    for hearing in (kernel, states.kernel()):
        hearing.hear(25)
        hearing.hear(5)
        assert hearing.last_input == 25


CHECKS = [
    window_arithmetic,
    account,
    manager_in_front,
    manager_behind,
    unfolding,
    unfolding_again,
    restored_in_the_midst,
    windows_live_and_die,
    joins,
    joins_of_the_late,
    joins_go_on_without_what_fails,
    custom_state,
    custom_state_at_the_edges,
    late_state,
    a_state_is_merged_where_it_comes_second,
    users_loop,
    a_loop_takes_its_limit_and_no_more,
    a_loop_through_time_takes_its_limit_and_no_more,
    turns_are_counted_for_each_lineage,
    a_trace_tells_where_windows_begin_and_end,
    a_snapshot_fits_its_own_plan,
    a_loop_is_checked_when_it_is_built,
    what_other_kernels_took_is_heard,
]
