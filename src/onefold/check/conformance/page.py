"""The page: the table in Markdown, and each deviation of plain PySpark drawn."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version

from onefold.check.conformance.deviations import Deviation
from onefold.check.conformance.smallest import smallest
from onefold.check.conformance.table import (
    PLAIN,
    SAME,
    SHORT,
    Table,
    engine_summary,
    grouped,
    plain_summary,
)
from onefold.check.conformance.usual import NOTHING, UPDATED, Usual
from onefold.check.judge import Found
from onefold.check.players import Player
from onefold.check.rows import write_row
from onefold.check.suite import Outcome, Rule
from onefold.check.timeline import LATE, TUPLE, WATERMARK, timeline
from onefold.core.values import listed

Smallest = Callable[[list[Outcome]], Found]
MODEL = "the model"
NAMES = {"reference": "onefold", "spark": "onefold on Spark"}
CODE = "../src/onefold/engines/spark/usual"


def page(table: Table, smaller: Smallest = smallest) -> str:
    """Return the page; it says no time and no seed, so that it only changes when a result does."""
    parts = _head(table), _differently(table), _rules(table), _drawn(table, smaller)
    return "\n".join(line for part in parts for line in part).rstrip() + "\n"


def _head(table: Table) -> Iterator[str]:
    yield "# Conformance"
    yield ""
    yield (
        f"Each of the {len(table.rules)} rules of [the model](model.md) is a small stream with its "
        "answer written by hand. The table says who gives that answer, batch by batch: onefold's "
        "engines in every implementation, and plain PySpark as people write it."
    )
    yield ""
    yield from (f"- {engine_summary(table, each, NAMES)}" for each in table.players)
    if table.usual is not None:
        yield f"- {plain_summary(table)}"
    yield ""
    spark = any(each.name == "spark" for each in table.players) or table.usual is not None
    on = f"Spark {version('pyspark')}, " if spark else ""
    python = f"Python {sys.version_info.major}.{sys.version_info.minor}"
    yield (
        f"Made by `make conformance` with {on}{python}. Put your own engine to the rules with "
        "`onefold conformance --engines mine.py:engine`, or in a test with "
        "`onefold.testing.assert_conforms`."
    )
    yield ""


def _differently(table: Table) -> Iterator[str]:
    if table.usual is None:
        return
    yield "## What plain PySpark does otherwise"
    yield ""
    yield "| | plain PySpark | why it matters |"
    yield "|---|---|---|"
    for number, each in enumerate(table.shown, start=1):
        yield f"| {number} | [{each.title}](#{_anchor(number, each)}) | {each.matters} |"
    for operator, reason in NOTHING.items():
        yield f"| – | No construct for `{operator}` | {reason} |"
    yield ""
    yield (
        f"[The code that was judged]({CODE}) is written as users write it. Spark gets the "
        "watermarks that the rules tell: the least over all sources, as its default policy has it, "
        f"and in update mode {UPDATED.updates} ms less, as `withWatermark` has it. In place of the "
        "end of a stream, which it does not know, it gets a watermark far in the future, as people "
        "do to flush a bounded run; for the rules of the end itself it gets none."
    )
    yield ""


def _rules(table: Table) -> Iterator[str]:
    yield "## The rules"
    yield ""
    short = listed([f"{head} ({each.value})" for each, head in SHORT.items()])
    yield (
        f"An engine has a mark for each implementation that it runs: {short}. {SAME} is as the "
        "model says, and a number is a deviation from the list above."
    )
    yield ""
    names = [NAMES.get(each.name, each.name) for each in table.players]
    names += [PLAIN] * (table.usual is not None)
    yield f"| rule | {' | '.join(names)} |"
    yield "|---|" + "---|" * len(names)
    for operator, rules in grouped(table.rules).items():
        yield f"| **{operator}** |" + " |" * len(names)
        for rule in rules:
            cells = [_marks(table, rule, each) for each in table.players]
            cells += [_plain(table, rule)] if table.usual is not None else []
            yield f"| {rule.name} | {' | '.join(cells)} |"
    yield ""


def _marks(table: Table, rule: Rule, player: Player) -> str:
    return " ".join(table.marks(rule, player))


def _plain(table: Table, rule: Rule) -> str:
    if not (ways := table.ways(rule)):
        return "– no construct"
    return ", ".join(f"{_mark(table, each)} `{each.side.name}`" for each in ways)


def _mark(table: Table, outcome: Outcome) -> str:
    if (number := table.number(outcome)) is None:
        return SAME
    return f"[{number}](#{_anchor(number, list(table.shown)[number - 1])})"


def _anchor(number: int, deviation: Deviation) -> str:
    """Return what GitHub makes of a heading.

    >>> from onefold.check.conformance.deviations import DEVIATIONS
    >>> _anchor(1, DEVIATIONS[0])
    '1-a-stream-has-no-end'
    """
    kept = re.sub(r"[^\w\- ]", "", f"{number}. {deviation.title}".lower())
    return kept.replace(" ", "-")


def _drawn(table: Table, smaller: Smallest) -> Iterator[str]:
    if not table.shown:
        return
    yield "## The deviations, drawn"
    yield ""
    yield (
        "Each on the smallest stream that was found: event time from left to right, steps from top "
        f"to bottom; {TUPLE} a tuple, {LATE} one behind the watermark, {WATERMARK} a watermark. A "
        "step is a micro-batch of tuples, and then watermarks. A result is `[time, value, …]`."
    )
    yield ""
    for number, (each, outcomes) in enumerate(table.shown.items(), start=1):
        yield f"### {number}. {each.title}"
        yield ""
        yield each.instead
        yield ""
        found = smaller(outcomes)
        yield "```"
        yield from (line.rstrip() for line in _drawing(found))
        yield "```"
        yield ""
        if found.cause:
            yield f"Known cause: {found.cause}."
            yield ""
        yield _where(outcomes)
        yield ""


def _drawing(found: Found) -> Iterator[str]:
    """Draw a case, and say what the model and Spark make of it."""
    said, difference = found.first, found.first.difference
    assert difference
    *drawn, _ = timeline(said.side.defined, said.side.steps(found.case))
    yield from drawn
    yield ""
    if difference.error:
        yield f"{said.side.name} fails in step {difference.step + 1}: {difference.error}"
        return
    late = difference.what == "late"
    what = "on the late stream" if late else "emitted"
    yield f"{what}, by the end of step {difference.step + 1}:"
    width = max(len(MODEL), len(said.side.name))
    for name, made in ((MODEL, said.expected), (said.side.name, said.made)):
        steps = made[: difference.step + 1]
        tuples = [t for each in steps for t in (each.late if late else each.output)]
        rows = sorted(tuples, key=lambda t: (t.time, write_row(t)))
        yield f"  {name:<{width}}  {'  '.join(map(write_row, rows)) or 'nothing'}"


def _where(outcomes: list[Outcome]) -> str:
    """Say which code shows it, and by how many rules."""
    ways = [each.side.way for each in outcomes if isinstance(each.side, Usual)]
    code = listed(list(dict.fromkeys(f"[`{w.construct}`]({CODE}/{w.module}.py)" for w in ways)))
    rules = len({str(each.rule) for each in outcomes})
    return f"Shown by {code}, in {rules} rule{'s' * (rules > 1)}."
