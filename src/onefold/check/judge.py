"""The judge: plays cases on all sides, and finds the smallest one where a side differs."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from onefold.check.case import Case, Cut
from onefold.check.causes import causes
from onefold.check.chain import chain
from onefold.check.hear import by_player, hear
from onefold.check.players import Player
from onefold.check.shrink import shrink
from onefold.check.sides import Said, Side
from onefold.core.errors import OnefoldError
from onefold.core.functions import Failure
from onefold.core.plan import Plan


class NothingHeard(OnefoldError):
    """A side that takes none of the streams: nothing was compared."""


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

    def add(self, case: Case) -> None:
        """Count a case."""
        self.streams += 1
        self.tuples += len(case.arrivals)
        self.watermarks += len(case.promises)
        self.cuts += sum(isinstance(each, Cut) for each in case.events)
        self.late += sum(1 for _ in case.late_arrivals())


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
    heard: Counter[str] = field(default_factory=Counter)
    """How many streams each side was asked about: not every side takes every stream."""

    @property
    def same(self) -> bool:
        """Whether no difference was found."""
        return self.found is None

    def __str__(self) -> str:
        from onefold.check.report import lines  # it reads verdicts

        return "\n".join(lines(self))

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Show the verdict in a notebook."""
        from onefold.pages.notebook import of_verdict

        return of_verdict(self)


Tell = Callable[[str, int, int], None]
"""Is told what goes on, how many cases are done, and of how many."""


def silent(_what: str, _count: int, _total: int) -> None:
    """Tell no one."""


def judge(verdict: Verdict, cases: Sequence[Case], *, tell: Tell = silent) -> Verdict:
    """Play cases on all sides of a verdict, until one differs; then look for a smaller one."""
    for case in cases:
        verdict.tried.add(case)
        _note(verdict, case)
    for player, sides in by_player(verdict.sides):
        mine = _played_by(player, sides, cases)
        size = max(1, player.at_once // len(sides))
        for start in range(0, len(mine), size):
            tell(f"on {player.name}", start, len(mine))
            several = mine[start : start + size]
            heard = hear(sides, [cases[n] for n in several])
            for side, said in zip(sides, heard):
                verdict.heard[side.name] += sum(each is not None for each in said)
            if first := _first_difference(heard):
                tell(f"{first.side.name} differs: looking for a smaller case", start, len(mine))
                at = next(n for n, *said in zip(several, *heard) if any(e is first for e in said))
                before = [cases[n] for n in several if n <= at]
                verdict.found = _found(verdict, first, before, at)
                return verdict
    if verdict.failed and not verdict.emitted:
        raise NothingHeard(
            "a function of the pipeline failed, and nothing came out of any stream",
            detail=f"{verdict.failures[0].function} {verdict.failures[0].reason}",
        )
    for side in verdict.sides:
        if not verdict.heard[side.name] and (side.player.own_code or not verdict.heard.total()):
            raise NothingHeard(
                f"{side.name} could be asked about none of {len(cases):,} streams",
                detail=_why(verdict, side),
                hint="give it others: --cases, --seed, --no-late, another --input",
            )
    return verdict


def _why(verdict: Verdict, side: Side) -> str:
    if side.player.own_code and verdict.failures:
        first = verdict.failures[0]
        return f"a function of the pipeline fails: {first.function} {first.reason}"
    return "they have late tuples, times at or before 0, or too many steps for it"


def _played_by(player: Player, sides: Sequence[Side], cases: Sequence[Case]) -> list[int]:
    """Return which cases a player plays: a slow one, the first short ones that it takes."""
    taken = [n for n, case in enumerate(cases) if any(side.takes(case) for side in sides)]
    if player.longest is not None and player.most is not None:
        taken = [n for n in taken if len(cases[n].steps()) <= player.longest]
    return taken[: player.most]


def _note(verdict: Verdict, case: Case) -> None:
    expected = verdict.sides[0].expected(case)
    verdict.emitted += sum(len(each.output) for each in expected.made)
    verdict.failed += bool(expected.failures)
    if len(verdict.failures) < 3:
        verdict.failures += expected.failures[:1]


def _first_difference(heard: Sequence[Sequence[Said | None]]) -> Said | None:
    """Return what was said first that differs: by the case, then by the side."""
    by_case = (said for of_case in zip(*heard) for said in of_case)
    return next((said for said in by_case if said and said.difference), None)


def _found(verdict: Verdict, first: Said, before: Sequence[Case], number: int) -> Found:
    side, case = first.side, before[-1]
    until = time.monotonic() + side.player.patience

    def differs(cases: Sequence[Case]) -> list[bool]:
        return [bool(each and each.difference) for each in hear([side], cases)[0]]

    at_once = max(1, side.player.at_once // 2)
    smallest = shrink(
        case, verdict.plan, differs, at_once=at_once, enough=lambda: time.monotonic() > until
    )
    beside = [each for each in verdict.sides if each.player is side.player]
    # Own code may differ only behind other cases: then all of them are the case.
    for shown in (smallest, case, chain(before, verdict.plan).case):
        heard = [each[0] for each in hear(beside, [shown])]
        again = next((each for each in heard if each and each.side is side), None)
        if again and again.difference:
            others = [each for each in heard if each and each is not again]
            return Found(shown, again, others, _cause(again, shown, case), number)
    raise Unsteady(
        f"{side.name} differs in one run and not in the next, on the same stream",
        hint="does it use the clock or chance?",
    )


def _cause(said: Said, shown: Case, whole: Case) -> str | None:
    """Return a cause that explains the small case and the one that it was made of."""
    small = list(causes(said, shown))
    if small and shown is not whole:
        [[again]] = hear([said.side], [whole])
        known = list(causes(again, whole)) if again and again.difference else small
        small = [each for each in small if each in known]
    return small[0] if small else None
