"""The conformance table: rules with their answers, who keeps them, and what is said of others.

Spark's part is in `spark/test_spark_conformance.py`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from onefold.check.conformance.asked import UnknownOperator, chosen, operators
from onefold.check.conformance.table import conformance, lines
from onefold.check.definition import define
from onefold.check.players import REFERENCE, bounded_engine, streaming_engine
from onefold.check.suite import RULES, Rule
from onefold.cli import cli
from onefold.core.plan import Plan
from onefold.core.records import Tuple
from onefold.engines.reference import Engine
from onefold.engines.steps import Made, Step
from onefold.testing.conformance import assert_conforms


def counted(rows: Iterable[Iterable[Any]]) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(row) for row in rows)


@pytest.mark.parametrize("composed", [False, True], ids=["dedicated", "composed"])
@pytest.mark.parametrize("rule", RULES, ids=str)
def test_the_answers_written_by_hand_are_those_of_the_definitions(
    rule: Rule, *, composed: bool
) -> None:
    made = define(rule.plan, rule.case.steps(), composed=composed)
    read = rule.plan.output.type.read
    assert counted(t for each in made for t in each.output) == counted(map(read, rule.output))
    late = [tuple(t)[1:] for each in made for t in each.late]
    assert counted(late) == counted(row[1:] for row in rule.late)


def test_every_operator_has_its_rules() -> None:
    assert {
        "aggregate", "aggregate_plus", "distinct", "filter", "flat_map", "join", "late", "loop",
        "map", "stateful", "union",
    } == set(operators())  # fmt: skip
    assert len(set(map(str, RULES))) == len(RULES) == len(chosen()) > 50
    assert {rule.operator for rule in chosen(["join", "loop"])} == {"join", "loop"}
    with pytest.raises(UnknownOperator, match="'joins'\n  Hint: did you mean 'join'"):
        chosen(["joins"])


def test_the_reference_engine_conforms() -> None:
    outcomes = assert_conforms("reference")
    assert len(outcomes) == 3 * len(RULES)
    assert all(each.said for each in outcomes)


def played(plan: Plan, steps: Sequence[Step]) -> Iterator[Made]:
    (made,) = REFERENCE.play([(plan, steps)])
    yield from made


def forgetful(plan: Plan, steps: Sequence[Step]) -> Iterator[Made]:
    """The reference engine, but what comes out with the last step is lost."""
    *made, last = played(plan, steps)
    yield from made
    yield Made([], last.late)


DRAWN = """
dedicated on forgetful breaks a rule. aggregate: boundaries: size need be no multiple of advance
    step                     0   4   7   10   14
       windows of aggregate  [───────────)
                                 [────────────)
    1  s  "a", 1                     ●
    2  end
    ● a tuple   ○ one behind the watermark   ▲ a watermark

  By the end of step 2, whoever runs it has emitted:
    the definition          [9, "a", 1]  [13, "a", 1]
    dedicated on forgetful  nothing
"""


def test_an_engine_that_loses_the_last_results_is_caught() -> None:
    broken = streaming_engine("forgetful", forgetful, ["dedicated"])
    with pytest.raises(AssertionError) as caught:
        assert_conforms(broken, ["aggregate"])
    text = str(caught.value)
    assert text.startswith("forgetful breaks 12 of 20 rules\n")
    assert DRAWN in text
    assert "the end of the stream does not fire the windows that are still open" in text
    assert text.splitlines()[-1] == (
        "dedicated on forgetful: aggregate: watermarks: a tuple at the watermark is in time"
    )


def test_an_engine_that_fails_is_caught() -> None:
    def failing(plan: Plan, steps: Sequence[Step]) -> Iterator[Made]:
        raise KeyError("gone")
        yield

    with pytest.raises(AssertionError, match="the engine failed: KeyError"):
        assert_conforms(streaming_engine("failing", failing), ["filter"])


def whole(plan: Plan, inputs: Any) -> list[Tuple]:
    engine = Engine(plan)
    for source, tuples in inputs.items():
        engine.process(source, tuples)
    engine.end(*inputs)
    return engine.take_output()


def test_an_engine_for_bounded_streams_is_not_asked_about_late_tuples() -> None:
    engine = bounded_engine("whole", whole)
    outcomes = assert_conforms(engine, ["aggregate", "loop"])
    left = {each.rule.name for each in outcomes if each.said is None}
    assert left >= {"lateness: a tuple whose window is gone goes to the late stream"}
    assert len(left) < len(outcomes)
    *_, summary = lines(conformance([engine], chosen(["aggregate"]), tell=silent))
    assert summary == "whole: 14 of 14 rules as the model says, in A; 6 not asked"


def silent(_: str) -> None:
    """Listen to nothing."""


def invoke(*options: str) -> Result:
    return CliRunner().invoke(cli, ["conformance", *options], catch_exceptions=False)


def test_the_command_on_the_reference_engine(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    done = invoke("--operators", "join,union", "--markdown", str(page))
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[:4] == [
        f"{'':59}reference",
        f"{'':59}D  A+  A",
        "join",
        f"{'  pairs tuples of one window':59}✓  ✓   ✓",
    ]
    assert done.stdout.splitlines()[-1] == (
        "reference: 10 of 10 rules as the model says, in D, A+ and A"
    )
    assert "| keys: null equals null | ✓ ✓ ✓ |" in page.read_text(encoding="utf-8")
    told = json.loads(invoke("--operators", "union", "--json", "--quiet").stdout)
    assert told["conforms"]
    assert told["rules"][0]["sides"]["aggregate-plus on reference"] == {"same": True}
    assert invoke("--operators", "union", "--quiet").stderr == ""
    assert "there is no one to ask" in invoke("--engines", "none").output


BROKEN = """
from onefold.check.players import REFERENCE
from onefold.testing import streaming_engine

def play(plan, steps):
    *made, last = REFERENCE.play([(plan, steps)])[0]
    yield from made
    last.output.clear()
    yield last

engine = streaming_engine("mine", play, ["aggregate"])
"""


def test_an_engine_that_breaks_a_rule_fails_the_command(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(BROKEN, encoding="utf-8")
    done = invoke("--engines", f"reference,{file}:engine", "--operators", "map,join")
    assert done.exit_code == 1
    assert f"\n{'  keeps the time of a tuple':59}✓  ✓   ✓    ✗\n" in done.stdout
    assert "mine: 2 of 10 rules as the model says, in A" in done.stdout
    assert "aggregate on mine breaks a rule. join: pairs tuples of one window" in done.stdout
    assert done.stdout.endswith("… and 5 more\n")
    done = invoke("--engines", f"{file}:engine", "--operators", "map", "--json")
    assert done.exit_code == 1
    first = json.loads(done.stdout)["rules"][0]["sides"]["aggregate on mine"]
    assert (first["same"], first["missing"]) == (False, [{"time": 3, "k": "a", "n": 4}])
