"""Running a pipeline here and now: in this process, over rows in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from onefold.core.errors import UnknownSource
from onefold.core.lower import lower as lowered
from onefold.core.plan import Implementation, Plan, plan
from onefold.core.records import Tuple
from onefold.core.values import listed
from onefold.engines.reference import Engine
from onefold.stream import Stream


def lower(stream: Stream, implementation: str | Implementation) -> Plan:
    """Return the plan of a stream in an implementation."""
    return lowered(plan(stream.node), Implementation.of(implementation))


def run(
    stream: Stream,
    inputs: Mapping[str, Iterable[Sequence[Any]]],
    implementation: str | Implementation = Implementation.DEDICATED,
) -> list[Tuple]:
    """Run a pipeline in-process over rows `(time, value, …)` and return all that comes out.

    No tuple is late: the watermark moves once, to the end.
    """
    engine = Engine(lower(stream, implementation))
    if missing := [name for name in engine.plan.sources if name not in inputs]:
        raise UnknownSource(f"no input for source {listed(missing)}")
    for name, rows in inputs.items():
        engine.input(name, rows)
    engine.end()
    return engine.take_output()
