"""onefold bench reference: measure the in-process reference engine."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from onefold.bench.ratios import ONE_RUN
from onefold.bench.reference import Measurement, measure_apart
from onefold.cli.progress import bar
from onefold.core.errors import OnefoldError
from onefold.core.plan import Implementation

SLOWER = {Implementation.AGGREGATE: 10, Implementation.AGGREGATE_PLUS: 4}
"""The compositions get fewer tuples: this pipeline's D needs none of their windows and loops."""


TUPLES = 1_000_000


def measure_reference(tuples: int | None, to_json: Path | None, *, quiet: bool = False) -> None:
    """Measure filter → map → tumbling count; D also with 4 times as many tuples."""
    tuples = tuples or TUPLES
    if to_json:
        _check_free(to_json)
    runs = [(Implementation.DEDICATED, tuples), (Implementation.DEDICATED, 4 * tuples)]
    runs += [(each, max(1, tuples // part)) for each, part in SLOWER.items()]
    measured = []
    with bar("measuring reference", sum(count for _, count in runs), quiet=quiet) as shown:
        for implementation, count in runs:
            measured.append(measure_apart(implementation, count))
            shown.advance(count)
    Console().print(_table(measured))
    if to_json:
        to_json.write_text(json.dumps([asdict(each) for each in measured], indent=1))


def _check_free(to_json: Path) -> None:
    """Raise an error if a file holds something else, such as results of experiments."""
    to_json.parent.mkdir(parents=True, exist_ok=True)
    try:
        held = json.loads(to_json.read_text()) if to_json.exists() else []
    except ValueError:
        held = None
    if not isinstance(held, list):
        raise OnefoldError(
            f"{to_json} holds something else than measurements of reference",
            hint="name another file with --json; this one stays as it is",
        )


def _table(measured: list[Measurement]) -> Table:
    first = measured[0]
    table = Table(title="reference engine: filter → map → tumbling count → output")
    table.add_column("implementation", min_width=len("aggregate-plus"))
    for name in ("tuples", "out", "tuples/s", "× D", "MB", "open"):
        table.add_column(name, justify="right")
    for each in measured:
        table.add_row(
            each.implementation,
            f"{each.tuples:,}",
            f"{each.outputs:,}",
            f"{each.rate:,.0f}",
            f"{each.rate / first.rate:.2f}",
            f"{each.memory_mb:.1f}",
            f"{each.most_open_tuples:,}",
        )
    table.caption = (
        "× D: to the first row. MB: peak memory of the process. "
        f"open: the most tuples that windows held at once.\n{ONE_RUN}"
    )
    return table
