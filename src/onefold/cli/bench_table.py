"""The table at the end of a bench."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from onefold.bench.ratios import ONE_RUN, RATE, Ratio, once
from onefold.bench.summary import Row, summary

NOTHING = "–"


def printed(runs: Sequence[Mapping[str, Any]], mode: str) -> None:
    """Print what runs come to."""
    rows = summary(runs)
    again = not once(runs)
    heard = any(row.p99 is not None for row in rows)
    table = Table(title=f"{mode}: throughput and its ratio to D")
    table.add_column("experiment")
    table.add_column("implementation", min_width=len("implementation"))
    spread, latency = (["min–max"] if again else []), (["p99 s"] if heard else [])
    for name in ("throughput", "", "× D", *spread, *latency):
        table.add_column(name, justify="left" if not name else "right")
    for row in rows:
        table.add_row(*_cells(row, again=again, heard=heard))
    table.caption = "t/s: tuples in a second, c/s: comparisons. × D: of the same repetition."
    table.caption += "".join(f"\n{each}" for each in _notes(runs, rows))
    Console().print(table)


def _notes(runs: Sequence[Mapping[str, Any]], rows: Sequence[Row]) -> list[str]:
    """Return what a reader of the table is to know."""
    notes = []
    if cold := list(dict.fromkeys(run["experiment"] for run in runs if run.get("cold"))):
        notes.append(
            f"{', '.join(cold)}: nothing was left after warming up, so cold batches count."
        )
    if any(run["mode"] == RATE for run in runs) and all(row.to_dedicated is None for row in rows):
        notes.append("No ratio where all keep up: --mode search finds the limits.")
    return notes + ([ONE_RUN] if once(runs) else [])


def _cells(row: Row, *, again: bool, heard: bool) -> list[str]:
    latency = [f"{row.p99:,.2f}" if row.p99 is not None else NOTHING] if heard else []
    first = [row.experiment, row.implementation, f"{row.throughput:,.0f}", row.unit]
    return [*first, *_ratio(row.to_dedicated)[: 2 if again else 1], *latency]


def _ratio(ratio: Ratio | None) -> list[str]:
    if ratio is None:
        return [NOTHING, NOTHING]
    return [str(ratio), f"{ratio.least:.2f}–{ratio.most:.2f}" if ratio.pairs > 1 else NOTHING]
