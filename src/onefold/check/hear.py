"""Hearing the sides: what each of them says to each case, in as few goes as possible."""

from __future__ import annotations

from collections.abc import Sequence

from onefold.check.case import Case
from onefold.check.chain import chain, may_be_chained
from onefold.check.compare import compare
from onefold.check.players import Player
from onefold.check.sides import Said, Side

AT_ONCE = 2
"""How many queries of own code run side by side."""


def by_player(sides: Sequence[Side]) -> list[tuple[Player, list[Side]]]:
    """Return the players, and the sides of each."""
    players = {id(side.player): side.player for side in sides}
    return [(each, [s for s in sides if s.player is each]) for each in players.values()]


def hear(sides: Sequence[Side], cases: Sequence[Case]) -> list[list[Said | None]]:
    """Return what each side says to each case; None where it is not asked.

    All sides of an engine are played together: on Spark, in one query. Own code is played in chains
    of cases, each a query.
    """
    said: dict[int, list[Said | None]] = {}
    for player, mine in by_player(sides):
        if player.own_code:
            said |= {id(side): _in_chains(side, cases) for side in mine}
        else:
            said |= _together(player, mine, cases)
    return [said[id(side)] for side in sides]


def _together(
    player: Player, sides: Sequence[Side], cases: Sequence[Case]
) -> dict[int, list[Said | None]]:
    asked = [(side, n, case) for side in sides for n, case in enumerate(cases) if side.takes(case)]
    said: dict[int, list[Said | None]] = {id(side): [None] * len(cases) for side in sides}
    scripts = [(side.plan, side.steps(case)) for side, _, case in asked]
    played = player.play(scripts) if scripts else []
    for (side, n, case), made in zip(asked, played):
        said[id(side)][n] = side.said(case, made)
    return said


def _in_chains(side: Side, cases: Sequence[Case]) -> list[Said | None]:
    """Play own code; where a function of the pipeline fails, there is nothing to compare with."""
    said: list[Said | None] = [None] * len(cases)
    asked = [n for n, case in enumerate(cases) if side.takes(case) and side.expected(case).sound]
    if len(asked) == 1 or not may_be_chained(side.defined):
        for n, made in zip(asked, side.play([cases[n] for n in asked]) if asked else []):
            said[n] = side.said(cases[n], made)
        return said
    while asked:
        size = -(-len(asked) // AT_ONCE)
        groups = [asked[at : at + size] for at in range(0, len(asked), size)]
        for n, each in _chained(side, groups, cases):
            said[n] = each
            asked.remove(n)
    return said


def _chained(
    side: Side, groups: Sequence[Sequence[int]], cases: Sequence[Case]
) -> list[tuple[int, Said]]:
    """Return what was said to the cases of some chains, of each up to the first error."""
    heard = []
    chains = [chain([cases[n] for n in group], side.defined) for group in groups]
    for group, each, made in zip(groups, chains, side.play([each.case for each in chains])):
        steps, expected = side.steps(each.case), side.expected(each.case).made
        for n, part in zip(group, each.parts):
            of = slice(part.start, part.stop)
            difference = compare(side.defined, steps[of], expected[of], made[of], side.how)
            heard.append((n, Said(side, expected[of], made[of], difference)))
            if any(step.errors for step in made[of]):
                break
    return heard
