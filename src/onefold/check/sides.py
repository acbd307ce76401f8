"""Sides: an implementation on an engine, or somebody's own code, and how it is judged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from onefold.check.case import Case
from onefold.check.compare import Difference, Judged, compare
from onefold.check.definition import define
from onefold.check.players import Player
from onefold.check.rules import MODEL, Rules
from onefold.core.functions import Failure, on_failure
from onefold.core.lower import lower
from onefold.core.plan import Implementation, Late, Plan
from onefold.core.time import START_OF_TIME
from onefold.engines.steps import Made, Step
from onefold.operators.rewrites import rewrite


@dataclass(frozen=True)
class Side:
    """Who is compared with the definition of a pipeline."""

    name: str
    player: Player
    defined: Plan
    """The pipeline as the user wrote it."""
    plan: Plan
    """What the player runs."""
    implementation: Implementation = Implementation.DEDICATED
    rewritten: bool = False
    how: Judged = field(default_factory=Judged)

    def takes(self, case: Case) -> bool:
        """Say whether the model has one answer for this side to a case."""
        if self.player.own_code and any(each.tuple.time <= 0 for each in case.arrivals):
            return False  # Spark's own watermark begins at 0: what is not later may be late
        return case.in_time or not (self.player.bounded or self.rewritten)

    def steps(self, case: Case) -> list[Step]:
        """Return a case as this side plays it."""
        return _steps(case, (self.player.bounded, self.player.own_code))

    @property
    def _composed(self) -> bool:
        return self.implementation is not Implementation.DEDICATED and not self.rewritten

    def expected(self, case: Case, rules: Rules = MODEL) -> Expected:
        """Return what the definition says, and what the user's functions failed on."""
        kind = self.player.bounded, self.player.own_code
        return _expected(self.defined, case, kind, rules, composed=self._composed)

    def expected_anew(self, case: Case) -> Expected:
        """Return the same, worked out again: a function may give something else each time."""
        return _work_out(self.defined, self.steps(case), MODEL, composed=self._composed)

    def play(self, cases: Sequence[Case]) -> list[list[Made]]:
        """Return what the side makes of cases."""
        return self.player.play([(self.plan, self.steps(case)) for case in cases])

    def difference(
        self, case: Case, expected: Sequence[Made], found: Sequence[Made]
    ) -> Difference | None:
        """Return where the side differs from what was expected."""
        return compare(self.defined, self.steps(case), expected, found, self.how)

    def said(self, case: Case, made: list[Made]) -> Said:
        """Return what the side said, beside what it should."""
        expected = self.expected(case).made
        return Said(self, expected, made, self.difference(case, expected, made))


@dataclass(frozen=True)
class Expected:
    """What the definition says to a case."""

    made: list[Made]
    failures: list[Failure]

    @property
    def sound(self) -> bool:
        """Whether nothing failed."""
        return not self.failures and not any(each.errors for each in self.made)


@dataclass(frozen=True)
class Said:
    """What a side made of a case, and where that differs from the definition."""

    side: Side
    expected: list[Made]
    made: list[Made]
    difference: Difference | None


def _steps(case: Case, kind: tuple[bool, bool]) -> list[Step]:
    bounded, own_code = kind
    if bounded:
        return _whole(case)
    return _with_one_watermark(case) if own_code else case.steps()


@lru_cache(maxsize=64)
def _expected(
    defined: Plan, case: Case, kind: tuple[bool, bool], rules: Rules, *, composed: bool
) -> Expected:
    """Return what several sides are compared with, worked out once."""
    return _work_out(defined, _steps(case, kind), rules, composed=composed)


def _work_out(defined: Plan, steps: list[Step], rules: Rules, *, composed: bool) -> Expected:
    failures: list[Failure] = []
    token = on_failure.set(failures.append)
    try:
        made = define(defined, steps, composed=composed, rules=rules)
    finally:
        on_failure.reset(token)
    return Expected(made, failures)


def sides_of(
    plan: Plan, players: Iterable[Player], implementations: Sequence[Implementation]
) -> list[Side]:
    """Return every implementation on every engine; where rewrites change a plan, rewritten too."""
    found = []
    for player in players:
        if player.own_code:
            how = Judged(early=True, late=False, times=player.times)
            found.append(Side(player.name, player, plan, plan, how=how))
            continue
        for each in implementations:
            if each in player.implementations:
                found += _of_implementation(plan, player, each)
    return found


def _of_implementation(plan: Plan, player: Player, each: Implementation) -> list[Side]:
    lowered = lower(plan, each)
    dedicated = each is Implementation.DEDICATED
    # A composition holds only what leads to the output: of a late stream of one side of a join, not
    # the other side, nor what is late there.
    late = dedicated or not any(isinstance(node, Late) for node in plan.nodes)
    # And there the late stream ends with its own side: when it comes is not looked at.
    sided = any(isinstance(n, Late) and n.inputs[0].late_ports > 1 for n in plan.nodes)
    end = sided and not dedicated
    how = Judged(dedicated and plan.output.ahead, late, bounded=player.bounded or end)
    name = f"{each.value} on {player.name}"
    sides = [Side(name, player, plan, lowered, each, how=how)]
    shorter, applied = rewrite(lowered)
    if applied and not player.bounded:
        how = Judged(shorter.output.ahead, late, bounded=end)
        sides.append(
            Side(f"{name}, rewritten", player, plan, shorter, each, rewritten=True, how=how)
        )
    return sides


def _whole(case: Case) -> list[Step]:
    """Return all tuples in one step, and then the end."""
    whole = Step()
    for arrival in case.arrivals:
        whole.tuples.setdefault(arrival.source, []).append(arrival.tuple)
    return [whole, case.steps()[-1]]


def _with_one_watermark(case: Case) -> list[Step]:
    """Return the steps with the least watermark of all sources for each of them."""
    reached = dict.fromkeys(case.sources, START_OF_TIME)
    told = START_OF_TIME
    steps = []
    for step in case.steps():
        reached = {name: max(at, step.watermarks.get(name, at)) for name, at in reached.items()}
        least = min(reached.values())
        moved = dict.fromkeys(case.sources, least) if least > told else {}
        told = max(least, told)
        steps.append(Step(step.tuples, moved))
    return steps
