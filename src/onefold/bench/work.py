"""What more work costs: an implementation's throughput and memory by the number of tuples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from onefold.bench.ratios import SATURATE, Run, grouped
from onefold.bench.spread import Spread, sizes


@dataclass(frozen=True)
class Work:
    """One experiment in one implementation, each value by the number of tuples, few to many."""

    experiment: str
    implementation: str
    unit: str
    throughput: Mapping[int, Spread]
    worker_mb: Mapping[int, Spread]
    state_mb: Mapping[int, Spread]

    @property
    def apart(self) -> float:
        """By which part the slowest number of tuples is below the fastest."""
        speeds = [each.mean for each in self.throughput.values()]
        return 1 - min(speeds) / max(speeds) if max(speeds) else 0.0


def works(runs: Sequence[Mapping[str, Any]]) -> list[Work]:
    """Return what was saturated with several numbers of tuples, in the paper's order.

    >>> run = {"experiment": "HLF", "implementation": "D", "mode": "saturate", "unit": "t/s"}
    >>> few = run | {"tuples": 20, "throughput": 80.0, "worker_mb": 9.0, "state_mb": 0.0}
    >>> (found,) = works([few | {"tuples": 80, "throughput": 100.0}, few])
    >>> list(found.throughput), round(found.apart, 2), found.state_mb[20].mean
    ([20, 80], 0.2, 0.0)
    >>> works([few, few])
    []
    """
    return [
        Work(
            experiment,
            implementation,
            group[0]["unit"],
            *(sizes(group, value) for value in ("throughput", "worker_mb", "state_mb")),
        )
        for (experiment, _, implementation), group in grouped(alike(runs)).items()
        if _sizes(group) > 1
    ]


def alike(runs: Iterable[Run]) -> list[Run]:
    """Return saturated runs that differ in the number of tuples alone, of each experiment.

    Of several rates, batches and profiles the one with the most numbers of tuples is chosen, and
    then the largest.

    >>> run = {"experiment": "HLF", "mode": "saturate", "batch": 5}
    >>> runs = [run | {"tuples": 20}, run | {"tuples": 80}, run | {"tuples": 80, "batch": 40}]
    >>> [each["batch"] for each in alike(runs)]
    [5, 5]
    """
    conditions: dict[str, dict[tuple[Any, ...], list[Run]]] = {}
    for run in runs:
        if run["mode"] == SATURATE:
            condition = run.get("rate") or 0, run.get("batch") or 0, run.get("profile") or ""
            conditions.setdefault(run["experiment"], {}).setdefault(condition, []).append(run)
    chosen = (
        max(found.items(), key=lambda each: (_sizes(each[1]), each[0]))[1]
        for found in conditions.values()
    )
    return [run for group in chosen for run in group]


def _sizes(runs: Iterable[Run]) -> int:
    return len({run["tuples"] for run in runs})
