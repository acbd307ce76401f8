"""The judge: plays cases on all sides, and finds the smallest one where a side differs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from onefold.check.case import Case, Cut
from onefold.check.causes import cause
from onefold.check.hear import by_player, hear
from onefold.check.players import Player
from onefold.check.shrink import shrink
from onefold.check.sides import Said, Side
from onefold.core.errors import OnefoldError
from onefold.core.functions import Failure
from onefold.core.plan import Plan


class Unsteady(OnefoldError):
    """Somebody's code that answers the same stream in different ways."""


@dataclass
class Tried:
    """How much was tried."""

    streams: int = 0
    tuples: int = 0
    watermarks: int = 0
    cuts: int = 0
    late: int = 0
    """How many tuples came behind a watermark."""
    empty: int = 0

    def add(self, case: Case) -> None:
        """Count a case."""
        self.streams += 1
        self.tuples += len(case.arrivals)
        self.watermarks += len(case.promises)
        self.cuts += sum(isinstance(each, Cut) for each in case.events)
        self.late += sum(1 for _ in case.late_arrivals())
        self.empty += not case.arrivals


@dataclass(frozen=True)
class Found:
    """A case on which a side differs, and what every side said to it."""

    case: Case
    first: Said
    others: list[Said]
    cause: str | None
    number: int
    """Which of the cases it was that showed it first."""


@dataclass
class Verdict:
    """What the judge has to say."""

    plan: Plan
    sides: list[Side]
    tried: Tried = field(default_factory=Tried)
    seed: int | None = None
    """What the streams were made from; None for those that were given."""
    exhaustive: int | None = None
    found: Found | None = None
    failures: list[Failure] = field(default_factory=list)
    """What the user's functions failed on: set aside, on all sides."""
    failed: int = 0
    """In how many streams that happened."""
    emitted: int = 0
    """How many tuples the definition says are emitted."""

    @property
    def same(self) -> bool:
        """Whether no difference was found."""
        return self.found is None

    def __str__(self) -> str:
        from onefold.check.report import lines  # it reads verdicts

        return "\n".join(lines(self))


Tell = Callable[[str, int, int], None]
"""Is told what goes on, how many cases are done, and of how many."""


def silent(_what: str, _count: int, _total: int) -> None:
    """Tell no one."""


def judge(verdict: Verdict, cases: Sequence[Case], *, tell: Tell = silent) -> Verdict:
    """Play cases on all sides of a verdict, until one differs; then look for a smaller one."""
    for case in cases:
        verdict.tried.add(case)
    for player, sides in by_player(verdict.sides):
        mine = _played_by(player, cases)
        size = max(1, player.at_once // len(sides))
        for start in range(0, len(mine), size):
            tell(f"on {player.name}", start, len(mine))
            several = mine[start : start + size]
            for case in several:
                _note(verdict, sides[0], case)
            if first := _first_difference(sides, several):
                at, side = first
                tell(f"{side.name} differs: looking for a smaller case", start + at, len(mine))
                verdict.found = _found(verdict, side, several[at], start + at)
                return verdict
    return verdict


def _played_by(player: Player, cases: Sequence[Case]) -> Sequence[Case]:
    """Return the cases that a player plays: a slow one, the first short ones."""
    if player.longest is not None and player.most is not None:
        cases = [each for each in cases if len(each.steps()) <= player.longest]
    return cases[: player.most]


def _note(verdict: Verdict, side: Side, case: Case) -> None:
    if side.player is not verdict.sides[0].player:
        return  # noted before
    expected = side.expected(case)
    failures = expected.failures
    verdict.emitted += sum(len(each.output) for each in expected.made)
    verdict.failed += bool(failures)
    if len(verdict.failures) < 3:
        verdict.failures += failures[:1]


def _first_difference(sides: Sequence[Side], cases: Sequence[Case]) -> tuple[int, Side] | None:
    """Return which case differs first, and on which side."""
    found = [
        (n, side)
        for side, said in zip(sides, hear(sides, cases))
        for n, each in enumerate(said)
        if each and each.difference
    ]
    return min(found, key=lambda each: each[0], default=None)


def _found(verdict: Verdict, side: Side, case: Case, number: int) -> Found:
    until = time.monotonic() + side.player.patience

    def differs(cases: Sequence[Case]) -> list[bool]:
        return [bool(each and each.difference) for each in hear([side], cases)[0]]

    at_once = max(1, side.player.at_once // 2)
    smallest = shrink(
        case, verdict.plan, differs, at_once=at_once, most=lambda: time.monotonic() > until
    )
    beside = [each for each in verdict.sides if each.player is side.player]
    for shown in (smallest, case):
        heard = [each[0] for each in hear(beside, [shown])]
        first = next(each for each in heard if each and each.side is side)
        others = [each for each in heard if each and each is not first]
        if first.difference:
            return Found(shown, first, others, cause(first, shown), number)
    raise Unsteady(
        f"{side.name} differs in one run and not in the next, on the same stream",
        hint="does it keep something from one stream to the next, or use the clock or chance?",
    )
