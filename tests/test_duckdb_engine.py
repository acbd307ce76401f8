"""An engine that has one primitive, done by DuckDB in SQL, gives what every operator means."""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

import onefold as of
import oracle
import specs
import strategies
from onefold.check.players import player
from onefold.check.steps import Expect, Input, Watermark
from onefold.check.transcript import Case, Transcript, read_transcript
from onefold.core.errors import LoopNeverEnds
from onefold.core.lower import lower
from onefold.core.plan import Implementation, Plan
from onefold.core.time import END_OF_TIME
from onefold.engines.steps import Made, Step
from onefold.operators.loop import LoopAggregation
from oracle import multiset

HERE = Path(__file__).parent
EXAMPLE = HERE.parent / "examples" / "duckdb_engine.py"
PAGE = HERE.parent / "docs" / "engines.md"
ENGINE = player(f"{EXAMPLE}:engine")

Rows = Mapping[str, Sequence[Any]]


def played(plan: Plan, inputs: Rows) -> Made:
    """Return what the engine makes of whole streams."""
    nodes = plan.sources.items()
    tuples = {name: [node.type.read(row) for row in inputs.get(name, ())] for name, node in nodes}
    ((made,),) = ENGINE.play([(plan, [Step(tuples, dict.fromkeys(tuples, END_OF_TIME))])])
    return made


def run(stream: of.Stream, inputs: Rows) -> list[Any]:
    made = played(of.lower(stream, "aggregate"), inputs)
    assert made.errors == []
    return made.output


def rows_of(stream: of.Stream, *rows: Any) -> list[tuple[Any, ...]]:
    """Return what comes out of a stream over the source `s`, in order."""
    return sorted(map(tuple, run(stream, {"s": rows})))


def without_watermarks(case: strategies.Case) -> list[Any]:
    """Return all that a case must emit if no watermark comes before the end."""
    meanings: list[list[Any]] = []
    for each in case.operators:
        if isinstance(each, specs.Source):
            names = specs.names(each.type)
            meanings.append([oracle.row(names, t[0], t[1:]) for t in case.inputs[each.name]])
        else:
            meanings.append(each.meaning(None, *(meanings[n] for n in each.inputs)))
    return meanings[-1]


def tries(examples: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Try random cases; LAW_TRIES=10 in the environment tries ten times as many."""
    examples *= int(os.environ.get("LAW_TRIES", "1"))
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large]
    chosen = settings(max_examples=examples, deadline=None, suppress_health_check=slow)
    return lambda test: chosen(given(data=st.data())(test))


def agrees(case: strategies.Case) -> None:
    note(str(case))
    assert multiset(run(case.stream(), case.inputs)) == multiset(without_watermarks(case))


@tries(16)
def test_random_pipelines_emit_what_the_oracle_says(data: st.DataObject) -> None:
    agrees(data.draw(strategies.cases(operators=3, tuples=6)))


@pytest.mark.parametrize("kind", strategies.ALL)
@tries(2)
def test_every_operator_means_what_the_oracle_says(kind: str, data: st.DataObject) -> None:
    agrees(data.draw(strategies.cases(last=kind, operators=0, tuples=6)))


@pytest.mark.parametrize("kind", ["aggregate", "join"])
@tries(2)
def test_keys_are_equal_by_value_and_by_nothing_else(kind: str, data: st.DataObject) -> None:
    agrees(data.draw(strategies.alike(kind)))


# Transcripts: where no tuple is late, all that is expected on the way is there at the end.


def transcripts() -> Iterator[Any]:
    for file in sorted((HERE / "transcripts").glob("*.yaml")):
        transcript = read_transcript(file)
        cases = [case for case in transcript.cases if counts(case, transcript.plan)]
        if cases:
            yield pytest.param(transcript, cases, id=file.stem)


def counts(case: Case, plan: Plan) -> bool:
    """Say whether the end of a case tells all: no tuple is late, and it is not about failing.

    A watermark that runs ahead of the last tuple makes custom state emit on.
    """
    watermarks = dict.fromkeys(plan.sources, -math.inf)
    newest = -math.inf
    for step in case.steps:
        if isinstance(step, Watermark):
            watermarks[step.source] = max(watermarks[step.source], step.watermark)
        elif isinstance(step, Input):
            newest = max(newest, *(t.time for t in step.tuples), -math.inf)
            if any(t.time < watermarks[step.source] for t in step.tuples):
                return False
    loops = [n for n in lower(plan, Implementation.AGGREGATE).nodes if type(n) is LoopAggregation]
    states = any(loop.loop.after_end is not None for loop in loops)
    in_step = max(watermarks.values()) <= newest or not states
    return case.fails is None and not case.mistakes and in_step


TRANSCRIPTS = list(transcripts())


@pytest.mark.parametrize(("transcript", "cases"), TRANSCRIPTS)
def test_transcripts_end_as_they_say(transcript: Transcript, cases: list[Case]) -> None:
    plan = lower(transcript.plan, Implementation.AGGREGATE)
    for case in cases:
        inputs: dict[str, list[Any]] = {name: [] for name in plan.sources}
        expected: Counter[Any] = Counter()
        for step in case.steps:
            match step:
                case Input(source=source, tuples=tuples):
                    inputs[source] += tuples
                case Expect(tuples=tuples):
                    expected.update(tuples)
        made = played(plan, inputs)
        assert made.errors == [], case.name
        assert Counter(made.output) == expected, case.name


def test_most_transcripts_are_among_them() -> None:
    assert len(TRANSCRIPTS) >= 20
    assert sum(len(each.values[1]) for each in TRANSCRIPTS) >= 60


# Cases by hand.


def count(window: Any) -> Any:
    return window.left, len(window.tuples)


NUMBERS = of.source("s", "n int")


@pytest.mark.parametrize(
    ("time", "size", "advance", "lefts"),
    [
        (-1, 5, 5, [-5]),
        (-5, 5, 5, [-5]),
        (-6, 5, 2, [-10, -8, -6]),
        (0, 10, 10, [0]),
        (1, 10, 4, [-8, -4, 0]),
        (3, 10, 4, [-4, 0]),
        (1, 1, 1, [1]),
        (1_999_999_999, 2_000_000_000, 2_000_000_000, [0]),  # more than 32 bits in between
    ],
)
def test_a_tuple_falls_in_every_window_that_holds_its_time(
    time: int, size: int, advance: int, lefts: list[int]
) -> None:
    counts = NUMBERS.aggregate(count, "left bigint, n int", size=size, advance=advance)
    assert rows_of(counts, (time, 7)) == [(left + size - 1, left, 1) for left in lefts]


def test_time_reaches_to_the_year_2500_and_to_its_ends() -> None:
    moment = int(datetime(2500, 1, 1, tzinfo=UTC).timestamp()) * 1000
    counts = NUMBERS.aggregate(count, "left bigint, n int", size="1 h")
    first, last = -(2**62) + 1, 2**62 - 1
    given = [(moment, 1), (moment + 5, 1), (first, 1), (last, 1)]
    lefts = [(first - first % 3_600_000, 1), (moment, 2), (last - last % 3_600_000, 1)]
    assert rows_of(counts, *given) == [(left + 3_599_999, left, n) for left, n in lefts]


def test_a_window_is_ordered_by_time_and_then_by_value() -> None:
    mixed = of.source("s", "x double, a array<int>")

    def seen(window: Any) -> Any:
        return (repr([tuple(t) for t in window.tuples]),)

    nan = float("nan")
    lists = [(2, None, each) for each in ((1,), (1, None), (1, 0))]
    reals = [(2, each, ()) for each in (-1.5, 0.0, 2.0, nan)]
    ordered = [(1, 9.0, ()), (2, None, None), *lists, *reals, (3, None, None)]
    for rows in (ordered, ordered[::-1]):
        assert rows_of(mixed.aggregate(seen, "s string", size=10), *rows) == [(9, repr(ordered))]


@pytest.mark.parametrize(
    ("kind", "equal", "other"),
    [
        ("double", [float("nan"), -float("nan")], [None, 0.0]),
        ("double", [0.0, -0.0], [None, 1.0]),
        ("string", [None, None], ["None", ""]),
        ("array<double>", [[float("nan"), None], (float("nan"), None)], [[float("nan")], [], None]),
        ("struct<a: int, b: string>", [(1, None), {"a": 1, "b": None}], [(None, None), None]),
        ("string", ["a','b", "a','b"], ["a", "a','"]),
        ("binary", [b"\0", b"\0"], [b"", b"0"]),
    ],
)
def test_keys_are_equal_by_value(kind: str, equal: list[Any], other: list[Any]) -> None:
    keyed = of.source("s", f"k {kind}")
    counts = keyed.aggregate(lambda w: (len(w.tuples),), "n int", key=["k"], size=10)
    given = [(1, each) for each in (*equal, *other)]
    assert rows_of(counts, *given) == [(9, 1)] * len(other) + [(9, len(equal))]


def test_true_and_one_are_one_key() -> None:
    alike = {0: True, 1: 1, 2: 1.0, 3: "1", 4: (1,), 5: [True]}
    counts = NUMBERS.aggregate(
        lambda w: (len(w.tuples),), "n int", key=lambda t: alike[t.n], size=10
    )
    assert rows_of(counts, *((1, n) for n in alike)) == [(9, 1), (9, 2), (9, 3)]


def test_equal_tuples_each_count() -> None:
    twice = NUMBERS.flat_map(lambda t: [(t.n,), (t.n,)], "n int")
    assert rows_of(twice, (1, 7), (1, 7), (2, 7)) == [(1, 7)] * 4 + [(2, 7)] * 2


def test_a_stream_feeds_many_and_meets_itself() -> None:
    small = NUMBERS.filter(lambda t: t.n < 5)
    both = small.union(small.map(lambda t: (t.n + 10,), "n int"), small)
    assert rows_of(both, (1, 3), (2, 8)) == [(1, 3), (1, 3), (1, 13)]


def test_no_tuple_comes_no_tuple_goes() -> None:
    pairs = NUMBERS.join(of.source("r", "n int"), "n int, m int", key=["n"], size=10)
    sums = NUMBERS.stateful(
        "n int", period=10, extra_periods=3, create=lambda t: t.n, add=lambda n, t: n + t.n,
        merge=lambda n, m: n + m, output=lambda n: (n,),
    )  # fmt: skip
    halves = NUMBERS.aggregate_loop(lambda w: None, size=5, lateness=1)
    assert [rows_of(stream) for stream in (pairs, sums, halves)] == [[], [], []]


def test_nothing_is_late() -> None:
    sums = NUMBERS.aggregate(count, "left bigint, n int", size=10)
    assert rows_of(sums.late.map(lambda t: (t.n,), "n int"), (100, 1), (-100, 2)) == []


def test_state_goes_on_to_the_last_period_of_any_key_and_the_extra_ones() -> None:
    sums = NUMBERS.stateful(
        "n int, total int", key=["n"], period=10, extra_periods=1,
        create=lambda t: (t.n, 1), add=lambda s, t: (s[0], s[1] + 1),
        merge=lambda s, other: (s[0], s[1] + other[1]), output=lambda s: s,
    )  # fmt: skip
    wanted = [(0, 1, 1), (10, 1, 2), (20, 1, 2), (20, 2, 1), (30, 1, 2), (30, 2, 1)]
    assert rows_of(sums, (-3, 1), (0, 1), (10, 2)) == wanted


def test_a_window_takes_in_what_earlier_ones_sent_round() -> None:
    """Windows of 4 every 2. [-2, 2) sends 1 round, and is silent when it sees it; so the rest."""

    def next_one(window: Any) -> Any:
        most = max(t.n for t in window.tuples)
        mine = any(t.time == window.right - 1 for t in window.tuples)
        return None if mine or most > 3 else (most + 1,)

    grown = NUMBERS.aggregate_loop(next_one, size=4, advance=2, lateness=1)
    wanted = [(1, 1), (3, 2), (5, 3), (7, 4)]
    assert rows_of(grown, (0, 0)) == wanted == sorted(map(tuple, of.run(grown, {"s": [(0, 0)]})))


def test_what_comes_round_comes_one_by_one() -> None:
    """Both x and y send a tuple to z, whose window fires again for each."""
    named = of.source("s", "k string, n int")

    def send(window: Any) -> Any:
        key, count = window.key.k, len(window.tuples)
        return ("z", window.tuples[0].n) if key in "xy" else ("end", count) if key == "z" else None

    met = named.aggregate_loop(send, key=["k"], size=10, lateness=1)
    wanted = [(9, "end", 1), (9, "end", 2), (9, "z", 5), (9, "z", 6)]
    assert rows_of(met, (1, "x", 5), (2, "y", 6)) == wanted


def in_its_window(window: Any) -> Any:
    return (window.key.n + 1,)


def to_the_right(window: Any) -> Any:
    return None if any(t.time == window.right - 1 for t in window.tuples) else (0,)


@pytest.mark.parametrize(
    ("function", "key", "advance"), [(in_its_window, ["n"], 4), (to_the_right, None, 2)]
)
def test_a_loop_without_an_end_is_stopped(function: Any, key: Any, advance: int) -> None:
    endless = NUMBERS.loop(
        lambda s: s.aggregate(function, "n int", key=key, size=4, advance=advance, lateness=1),
        limit=8,
    )
    (error,) = played(of.lower(endless, "aggregate"), {"s": [(0, 1)]}).errors
    assert isinstance(error, LoopNeverEnds)
    assert "went round 8 times" in str(error)
    with pytest.raises(LoopNeverEnds):
        of.run(endless, {"s": [(0, 1)]})


def test_what_a_function_fails_on_is_set_aside() -> None:
    inverse = NUMBERS.aggregate(
        lambda w: (1 // w.tuples[0].n,), "n int", key=lambda t: 10 // t.n, size=10
    )
    made = played(
        of.lower(inverse.map(lambda t: (t.n,), "n int"), "aggregate"), {"s": [(1, 0), (2, 1)]}
    )
    assert list(map(tuple, made.output)) == [(9, 1)]
    assert ["ZeroDivisionError" in str(error) for error in made.errors] == [True]


def test_other_plans_are_refused() -> None:
    made = played(of.lower(NUMBERS.filter(lambda t: True), "dedicated"), {"s": []})
    assert "no part of a plan lowered to aggregate" in str(made.errors[0])


# The file is there to be read.


def test_it_is_short() -> None:
    assert len(EXAMPLE.read_text(encoding="utf-8").splitlines()) < 150


def test_the_page_on_engines_quotes_it_word_for_word() -> None:
    page, example = PAGE.read_text(encoding="utf-8"), EXAMPLE.read_text(encoding="utf-8")
    section = page.partition("## One in less than 150 lines")[2].partition("\n## ")[0]
    quoted = re.findall(r"^```(?:python|sql)\n(.*?)^```", section, re.DOTALL | re.MULTILINE)
    assert len(quoted) >= 4
    assert [each for each in quoted if each not in example] == []
