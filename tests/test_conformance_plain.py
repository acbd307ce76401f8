"""Plain PySpark in the conformance table, played by the definition with a mistake in its rules.

What Spark itself does is asked in `spark/test_spark_conformance.py`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from onefold.check.conformance import usual
from onefold.check.conformance.asked import answers, chosen
from onefold.check.conformance.deviations import DEVIATIONS, UNKNOWN, deviation
from onefold.check.conformance.page import page
from onefold.check.conformance.smallest import smallest
from onefold.check.conformance.table import Table, conformance, lines
from onefold.check.conformance.usual import NOTHING, Way, usual_questions, ways
from onefold.check.definition import define
from onefold.check.players import Script
from onefold.check.rules import Pairs, Rules
from onefold.check.suite import RULES
from onefold.engines.steps import Made

PAGE = Path(__file__).parents[1] / "docs" / "conformance.md"


def silent(_: str) -> None:
    """Listen to nothing."""


def mistaken(rules: Rules = Rules(), *, late: bool = True) -> Any:  # noqa: B008
    def play(way: Way, scripts: Sequence[Script]) -> list[list[Made]]:
        made = [define(plan, steps, rules=rules) for plan, steps in scripts]
        for each in (each for steps in made for each in steps if not late):
            each.late.clear()
        return made

    return play


def asked(monkeypatch: pytest.MonkeyPatch, play: Any, *of: str) -> Table:
    monkeypatch.setattr(usual, "_play", play)
    return conformance([], chosen(of or None), plain=True, tell=silent)


def titles(table: Table) -> list[str]:
    return [each.title for each in table.shown]


def test_every_pipeline_is_written_in_plain_pyspark_or_there_is_a_reason() -> None:
    for rule in RULES:
        assert bool(ways(rule)) != (rule.operator in NOTHING), rule
    constructs = {way.construct for rule in chosen(["map", "filter"]) for way in ways(rule)}
    assert constructs == {"select", "where"}


def test_plain_code_that_does_as_the_model_says_shows_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = asked(monkeypatch, mistaken())
    left = {str(each.rule): each.side.name for each in table.usual or () if each.difference}
    assert list(left) == [  # those are played without an end
        "aggregate: end of stream: windows that are open fire",
        "stateful: end of stream: it ends with the last period that holds a tuple of any key",
    ]
    assert titles(table) == ["A stream has no end"]
    assert list(lines(table))[-3] == (
        "plain PySpark: 47 of 52 rules as the model says, in at least one way to write it; 2 in "
        "none; 3 without a construct"
    )


@pytest.mark.parametrize(
    ("operator", "mistake", "title", "rows"),
    [
        ("join", {"rules": Rules(null_is_a_key=False)}, "Null keys never join", 2),
        (
            "join",
            {"rules": Rules(pairs=Pairs.INTERVAL)},
            "An interval join pairs across windows",
            2,
        ),
        ("aggregate", {"late": False}, "Late rows are lost", 2),
        ("aggregate", {"rules": Rules(fires_again=False)}, "A window never fires again", 2),
        ("aggregate", {"rules": Rules(in_order=False)}, "collect_list keeps no order", 2),
    ],
)
def test_a_mistake_is_known_and_drawn_small(
    monkeypatch: pytest.MonkeyPatch, operator: str, mistake: Any, title: str, rows: int
) -> None:
    table = asked(monkeypatch, mistaken(**mistake), operator)
    ((what, outcomes),) = [each for each in table.shown.items() if each[0].title == title]
    found = smallest(outcomes)
    assert found.first.difference
    assert len(found.case.arrivals) == rows
    assert all(each.tuple.time > 0 for each in found.case.arrivals)
    assert bool(found.cause) == ("rules" in mistake)
    assert all(deviation(each) is what for each in outcomes)


def test_a_smaller_case_that_spark_does_not_confirm_is_not_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = asked(monkeypatch, mistaken(Rules(null_is_a_key=False)), "join")
    outcomes = next(each for what, each in table.shown.items() if "Null" in what.title)
    monkeypatch.setattr(usual, "_play", mistaken())
    found = smallest(outcomes)
    assert found.case == outcomes[0].rule.case
    assert found.first.difference


def test_a_difference_that_nobody_described_is_shown_as_such(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = asked(monkeypatch, mistaken(Rules(output_after=0)), "aggregate_plus")
    assert list(table.shown) == [UNKNOWN]
    assert "### 1. Not described yet" in page(table)


def test_the_page_draws_what_plain_pyspark_does_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    table = asked(monkeypatch, mistaken(Rules(null_is_a_key=False)), "join", "loop")
    written = page(table)
    assert "| 1 | [Null keys never join](#1-null-keys-never-join) | Rows without a key" in written
    assert "| – | No construct for `loop` | A Spark query has no cycles." in written
    assert "| pairs tuples of one window | ✓ `join on window`, ✓ `interval join` |" in written
    assert (
        """
```
step                0   1   10
   windows of join  [───────)
1  left  null, 0        ●
   right  null, 0       ●
2  end

emitted, by the end of step 2:
  the model       [9, null, 0, 0]
  join on window  nothing
```

Known cause: null does not equal null in its keys, as in SQL.
"""
        in written
    )
    assert page(table) == written
    assert any("1  Null keys never join: A join" in line for line in lines(table))


def test_an_outcome_as_the_model_says_is_no_deviation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usual, "_play", mistaken())
    outcomes = answers(usual_questions(chosen(["filter"])))
    assert [deviation(each) for each in outcomes] == [None, None]


def test_the_page_in_the_docs_has_every_rule_and_every_deviation() -> None:
    """`make conformance` writes it; what Spark does is asked in `spark/`."""
    written = PAGE.read_text(encoding="utf-8")
    for rule in RULES:
        row = rf"^\| {re.escape(rule.name)} \| ✓ ✓ ✓ \| ✓ ✓ ✓ \|"
        assert re.search(row, written, re.MULTILINE), rule
    for number, each in enumerate(DEVIATIONS, start=1):
        assert f"### {number}. {each.title}\n\n{each.instead}\n" in written
        assert f"| {each.matters} |" in written
    assert UNKNOWN.title not in written
