"""Rules of what a watermark decides: who is in time, and when a window fires."""

from __future__ import annotations

from onefold.check.suite.rule import Rule
from onefold.check.suite.streams import counted, joined, lenient, totals

IN_TIME = "watermarks: a tuple at the watermark is in time"
RULES: tuple[Rule, ...] = (
    Rule("aggregate", IN_TIME, counted, (10, (10, "a", 1)), ((19, "a", 1),)),
    Rule(
        "aggregate",
        "lateness: before a window is due, nothing fires it",
        lenient,
        ((3, "a", 1), "cut", (4, "a", 1), 10),
        ((9, "a", 2),),
    ),
    Rule(
        "aggregate",
        "lateness: every late tuple fires its window, though they come together",
        lenient,
        ((3, "a", 1), 10, (4, "a", 1), (5, "a", 1)),
        ((9, "a", 1), (9, "a", 2), (9, "a", 3)),
    ),
    Rule(
        "join",
        IN_TIME,
        joined,
        (("left", (13, "a", 1)), 12, ("right", (12, "a", 5))),
        ((19, "a", 1, 5),),
    ),
    Rule("stateful", IN_TIME, totals, (12, (12, "a", 2)), ((20, "a", 2),)),
)
