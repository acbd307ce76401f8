"""Random runs of a pipeline without late arrivals, and adversaries that starve its loops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from hypothesis import strategies as st

import onefold as of
from onefold.core.plan import Node, Plan, plan
from onefold.engines.reference import Engine, everything
from onefold.engines.trace import Event, Kind

ALL = ("dedicated", "aggregate", "aggregate-plus")

Run = Sequence[tuple[str, Any]]
"""Steps in order: a source with a row `(time, value, …)` or with a watermark."""


@st.composite
def streams(
    draw: st.DrawFn,
    values: Sequence[str] = "abc",
    *,
    most: int = 8,
    sources: Sequence[str] = ("s",),
    earliest: int = -4,
    latest: int = 12,
) -> Run:
    """Rows of all sources in any order, with watermarks anywhere that no later row is late for."""
    one = st.tuples(
        st.sampled_from(sources),
        st.tuples(st.integers(earliest, latest), st.sampled_from(values)),
    )
    rows = draw(st.lists(one, max_size=most))
    run: list[tuple[str, Any]] = []
    for position in range(len(rows) + 1):
        for source in sources:
            if draw(st.booleans()):
                later = [time for name, (time, _) in rows[position:] if name == source]
                run.append((source, min(later, default=latest) - draw(st.integers(0, 3))))
        run += rows[position : position + 1]
    return run


def rows_of(run: Run, source: str = "s") -> list[tuple[int, str]]:
    return [what for name, what in run if name == source and isinstance(what, tuple)]


def adversary(counts: Iterable[int]) -> Callable[[int], int]:
    """A schedule that lets these many tuples come round, one count a call, and then none."""
    left = iter(counts)
    return lambda waiting: min(next(left, 0), waiting)


schedules = st.lists(st.integers(0, 3), max_size=20)


class Driven:
    """An engine that has been given a run, and what it made."""

    def __init__(
        self,
        pipeline: of.Stream | Node | Plan,
        run: Run,
        implementation: str = "dedicated",
        *,
        schedule: Callable[[int], int] = everything,
        watch: Callable[[Driven, Event], None] | None = None,
        end: bool = True,
    ) -> None:
        self.events: list[Event] = []
        self.watch = watch
        made = pipeline if isinstance(pipeline, Plan) else None
        if isinstance(pipeline, of.Stream):
            made = of.lower(pipeline, implementation)
        elif isinstance(pipeline, Node):
            made = plan(pipeline)
        assert made
        self.engine = Engine(made, record=self._note, schedule=schedule)
        for source, what in run:
            if isinstance(what, tuple):
                self.engine.input(source, [what])
            else:
                self.engine.watermark(source, what)
        if end:
            self.engine.end()
        self.output = [tuple(t) for t in self.engine.take_output()]
        self.late = [tuple(t) for t in self.engine.take_late()]

    def _note(self, event: Event) -> None:
        self.events.append(event)
        if self.watch:
            self.watch(self, event)

    def seen(self, kind: Kind, node: Node | None = None) -> list[Event]:
        """What happened of this kind, at this node or at the output."""
        at = node or self.engine.plan.output
        return [event for event in self.events if event.kind is kind and event.node is at]

    @property
    def answer(self) -> Counter[tuple[Any, ...]]:
        return Counter(self.output)
