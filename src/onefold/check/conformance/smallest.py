"""The smallest case that shows a deviation.

A rule's own case is small already. It is shrunk as long as the difference stays of its kind, with
as many tuples expected, missing and unexpected. If a known cause explains all outcomes of a
deviation, the cause predicts what the engine says to smaller cases, and the engine plays the
smallest. Otherwise the engine is asked, a few times: so many cases, not so many seconds, so that a
slow machine finds the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from onefold.check.case import Case
from onefold.check.causes import KNOWN
from onefold.check.conformance.asked import says
from onefold.check.judge import Found
from onefold.check.rules import Rules
from onefold.check.shrink import shrink
from onefold.check.sides import Said, Side
from onefold.check.suite import Outcome
from onefold.core.errors import OnefoldError

PREDICTED, PLAYED, AT_ONCE = 3000, 12, 4
"""How many cases are predicted, how many played, and how many of those at once."""

Cause = tuple[Rules, str]
Kind = tuple[object, ...]


def smallest(outcomes: Sequence[Outcome]) -> Found:
    """Return the smallest case that shows what these outcomes do."""
    known = common_cause(outcomes)
    if known:
        cases = [(_predicted(each, known), each) for each in outcomes]
        case, first = min(cases, key=lambda each: len(each[0].events))
    else:
        first = min(outcomes, key=lambda each: len(each.rule.case.events))
        case = _played(first)
    assert first.said
    said = says([(first.side, case)])[0]
    if said is None or _kind(said) != _kind(first.said) or not _fits(said, case, known):
        case, said = first.rule.case, first.said
    return Found(case, said, [], known[1] if known else None, 0)


def common_cause(outcomes: Sequence[Outcome]) -> Cause | None:
    """Return the first known mistake that explains all of several outcomes."""
    for known in KNOWN:
        if all(each.said and _fits(each.said, each.rule.case, known) for each in outcomes):
            return known
    return None


def _fits(said: Said, case: Case, known: Cause | None) -> bool:
    """Say whether a known mistake, if there is one, explains all that a side said."""
    if known is None:
        return True
    try:
        explained = said.side.expected(case, known[0]).made
    except OnefoldError:
        return False
    return said.side.difference(case, explained, said.made) is None


def _kind(said: Said | None) -> Kind | None:
    """Return what must stay as it is in a difference; None if there is none."""
    if said is None or (difference := said.difference) is None:
        return None
    so_far = sum(len(each.output) for each in said.expected[: difference.step + 1])
    error = type(difference.error)
    return difference.what, so_far, len(difference.missing), len(difference.unexpected), error


def _alike(case: Case, own: Case) -> bool:
    """Say whether a case stays where the rule's own one is.

    That is above time 0, where Spark's watermark begins, and without late tuples.
    """
    above = _above_zero(case) or not _above_zero(own)
    return above and (case.in_time or not own.in_time)


def _above_zero(case: Case) -> bool:
    return all(each.tuple.time > 0 for each in case.arrivals)


def _predicted(outcome: Outcome, known: Cause) -> Case:
    """Return the smallest case for which a known mistake makes a difference of the same kind."""
    rounds, own, kind = count(), outcome.rule.case, _kind(outcome.said)

    def differs(cases: Sequence[Case]) -> list[bool]:
        said = [_prediction(outcome.side, case, known) for case in cases]
        return [_kind(each) == kind and _alike(case, own) for each, case in zip(said, cases)]

    return shrink(
        own,
        outcome.side.defined,
        differs,
        enough=lambda: next(rounds) >= PREDICTED,
    )


def _prediction(side: Side, case: Case, known: Cause) -> Said | None:
    """Return what a side says if it makes a known mistake."""
    try:
        expected, made = side.expected(case).made, side.expected(case, known[0]).made
    except OnefoldError:
        return None
    return Said(side, expected, made, side.difference(case, expected, made))


def _played(outcome: Outcome) -> Case:
    """Return the smallest case found by asking the side itself."""
    rounds, own, kind = count(), outcome.rule.case, _kind(outcome.said)

    def differs(cases: Sequence[Case]) -> list[bool]:
        asked = [case for case in cases if _alike(case, own)]
        said = dict(zip(asked, says([(outcome.side, case) for case in asked])))
        return [case in said and _kind(said[case]) == kind for case in cases]

    return shrink(
        own,
        outcome.side.defined,
        differs,
        at_once=AT_ONCE,
        enough=lambda: next(rounds) >= PLAYED // AT_ONCE,
    )
