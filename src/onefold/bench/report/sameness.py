"""Whether all implementations gave the same multiset of outputs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from onefold.bench.ratios import RATE, Run, grouped


@dataclass(frozen=True)
class Answer:
    """A multiset of outputs: how many, and a digest of which."""

    outputs: int
    digest: str


@dataclass(frozen=True)
class Sameness:
    """What the implementations answered to the same tuples."""

    experiment: str
    mode: str
    tuples: int
    answers: tuple[tuple[int, str, Answer], ...]
    """Repetition, implementation and what it gave."""

    @property
    def implementations(self) -> list[str]:
        """Who answered."""
        return list(dict.fromkeys(name for _, name, _ in self.answers))

    @property
    def compared(self) -> bool:
        """Whether there is more than one to compare."""
        return len(self.implementations) > 1

    @property
    def same(self) -> bool:
        """Whether all who got the same tuples gave the same."""
        repetitions = {repetition for repetition, _, _ in self.answers}
        return len({(repetition, answer) for repetition, _, answer in self.answers}) == len(
            repetitions
        )


def sameness(runs: Iterable[Run]) -> list[Sameness]:
    """Return what was answered, for each experiment and each number of tuples.

    A run without a digest says nothing, nor does one that did not keep up with its rate.
    """
    found: dict[tuple[str, str, int, float], list[tuple[int, str, Answer]]] = {}
    for (experiment, mode, implementation), group in grouped(runs).items():
        for run in group:
            if run.get("digest") and (mode != RATE or run["success"]):
                key = experiment, mode, run["tuples"], run.get("rate") or 0
                answer = Answer(run["outputs"], run["digest"])
                found.setdefault(key, []).append((run["repetition"], implementation, answer))
    return [
        Sameness(experiment, mode, tuples, tuple(answers))
        for (experiment, mode, tuples, _), answers in found.items()
    ]


def without_digest(runs: Sequence[Run]) -> list[str]:
    """Return the implementations of which no run has a digest."""
    names = dict.fromkeys(run["implementation"] for run in runs)
    there = {run["implementation"] for run in runs if run.get("digest")}
    return [name for name in names if name not in there]
