"""An assertion: an engine keeps every rule of the model."""

from __future__ import annotations

from collections.abc import Iterable

from onefold.check.conformance.asked import answers, chosen, differing, questions, told
from onefold.check.players import Player, player
from onefold.check.suite import Outcome

MOST_TOLD = 5


def assert_conforms(engine: str | Player, operators: Iterable[str] | None = None) -> list[Outcome]:
    """Assert that an engine keeps the rules of these operators, or all; return how it did.

    An engine is `reference`, `spark`, `file.py:name`, or what `streaming_engine` and
    `bounded_engine` return. It is put to every rule in each implementation that it runs.

    >>> len(assert_conforms("reference", ["filter"]))
    6
    """
    judged = engine if isinstance(engine, Player) else player(engine)
    outcomes = answers(questions([judged], chosen(operators)))
    if wrong := differing(outcomes):
        broken, asked = _rules(wrong), _rules(each for each in outcomes if each.said)
        text = [f"{judged.name} breaks {broken} of {asked} rules"]
        for each in wrong[:MOST_TOLD]:
            text += ["", *told(each)]
        if len(wrong) > MOST_TOLD:
            text += ["", *(f"{each.side.name}: {each.rule}" for each in wrong[MOST_TOLD:])]
        raise AssertionError("\n".join(text))
    return outcomes


def _rules(outcomes: Iterable[Outcome]) -> int:
    return len({id(each.rule) for each in outcomes})
