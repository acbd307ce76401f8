"""The judge: what it tries, how it compares, how it shrinks, what it says."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from pipelines_to_check import counted, joined, lenient, s, sliding, totals

import onefold as of
from onefold.check.case import Arrival, Case, Cut, Promise
from onefold.check.causes import KNOWN
from onefold.check.compare import Judged, compare
from onefold.check.definition import define
from onefold.check.generate import Taste, generate
from onefold.check.judge import NothingHeard, Verdict, judge
from onefold.check.players import (
    REFERENCE,
    Player,
    UnknownEngine,
    bounded_engine,
    player,
    streaming_engine,
)
from onefold.check.report import lines
from onefold.check.rules import Rules
from onefold.check.shrink import shrink
from onefold.check.sides import sides_of
from onefold.check.small import small_cases
from onefold.check.timeline import timeline
from onefold.cli.check import command
from onefold.cli.replay import command as replay_command
from onefold.core.plan import Implementation, Plan, plan
from onefold.core.records import Tuple
from onefold.core.time import END_OF_TIME
from onefold.engines.steps import Made, Step
from onefold.stream import Stream

PIPELINES = Path(__file__).parent / "pipelines_to_check.py"
ALL = list(Implementation)
NAMES = (
    "filtered", "mapped", "flat_mapped", "counted", "sliding", "lenient", "first_and_last",
    "joined", "united", "united_count", "totals", "looped", "late", "by_number",
    "late_on_the_left", "copied",
)  # fmt: skip


def check(stream: Stream, *players: Player, cases: int = 300, seed: int = 1) -> Verdict:
    tested = plan(stream.node)
    verdict = Verdict(tested, sides_of(tested, players, ALL), seed=seed)
    return judge(verdict, [generate(tested, seed, n) for n in range(cases)])


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments)


def mistaken(rules: Rules) -> Player:
    """An engine that follows other rules."""

    def play(tested: Plan, steps: Sequence[Step]) -> list[Made]:
        return define(tested, steps, rules=rules)

    return streaming_engine("mistaken", play, ["dedicated"])


# What it tries.


def test_the_same_seed_gives_the_same_streams() -> None:
    tested = plan(counted.node)
    assert [generate(tested, 5, n) for n in range(20)] == [
        generate(tested, 5, n) for n in range(20)
    ]
    assert [generate(tested, 5, n) for n in range(20)] != [
        generate(tested, 6, n) for n in range(20)
    ]


def test_streams_are_of_every_kind() -> None:
    tested = plan(joined.node)
    cases = [generate(tested, 0, n) for n in range(400)]
    tuples = [[tuple(each.tuple) for each in case.arrivals] for case in cases]
    values = {value for of_one in tuples for row in of_one for value in row[1:]}
    times = {row[0] for of_one in tuples for row in of_one}
    assert any(not of_one for of_one in tuples)
    assert any(len(of_one) > len(set(of_one)) for of_one in tuples)
    assert any(len({row[1] for row in of_one}) == 1 for of_one in tuples if len(of_one) > 3)
    assert any(not case.in_time for case in cases)
    assert any(case.promises and case.in_time for case in cases)
    assert any(each.watermark == END_OF_TIME for case in cases for each in case.promises)
    assert any([row[0] for row in of_one] != sorted(row[0] for row in of_one) for of_one in tuples)
    assert {None, "", "a"} <= values
    assert max(len(value) for value in values if isinstance(value, str)) > 1_000
    assert {0, 9, 10, -1, -10} <= times
    assert {len(case.steps()) for case in cases} >= {1, 2, 3, 8}


def test_streams_without_late_tuples_have_none() -> None:
    tested = plan(joined.node)
    assert all(generate(tested, 0, n, Taste(late=False)).in_time for n in range(300))


def test_streams_for_spark_have_one_watermark_and_begin_after_1970() -> None:
    taste = Taste(one_watermark=True, negative=False)
    for n in range(200):
        case = generate(plan(joined.node), 0, n, taste)
        assert all(each.tuple.time > 0 for each in case.arrivals)
        for step in case.steps():
            assert len(set(step.watermarks.values())) <= 1


def test_what_functions_name_is_tried() -> None:
    chosen = s.filter(lambda t: t.k == "rare" and t.n == 4711)
    verdict = check(chosen, REFERENCE)
    assert verdict.same
    assert verdict.emitted


def test_no_stream_makes_a_stateful_operator_emit_without_end() -> None:
    ticking = s.stateful(
        "n int", period=10, create=lambda t: 1, add=lambda n, t: n + 1,
        merge=lambda n, m: n + m, output=lambda n: (n,),
    ).aggregate(lambda w: (1,), "n int", size="1 d")  # fmt: skip
    assert check(ticking, REFERENCE, cases=20).same


def test_every_small_stream() -> None:
    tested = plan(counted.node)
    cases = list(small_cases(tested, 2, late=True))
    assert len(cases) == len(set(cases))
    assert max(len(case.arrivals) for case in cases) == 2
    assert any(not case.in_time for case in cases)
    assert all(case.in_time for case in small_cases(tested, 2, late=False))


# No false alarms. 10,000 streams and more are tried by hand: docs/check.md.


@pytest.mark.parametrize("name", NAMES)
def test_our_own_implementations_are_the_same(name: str) -> None:
    result = invoke(f"{PIPELINES}:{name}", "--cases", "150", "--seed", "11")
    assert result.exit_code == 0, result.output
    assert result.output.startswith("same on 150 generated streams (")


# How it compares.


def made(*outputs: Sequence[Tuple]) -> list[Made]:
    return [Made(list(each)) for each in outputs]


def row(time: int, k: str = "a", n: int = 1) -> Tuple:
    return s.type.make(time, (k, n))


END = Step({}, {"s": END_OF_TIME})


@pytest.mark.parametrize("early", [True, False])
def test_a_tuple_that_never_comes_is_missing(*, early: bool) -> None:
    found = compare(plan(s.node), [END], made([row(3)]), made([]), Judged(early=early))
    assert found
    assert found.missing == (row(3),)


def test_a_tuple_may_be_early_only_where_that_is_allowed() -> None:
    steps = [Step({}, {"s": 3}), END]
    late, early = made([], [row(3)]), made([row(3)], [])
    assert compare(plan(s.node), steps, late, early, Judged(early=True)) is None
    assert compare(plan(s.node), steps, late, early, Judged(early=False))
    assert compare(plan(s.node), steps, late, early, Judged(bounded=True)) is None


def test_a_tuple_that_the_watermark_has_passed_is_due() -> None:
    steps = [Step({}, {"s": 4}), END]
    found = compare(plan(s.node), steps, made([row(3)], []), made([], [row(3)]), Judged(early=True))
    assert found
    assert (found.step, found.missing) == (0, (row(3),))


def test_equal_tuples_are_counted() -> None:
    found = compare(plan(s.node), [END], made([row(3), row(3)]), made([row(3)]))
    assert found
    assert found.missing == (row(3),)


# How it shrinks.


def test_shrinking_finds_the_one_tuple_that_matters() -> None:
    tested = plan(counted.node)

    def has_a_b(cases: Sequence[Case]) -> list[bool]:
        return [any(each.tuple.k == "b" for each in case.arrivals) for case in cases]

    big = next(
        case
        for case in (generate(tested, 0, n) for n in range(100))
        if len(case.arrivals) > 8 and has_a_b([case])[0]
    )
    for at_once in (1, 50):
        small = shrink(big, tested, has_a_b, at_once=at_once, enough=lambda: False)
        assert small.events == (Arrival("s", row(0, "b", 0)),)


def test_shrinking_stops_when_it_is_told() -> None:
    tested = plan(counted.node)
    case = generate(tested, 0, 1)
    assert shrink(case, tested, lambda cases: [True] * len(cases), enough=lambda: True) == case


# What it finds, and what it says.


@pytest.mark.parametrize(("rules", "text"), KNOWN, ids=[text[:30] for _, text in KNOWN])
def test_every_known_cause_is_found_and_named(rules: Rules, text: str) -> None:
    suffering = {
        "pairs": joined, "nan_is_a_key": None, "fires_again": lenient, "gone_after": lenient,
        "in_order": None,
    }  # fmt: skip
    changed = next(name for name in vars(rules) if getattr(rules, name) != getattr(Rules(), name))
    stream = suffering.get(changed, sliding)
    if changed == "nan_is_a_key":
        x = of.source("x", "x double")
        stream = x.aggregate(lambda w: (len(w.tuples),), "c int", key=["x"], size=10)
    if changed == "in_order":
        stream = s.aggregate(lambda w: (w.tuples[0].n,), "n int", size=10)
    verdict = check(stream, mistaken(rules), cases=500)
    assert verdict.found, text
    assert len(verdict.found.case.arrivals) <= 3
    assert verdict.found.cause == text


def test_a_function_that_changes_its_mind_is_named() -> None:
    calls: Iterator[int] = iter(range(10**9))
    moody = s.map(lambda t: (next(calls),), "n int")
    verdict = check(moody, REFERENCE)
    assert verdict.found
    assert "something else each time" in str(verdict.found.cause)


def test_an_engine_that_fails_is_a_difference() -> None:
    def play(tested: Plan, steps: Sequence[Step]) -> list[Made]:
        if len(steps) > 2:
            raise RuntimeError("out of luck")
        return define(tested, steps)

    verdict = check(counted, streaming_engine("unlucky", play, ["dedicated"]))
    assert verdict.found
    text = "\n".join(lines(verdict))
    assert "the engine failed: RuntimeError: out of luck" in text
    assert "dedicated on unlucky fails" in text


def test_a_pipeline_that_fails_must_fail_everywhere() -> None:
    def more(window: of.Window) -> tuple[str, int]:
        return window.key.k, window.key.n + 1

    endless = s.filter(lambda t: t.n is not None).aggregate_loop(
        more, key=["k", "n"], size=1, lateness=1, limit=20
    )
    assert check(endless, REFERENCE, cases=30).same

    def play(tested: Plan, steps: Sequence[Step]) -> list[Made]:
        return [Made() for _ in steps]

    verdict = check(endless, streaming_engine("calm", play, ["dedicated"]), cases=30)
    assert "it goes on, and must fail" in "\n".join(lines(verdict))


def test_an_engine_that_leaves_out_steps_is_a_difference() -> None:
    verdict = check(counted, streaming_engine("short", lambda tested, steps: [], ["dedicated"]))
    assert "left out a step" in "\n".join(lines(verdict))


def test_a_bounded_engine_is_judged_by_whole_streams_in_time() -> None:
    def run(tested: Plan, inputs: object) -> list[Tuple]:
        steps = [Step(dict(inputs)), Step({}, dict.fromkeys(tested.sources, END_OF_TIME))]
        [found] = REFERENCE.play([(tested, steps)])
        return [t for each in found for t in each.output]

    assert check(totals, bounded_engine("whole", run)).same
    verdict = check(counted, bounded_engine("forgetful", lambda *given: run(*given)[1:]))
    assert verdict.found
    assert len(verdict.found.case.arrivals) == 1


def test_what_functions_fail_on_is_set_aside_and_told() -> None:
    strict = s.map(lambda t: (len(t.k),), "n int")
    verdict = check(strict, REFERENCE)
    assert verdict.same
    assert verdict.failed
    text = "\n".join(lines(verdict))
    assert "a function of the pipeline failed" in text
    assert "TypeError" in text


def test_a_function_that_always_fails_is_no_verdict() -> None:
    with pytest.raises(NothingHeard, match="nothing came out"):
        check(s.map(lambda t: (t.nothing,), "n int"), REFERENCE, cases=50)


def test_a_pipeline_that_emits_nothing_is_told() -> None:
    text = "\n".join(lines(check(s.filter(lambda t: False), REFERENCE, cases=50)))
    assert "emitted nothing" in text


def test_the_timeline_shows_tuples_watermarks_and_windows() -> None:
    case = Case(
        ("s",),
        (Arrival("s", row(3)), Promise("s", 10), Arrival("s", row(9, "b")), Cut()),
    )
    assert timeline(plan(counted.node), case.steps()) == [
        "step                     0   3   9   10",
        "   windows of aggregate  [───────────)",
        '1  s  "a", 1                 ●',
        "   s  watermark                      ▲",
        '2  s  "b", 1                     ○',
        "3  end",
        "● a tuple   ○ one behind the watermark   ▲ a watermark",
    ]


# The command.


def test_the_verdict_for_machines() -> None:
    told = json.loads(invoke(f"{PIPELINES}:counted", "--json", "--cases", "20").output)
    assert told["same"] is True
    assert told["tried"]["streams"] == 20
    assert told["seed"] == 0


def test_given_files_are_checked(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_text("".join(f'{{"time": {n}, "k": "a", "n": {n}}}\n' for n in range(100)))
    result = invoke(f"{PIPELINES}:sliding", "--input", f"s={file}")
    assert result.exit_code == 0, result.output
    assert "same on 3 given streams (300 tuples, 18 watermarks" in result.output


def test_small_streams_are_checked() -> None:
    result = invoke(f"{PIPELINES}:counted", "--exhaustive", "2")
    assert result.exit_code == 0
    assert "; all of up to 2 tuples" in result.output


ENGINE = """
from onefold.check.definition import define
from onefold.check.rules import Rules
from onefold.testing import bounded_engine, streaming_engine

early = streaming_engine(
    "early", lambda plan, steps: define(plan, steps, rules=Rules(fires_after=-1)), ["dedicated"]
)
no_engine = 7
"""


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("engine.py").write_text(ENGINE, encoding="utf-8")
    return Path("engine.py")


def test_an_engine_of_yours_is_judged_saved_and_replayed(engine: Path) -> None:
    result = invoke(f"{PIPELINES}:counted", "--engines", "engine.py:early", "--save", "case.yaml")
    assert result.exit_code == 1
    assert "dedicated on early differs from the definition" in result.output
    assert "fire one tick early" in result.output
    again = CliRunner().invoke(replay_command, ["case.yaml", "--engine", "engine.py:early"])
    assert again.exit_code == 1
    assert "unexpected [9," in again.output
    assert CliRunner().invoke(replay_command, ["case.yaml"]).exit_code == 0


BOUNDED = """
from onefold.check.definition import define
from onefold.core.time import END_OF_TIME
from onefold.engines.steps import Step
from onefold.testing import bounded_engine


def run(plan, inputs):
    steps = [Step(dict(inputs)), Step({}, dict.fromkeys(plan.sources, END_OF_TIME))]
    return [t for made in define(plan, steps) for t in made.output]


whole = bounded_engine("whole", run, ["dedicated"])
twice = bounded_engine("twice", lambda *given: 2 * run(*given), ["dedicated"])
"""


def test_a_bounded_engine_is_replayed_by_its_end(engine: Path) -> None:
    Path("bounded.py").write_text(BOUNDED, encoding="utf-8")
    result = invoke(f"{PIPELINES}:counted", "--engines", "bounded.py:twice", "--save", "case.yaml")
    assert result.exit_code == 1
    assert "unexpected [9," in result.output
    again = CliRunner().invoke(replay_command, ["case.yaml", "--engine", "bounded.py:twice"])
    assert again.exit_code == 1
    assert "unexpected [9," in again.output
    sound = CliRunner().invoke(replay_command, ["case.yaml", "--engine", "bounded.py:whole"])
    assert sound.exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--engines", "sparc"], "did you mean 'spark'?"),
        (["--engines", "none"], "there is no one to compare"),
        (["--engines", "engine.py:no_engine"], "is an int, not an engine"),
        (["--engines", "engine.py:earl"], "did you mean 'early'?"),
        (["--implementations", "agregate"], "there is no implementation 'agregate'"),
        (["--implementations", "aggregate", "--engines", "engine.py:early"], "no engine runs any"),
        (["--input", "s=none.jsonl"], "there is no file none.jsonl"),
        (["--input", "t=none.jsonl"], "the pipeline has no source 't'"),
        (["--generate", "--input", "s=none.jsonl"], "exclude each other"),
        (["--against", "engine.py:no_engine"], "is an int, not a function"),
    ],
)
def test_a_mistake_is_told(arguments: list[str], text: str, engine: Path) -> None:
    result = invoke(f"{PIPELINES}:counted", *arguments)
    assert result.exit_code == 2
    assert text in result.output


def test_engines_have_names(engine: Path) -> None:
    assert player("reference") is REFERENCE
    assert player("engine.py:early").where == "engine.py:early"
    with pytest.raises(UnknownEngine):
        player("refrence")


def test_a_slow_player_plays_the_first_short_streams() -> None:
    slow = replace(REFERENCE, most=10, longest=3)
    played: list[int] = []

    def play(scripts: Sequence[tuple[Plan, Sequence[Step]]]) -> list[list[Made]]:
        played.extend(len(steps) for _, steps in scripts)
        return REFERENCE.play(scripts)

    assert check(counted, replace(slow, play=play)).same
    assert len(played) <= 10 * len(ALL)
    assert max(played) <= 3
