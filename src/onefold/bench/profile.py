"""How long and how often to measure: quickly, or as the paper does."""

from __future__ import annotations

from dataclasses import dataclass, replace

from onefold.bench.experiments.experiment import Experiment
from onefold.bench.search import Search

BATCH = {"wikipedia": 800_000, "scans": 20_000}
"""How many tuples make a batch of a flat_map."""
CYCLE = {"wikipedia": 100_000, "scans": 10_000}
"""How many different tuples there are before the first one comes again, where a rate is given."""
JOIN_SECONDS = 5
"""How many seconds of event time make a batch of a join."""
FLAT_MAP_RATE = 100_000
JOIN_RATE = 500
"""How many tuples share a second of event time if all are there at once: a join compares these."""
FEWEST_BATCHES = 5


@dataclass(frozen=True)
class Profile:
    """How long and how often."""

    name: str
    batches: int
    """When all tuples are there at once."""
    seconds: int
    """At a rate."""
    repetitions: int
    search: Search


PROFILES = {
    "quick": Profile("quick", 5, 20, 1, Search(factor=2.0, steps=4, bisections=1)),
    "paper": Profile("paper", 20, 600, 3, Search(factor=1.5, steps=8, bisections=3)),
}


@dataclass(frozen=True)
class Size:
    """How much data a run with all tuples there at once has."""

    tuples: int
    rate: int
    batch: int


def size(
    experiment: Experiment,
    profile: Profile,
    tuples: int | None,
    rate: int | None,
    batch: int | None = None,
) -> Size:
    """Return how much data there is, with what the user says about it."""
    rate = rate or (JOIN_RATE if experiment.joins else FLAT_MAP_RATE)
    most = JOIN_SECONDS * rate if experiment.joins else BATCH[experiment.dataset]
    tuples = tuples or (batch or most) * profile.batches
    return Size(tuples, rate, batch or min(most, -(-tuples // FEWEST_BATCHES)))


def estimate(experiment: Experiment, per_second: float, rate: int) -> float:
    """Return a rate to begin a search with, given the speed at some rate of event time.

    A join's comparisons grow with the square of the rate, so that what it can take is the mean of
    the two, the geometric one.
    """
    return 0.5 * ((per_second * rate) ** 0.5 if experiment.joins else per_second)


def shortened(profile: Profile, *, repetitions: int | None, seconds: int | None) -> Profile:
    """Return a profile with what the user says about it."""
    return replace(
        profile,
        repetitions=repetitions or profile.repetitions,
        seconds=seconds or profile.seconds,
    )
