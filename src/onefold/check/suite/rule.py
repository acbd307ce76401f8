"""A rule of the model, and who conforms to it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from onefold.check.case import Arrival, Case, Cut, Event, Promise
from onefold.check.compare import Difference
from onefold.check.sides import Said, Side
from onefold.core.plan import Plan, plan
from onefold.stream import Stream

Given = tuple[Any, ...] | int | str
"""A row `(time, value, …)`, a watermark for all sources, or "cut" for the end of a batch.

Where there are several sources, `("name", row or watermark)`.
"""


@dataclass(frozen=True)
class Rule:
    """A rule of the model: what comes, and all that must come out."""

    operator: str
    name: str
    stream: Stream
    given: tuple[Given, ...]
    output: tuple[tuple[Any, ...], ...]
    late: tuple[tuple[Any, ...], ...] = ()

    @cached_property
    def plan(self) -> Plan:
        """The pipeline as a plan."""
        return plan(self.stream.node)

    @cached_property
    def case(self) -> Case:
        """What comes, as a case."""
        sources = tuple(self.plan.sources)
        return Case(sources, tuple(e for each in self.given for e in self._events(each, sources)))

    def _events(self, each: Given, sources: tuple[str, ...]) -> list[Event]:
        match each:
            case "cut":
                return [Cut()]
            case int():
                return [Promise(name, each) for name in sources]
            case (str() as name, int() as watermark) if name in sources:
                return [Promise(name, watermark)]
            case (str() as name, tuple() as row):
                return [Arrival(name, self._read(name, row))]
        return [Arrival(sources[0], self._read(sources[0], each))]

    def _read(self, name: str, row: Any) -> Any:
        return self.plan.sources[name].type.read(row)

    def __str__(self) -> str:
        return f"{self.operator}: {self.name}"


@dataclass(frozen=True)
class Outcome:
    """How a side did by a rule."""

    rule: Rule
    side: Side
    said: Said | None
    """What it said; None if it was not asked, as it takes no streams of this kind."""

    @property
    def difference(self) -> Difference | None:
        """Where it differs."""
        return self.said.difference if self.said else None
