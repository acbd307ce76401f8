"""A trace: a run in memory, to be shown in a notebook, written to a file or read by a program."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from onefold.core.errors import BadCount
from onefold.core.lower import lower as lowered
from onefold.core.plan import Implementation
from onefold.core.time import Duration, duration, show_duration
from onefold.engines.steps import Step
from onefold.engines.trace import Event
from onefold.local import lower
from onefold.pages.trace.inputs import from_rows, from_steps
from onefold.pages.trace.model import Data, model
from onefold.pages.trace.page import page
from onefold.pages.trace.recording import LIMIT, Recording, recorded
from onefold.stream import Stream

HEIGHT = 720
"""How tall the page is in a notebook, in pixels."""


class HasSteps(Protocol):
    """What comes to sources step by step, as `onefold.testing.Script` does."""

    @property
    def steps(self) -> Sequence[Step]:
        """Tuples of sources, then watermarks of sources, step by step."""


@dataclass(frozen=True)
class Trace:
    """A run, step by step. A notebook shows it as a page."""

    recording: Recording
    title: str
    subtitle: str = ""

    @property
    def events(self) -> list[Event]:
        """What happened, in order."""
        return [step.event for step in self.recording.steps]

    @cached_property
    def data(self) -> Data:
        """All of it as plain data: see `onefold.pages.trace.model`."""
        return model(self.recording, self.title, self.subtitle)

    @property
    def words(self) -> list[str]:
        """A sentence for each step."""
        return [step["words"] for step in self.data["steps"]]

    def json(self) -> str:
        """Return the data as JSON."""
        return json.dumps(self.data, ensure_ascii=False)

    def html(self) -> str:
        """Return one page that needs no network."""
        return page(self.data)

    def save(self, file: str | Path) -> None:
        """Write the page to a file."""
        Path(file).write_text(self.html(), encoding="utf-8")

    def __str__(self) -> str:
        return "\n".join(map(str, self.events))

    def _repr_html_(self) -> str:
        """Show the page in a frame of its own: nothing of it can touch the notebook."""
        source = html.escape(self.html(), quote=True)
        return (
            f'<iframe srcdoc="{source}" sandbox="allow-scripts" title="trace" '
            f'style="width:100%;height:{HEIGHT}px;border:0"></iframe>'
        )


def trace(
    stream: Stream,
    inputs: Mapping[str, Iterable[Any]] | HasSteps,
    implementation: str | Implementation = Implementation.DEDICATED,
    *,
    delay: Duration = 0,
    every: int = 1,
    limit: int = LIMIT,
) -> Trace:
    """Run a pipeline in-process and return all that happened, step by step.

    `inputs` are rows `(time, value, …)` of each source, and after each `every` rows of a source its
    watermark is the latest time less the `delay`; or a `onefold.testing.Script`, which says itself
    where watermarks are.

    >>> words = of.source("words", "word string")
    >>> counts = words.aggregate(lambda w: (len(w.tuples),), "n int", size="10 ms")
    >>> run = trace(counts, {"words": [(3, "to"), (12, "be"), (8, "or")]})
    >>> run.words[-1]
    'aggregate has ended, and says so downstream. The output is complete.'
    >>> [event.tuple for event in run.events if event.kind.value == "late"]
    [(time=8, word='or')]
    """
    _check_count("every", every, "it counts the rows of a source between two of its watermarks")
    _check_count("limit", limit, "it counts the steps that are kept")
    plan = lower(stream, implementation)
    carried = Implementation.of(implementation)
    if isinstance(inputs, Mapping):
        behind = duration(delay, "the delay")
        feed = from_rows(plan, inputs, delay=behind, every=every)
        recording = recorded(plan, feed, limit=limit, delay=behind)
        return Trace(recording, stream.node.step.operator, subtitle(carried, behind, every))
    recording = recorded(plan, from_steps(inputs.steps), limit=limit)
    return Trace(recording, stream.node.step.operator, subtitle(carried))


def _check_count(name: str, count: Any, hint: str) -> None:
    if not isinstance(count, int) or count < 1:
        raise BadCount(f"{name} is {count!r}, and must be a whole number from 1 on", hint=hint)


def trace_case(
    file: str | Path,
    case: str | None = None,
    implementation: str | Implementation = Implementation.DEDICATED,
    *,
    limit: int = LIMIT,
) -> Trace:
    """Run a case of a transcript, by its name or number, the first if none is named."""
    from onefold.check.transcript import read_transcript
    from onefold.pages.trace.transcripts import case_named, from_case

    carried = Implementation.of(implementation)
    transcript = read_transcript(Path(file))
    chosen = case_named(transcript, case)
    recording = recorded(lowered(transcript.plan, carried), from_case(chosen), limit=limit)
    return Trace(recording, f"{transcript.file.name}: {chosen.name}", subtitle(carried))


def subtitle(
    implementation: Implementation, delay: int | None = None, every: int | None = None
) -> str:
    """Say how the operators were carried out, and where the watermarks come from."""
    if delay is None or every is None:
        return f"{implementation.value} · watermarks as they are written"
    rows = "row" if every == 1 else f"{every:,} rows"
    behind = "the latest time" if delay == 0 else f"{show_duration(delay)} behind the latest time"
    return f"{implementation.value} · a watermark after every {rows}, {behind}"
