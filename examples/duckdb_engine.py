"""An engine for bounded streams over DuckDB, to show how little an engine needs.

Lowered to `aggregate`, a pipeline holds only sources, unions, minimal Aggregates and loops of them,
so these lines run filters, joins and custom state. DuckDB does what an Aggregate is about: it puts
tuples in windows, groups them by window and key, and orders each group. See docs/engines.md.
"""

from __future__ import annotations

import duckdb

from onefold.core.aggregate import Aggregate, Window
from onefold.core.errors import LoopNeverEnds
from onefold.core.plan import Late, Node, Plan, Source
from onefold.core.records import Tuple
from onefold.core.time import END_OF_TIME, START_OF_TIME, TICK
from onefold.core.values import identity, order
from onefold.operators.aggregate import Aggregation
from onefold.operators.loop import LoopAggregation
from onefold.operators.union import Union
from onefold.testing import bounded_engine


def run(plan: Plan, inputs: dict[str, list[Tuple]]) -> list[Tuple]:
    """Return all that a plan emits for all tuples of its sources."""
    made: dict[Node, list[Tuple]] = {}
    with duckdb.connect(config={"threads": 1}) as database:  # many small queries
        windows = Windows(database)
        for node in plan.nodes:  # inputs come first; a stream may feed many nodes (P2)
            fed = [t for each in node.inputs for t in made[each]]
            match node:
                case Source():
                    made[node] = list(inputs[node.name])
                case Union():  # P1
                    made[node] = fed
                case Late():  # the watermark moves after the last tuple, so none is late
                    made[node] = []
                case LoopAggregation():  # P3
                    made[node] = loop(node, fed, windows)
                case Aggregation():
                    windows.open(node.aggregate, fed)
                    made[node] = windows.fire(FIRE, until=END_OF_TIME)
                case _:
                    raise TypeError(f"{node} is no part of a plan lowered to aggregate")
    return made[plan.output]


def loop(node: LoopAggregation, fed: list[Tuple], windows: Windows) -> list[Tuple]:
    """Return what an Aggregate emits that is fed its own output.

    Windows fire from left to right, each until nothing comes round any more: what it emits has its
    last instant as time, so it falls in this window again, in later ones, never in an earlier one.
    """
    size, advance = node.aggregate.size, node.aggregate.advance
    last = max((t.time for t in fed), default=0)
    after = node.loop.after_end  # how many windows fire behind the last of upstream; None: all
    end = END_OF_TIME if after is None else last + after * advance
    windows.open(node.aggregate, fed)
    made, until, turns = [], START_OF_TIME, 0
    while (left := windows.first_after(until)) is not None and left <= end:
        # Windows that share no instant know nothing of each other: all of them fire at once.
        until = end if size == advance else left
        turns = 0 if left <= last else turns
        coming = windows.fire(FIRE, until=until)
        while coming:
            turns += 1
            if node.loop.limit is not None and turns > node.loop.limit:
                raise LoopNeverEnds(f"{node.step}: the loop went round {turns - 1} times, and on")
            made += coming
            coming = windows.fire(FIRE_AGAIN, until=until, number=windows.take(coming))
    return made


# A row for each window that a tuple falls in: each [left, left + size) with left a multiple of
# advance. DuckDB's remainder has the sign of the time, so it is made positive first.
TAKE = """
INSERT INTO held
SELECT unnest(range(latest - (size - 1 - time + latest) // advance * advance, latest + 1, advance)),
       key, number, time
FROM (SELECT *, time - (time % advance + advance) % advance AS latest
      FROM (SELECT unnest(range($number, $number + len($times))) AS number, unnest($times) AS time,
                   unnest($keys) AS key, $size::BIGINT AS size, $advance::BIGINT AS advance))
"""

# The primitive: the tuples of each window and key, by time, and by value where times are equal.
FIRE = """
SELECT "left", flatten(list(numbers ORDER BY time))
FROM (SELECT "left", key, time, by_value(list(number)) AS numbers, min(number) AS first
      FROM held WHERE "left" <= $until GROUP BY "left", key, time)
GROUP BY "left", key ORDER BY "left", min(first)
"""

# Each tuple that comes round fires its window again, with all that came before it.
FIRE_AGAIN = """
SELECT "left", flatten(list(numbers ORDER BY time))
FROM (SELECT "left", coming.number AS coming, held.time, by_value(list(held.number)) AS numbers
      FROM held AS coming JOIN held USING ("left", key)
      WHERE coming.number >= $number AND held.number <= coming.number AND "left" <= $until
      GROUP BY "left", coming.number, held.time)
GROUP BY "left", coming ORDER BY coming
"""


class Windows:
    """The windows of the Aggregate at work. Tuples stay in Python; DuckDB knows them by number."""

    def __init__(self, database: duckdb.DuckDBPyConnection) -> None:
        self.database = database
        database.create_function("by_value", self._by_value, ["BIGINT[]"], "BIGINT[]")

    def _by_value(self, numbers: list[int]) -> list[int]:
        several = len(numbers) > 1  # one alone may carry much that need not be looked at
        return sorted(numbers, key=lambda n: order(self.keyed[n][0])) if several else numbers

    def open(self, meaning: Aggregate, fed: list[Tuple]) -> None:
        """Begin with the tuples that come from upstream."""
        self.meaning, self.keyed = meaning, []
        columns = '"left" BIGINT, key VARCHAR, number BIGINT, time BIGINT'
        self.database.execute(f"CREATE OR REPLACE TABLE held ({columns})")
        self.take(fed)

    def take(self, tuples: list[Tuple]) -> int:
        """Put tuples in their windows; return the number of the first."""
        meaning, number = self.meaning, len(self.keyed)
        taken = list(meaning.key.over(tuples))  # without those whose key fails
        self.keyed += taken
        times, keys = [t.time for t, _ in taken], [identity(key) for _, key in taken]
        lengths = {"size": meaning.size, "advance": meaning.advance}
        self.database.execute(TAKE, {"number": number, "times": times, "keys": keys, **lengths})
        return number

    def fire(self, query: str, **bounds: int) -> list[Tuple]:
        """Return what the windows of a query emit: the user's function is called for each."""
        meaning, made = self.meaning, []
        for left, numbers in self.database.execute(query, bounds).fetchall():
            right, key = left + meaning.size, meaning.key.shown(self.keyed[min(numbers)][1])
            tuples = tuple(self.keyed[number][0] for number in numbers)
            rows = meaning.function(Window(left, right, key, tuples))
            made += [meaning.output.tuple_class((right - TICK, *row)) for row in rows]
        return made

    def first_after(self, until: int) -> int | None:
        """Drop the windows up to a left boundary; return that of the first one behind."""
        self.database.execute('DELETE FROM held WHERE "left" <= ?', [until])
        return self.database.execute('SELECT min("left") FROM held').fetchone()[0]


engine = bounded_engine("duckdb", run)
