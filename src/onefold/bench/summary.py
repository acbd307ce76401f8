"""What runs come to: throughput, its ratio to D repetition by repetition, latency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

from onefold.bench.ratios import Ratio, comparable, counted, grouped, ratios


@dataclass(frozen=True)
class Row:
    """One experiment in one implementation, of all repetitions."""

    experiment: str
    implementation: str
    throughput: float
    unit: str
    to_dedicated: Ratio | None
    """None for D itself, and where D was not measured."""
    p99: float | None
    """In seconds."""


def summary(runs: Sequence[Mapping[str, Any]]) -> list[Row]:
    """Return a row for each experiment and implementation, in the paper's order.

    >>> run = {"experiment": "HLF", "mode": "saturate", "repetition": 1, "tuples": 8, "unit": "t/s"}
    >>> d = {**run, "implementation": "D", "throughput": 90.0}
    >>> a = {**run, "implementation": "A", "throughput": 45.0}
    >>> [(row.implementation, row.throughput, str(row.to_dedicated)) for row in summary([a, d])]
    [('D', 90.0, 'None'), ('A', 45.0, '0.50')]
    """
    to_dedicated = {
        (each.experiment, each.mode, each.implementation): each for each in ratios(runs)
    }
    rows = []
    for (experiment, mode, label), group in grouped(comparable(runs)).items():
        chosen = list(counted(group).values()) or group  # none was sustained
        late = [run["p99"] for run in chosen if run.get("p99") is not None]
        rows.append(
            Row(
                experiment,
                label,
                mean(run["throughput"] for run in chosen),
                chosen[0]["unit"],
                to_dedicated.get((experiment, mode, label)),
                mean(late) if late else None,
            )
        )
    return rows
