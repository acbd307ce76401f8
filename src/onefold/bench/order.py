"""What is to be measured, and in which turns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TypeVar

from onefold.bench import prepared
from onefold.bench.experiments.experiment import Experiment
from onefold.bench.profile import Profile

Each = TypeVar("Each")

WARM_UP = 60
"""For how many seconds a subject works before it is measured the first time: so long Java goes on
compiling."""
CALLED = ("python", "pyflink")
"""Peers without Spark, which warm up by themselves."""


class Mode(Enum):
    """What is measured."""

    SATURATE = "saturate"
    RATE = "rate"
    SEARCH = "search"


@dataclass(frozen=True)
class Order:
    """What is to be measured, and how."""

    experiments: tuple[Experiment, ...]
    subjects: tuple[str, ...]
    """Implementations, as the paper calls them, and peers."""
    mode: Mode
    profile: Profile
    data: Path
    tuples: tuple[int, ...] = ()
    """Of a saturated run; several show what more work costs. None: the profile's."""
    rate: int | None = None
    batch: int | None = None
    rewrites: bool = True
    vectorized: bool = False
    origin: prepared.Origin = field(default_factory=prepared.Origin)
    flink_python: Path | None = None


@dataclass(frozen=True)
class Step:
    """One subject's turn."""

    experiment: Experiment
    repetition: int
    subject: str
    tuples: int | None = None
    """How many, if the user says so."""

    def __str__(self) -> str:
        many = "" if self.tuples is None else f", {self.tuples:,} tuples"
        return f"{self.experiment.id} {self.subject}{many}, repetition {self.repetition}"


def steps(order: Order) -> Iterator[Step]:
    """Return the turns: neighbours in time are of the same repetition, and so comparable."""
    sizes: tuple[int | None, ...] = order.tuples or (None,)
    for experiment in order.experiments:
        for repetition in range(1, order.profile.repetitions + 1):
            for tuples in _turned(sizes, repetition):
                for subject in _turned(order.subjects, repetition):
                    if _takes_part(subject, experiment, most=tuples == sizes[-1]):
                        yield Step(experiment, repetition, subject, tuples)


def _takes_part(subject: str, experiment: Experiment, *, most: bool) -> bool:
    match subject:
        case "pyflink":
            return not experiment.joins  # a peer of flat_maps alone
        case "python":
            return most  # it is called for some seconds, however many tuples there are
    return True


def _turned(all_of_them: tuple[Each, ...], repetition: int) -> tuple[Each, ...]:
    """Return the same, beginning with another one in each repetition: none is always the first."""
    first = (repetition - 1) % len(all_of_them)
    return all_of_them[first:] + all_of_them[:first]


def warming_up(order: Order) -> int:
    """Return for how many seconds all subjects warm up at least."""
    modes = 2 if order.mode is Mode.SEARCH else 1  # a search begins with a saturated run
    kinds = {
        (step.subject, step.experiment.joins, step.experiment.dataset)
        for step in steps(order)
        if step.subject not in CALLED
    }
    return WARM_UP * modes * len(kinds)
