"""Scripts on Spark code of the user's own: batches and watermarks exactly as they are told."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

from onefold.core.ddl import tuple_type
from onefold.core.errors import (
    FunctionFailed,
    MistypedTuple,
    OnefoldError,
    StreamEnded,
    UnknownSource,
    WrongArity,
)
from onefold.core.time import END_OF_TIME
from onefold.core.values import NAN
from onefold.engines.spark import plain
from onefold.engines.spark.plain import play_function, play_functions
from onefold.engines.spark.schema import WrongSchema
from onefold.engines.spark.told import TimeOutOfReach, TimeTaken
from onefold.engines.steps import Made, Step
from onefold.testing.script import NoSources, Script

WORDS = tuple_type("word string, n int")
ONE = {"words": WORDS}
TWO = {"left": WORDS, "right": WORDS}
COUNTS = tuple_type("word string, count bigint")


def step(
    rows: Sequence[tuple[Any, ...]] = (), watermark: int | None = None, source: str = "words"
) -> Step:
    told = {} if watermark is None else {source: watermark}
    return Step({source: [WORDS.read(row) for row in rows]} if rows else {}, told)


END = step(watermark=END_OF_TIME)


def outputs(made: Sequence[Made]) -> list[list[tuple[Any, ...]]]:
    assert [each.errors for each in made] == [[] for _ in made]
    return [sorted(tuple(row) for row in each.output) for each in made]


def counted(words: DataFrame) -> DataFrame:
    kept = words.where("n < 9")  # Spark must not move this below the watermark
    return kept.groupBy(F.window("ts", "10 milliseconds"), "word").count()


def test_windows_fire_at_the_watermark_that_is_told_and_no_other(session: SparkSession) -> None:
    script = [
        step([(5, "a", 1), (25, "a", 1), (26, "a", 9)]),
        step(watermark=9),
        step([(9, "a", 1), (31, "a", 1)], watermark=10),
        step([(9, "a", 1), (10, "a", 1)]),  # the first is late; the second is not
        step([(19, "b", 1)], watermark=20),
        step([(19, "b", 1)], watermark=15),  # late, though no tuple came in between
        END,
    ]
    shorter = [step([(5, "a", 1)]), END]
    made = play_functions(session, counted, ONE, COUNTS, [script, shorter], at_once=2)
    first, second = map(outputs, made)
    assert first == [
        [], [], [(9, "a", 2)], [], [(19, "a", 1), (19, "b", 1)], [],
        [(29, "a", 1), (39, "a", 1)],
    ]  # fmt: skip
    assert second == [[], [(9, "a", 1)]]
    assert type(made[0][2].output[0]) is COUNTS.tuple_class


def joined(right: DataFrame, left: DataFrame) -> DataFrame:
    near = F.expr("l.word = r.word and r.ts between l.ts and l.ts + interval 5 milliseconds")
    pairs = left.alias("l").join(right.alias("r"), near, "left_outer")
    return pairs.select("l.ts", "l.word", F.col("l.n").alias("n"), F.col("r.n").alias("m"))


def test_the_least_watermark_of_the_sources_counts(session: SparkSession) -> None:
    def both(left: int | None = None, right: int | None = None) -> dict[str, int]:
        told = {"left": left, "right": right}
        return {name: each for name, each in told.items() if each is not None}

    def row(*values: Any) -> Any:
        return WORDS.read(values)

    script = [
        Step({"left": [row(1, "a", 1), row(2, "b", 2)], "right": [row(6, "a", 3)]}, both(10)),
        Step({"right": [row(7, "b", 4)]}, both(left=20)),
        Step({"right": [row(8, "a", 5)]}, both(right=12)),
        Step({"left": [row(12, "a", 6), row(13, "a", 7)], "right": [row(13, "a", 8)]}),
        Step({}, both(END_OF_TIME)),
        Step({}, both(right=END_OF_TIME)),
    ]
    made = play_function(session, joined, TWO, tuple_type("word string, n int, m int"), script)
    assert [each.errors for each in made] == [[] for _ in made]
    assert [[tuple(row) for row in each.output] for each in made] == [
        [(1, "a", 1, 3)], [(2, "b", 2, 4)], [],
        [(13, "a", 7, 8)],  # a time at the watermark is late to Spark's join
        [], [],
    ]  # fmt: skip


class Watching(StatefulProcessor):
    """Tells the watermark that Spark has when rows and timers come."""

    def init(self, handle: Any) -> None:
        self.handle = handle

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[Any]:  # noqa: N802, N803
        from pyspark.sql import Row

        times = [row["ts"] for row in rows]
        watermark = timerValues.getCurrentWatermarkInMs()
        self.handle.registerTimer(watermark + 5)
        yield Row(ts=max(times), word=key[0], at=watermark)

    def handleExpiredTimer(self, key: Any, timerValues: Any, **_: Any) -> Iterator[Any]:  # noqa: N802, N803
        from pyspark.sql import Row

        watermark = timerValues.getCurrentWatermarkInMs()
        moment = datetime.fromtimestamp((watermark + 1) / 1000, UTC).replace(tzinfo=None)
        yield Row(ts=moment, word="timer", at=watermark)

    def close(self) -> None: ...


def watched(words: DataFrame) -> DataFrame:
    return words.groupBy("word").transformWithState(
        Watching(), "ts timestamp, word string, at bigint", "Append", "EventTime",
        eventTimeColumnName="ts",
    )  # fmt: skip


def test_state_of_the_users_own_sees_the_watermark(session: SparkSession) -> None:
    script = [step([(5, "a", 1), (90, "a", 1)], 10), step([(11, "a", 1)], 14), step(watermark=15)]
    made = play_function(session, watched, ONE, tuple_type("word string, at bigint"), script)
    assert outputs(made) == [
        [(11, "timer", 10), (90, "a", 0)],
        [(11, "a", 10)],
        [(16, "timer", 15)],
    ]


def without_repeats(words: DataFrame) -> DataFrame:
    return words.dropDuplicatesWithinWatermark(["word"])


def in_sessions(words: DataFrame) -> DataFrame:
    return words.groupBy(F.session_window("ts", "5 milliseconds"), "word").count()


def test_other_operators_see_the_watermark(session: SparkSession) -> None:
    script = [
        step([(5, "a", 1), (25, "b", 1)], 10),
        step([(10, "a", 1), (11, "a", 1), (12, "a", 1)], 16),
        step([(40, "b", 1)]),
        END,
    ]
    assert outputs(play_function(session, without_repeats, ONE, WORDS, script)) == [
        [(5, "a", 1), (25, "b", 1)], [(11, "a", 1)], [], [],
    ]  # fmt: skip
    assert outputs(play_function(session, in_sessions, ONE, COUNTS, script)) == [
        [(9, "a", 1)], [], [], [(16, "a", 3), (29, "b", 1), (44, "b", 1)],
    ]  # fmt: skip


EVERY = (
    "text string, yes boolean, small int, large bigint, short float, long double, `a b` int, "
    "moment timestamp, bytes binary, list array<double>, "
    "inner struct<a: int, b: array<struct<c: string>>>"
)
MOMENT = datetime(1899, 2, 3, 4, 5, 6, 789, tzinfo=UTC)


def test_every_value_comes_through(session: SparkSession) -> None:
    type = tuple_type(EVERY)
    rows = [
        (1, "", True, 1, 2**60, 0.5, NAN, 7, MOMENT, b"\x00\xff", [0.1, None, NAN],
         {"a": 1, "b": [{"c": "x"}, None, {"c": None}]}),
        (-2, None, None, None, None, None, None, None, None, None, None, None),
        (3, "\u00e9\n", False, -1, -1, NAN, -0.0, 0, MOMENT, b"", [], {"a": None, "b": []}),
    ]  # fmt: skip
    tuples = [type.read(row) for row in rows]
    script = [Step({"rows": tuples}, {"rows": 5}), Step({"rows": tuples[:1]})]
    made = play_function(session, lambda rows: rows, {"rows": type}, type, script)
    assert [each.errors for each in made] == [[], []]
    assert type.sort(made[0].output) == type.sort(tuples)
    assert made[1].output == tuples[:1]
    assert {each.__class__ for each in made[0].output} == {type.tuple_class}


def failing(n):  # type: ignore[no-untyped-def]  # Spark reads annotations, and not as text
    if n == 13:
        raise ValueError("no thirteen")
    return n


def recast(words: DataFrame) -> DataFrame:
    n = F.udf(failing, "int")("n")
    return words.select(
        F.unix_millis("ts").alias("ts"), F.lit(None).alias("word"), n.alias("N"),
        (n * F.lit(2**30).cast("bigint")).alias("n"), F.lit(0.5).cast("float").alias("half"), "n",
    ).toDF("ts", "word", "N", "large", "half", "n")  # fmt: skip


LOOSE = tuple_type("word string, N bigint, large int, half double")


def test_an_error_stops_its_script_in_its_step(session: SparkSession) -> None:
    fine, large, bad = step([(1, "a", 1)]), step([(2, "a", 2)]), step([(3, "a", 13)])
    scripts = [[fine, bad, fine], [fine, large, fine]]
    raised, misfit = play_functions(session, recast, ONE, LOOSE, scripts)
    for made in (raised, misfit):
        assert [tuple(row) for row in made[0].output] == [(1, None, 1, 2**30, 0.5)]
        assert (made[0].errors, made[1].output, made[2]) == ([], [], Made())
    (error,), (problem,) = raised[1].errors, misfit[1].errors
    assert str(error).splitlines() == [
        "the query failed: ValueError: no thirteen",
        f"  Detail: failing (test_spark_plain.py, line {failing.__code__.co_firstlineno + 2})",
    ]
    assert problem.what == (
        "the function's output does not fit: attribute large: 2147483648 does not fit in the "
        "32 bits of int"
    )


def divided(words: DataFrame) -> DataFrame:
    return words.select("ts", "word", (F.lit(1) / (F.col("n") - 1)).cast("int").alias("n"))


def held_back(words: DataFrame) -> DataFrame:
    return counted(words.withWatermark("ts", "3 seconds"))


def test_a_query_that_fails_says_so_in_a_line(session: SparkSession) -> None:
    made = play_function(session, divided, ONE, WORDS, [step([(1, "a", 1)])])
    assert made[0].errors[0].what.startswith("the query failed: [DIVIDE_BY_ZERO] Division by zero.")


def test_a_watermark_of_the_functions_own_is_an_error(session: SparkSession) -> None:
    with pytest.raises(plain.WatermarkHeldBack) as caught:
        play_function(session, held_back, ONE, COUNTS, [step([(1, "a", 1)], 7)])
    line = held_back.__code__.co_firstlineno
    assert str(caught.value).splitlines() == [
        f"held_back (test_spark_plain.py, line {line}) defines a watermark of its own",
        "  Detail: the script tells 7, and Spark is at 0",
        "  Hint: the inputs come with their watermark: leave out withWatermark",
    ]


def broken(words: DataFrame) -> DataFrame:
    raise KeyError("gone")


def unresolved(words: DataFrame) -> DataFrame:
    return words.select("missing")


def bounded(words: DataFrame) -> DataFrame:
    return words.sparkSession.range(3)


def unordered(words: DataFrame) -> DataFrame:
    return words.orderBy("n")


@pytest.mark.parametrize(
    ("function", "error", "texts"),
    [
        (broken, FunctionFailed, ["broken (test_spark_plain.py, line ", "KeyError: 'gone'"]),
        (unresolved, FunctionFailed, ["unresolved (test_", "[UNRESOLVED_COLUMN.", "`missing`"]),
        (lambda words: 7, plain.NotAStreamingFrame, ["lambda (test_", "returned an int"]),
        (bounded, plain.NotAStreamingFrame, ["bounded (test_", "not a streaming DataFrame"]),
        (lambda a, b: a, WrongArity, ["is called with words", "(a, b)"]),
        (
            lambda words: words.drop("word"),
            WrongSchema,
            ["word string is missing", "it has ts timestamp, n int"],
        ),
        (lambda words: words.withColumn("n", F.lit("1")), WrongSchema, ["n is string, not int"]),
        (lambda words: words.select("*", "n"), WrongSchema, ["n stands twice"]),
        (lambda words: words.select("word", "n"), WrongSchema, ["no column 'ts' for the event"]),
        (lambda words: words.withColumn("ts", F.lit("")), WrongSchema, ["no column 'ts'"]),
        (
            lambda words: words.groupBy("word").agg(F.max("n").alias("n"), F.max("ts").alias("ts")),
            plain.NotInAppendMode,
            ["can't run in append mode", "group by a window of the event time"],
        ),
        (unordered, plain.QueryFailed, ["what unordered (test_", "Sorting is not supported"]),
    ],
)  # fmt: skip
def test_a_function_that_does_not_fit_is_an_error(
    session: SparkSession, function: Any, error: type[OnefoldError], texts: list[str]
) -> None:
    with pytest.raises(error) as caught:
        play_function(session, function, ONE, WORDS, [step([(1, "a", 1)])])
    told = str(caught.value)
    assert [text for text in texts if text not in told] == [], told
    assert len(told.splitlines()) <= 3


def test_a_script_that_does_not_fit_is_an_error(session: SparkSession) -> None:
    def play(step: Step, time: str = "ts") -> None:
        play_function(session, counted, ONE, COUNTS, [step], time=time)

    assert play_function(session, counted, ONE, COUNTS, []) == []
    with pytest.raises(UnknownSource, match="feeds a source 'word' that there is not"):
        play(Step({}, {"word": 7}))
    with pytest.raises(TimeOutOfReach, match="source words: Spark can't take the time 9"):
        play(step([(9 * 10**15, "a", 1)]))
    with pytest.raises(TimeTaken, match="source words has an attribute 'Word'"):
        play(step(), time="Word")


def test_a_script_is_played(session: SparkSession) -> None:
    script = Script(words="word string, n int").input(words=[(5, "b", 1), (7, "a", 2)])
    script = script.cut().watermark(datetime(1970, 1, 1, 0, 0, 0, 10_000, tzinfo=UTC))
    script = script.input(words=[(6, "a", 3), {"time": 12, "n": 1, "word": "c"}]).end()
    made = script.play(counted, "word string, count bigint", session=session)
    assert [[tuple(row) for row in rows] for rows in made] == [
        [], [(9, "a", 1), (9, "b", 1)], [(19, "c", 1)],
    ]  # fmt: skip
    with pytest.raises(plain.QueryFailed, match="DIVIDE_BY_ZERO"):
        Script(words=WORDS).input(words=[(1, "a", 1)]).play(divided, WORDS)


def test_a_script_keeps_its_steps() -> None:
    begun = Script(a="n int", b="n int").input(a=[(1, 1)])
    script = begun.input(b=[(2, 2)], a=[(3, 3)]).watermark(a=4).watermark(b=5).watermark(6)
    script = script.cut().cut().watermark(a=7).end("a").end()
    assert [each.watermarks for each in script.steps] == [
        {"a": 4, "b": 5}, {"a": 6, "b": 6}, {"a": 7}, {"a": END_OF_TIME},
        {"a": END_OF_TIME, "b": END_OF_TIME},
    ]  # fmt: skip
    assert [len(rows) for rows in script.steps[0].tuples.values()] == [2, 1]
    assert begun.steps[0].tuples == {"a": [tuple_type("n int").read((1, 1))]}
    script.steps[0].tuples.clear()
    assert script.steps[0].tuples
    assert repr(script) == "Script(a='n int', b='n int') of 5 steps"


@pytest.mark.parametrize(
    ("write", "error", "text"),
    [
        (lambda s: s.input(words=[(1, "a", "b")]), MistypedTuple, "source words: attribute n: 'b'"),
        (lambda s: s.input(word=[]), UnknownSource, "no source 'word'"),
        (lambda s: s.watermark("soon"), MistypedTuple, "source words: a watermark is a time"),
        (lambda s: s.watermark(word=1), UnknownSource, "no source 'word'"),
        (lambda s: s.end().input(words=[(1, "a", 1)]), StreamEnded, "source 'words' has ended"),
        (lambda s: s.end("word"), UnknownSource, "no source 'word'"),
        (lambda s: Script(), NoSources, "a script has no sources"),
    ],
)
def test_what_does_not_fit_a_script_is_an_error(
    write: Callable[[Script], Script], error: type[OnefoldError], text: str
) -> None:
    with pytest.raises(error, match=text):
        write(Script(words=WORDS))


def test_scripts_need_no_spark_to_be_written() -> None:
    program = "import sys, onefold.testing.script; print('pyspark' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert run.stdout.split() == [b"False"]
