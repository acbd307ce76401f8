"""The conformance table: onefold on Spark keeps every rule, plain PySpark does as the page says."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from onefold.check.conformance.asked import answers
from onefold.check.conformance.deviations import deviation
from onefold.check.conformance.table import SAME
from onefold.check.conformance.usual import PACKAGE, WAYS, usual_questions, ways
from onefold.check.suite import RULES, Rule
from onefold.testing.conformance import assert_conforms

PAGE = (Path(__file__).parents[2] / "docs" / "conformance.md").read_text(encoding="utf-8")
TITLES = dict(re.findall(r"^### (\d+)\. (.*)$", PAGE, re.MULTILINE))
ASKED = (
    "aggregate: boundaries: a window begins at its left boundary",
    "aggregate: lateness: a tuple whose window is gone goes to the late stream",
    "join: windows are aligned: near is not enough",
    "join: per-window pairs: once for every window that holds both",
    "join: keys: null equals null",
)


@pytest.mark.usefixtures("session")
def test_onefold_on_spark_keeps_every_rule() -> None:
    outcomes = assert_conforms("spark")
    assert len(outcomes) == 3 * len(RULES)
    assert all(each.said for each in outcomes)


def on_the_page(rule: Rule) -> dict[str, str]:
    """What the page says of each construct: the same, or the title of a deviation."""
    part = PAGE.split(f"| **{rule.operator}** |")[1].split("| **")[0]
    cell = re.search(rf"^\| {re.escape(rule.name)} \|.*\| ([^|]*) \|$", part, re.MULTILINE)
    assert cell
    marks = re.findall(rf"(?:({SAME})|\[(\d+)\]\(\S+\)) `([^`]+)`", cell[1])
    return {construct: TITLES[number] if number else SAME for _, number, construct in marks}


@pytest.mark.usefixtures("session")
def test_plain_pyspark_does_what_the_page_says() -> None:
    rules = [rule for rule in RULES if str(rule) in ASKED]
    assert len(rules) == len(ASKED)
    found: dict[str, dict[str, str]] = {str(rule): {} for rule in rules}
    for each in answers(usual_questions(rules)):
        what = deviation(each)
        found[str(each.rule)][each.side.name] = what.title if what else SAME
    assert found == {str(rule): on_the_page(rule) for rule in rules}
    assert found["join: windows are aligned: near is not enough"] == {
        "join on window": SAME,
        "interval join": "An interval join pairs across windows",
    }


def test_the_page_says_what_was_asked_of_every_rule() -> None:
    for rule in RULES:
        assert list(on_the_page(rule)) == [each.construct for each in ways(rule)], rule


def test_every_function_of_plain_pyspark_is_asked(session: SparkSession) -> None:
    used = {(way.module, way.function) for rule in RULES for way in ways(rule)}
    written = {
        (module, name)
        for module in {way.module for several in WAYS.values() for way in several}
        for name, each in vars(import_module(f"{PACKAGE}.{module}")).items()
        if inspect.isfunction(each) and each.__module__.startswith(PACKAGE) and name[0] != "_"
    }
    assert used == written
