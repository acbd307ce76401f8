"""The rules of the Aggregate: boundaries, lateness, order, keys, the end of a stream."""

from __future__ import annotations

from onefold.check.suite.rule import Rule
from onefold.check.suite.streams import by_float, counted, lenient, ordered, sliding, uneven

AGGREGATE = "aggregate"
RULES: tuple[Rule, ...] = (
    Rule(
        AGGREGATE,
        "boundaries: a window begins at its left boundary",
        counted,
        ((0, "a", 1), (9, "a", 1), (10, "a", 1)),
        ((9, "a", 2), (19, "a", 1)),
    ),
    Rule(
        AGGREGATE,
        "boundaries: a window is due when W is its right boundary",
        counted,
        ((3, "a", 1), 9, "cut", 10, "cut"),
        ((9, "a", 1),),
    ),
    Rule(
        AGGREGATE,
        "boundaries: a tuple falls in every window that holds it",
        sliding,
        ((7, "a", 1),),
        ((9, "a", 1), (14, "a", 1)),
    ),
    Rule(
        AGGREGATE,
        "boundaries: size need be no multiple of advance",
        uneven,
        ((7, "a", 1),),
        ((9, "a", 1), (13, "a", 1)),
    ),
    Rule(
        AGGREGATE,
        "negative times: windows go on before 1970",
        counted,
        ((-1, "a", 1), (-10, "a", 1), (0, "a", 1)),
        ((-1, "a", 2), (9, "a", 1)),
    ),
    Rule(
        AGGREGATE,
        "negative times: sliding windows too",
        sliding,
        ((-7, "a", 1),),
        ((-6, "a", 1), (-1, "a", 1)),
    ),
    Rule(
        AGGREGATE,
        "multisets: equal tuples count",
        counted,
        ((3, "a", 1), (3, "a", 1)),
        ((9, "a", 2),),
    ),
    Rule(AGGREGATE, "keys: null is a key", counted, ((3, None, 1), (4, None, 1)), ((9, None, 2),)),
    Rule(
        AGGREGATE,
        "keys: NaN is one key, and so is zero",
        by_float,
        ((1, float("nan")), (2, float("nan")), (3, 0.0), (4, -0.0)),
        ((9, 2), (9, 2)),
    ),
    Rule(
        AGGREGATE,
        "order: the function gets tuples by time, then by value",
        ordered,
        ((5, "a", 3), (2, "b", 9), (5, "a", 1)),
        ((9, "9 1 3"),),
    ),
    Rule(
        AGGREGATE,
        "lateness: a tuple behind the watermark counts while its window is open",
        counted,
        ((8, "a", 1), 9, (3, "a", 1), 10),
        ((9, "a", 2),),
    ),
    Rule(
        AGGREGATE,
        "lateness: a tuple whose window is gone goes to the late stream",
        counted,
        ((3, "a", 1), 10, (9, "a", 1)),
        ((9, "a", 1),),
        ((9, "a", 1),),
    ),
    Rule(
        AGGREGATE,
        "lateness: a tuple may be late for one window and in time for another",
        sliding,
        ((3, "a", 1), 10, (7, "a", 1)),
        ((4, "a", 1), (9, "a", 1), (14, "a", 1)),
    ),
    Rule(
        AGGREGATE,
        "lateness: within the lateness a window fires again, with all its tuples",
        lenient,
        ((3, "a", 1), 10, (4, "a", 1), 14, (5, "a", 1)),
        ((9, "a", 1), (9, "a", 2), (9, "a", 3)),
    ),
    Rule(
        AGGREGATE,
        "lateness: at the end of the lateness a window is gone",
        lenient,
        ((3, "a", 1), 15, (4, "a", 1)),
        ((9, "a", 1),),
        ((4, "a", 1),),
    ),
    Rule(
        AGGREGATE,
        "end of stream: windows that are open fire",
        counted,
        ((3, "a", 1), 5, (12, "b", 1)),
        ((9, "a", 1), (19, "b", 1)),
    ),
    Rule(AGGREGATE, "end of stream: an empty stream gives nothing", counted, (), ()),
)
