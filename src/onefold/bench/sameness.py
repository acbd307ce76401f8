"""Implementations are compared only if they do the same: one experiment and data, one output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from onefold.core.errors import OnefoldError

CONDITIONS = ("experiment", "mode", "tuples", "rate", "seed", "real")
"""Runs that agree in these must agree in their output."""


class OutputsDiffer(OnefoldError):
    """Implementations that gave different outputs for the same input."""


def check(runs: Sequence[Mapping[str, Any]]) -> None:
    """Raise an error if runs of the same experiment and data differ in their output.

    Peers whose output nobody sees have no digest, and runs that did not come to an end are no
    whole: they are left out.
    """
    first: dict[tuple[Any, ...], Mapping[str, Any]] = {}
    for run in runs:
        if not comparable(run):
            continue
        known = first.setdefault(tuple(run.get(each) for each in CONDITIONS), run)
        if (known["outputs"], known["digest"]) != (run["outputs"], run["digest"]):
            raise OutputsDiffer(
                f"{run['experiment']}: {known['implementation']} and {run['implementation']} "
                "gave different outputs for the same tuples",
                detail=f"{_told(known)}; {_told(run)}",
                hint="one of them is wrong, so their speed says nothing: find out which with "
                "onefold check; if onefold or its data changed, name another file with --json",
            )


def comparable(run: Mapping[str, Any]) -> bool:
    """Say whether a run's output can be compared."""
    return bool(run.get("digest")) and run.get("complete", True)


def _told(run: Mapping[str, Any]) -> str:
    return (
        f"{run['implementation']}, repetition {run['repetition']}: {run['outputs']:,} outputs, "
        f"digest {run['digest']}"
    )
