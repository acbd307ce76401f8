"""What runs come to: throughput, its ratio to D repetition by repetition, latency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median
from typing import Any


@dataclass(frozen=True)
class Ratio:
    """A median, and how far repetitions spread."""

    median: float
    least: float
    most: float


@dataclass(frozen=True)
class Row:
    """One experiment in one implementation, of all repetitions."""

    experiment: str
    implementation: str
    throughput: float
    unit: str
    to_dedicated: Ratio | None
    p99: float | None
    """In milliseconds."""


def summary(runs: Sequence[Mapping[str, Any]]) -> list[Row]:
    """Return a row for each experiment and implementation, in the order of the runs."""
    groups: dict[tuple[str, str], dict[int, Mapping[str, Any]]] = {}
    for run in runs:
        group = groups.setdefault((run["experiment"], run["implementation"]), {})
        group[run["repetition"]] = run
    return [
        Row(
            experiment,
            label,
            mean(run["throughput"] for run in group.values()),
            next(iter(group.values()))["unit"],
            ratio(group, groups.get((experiment, "D"), {})),
            _mean([run["p99"] for run in group.values() if run.get("p99") is not None]),
        )
        for (experiment, label), group in groups.items()
    ]


def ratio(
    some: Mapping[int, Mapping[str, Any]], dedicated: Mapping[int, Mapping[str, Any]]
) -> Ratio | None:
    """Return how fast runs are compared with D's of the same repetition.

    >>> ratio({1: {"throughput": 50}, 2: {"throughput": 90}}, {1: {"throughput": 100}})
    Ratio(median=0.5, least=0.5, most=0.5)
    """
    paired = [
        run["throughput"] / dedicated[n]["throughput"]
        for n, run in some.items()
        if n in dedicated and dedicated[n]["throughput"]
    ]
    return Ratio(median(paired), min(paired), max(paired)) if paired else None


def _mean(of: Sequence[float]) -> float | None:
    return mean(of) if of else None
