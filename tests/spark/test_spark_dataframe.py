"""onefold.spark.dataframe: streams and batches, checked, marked, and the same as the reference."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from streams import Drained, Folder, drain
from test_spark_random import drawn

import onefold as of
import specs
import strategies
from onefold import spark
from onefold.core.errors import UnknownSource
from onefold.core.packing import unpacked
from onefold.core.plan import Implementation
from onefold.core.time import END_OF_TIME, START_OF_TIME
from onefold.engines.reference import Engine
from onefold.engines.spark.books import Books
from onefold.engines.spark.fragments import cut, shuffled
from onefold.engines.spark.parcels import REPORT
from onefold.engines.spark.pipeline import Pipeline
from onefold.engines.spark.schema import WrongSchema
from onefold.operators.rewrites import rewrite
from oracle import multiset

ROW = "word string, n int"


def counted(window: Any) -> Any:
    return window.key.word, len(window.tuples)


def doubled(window: Any) -> Any:
    return [(t.word, t.n) for t in window.tuples for _ in range(2)]


def words() -> of.Stream:
    return of.source("s", ROW)


def total(state: Any) -> Any:
    return state


PIPELINES: dict[str, Callable[[], of.Stream]] = {
    "filter": lambda: words().filter(lambda t: t.n != 2),
    "chain": lambda: (
        words()
        .flat_map(lambda t: [(t.word, t.n)] * t.n, ROW)
        .map(lambda t: (t.word.upper(), t.n), ROW)
        .aggregate(counted, ROW, key=["word"], size=10, advance=5)
    ),
    "aggregate_plus": lambda: words().aggregate_plus(doubled, ROW, key=["n"], size=10),
    "lateness": lambda: words().aggregate(counted, ROW, key=["word"], size=10, lateness=7),
    "late": lambda: words().aggregate(counted, ROW, key=["word"], size=10, lateness=2).late,
    "join": lambda: (one := words()).join(
        one.filter(lambda t: t.n > 1),
        "a int, b int",
        key=["word"],
        select=lambda x, y: (x.n, y.n),
        size=10,
        advance=5,
    ),
    "stateful": lambda: words().stateful(
        ROW,
        key=["word"],
        period=10,
        create=lambda t: (t.word, t.n),
        add=lambda state, t: (state[0], state[1] + t.n),
        merge=lambda one, other: (one[0], one[1] + other[1]),
        output=total,
    ),
    "loop": lambda: words().aggregate_loop(
        lambda w: (w.key.word, w.key.n - 1) if w.key.n > 0 else None,
        key=["word", "n"],
        size=1,
        lateness=1,
    ),
    "union": lambda: (one := words()).union(
        one.aggregate(lambda w: ("all", len(w.tuples)), ROW, size=10)
    ),
}
BATCHES = [
    [(1, "a", 1), (2, "b", 2), (2, "b", 2), (7, "a", 3)],
    [(12, "a", 1), (9, "c", 2), (5, "b", 1)],
    [(31, "a", 2), (3, "a", 3), (18, "b", 2), (26, "c", 1)],
    [(8, "a", 1), (33, "b", 3), (24, "a", 2), (40, "c", 1)],
]
IN_TIME = [row for batch in BATCHES[:2] for row in batch] + [(31, "a", 2), (33, "b", 3)]


def on_reference(
    stream: of.Stream,
    implementation: str,
    drained: Drained,
    *,
    short: bool,
    batches: Sequence[Sequence[Any]] = BATCHES,
    delay: int = 0,
    of_spark: bool = False,
) -> None:
    """Replay a query's batches: in each its tuples, and then the watermark behind them.

    `of_spark` says that the watermark is Spark's, which follows a batch later.
    """
    plan = of.lower(stream, implementation)
    engine = Engine(rewrite(plan)[0] if short else plan)
    files, latest = iter(batches), START_OF_TIME
    for number in sorted(drained.batches):
        if drained.progress[number]["numInputRows"]:
            rows = next(files, [(END_OF_TIME,)])
            type = engine.plan.sources["s"].type
            engine.process("s", type.sort([type.read(row) for row in rows if len(row) > 1]))
            latest = max(latest, *(row[0] for row in rows))
        if number == max(drained.batches):
            engine.end()
        elif of_spark:
            engine.watermark("s", drained.watermark(number))
        elif latest != START_OF_TIME:
            engine.watermark("s", latest if latest == END_OF_TIME else latest - delay)
        assert multiset(engine.take_output()) == multiset(
            engine.plan.output.type.read(row) for row in drained.batches[number]
        ), (number, drained.batches)


@pytest.mark.parametrize(
    ("name", "implementation", "rewrites"),
    [
        ("chain", "dedicated", True),
        ("chain", "aggregate", False),
        ("lateness", "aggregate", False),
        ("late", "aggregate-plus", True),
        ("join", "aggregate", False),
        ("stateful", "aggregate", False),
        ("union", "dedicated", True),
    ],
)
def test_batch_by_batch_with_the_querys_own_watermarks(
    session: SparkSession,
    tmp_path: Path,
    name: str,
    implementation: str,
    rewrites: bool,  # noqa: FBT001
) -> None:
    folder = Folder(tmp_path / "in", ROW)
    for rows in BATCHES:
        folder.put(rows)
    folder.end()
    frame = spark.dataframe(
        PIPELINES[name](), {"s": folder.stream(session)}, implementation, rewrites=rewrites
    )
    drained = drain(frame, tmp_path / "checkpoint")
    assert drained.state_rows()[-1] == 0
    on_reference(PIPELINES[name](), implementation, drained, short=rewrites)


@pytest.mark.parametrize("implementation", ["dedicated", "aggregate-plus", "aggregate"])
def test_random_pipelines_batch_by_batch_with_their_own_watermarks(
    session: SparkSession, tmp_path: Path, implementation: str
) -> None:
    """Any operators over one source of text and numbers, cut into batches, with some delay."""

    @st.composite
    def examples(draw: st.DrawFn) -> Any:
        case = draw(strategies.cases(("filter", "aggregate"), operators=3, tuples=0))
        row = st.tuples(st.integers(1, 40), st.sampled_from("abc"), st.integers(0, 3))
        rows = draw(st.lists(row, min_size=3, max_size=9))
        return case, rows, draw(st.integers(0, 12)), draw(st.integers(1, 3))

    case, rows, delay, size = drawn(examples(), 12)[-1]
    source = of.source("s", ROW)
    stream = grown(source, case)
    batches = [rows[n : n + size] for n in range(0, len(rows), size)]
    folder = Folder(tmp_path / "in", ROW)
    for batch in batches:
        folder.put(batch)
    folder.end()
    frame = spark.dataframe(
        stream, {"s": folder.stream(session)}, implementation, delay=delay, rewrites=False
    )
    drained = drain(frame, tmp_path / "checkpoint")
    assert drained.state_rows()[-1] == 0
    on_reference(stream, implementation, drained, short=False, batches=batches, delay=delay)


def grown(source: of.Stream, case: Any) -> of.Stream:
    """Return the operators of a case, as far as they can stand in a row behind this source."""
    stream = source
    for operator in case.operators:
        match operator:
            case specs.Filter():
                stream = operator.build(stream)
            case specs.Aggregate(function=specs.Count(), key=key) if key is None or callable(key):
                stream = operator.build(stream)
                break
    return stream.aggregate(
        lambda w: (len(w.tuples), w.left), "n int, at bigint", size=10, advance=5
    ).stateful(
        "n int",
        key=None,
        period=7,
        create=lambda t: t.n,
        add=lambda state, t: state + t.n,
        merge=lambda one, other: one + other,
        output=lambda state: (state,),
    )


def test_a_dataframe_that_has_a_watermark_keeps_it(session: SparkSession, tmp_path: Path) -> None:
    folder = Folder(tmp_path / "in", ROW)
    for rows in BATCHES:
        folder.put(rows)
    folder.end()
    given = folder.stream(session).withColumn("ts", F.timestamp_millis("ts"))
    marked = given.withWatermark("ts", "12 milliseconds")
    drained = drain(spark.dataframe(PIPELINES["chain"](), {"s": marked}), tmp_path / "checkpoint")
    assert max(drained.watermark(n) for n in (1, 2, 3)) == 31 - 12
    on_reference(PIPELINES["chain"](), "dedicated", drained, short=True, of_spark=True)


@pytest.mark.parametrize(
    ("rows", "stream", "message"),
    [
        ([(None, "a", 1)], words(), "source s: the event time is null"),
        ([(3, "a", 0)], words().map(lambda t: (t.word, 1 // t.n), ROW), "called with (time=3,"),
    ],
)
def test_an_error_in_a_worker_says_what_to_look_at(
    session: SparkSession, rows: list[Any], stream: of.Stream, message: str
) -> None:
    given = session.createDataFrame(rows, f"ts bigint, {ROW}")
    with pytest.raises(PySparkException) as caught:
        spark.dataframe(stream, {"s": given}).collect()
    assert message in str(caught.value)


@pytest.mark.parametrize("name", PIPELINES)
def test_a_batch_gives_what_the_drained_stream_gives(session: SparkSession, name: str) -> None:
    stream = PIPELINES[name]()
    given = session.createDataFrame(IN_TIME, f"ts bigint, {ROW}")
    wanted = multiset(of.run(stream, {"s": IN_TIME}))
    for implementation in Implementation:
        frame = spark.dataframe(stream, {"s": given}, implementation, rewrites=False)
        assert not frame.isStreaming
        rows = frame.withColumn("ts", F.unix_millis("ts")).collect()
        type = of.lower(stream, implementation).output.type
        assert multiset(type.read(tuple(row)) for row in rows) == wanted, implementation


def explained(frame: DataFrame) -> str:
    with redirect_stdout(StringIO()) as text:
        frame.explain()
    return text.getvalue()


def shuffles(frame: DataFrame) -> int:
    return explained(frame).count("Exchange hashpartitioning")


@pytest.mark.parametrize("implementation", ["dedicated", "aggregate-plus", "aggregate"])
@pytest.mark.parametrize("name", PIPELINES)
def test_there_is_a_shuffle_for_an_aggregate_that_needs_one_and_no_more(
    session: SparkSession, tmp_path: Path, name: str, implementation: str
) -> None:
    folder = Folder(tmp_path / "in", ROW)
    folder.put([])
    stream = PIPELINES[name]()
    stages = cut(of.lower(stream, implementation))[1:]
    assert sum(len(each.shuffled) for each in stages) == sum(
        map(shuffled, of.lower(stream, implementation).nodes)
    )
    needing = len(stages)
    given = folder.stream(session)
    literal = spark.dataframe(stream, {"s": given}, implementation, rewrites=False)
    assert explained(literal).count("!TransformWithState") == needing
    assert shuffles(literal) == needing
    assert shuffles(spark.dataframe(stream, {"s": given}, implementation)) <= needing


def test_operators_of_one_depth_share_a_shuffle() -> None:
    plan = of.lower(PIPELINES["join"](), "aggregate")
    # The filter's embed; A1 and A2 of the join behind it, where A3 needs them.
    assert [len(each.shuffled) for each in cut(plan)] == [0, 1, 2]


def test_event_time_is_marked_and_more_of_spark_goes_on(
    session: SparkSession, tmp_path: Path
) -> None:
    folder = Folder(tmp_path / "in", ROW)
    for rows in BATCHES[:2]:
        folder.put(rows)
    folder.end()
    mine = spark.dataframe(PIPELINES["filter"](), {"s": folder.stream(session)})
    theirs = mine.groupBy(F.window("ts", "10 milliseconds"), "word").count()
    more = theirs.select(F.window_time("window").alias("ts"), "word", "count")
    rows = drain(more, tmp_path / "checkpoint").rows()
    assert sorted(rows) == [(9, "a", 2), (9, "b", 1), (19, "a", 1)]


def test_what_a_dataframe_must_hold(session: SparkSession) -> None:
    given = session.createDataFrame([(1, "a", 1)], "ts bigint, word string, n string")
    with pytest.raises(WrongSchema, match="n is string, not int"):
        spark.dataframe(words(), {"s": given})
    with pytest.raises(WrongSchema, match="no column 'at' for the event time"):
        spark.dataframe(words(), {"s": given}, time="at")
    with pytest.raises(WrongSchema, match="n int is missing"):
        spark.dataframe(words(), {"s": given.drop("n")})
    with pytest.raises(WrongSchema, match="the event time 'word' is a string"):
        spark.dataframe(of.source("s", "n string"), {"s": given}, time="word")
    with pytest.raises(WrongSchema, match="would have n twice"):
        spark.dataframe(of.source("s", "n string"), {"s": given}, time="n")
    with pytest.raises(UnknownSource, match="no DataFrame for source s"):
        spark.dataframe(words(), {})
    with pytest.raises(UnknownSource, match="has no source q"):
        spark.dataframe(words(), {"s": given.withColumn("n", F.lit(1)), "q": given})


def test_every_type_goes_through_spark(session: SparkSession) -> None:
    types = (
        "flag boolean, i int, l bigint, f float, d double, at timestamp, raw binary, "
        "list array<double>, pair struct<x: int, s: string>, `odd name` string"
    )
    moment = datetime(1965, 5, 5, 5, 5, 5, 123456, tzinfo=UTC)
    nan = float("nan")
    rows = [
        (-5, True, -1, 2**60, 0.1, nan, moment, b"\0x", [nan, -0.0, None], (1, "é"), "`"),
        (7, None, None, None, None, None, None, None, None, None, None),
        (7, False, 2**31 - 1, -(2**63), nan, -0.0, moment, b"", [], (None, None), ""),
    ]
    stream = of.source("s", types).aggregate_plus(
        lambda w: [tuple(t)[1:] for t in w.tuples], types, key=["d", "list", "pair"], size=10
    )
    given = session.createDataFrame(rows, f"ts bigint, {types}")
    made = spark.dataframe(stream, {"s": given}).withColumn("ts", F.unix_millis("ts")).collect()
    type = stream.node.type
    wanted = multiset(of.run(stream, {"s": rows}))
    assert multiset(type.read(tuple(row)) for row in made) == wanted


def test_finer_times_are_floored(session: SparkSession) -> None:
    moment = datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)
    given = session.createDataFrame([(moment, "a", 1)], f"ts timestamp, {ROW}")
    made = spark.dataframe(words(), {"s": given}).withColumn("ts", F.unix_millis("ts"))
    assert made.collect()[0][0] == -1


def test_late_tuples_are_there_and_counted(session: SparkSession, tmp_path: Path) -> None:
    folder = Folder(tmp_path / "in", ROW)
    for rows in BATCHES:
        folder.put(rows)
    folder.end()
    stream = words().aggregate(counted, ROW, key=["word"], size=10, lateness=2)
    frame = spark.late(stream, {"s": folder.stream(session)})
    drained = drain(frame, tmp_path / "checkpoint")
    engine = Engine(of.lower(stream, "dedicated"))
    late, latest = [], START_OF_TIME
    for rows in BATCHES:
        engine.input("s", rows)
        latest = max(latest, *(row[0] for row in rows))
        engine.watermark("s", latest)
        late += engine.take_late()
    assert late
    dropped = sorted((row[0], json.loads(row[2])["word"]) for row in drained.rows())
    assert sorted((t.time, t.word) for t in late) == dropped
    assert all("aggregate (test_spark_dataframe.py, line" in row[1] for row in drained.rows())


@pytest.mark.usefixtures("partitions")
def test_state_stays_bounded(session: SparkSession, tmp_path: Path) -> None:
    """Many batches of a stream that has no end."""
    session.conf.set("spark.sql.shuffle.partitions", "1")
    folder = Folder(tmp_path / "in", ROW)
    for batch in range(80):
        folder.put([(batch * 10 + n, "abc"[n % 3], n) for n in range(10)])
    many = "spark.sql.streaming.numRecentProgressUpdates"
    session.conf.set(many, "1000")
    plan = of.lower(PIPELINES["chain"](), "aggregate-plus")
    given = {"s": folder.stream(session)}
    pipeline = Pipeline.over(plan, given, time="ts", delay=0, rewrites=True)
    books, held = Books(), []

    def take(batch: DataFrame, _: int) -> None:
        for row in batch.where("data is not null").collect():
            if row.node == REPORT:
                books.add(unpacked(bytes(row.data)))
        held.append(sum(books.held.values()))

    parcels = pipeline.parcels(reporting=True).writeStream.foreachBatch(take)
    query = parcels.option("checkpointLocation", str(tmp_path / "checkpoint")).start()
    query.processAllAvailable()
    rows = [
        sum(op["numRowsTotal"] for op in told["stateOperators"]) for told in query.recentProgress
    ]
    query.stop()
    session.conf.unset(many)
    assert len(held) >= 80
    assert set(rows[2:]) == {1}  # one for each group, which holds what is open
    assert 0 < max(held) < 200  # 45 tuples a batch, each in two windows of 10 ms
    assert max(held[60:]) <= max(held[:20])
