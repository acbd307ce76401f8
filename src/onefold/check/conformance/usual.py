"""Plain PySpark in the table: which construct people use for which pipeline of the suite.

The functions stand in `onefold.engines.spark.usual`. They are played as all code of a user's own,
on scripts with explicit watermarks. As Spark knows no end of a stream, a watermark far in the
future takes its place, which is how people flush a bounded run. The rules of the end itself are
played without.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from onefold.check.case import Case
from onefold.check.compare import Judged
from onefold.check.conformance.asked import Question
from onefold.check.players import Player, Script
from onefold.check.sides import Side
from onefold.check.suite import Rule, distinct, streams
from onefold.core.plan import Implementation
from onefold.engines.steps import Made, Step
from onefold.stream import Stream

PACKAGE = "onefold.engines.spark.usual"


@dataclass(frozen=True)
class Way:
    """A construct of Spark's, and a function that uses it."""

    construct: str
    module: str
    function: str
    updates: int | None = None
    """For update mode: how far Spark's watermark is behind."""

    def load(self) -> Any:
        """Return the function."""
        return getattr(import_module(f"{PACKAGE}.{self.module}"), self.function)


WINDOW = "groupBy(window)"
COUNTED = Way(WINDOW, "windows", "counted")
UPDATED = Way("groupBy(window) in update mode", "windows", "counted", updates=5)
LISTED = Way("collect_list", "windows", "listed")
BY_WINDOW = Way("join on window", "joins", "by_window")
BY_SLIDING_WINDOW = Way("join on window", "joins", "by_sliding_window")
BY_INTERVAL = Way("interval join", "joins", "by_interval")
WITHIN = Way("dropDuplicatesWithinWatermark", "distinct", "within_watermark")
DROP = "dropDuplicates"

WAYS: dict[Stream, tuple[Way, ...]] = {
    streams.big: (Way("where", "rows", "big"),),
    streams.doubled: (Way("select", "rows", "doubled"),),
    streams.keys: (Way("select", "rows", "keys"),),
    streams.copies: (Way("explode", "rows", "copies"),),
    streams.both: (Way("unionByName", "rows", "both"),),
    streams.both_counted: (Way("unionByName", "windows", "both_counted"),),
    streams.counted: (COUNTED,),
    streams.sliding: (Way(WINDOW, "windows", "sliding"),),
    streams.uneven: (Way(WINDOW, "windows", "uneven"),),
    streams.lenient: (COUNTED, UPDATED),
    streams.by_float: (Way(WINDOW, "windows", "by_float"),),
    streams.ordered: (LISTED, Way("array_sort(collect_list)", "windows", "sorted_list")),
    streams.many: (Way("explode", "windows", "many"),),
    streams.joined: (BY_WINDOW, BY_INTERVAL),
    streams.joined_sliding: (BY_SLIDING_WINDOW, BY_INTERVAL),
    streams.totals: (Way("transformWithState", "state", "totals"),),
    distinct.distinct: (Way(DROP, "distinct", "of_equal_rows"),),
    distinct.distinct_in_window: (Way(f"{DROP} by window", "distinct", "of_each_window"), WITHIN),
}

NOTHING = {
    "late": "Spark drops late rows, and there is no stream of them. The metric "
    "`numRowsDroppedByWatermark` counts rows after partial aggregation: two late rows of one "
    "window count as one.",
    "loop": "A Spark query has no cycles. People run a batch job again and again, or write to a "
    "topic that the query reads: then no watermark holds back what is still to come round.",
}
"""What plain Spark has no construct for, and why."""


def ways(rule: Rule) -> tuple[Way, ...]:
    """Return what people write for the pipeline of a rule; nothing where Spark has nothing."""
    if rule.operator in NOTHING:
        return ()
    return WAYS[rule.stream]


@dataclass(frozen=True)
class Usual(Side):
    """Plain PySpark as a side. It is asked everything, and its late streams count: it has none."""

    @property
    def way(self) -> Way:
        """What it uses."""
        assert isinstance(self.player, _Spark)
        return self.player.way

    def takes(self, case: Case) -> bool:
        return True


@dataclass(frozen=True)
class _Spark(Player):
    """Spark that runs one function."""

    way: Way = COUNTED


def usual_questions(rules: Iterable[Rule]) -> list[Question]:
    """Return each rule for every way that people write its pipeline."""
    players: dict[tuple[Way, bool], _Spark] = {}
    asked = []
    for rule in rules:
        flushed = not rule.name.startswith("end of stream")
        for way in ways(rule):
            player = players.setdefault((way, flushed), _player(way, flushed=flushed))
            how = Judged(early=True)
            asked.append(
                Question(rule, Usual(way.construct, player, rule.plan, rule.plan, how=how))
            )
    return asked


def _player(way: Way, *, flushed: bool) -> _Spark:
    def play(scripts: Sequence[Script]) -> list[list[Made]]:
        return _play(
            way, [(plan, steps if flushed else _unended(steps)) for plan, steps in scripts]
        )

    only = (Implementation.DEDICATED,)
    return _Spark(f"plain PySpark, {way.construct}", play, only, own_code=True, way=way)


def _unended(steps: Sequence[Step]) -> list[Step]:
    """Return the steps without the watermark that ends the sources."""
    return [*steps[:-1], Step(steps[-1].tuples)]


def _play(way: Way, scripts: Sequence[Script]) -> list[list[Made]]:
    from onefold.engines.spark.plain import play_functions
    from onefold.engines.spark.session import quiet_session
    from onefold.engines.spark.updates import play_updates

    plan = scripts[0][0]
    types = {source: node.type for source, node in plan.sources.items()}
    session, function, output = quiet_session(), way.load(), plan.output.type
    told = [steps for _, steps in scripts]
    if way.updates is None:
        return play_functions(session, function, types, output, told)
    return [
        play_updates(session, function, types, output, steps, delay=way.updates) for steps in told
    ]
