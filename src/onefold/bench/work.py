"""What more work costs: an implementation's throughput and memory by the number of tuples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from onefold.bench.ratios import SATURATE, grouped


@dataclass(frozen=True)
class Size:
    """All repetitions with one number of tuples; medians."""

    throughput: float
    worker_mb: float | None
    state_mb: float | None


@dataclass(frozen=True)
class Work:
    """One experiment in one implementation, with several numbers of tuples."""

    experiment: str
    implementation: str
    unit: str
    sizes: Mapping[int, Size]
    """By the number of tuples, from few to many."""

    @property
    def apart(self) -> float:
        """By which part the slowest size is below the fastest."""
        speeds = [each.throughput for each in self.sizes.values()]
        return 1 - min(speeds) / max(speeds)


def works(runs: Sequence[Mapping[str, Any]]) -> list[Work]:
    """Return what was saturated with several numbers of tuples, in the paper's order.

    >>> run = {"experiment": "HLF", "implementation": "D", "mode": "saturate", "unit": "t/s"}
    >>> few = run | {"tuples": 20, "throughput": 80.0, "worker_mb": 9.0, "state_mb": None}
    >>> (found,) = works([few | {"tuples": 80, "throughput": 100.0}, few])
    >>> list(found.sizes), round(found.apart, 2)
    ([20, 80], 0.2)
    >>> works([few, few])
    []
    """
    saturated = [run for run in runs if run["mode"] == SATURATE]
    found = []
    for (experiment, _, implementation), group in grouped(saturated).items():
        by_tuples: dict[int, list[Mapping[str, Any]]] = {}
        for run in sorted(group, key=lambda run: run["tuples"]):
            by_tuples.setdefault(run["tuples"], []).append(run)
        if len(by_tuples) > 1:
            sizes = {tuples: _size(of) for tuples, of in by_tuples.items()}
            found.append(Work(experiment, implementation, group[0]["unit"], sizes))
    return found


def _size(runs: Sequence[Mapping[str, Any]]) -> Size:
    medians = {
        name: median(known) if (known := [run[name] for run in runs if run.get(name)]) else None
        for name in ("throughput", "worker_mb", "state_mb")
    }
    return Size(medians["throughput"] or 0.0, medians["worker_mb"], medians["state_mb"])
