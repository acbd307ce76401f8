"""Runners: how the cases of a transcript are run, step by step or from a record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Protocol

from onefold.check.players import REFERENCE, Player, spark
from onefold.check.recorded import Recorded, script_of
from onefold.check.transcript import Case
from onefold.core.plan import Plan
from onefold.core.records import Tuple
from onefold.engines.reference import Engine


class Runner(Protocol):
    """What an engine must offer to replay transcripts."""

    def input(self, source: str, rows: Iterable[Sequence[Any]]) -> None: ...

    def watermark(self, source: str, watermark: int) -> None: ...

    def end(self, *sources: str) -> None: ...

    def take_output(self) -> list[Tuple]: ...

    def take_late(self) -> list[Tuple]: ...

    def output_watermark(self) -> int: ...


Run = tuple[Plan, Case]
"""A case in one implementation."""


def on_reference(runs: Sequence[Run]) -> list[Runner]:
    """Return an engine for each run, to be fed step by step."""
    return [Engine(plan) for plan, _ in runs]


def on_spark(runs: Sequence[Run]) -> list[Runner]:
    """Play all runs on Spark, side by side in one query; return what was recorded of each."""
    return recorded(spark(), runs)


def recorded(by: Player, runs: Sequence[Run]) -> list[Runner]:
    """Let an engine play all runs; return what was recorded of each."""
    scripts = [script_of(case.steps, plan) for plan, case in runs]
    played = by.play([(plan, each.steps) for (plan, _), each in zip(runs, scripts)])
    return [Recorded(run[0], script, made) for run, script, made in zip(runs, scripts, played)]


def runners(by: Player) -> Callable[[Sequence[Run]], list[Runner]]:
    """Return how an engine runs cases: the reference step by step, others all at once."""
    return on_reference if by is REFERENCE else partial(recorded, by)
