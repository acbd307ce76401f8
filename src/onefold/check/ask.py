"""Asking the judge: who is compared, and on which streams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from onefold.check.case import Case
from onefold.check.generate import MOST_WINDOWS, Taste, generate, lengths
from onefold.check.judge import Tell, Verdict, judge, silent
from onefold.check.players import Player
from onefold.check.sides import sides_of
from onefold.core.errors import OnefoldError
from onefold.core.plan import Implementation, Plan
from onefold.core.values import listed

CASES = 500


class NoSides(OnefoldError):
    """No engine that runs any of the implementations: there is no one to compare."""


def verdict_on(
    tested: Plan, players: Sequence[Player], implementations: Sequence[Implementation]
) -> Verdict:
    """Return a verdict that is still to be found, on all sides that there are."""
    sides = sides_of(tested, players, implementations)
    if not sides:
        names = listed([each.value for each in implementations])
        raise NoSides(f"no engine runs any of these implementations: {names}")
    return Verdict(tested, sides)


def on_generated_streams(
    tested: Plan,
    players: Sequence[Player],
    implementations: Sequence[Implementation],
    *,
    cases: int | None = None,
    seed: int = 0,
    late: bool = True,
    tell: Tell = silent,
) -> Verdict:
    """Judge on generated streams; if a number of cases is given, slow players play them all."""
    if cases is not None and cases < 1:
        raise NoSides(f"{cases} streams were asked for: there is nothing to compare")
    if cases is not None:
        players = [replace(each, most=None) for each in players]
    verdict = verdict_on(tested, players, implementations)
    verdict.seed = seed
    own = all(each.own_code for each in players)
    taste = Taste(late=late, one_watermark=own, negative=not own)
    count = _affordable(tested) if cases is None else cases
    made: list[Case] = [generate(tested, seed, n, taste) for n in range(count)]
    return judge(verdict, made, tell=tell)


def _affordable(tested: Plan) -> int:
    """Return how many streams to try: fewer where a tuple falls in very many windows."""
    windows = max(each.size // each.advance for each in lengths(tested))
    return max(10, min(CASES, CASES * MOST_WINDOWS // windows))
