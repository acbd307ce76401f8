"""The table at the end of a demo."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from onefold.bench.demo.page import verdict
from onefold.bench.demo.shown import Demo

NOTHING = "–"


def printed(demo: Demo, console: Console) -> None:
    """Print what every implementation gave, how fast, and where its tuples went."""
    table = Table(title="one pipeline, three implementations")
    table.add_column("")
    table.add_column("same answer?")
    for name in ("results", "tuples/s", "p50", "p99", "late", "balance"):
        table.add_column(name, justify="right")
    for run in demo.runs:
        table.add_row(
            run.label,
            _same(demo, run.label),
            f"{run.answer.total():,}",
            NOTHING if run.tuples_per_second is None else f"{run.tuples_per_second:,.0f}",
            _seconds(run.p50),
            _seconds(run.p99),
            f"{run.balance.late:,}",
            "even" if run.balance.even else "off",
        )
    table.caption = (
        "D: dedicated operators. A+: Aggregates that may emit many. A: minimal Aggregates, loops.\n"
        "tuples/s: catching up with what waited. p50, p99: from a window’s end to its results.\n"
        "late: compositions drop a late edit where they begin, D’s operators each by itself."
    )
    console.print(table)
    for run in demo.runs:
        console.print(f"{run.label}: {run.balance}", style="dim", highlight=False)
    console.print(verdict(demo), style="green" if demo.same else "red", highlight=False)


def _same(demo: Demo, label: str) -> str:
    found = demo.differences.get(label)
    if found is None:
        return NOTHING
    return "yes" if found.same else f"no: {found}"


def _seconds(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.1f} s"
