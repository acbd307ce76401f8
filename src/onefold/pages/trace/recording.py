"""Recording a run: the reference engine, one tuple at a time, and everything that happened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from onefold.core.errors import OnefoldError
from onefold.core.plan import Plan
from onefold.core.records import Tuple
from onefold.core.time import START_OF_TIME
from onefold.engines.reference import Engine
from onefold.engines.trace import Event

LIMIT = 20_000
"""How many steps are recorded, unless more are asked for."""


@dataclass(frozen=True)
class Cause:
    """What came in at a source: a tuple or a watermark."""

    source: str
    tuple: Tuple | None = None
    watermark: int | None = None
    latest: int = START_OF_TIME
    """The latest time of a tuple of the source so far."""


@dataclass(frozen=True)
class Step:
    """An event, and which input it came of, counted from 0."""

    event: Event
    cause: int


@dataclass(frozen=True)
class Stopped:
    """Why a recording ends before its stream does."""

    text: str
    error: OnefoldError | None = None
    """What stopped the run; None: the recording is as long as it may be."""


@dataclass(frozen=True)
class Recording:
    """What happened in a run, step by step."""

    plan: Plan
    causes: tuple[Cause, ...]
    steps: tuple[Step, ...]
    stopped: Stopped | None = None
    delay: int | None = None
    """How far watermarks stay behind the latest tuple; None: somebody wrote them."""


def recorded(
    plan: Plan,
    feed: Callable[[Engine], None],
    *,
    limit: int = LIMIT,
    delay: int | None = None,
) -> Recording:
    """Run a plan on what `feed` gives to the engine, and return what happened.

    An error ends the recording and is kept in it; one before the first step is raised.
    """
    engine = _Recorder(plan, limit)
    stopped = None
    try:
        feed(engine)
    except _Full:
        stopped = Stopped(
            f"The recording stopped after {limit:,} steps, at input {len(engine.causes):,}. "
            "What came after that was not run and is not shown: trace a smaller stream, or allow "
            "more steps with `limit`."
        )
    except OnefoldError as problem:
        if not engine.steps:
            raise
        stopped = Stopped(f"The run stopped here: {problem}", problem)
    return Recording(plan, tuple(engine.causes), tuple(engine.steps), stopped, delay)


class _Full(Exception):
    """The recording is as long as it may be."""


@dataclass
class _Latest:
    times: dict[str, int] = field(default_factory=dict)

    def of(self, source: str) -> int:
        return self.times.get(source, START_OF_TIME)

    def note(self, source: str, time: int) -> None:
        self.times[source] = max(self.of(source), time)


class _Recorder(Engine):
    """The reference engine, fed one tuple at a time: how a stream is cut changes no answer."""

    def __init__(self, plan: Plan, limit: int) -> None:
        super().__init__(plan, record=self._note)
        self.limit = limit
        self.causes: list[Cause] = []
        self.steps: list[Step] = []
        self._latest = _Latest()

    def process(self, source: str, tuples: Sequence[Tuple]) -> None:
        for t in tuples:
            own = type(t)(t)  # an object of its own: equal tuples are told apart
            self._latest.note(source, own.time)
            self.causes.append(Cause(source, tuple=own, latest=self._latest.of(source)))
            super().process(source, [own])

    def watermark(self, source: str, watermark: int) -> None:
        latest = self._latest.of(source)
        self.causes.append(Cause(source, watermark=watermark, latest=latest))
        super().watermark(source, watermark)

    def _note(self, event: Event) -> None:
        if len(self.steps) == self.limit:
            raise _Full
        self.steps.append(Step(event, len(self.causes) - 1))
