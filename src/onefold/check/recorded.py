"""Cases played on an engine all at once, and then looked at one by one.

A streaming engine takes seconds for what the reference does at once, so it plays all cases side by
side. What each of their steps made is recorded, and replayed from the record.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from onefold.check.steps import End, Expect, ExpectLate, Input, Watermark
from onefold.check.steps import Step as CaseStep
from onefold.core.errors import StreamEnded
from onefold.core.plan import Late, Plan, walk
from onefold.core.records import Tuple
from onefold.core.time import END_OF_TIME, START_OF_TIME
from onefold.engines.steps import Made, Step


@dataclass
class Script:
    """The steps of a case for an engine, and to which of them each of the case's own belongs."""

    steps: list[Step] = field(default_factory=lambda: [Step()])
    calls: list[int] = field(default_factory=list)
    _watermarked: bool = False

    def take(self, step: CaseStep, plan: Plan) -> None:
        """Add a step of a case."""
        match step:
            case Input():
                if self._watermarked:
                    self._next()
                self.steps[-1].tuples.setdefault(step.source, []).extend(step.tuples)
            case Watermark():
                self._watermark(step.source, step.watermark)
            case End():
                for source in step.sources or plan.sources:
                    self._watermark(source, END_OF_TIME)
            case Expect() | ExpectLate():
                self._next()
                return
        self.calls.append(len(self.steps) - 1)

    def _watermark(self, source: str, watermark: int) -> None:
        if source in self.steps[-1].watermarks:
            self._next()
        self.steps[-1].watermarks[source] = watermark
        self._watermarked = True

    def _next(self) -> None:
        if self.steps[-1].tuples or self.steps[-1].watermarks:
            self.steps.append(Step())
        self._watermarked = False

    def finish(self, plan: Plan) -> None:
        """Let everything end, whatever the case does."""
        self._next()
        self.steps[-1].watermarks = dict.fromkeys(plan.sources, END_OF_TIME)


def script_of(steps: Iterable[CaseStep], plan: Plan) -> Script:
    """Return the script of a case."""
    script = Script()
    for step in steps:
        script.take(step, plan)
    script.finish(plan)
    return script


@dataclass
class Recorded:
    """A case that was played: replayed call by call, it gives what was recorded."""

    plan: Plan
    script: Script
    made: Sequence[Made]
    call: int = -1
    output: list[Tuple] = field(default_factory=list)
    late: list[Tuple] = field(default_factory=list)
    reached: dict[str, int] = field(default_factory=dict)
    ended: set[str] = field(default_factory=set)
    seen: int = 0

    def input(self, source: str, rows: Iterable[Any]) -> None:
        if source in self.ended:
            raise StreamEnded(f"source {source!r} has ended and takes no more tuples")
        self._go_on()

    def watermark(self, source: str, watermark: int) -> None:
        self.reached[source] = max(watermark, self.reached.get(source, START_OF_TIME))
        self._go_on()

    def end(self, *sources: str) -> None:
        self.ended |= set(sources or self.plan.sources)
        self.reached.update(dict.fromkeys(self.ended, END_OF_TIME))
        self._go_on()

    def _go_on(self) -> None:
        """Take what was made up to here: by this call, if it is the last of its step."""
        self.call += 1
        calls = self.script.calls
        step = calls[self.call] if self.call < len(calls) else len(self.made) - 1
        if self.call + 1 < len(calls) and calls[self.call + 1] == step:
            return
        for made in self.made[self.seen : step + 1]:
            self.output += made.output
            self.late += made.late
            self.seen += 1
            for error in made.errors:
                raise error

    def take_output(self) -> list[Tuple]:
        taken, self.output = self.output, []
        return taken

    def take_late(self) -> list[Tuple]:
        taken, self.late = self.late, []
        return taken

    def output_watermark(self) -> int:
        above = list(walk(self.plan.output))
        names = [name for name, source in self.plan.sources.items() if source in above]
        least = min(self.reached.get(name, START_OF_TIME) for name in names)
        waits = any(isinstance(node, Late) for node in above)
        return START_OF_TIME if waits and least != END_OF_TIME else least
