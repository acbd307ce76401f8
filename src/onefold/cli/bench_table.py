"""The table at the end of a bench."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from onefold.bench.ratios import ONE_RUN, RATE, SATURATE, Ratio, once
from onefold.bench.spread import Spread
from onefold.bench.summary import Row, summary
from onefold.bench.work import Work, works
from onefold.cli.choices import short

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
    sizes = {run["tuples"] for run in runs if run["mode"] == SATURATE}
    if len(sizes) > 1:
        table.caption += "\nThe most tuples that most implementations have."
    table.caption += "".join(f"\n{each}" for each in _notes(runs, rows))
    console = Console()
    console.print(table)
    if found := works(runs):
        console.print(_work(found))


def _work(found: Sequence[Work]) -> Table:
    """Return a table of what more work costs."""
    table = Table(title="throughput by the number of tuples")
    table.add_column("")
    counts = sorted({tuples for each in found for tuples in each.throughput})
    for name in (*map(short, counts), "", "apart", "workers MB", "state MB"):
        table.add_column(name, justify="right" if name else "left")
    for each in found:
        speeds = [
            f"{each.throughput[tuples].mean:,.0f}" if tuples in each.throughput else NOTHING
            for tuples in counts
        ]
        memory = _from_to(each.worker_mb), _from_to(each.state_mb)
        name, apart = f"{each.experiment} {each.implementation}", f"{100 * each.apart:.0f} %"
        table.add_row(name, *speeds, each.unit, apart, *memory)
    table.caption = (
        "apart: by how much the slowest is below the fastest. Memory: with the fewest → with the "
        "most tuples."
    )
    return table


def _from_to(sizes: Mapping[int, Spread]) -> str:
    if not sizes:
        return NOTHING
    fewest, *_, most = (each.mean for each in (*sizes.values(), *sizes.values()))
    digits = 0 if max(fewest, most) >= 10 else 1
    return f"{fewest:,.{digits}f}→{most:,.{digits}f}"


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
