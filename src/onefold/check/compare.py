"""Comparing what someone made with what the definition says, step by step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from onefold.core.errors import FunctionFailed, OnefoldError
from onefold.core.plan import Late, Plan, walk
from onefold.core.records import Tuple
from onefold.core.time import END_OF_TIME, START_OF_TIME, TICK
from onefold.engines.steps import Made, Step


class MustFail(OnefoldError):
    """A run that went on where the pipeline has no answer."""


@dataclass(frozen=True)
class Judged:
    """How much of a run is looked at."""

    early: bool = False
    """Whether tuples may come before the watermark has passed them (decision 7)."""
    late: bool = True
    """Whether late streams can be seen."""
    bounded: bool = False
    """Whether only the end counts."""
    times: bool = True
    """Whether the times of tuples are looked at; without them, only the end counts too."""


STRICTLY = Judged()


@dataclass(frozen=True)
class Difference:
    """The first step at which someone did not make what the definition says."""

    step: int
    what: str
    """The output, or the late stream."""
    missing: tuple[Tuple, ...] = ()
    unexpected: tuple[Tuple, ...] = ()
    error: OnefoldError | None = None


def compare(
    plan: Plan,
    steps: Sequence[Step],
    expected: Sequence[Made],
    found: Sequence[Made],
    how: Judged = STRICTLY,
) -> Difference | None:
    """Return the first difference, or None.

    Where tuples may come early, those count that the watermark has passed; at the end, all.
    """
    wanted: Counter[Tuple] = Counter()
    here: Counter[Tuple] = Counter()
    for n, watermark in enumerate(output_watermarks(plan, steps)):
        if expected[n].errors:
            return _must_fail(n, expected[n].errors[0], found)
        for error in _errors(found[n]):
            return Difference(n, "error", error=error)
        wanted.update(expected[n].output)
        here.update(found[n].output)
        last = n + 1 == len(steps)
        if not how.times:
            if last and _bare(wanted) != _bare(here):
                return _without_times(n, wanted, here)
        elif not how.bounded or last:
            passed = END_OF_TIME if last or not how.early else watermark
            if difference := _difference(n, "output", _until(wanted, passed), _until(here, passed)):
                return difference
            if how.late and not how.bounded and Counter(expected[n].late) != Counter(found[n].late):
                return _difference(n, "late", Counter(expected[n].late), Counter(found[n].late))
    return None


def _errors(made: Made) -> list[OnefoldError]:
    """Return why a step failed; what a user's function fails on is set aside."""
    return [each for each in made.errors if not isinstance(each, FunctionFailed)]


def _must_fail(step: int, error: OnefoldError, found: Sequence[Made]) -> Difference | None:
    """Return the difference of a run that goes on, or fails otherwise, where it must fail."""
    if any(type(each) is type(error) for made in found for each in made.errors):
        return None
    return Difference(step, "error", error=MustFail("it goes on, and must fail", detail=error.what))


def _bare(tuples: Counter[Tuple]) -> Counter[Tuple]:
    """Let all tuples have the time 0."""
    bare: Counter[Tuple] = Counter()
    for t, count in tuples.items():
        bare[type(t)((0, *tuple(t)[1:]))] += count
    return bare


def _without_times(step: int, wanted: Counter[Tuple], here: Counter[Tuple]) -> Difference:
    """Return a difference in values, with the times that the tuples have."""
    missing, unexpected = _bare(wanted) - _bare(here), _bare(here) - _bare(wanted)
    return Difference(step, "output", _with_times(missing, wanted), _with_times(unexpected, here))


def _with_times(bare: Counter[Tuple], tuples: Counter[Tuple]) -> tuple[Tuple, ...]:
    left, found = Counter(bare), []
    for t in tuples.elements():
        like = type(t)((0, *tuple(t)[1:]))
        if left[like] > 0:
            left[like] -= 1
            found.append(t)
    return tuple(found)


def _until(tuples: Counter[Tuple], watermark: int) -> Counter[Tuple]:
    return Counter({t: n for t, n in tuples.items() if t.time + TICK <= watermark})


def _difference(
    step: int, what: str, wanted: Counter[Tuple], here: Counter[Tuple]
) -> Difference | None:
    if wanted == here:
        return None
    missing, unexpected = wanted - here, here - wanted
    return Difference(step, what, _listed(missing), _listed(unexpected))


def _listed(tuples: Counter[Tuple]) -> tuple[Tuple, ...]:
    return tuple(tuples.elements())


def output_watermarks(plan: Plan, steps: Iterable[Step]) -> list[int]:
    """Return the watermark of a pipeline's output after each step: the least of its sources'."""
    above = list(walk(plan.output))
    names = [name for name, source in plan.sources.items() if source in above]
    waits = any(isinstance(node, Late) for node in above)
    reached = dict.fromkeys(names, START_OF_TIME)
    after = []
    for step in steps:
        for name in names:
            reached[name] = max(reached[name], step.watermarks.get(name, START_OF_TIME))
        least = min(reached.values())
        after.append(START_OF_TIME if waits and least != END_OF_TIME else least)
    return after
