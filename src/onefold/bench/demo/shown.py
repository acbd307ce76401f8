"""What a demo has to show: its runs, compared with the first, and the plans that they ran."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from onefold.bench.demo.answers import Difference, difference
from onefold.bench.demo.edits import Edits
from onefold.bench.demo.runs import Ran
from onefold.core.plan import Plan


@dataclass(frozen=True)
class Demo:
    """A demo that has come to its end."""

    edits: Edits
    runs: Sequence[Ran]
    plans: Mapping[str, Plan]
    """What each implementation ran."""
    source: str
    """The text of the pipeline's file."""
    command: str
    made: Mapping[str, Any] = field(default_factory=dict)
    """The machine and the versions."""

    @property
    def first(self) -> Ran:
        """The run that the others are compared with."""
        return self.runs[0]

    @cached_property
    def differences(self) -> dict[str, Difference]:
        """Where each of the other answers differs from the first."""
        return {run.label: difference(self.first.answer, run.answer) for run in self.runs[1:]}

    @property
    def same(self) -> bool:
        """Whether all answers are the same multiset."""
        return all(each.same for each in self.differences.values())
