"""The table: every rule against every side, for people and for machines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from onefold.check.conformance.asked import (
    IMPLEMENTATIONS,
    Tell,
    answers,
    differing,
    questions,
    told,
)
from onefold.check.conformance.deviations import Deviation, deviation, shown
from onefold.check.conformance.usual import NOTHING, usual_questions
from onefold.check.players import Player
from onefold.check.suite import Outcome, Rule
from onefold.core.plan import Implementation
from onefold.core.records import as_dict
from onefold.core.values import listed

SAME, OTHER, NOT_ASKED = "✓", "✗", "–"
SHORT = {
    Implementation.DEDICATED: "D",
    Implementation.AGGREGATE_PLUS: "A+",
    Implementation.AGGREGATE: "A",
}
MOST_TOLD = 3
PLAIN = "plain PySpark"


@dataclass(frozen=True)
class Table:
    """How all sides did by the rules."""

    rules: Sequence[Rule]
    players: Sequence[Player]
    outcomes: Sequence[Outcome]
    """Those of the engines."""
    usual: Sequence[Outcome] | None
    """Those of plain PySpark; None if it was not asked."""

    @property
    def conforms(self) -> bool:
        """Whether every engine keeps every rule. Plain PySpark is not meant to."""
        return not differing(self.outcomes)

    @cached_property
    def shown(self) -> dict[Deviation, list[Outcome]]:
        """What plain PySpark does otherwise."""
        return shown(self.usual or ())

    def number(self, outcome: Outcome) -> int | None:
        """Return the number of the deviation that an outcome shows."""
        found = deviation(outcome)
        return list(self.shown).index(found) + 1 if found else None

    def marks(self, rule: Rule, player: Player) -> list[str]:
        """Return how an engine did by a rule, in each of its implementations."""
        return [
            NOT_ASKED if each.said is None else OTHER if each.difference else SAME
            for each in self.outcomes
            if each.rule is rule and each.side.player is player
        ]

    def ways(self, rule: Rule) -> list[Outcome]:
        """Return how plain PySpark did by a rule, in each way that people write it."""
        return [each for each in self.usual or () if each.rule is rule]


def conformance(
    players: Sequence[Player], rules: Sequence[Rule], *, plain: bool = False, tell: Tell
) -> Table:
    """Put rules to engines, and to plain PySpark."""
    outcomes = answers(questions(players, rules), tell)
    usual = answers(usual_questions(rules), tell) if plain else None
    return Table(rules, players, outcomes, usual)


def grouped(rules: Iterable[Rule]) -> dict[str, list[Rule]]:
    """Return the rules of each operator."""
    found: dict[str, list[Rule]] = {}
    for rule in rules:
        found.setdefault(rule.operator, []).append(rule)
    return found


def heads(player: Player) -> list[str]:
    """Return the implementations that an engine runs, in short."""
    return [SHORT[each] for each in IMPLEMENTATIONS if each in player.implementations]


def engine_summary(table: Table, player: Player, names: Mapping[str, str] | None = None) -> str:
    """Return how an engine did, in a line, under a name that readers know."""
    name = (names or {}).get(player.name, player.name)
    marks = [table.marks(rule, player) for rule in table.rules]
    asked = [each for each in marks if set(each) - {NOT_ASKED}]
    same = sum(OTHER not in each for each in asked)
    left = f"; {len(marks) - len(asked)} not asked" if len(asked) < len(marks) else ""
    how = f"{same} of {len(asked)} rules as the model says"
    return f"{name}: {how}, in {listed(heads(player))}{left}"


def plain_summary(table: Table) -> str:
    """Return how plain PySpark did, in a line."""
    several = [table.ways(rule) for rule in table.rules]
    nothing = sum(not ways for ways in several)
    same = sum(any(not each.difference for each in ways) for ways in several)
    other = len(several) - nothing - same
    return (
        f"{PLAIN}: {same} of {len(several)} rules as the model says, in at least one way to write "
        f"it; {other} in none; {nothing} without a construct"
    )


def lines(table: Table) -> Iterator[str]:
    """Write the table for a terminal."""
    width = max(len(rule.name) for rule in table.rules) + 2
    columns = [(each, max(len(each.name), len("  ".join(heads(each))))) for each in table.players]
    plain = [PLAIN] if table.usual is not None else []
    named = "   ".join([*(f"{each.name:<{wide}}" for each, wide in columns), *plain])
    short = "   ".join(f"{'  '.join(heads(each)):<{wide}}" for each, wide in columns)
    yield f"{'':<{width}}  {named}".rstrip()
    yield f"{'':<{width}}  {short}".rstrip()
    for operator, rules in grouped(table.rules).items():
        yield operator
        for rule in rules:
            cells = [f"{_spread(table.marks(rule, each), each):<{wide}}" for each, wide in columns]
            cells += [_plain_cell(table, rule)] if plain else []
            yield f"  {rule.name:<{width - 2}}  {'   '.join(cells)}".rstrip()
    yield ""
    yield from (engine_summary(table, each) for each in table.players)
    if plain:
        yield plain_summary(table)
        yield ""
        yield from (
            f"{number:>2}  {each.title}: {each.instead}"
            for number, each in enumerate(table.shown, start=1)
        )
    yield from problems(table)


def problems(table: Table) -> Iterator[str]:
    """Draw the first rules that engines break."""
    wrong = differing(table.outcomes)
    for each in wrong[:MOST_TOLD]:
        yield ""
        yield from told(each)
    if len(wrong) > MOST_TOLD:
        yield ""
        yield f"… and {len(wrong) - MOST_TOLD} more"


def _spread(marks: list[str], player: Player) -> str:
    return "  ".join(f"{mark:<{len(head)}}" for mark, head in zip(marks, heads(player)))


def _plain_cell(table: Table, rule: Rule) -> str:
    ways = table.ways(rule)
    written = [f"{_mark(table.number(each))} {each.side.name}" for each in ways]
    return ", ".join(written) or "no construct"


def _mark(number: int | None) -> str:
    return SAME if number is None else f"({number})"


def as_json(table: Table) -> dict[str, Any]:
    """Return the table for machines."""
    whole: dict[str, Any] = {
        "conforms": table.conforms,
        "engines": [engine_summary(table, each) for each in table.players],
        "rules": [_rule_as_json(table, rule) for rule in table.rules],
    }
    if table.usual is not None:
        whole["deviations"] = [
            {"number": n, "title": each.title, "instead": each.instead, "matters": each.matters}
            for n, each in enumerate(table.shown, start=1)
        ]
    return whole


def _rule_as_json(table: Table, rule: Rule) -> dict[str, Any]:
    sides = [each for each in table.outcomes if each.rule is rule]
    row: dict[str, Any] = {
        "operator": rule.operator,
        "rule": rule.name,
        "sides": {each.side.name: _outcome_as_json(each) for each in sides},
    }
    if table.usual is not None:
        row["plain"] = {
            each.side.name: _outcome_as_json(each) | {"deviation": table.number(each)}
            for each in table.ways(rule)
        } or NOTHING.get(rule.operator)
    return row


def _outcome_as_json(outcome: Outcome) -> dict[str, Any]:
    if outcome.said is None:
        return {"same": None}
    if (found := outcome.difference) is None:
        return {"same": True}
    return {
        "same": False,
        "step": found.step + 1,
        "what": found.what,
        "missing": [as_dict(t) for t in found.missing],
        "unexpected": [as_dict(t) for t in found.unexpected],
        "error": str(found.error) if found.error else None,
    }
