"""The rules of distinct: an Aggregate keyed by the whole tuple that emits its first tuple.

With windows of one instant it keeps one of several equal tuples, and its time. With longer windows
it keeps one for each window, as near repetitions are meant.
"""

from __future__ import annotations

from onefold.check.suite.rule import Rule
from onefold.check.suite.streams import s

ROW = "k string, n int"
distinct = s.aggregate(lambda w: w.tuples[0], ROW, key=["k", "n"], size=1)
distinct_in_window = s.aggregate(lambda w: w.tuples[0], ROW, key=["k", "n"], size=10)

DISTINCT = "distinct"
RULES: tuple[Rule, ...] = (
    Rule(DISTINCT, "equal tuples come out once", distinct, ((3, "a", 1),) * 2, ((3, "a", 1),)),
    Rule(
        DISTINCT,
        "equal tuples of two batches too",
        distinct,
        ((3, "a", 1), "cut", (3, "a", 1)),
        ((3, "a", 1),),
    ),
    Rule(
        DISTINCT,
        "equal values at another time are another tuple",
        distinct,
        ((3, "a", 1), (4, "a", 1)),
        ((3, "a", 1), (4, "a", 1)),
    ),
    Rule(
        DISTINCT,
        "keys: null equals null",
        distinct,
        ((3, None, 1), (3, None, 1)),
        ((3, None, 1),),
    ),
    Rule(
        DISTINCT,
        "watermarks: a tuple at the watermark is in time",
        distinct,
        (5, (5, "a", 1)),
        ((5, "a", 1),),
    ),
    Rule(
        DISTINCT,
        "lateness: what comes again behind the watermark goes to the late stream",
        distinct,
        ((3, "a", 1), 4, (3, "a", 1)),
        ((3, "a", 1),),
        ((3, "a", 1),),
    ),
    Rule(
        DISTINCT,
        "in windows: equal values come out once for every window",
        distinct_in_window,
        ((3, "a", 1), (8, "a", 1), (12, "a", 1)),
        ((9, "a", 1), (19, "a", 1)),
    ),
)
