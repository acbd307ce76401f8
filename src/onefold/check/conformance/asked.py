"""Putting rules to sides: all that an engine is asked, it plays at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from onefold.check.case import Case
from onefold.check.causes import cause
from onefold.check.judge import Found
from onefold.check.players import Player
from onefold.check.report import found_lines
from onefold.check.sides import Said, Side, sides_of
from onefold.check.suite import RULES, Outcome, Rule
from onefold.core.errors import OnefoldError
from onefold.core.near import did_you_mean
from onefold.core.plan import Implementation

Tell = Callable[[str], None]
"""Is told what goes on."""

IMPLEMENTATIONS = (
    Implementation.DEDICATED,
    Implementation.AGGREGATE_PLUS,
    Implementation.AGGREGATE,
)


FIRST = ("aggregate", "aggregate_plus", "late", "join", "stateful", "distinct", "union")
"""The operators that a reader looks for."""


class UnknownOperator(OnefoldError):
    """A name of an operator that no rule is about."""


@dataclass(frozen=True)
class Question:
    """A rule, put to a side."""

    rule: Rule
    side: Side


def operators() -> list[str]:
    """Return the operators that rules are about, as a reader would have them."""
    named = dict.fromkeys(rule.operator for rule in RULES)
    return [
        *(each for each in FIRST if each in named),
        *(each for each in named if each not in FIRST),
    ]


def chosen(names: Iterable[str] | None = None) -> list[Rule]:
    """Return the rules of these operators, or all; those of one operator stand together."""
    known = operators()
    wanted = known if names is None else list(names)
    for name in wanted:
        if name not in known:
            raise UnknownOperator(
                f"there is no rule of an operator {name!r}",
                hint=did_you_mean(name, known, f"there are {', '.join(known)}"),
            )
    return [rule for name in known if name in wanted for rule in _by_subject(name)]


def _by_subject(operator: str) -> list[Rule]:
    """Return the rules of an operator, those about one thing together."""
    mine = [rule for rule in RULES if rule.operator == operator]
    subjects = list(dict.fromkeys(_subject(rule) for rule in mine))
    return sorted(mine, key=lambda rule: subjects.index(_subject(rule)))


def _subject(rule: Rule) -> str:
    before, colon, _ = rule.name.partition(":")
    return before if colon else ""


def questions(players: Iterable[Player], rules: Iterable[Rule]) -> list[Question]:
    """Return each rule for every implementation that an engine runs, as it stands."""
    listed = list(players)
    return [
        Question(rule, side)
        for rule in rules
        for side in sides_of(rule.plan, listed, IMPLEMENTATIONS)
        if not side.rewritten
    ]


def answers(asked: Sequence[Question], tell: Tell = lambda _: None) -> list[Outcome]:
    """Return how each side did; one call for each engine, in the order of the questions."""
    said: dict[int, Said | None] = {}
    for player in {id(each.side.player): each.side.player for each in asked}.values():
        mine = [n for n, each in enumerate(asked) if each.side.player is player]
        tell(f"{player.name}: {len(mine)} questions")
        found = says([(asked[n].side, asked[n].rule.case) for n in mine])
        said.update(zip(mine, found))
    return [Outcome(each.rule, each.side, said[n]) for n, each in enumerate(asked)]


def says(asked: Sequence[tuple[Side, Case]]) -> list[Said | None]:
    """Return what sides of one engine say to cases; None where one takes no such case."""
    taken = [(side, case) for side, case in asked if side.takes(case)]
    if not taken:
        return [None for _ in asked]
    made = taken[0][0].player.play([(side.plan, side.steps(case)) for side, case in taken])
    heard = iter(made)
    return [side.said(case, next(heard)) if side.takes(case) else None for side, case in asked]


def differing(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Return those that differ."""
    return [each for each in outcomes if each.difference]


def told(outcome: Outcome) -> list[str]:
    """Draw a rule's case, and say what was expected and what came."""
    assert outcome.said
    case = outcome.rule.case
    found = Found(case, outcome.said, [], cause(outcome.said, case), 0)
    head = f"{outcome.side.name} breaks a rule. {outcome.rule}"
    return [head, *(f"  {line}".rstrip() for line in found_lines(found))]
