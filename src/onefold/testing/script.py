"""Scripts for tests of Spark code: which tuples and which watermarks come, micro-batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from onefold.core.ddl import tuple_type
from onefold.core.errors import MistypedTuple, PlanError, StreamEnded, UnknownSource
from onefold.core.records import Tuple
from onefold.core.scalars import Misfit, event_time
from onefold.core.time import END_OF_TIME
from onefold.core.types import TupleType
from onefold.core.values import listed
from onefold.engines.steps import Step


class NoSources(PlanError):
    """A script without a source: nothing could come in."""


class Script:
    """What comes to the sources of a streaming query, step by step. It never changes.

    A step is a micro-batch: rows of sources, and then watermarks. An `input` after a `watermark`
    begins the next one, as does a second watermark for one source; `cut` ends one without any.

    >>> script = (
    ...     Script(words="word string, n int")
    ...     .input(words=[(5, "a", 1), (7, "b", 2)])
    ...     .watermark(10)
    ...     .input(words=[(6, "a", 3)])
    ...     .end()
    ... )
    >>> len(script.steps)
    2
    >>> script.steps[0].tuples, script.steps[0].watermarks
    ({'words': [(time=5, word='a', n=1), (time=7, word='b', n=2)]}, {'words': 10})

    `play` runs a function of yours, from streaming DataFrames to one, and returns what each step
    made.
    """

    __test__ = False
    __slots__ = ("_begun", "_steps", "sources")

    sources: Mapping[str, TupleType]

    def __init__(self, /, **sources: str | TupleType) -> None:
        if not sources:
            raise NoSources("a script has no sources", hint='write Script(words="word string")')
        self.sources = {name: tuple_type(type) for name, type in sources.items()}
        self._steps: tuple[Step, ...] = ()
        self._begun = False

    @property
    def steps(self) -> tuple[Step, ...]:
        """What comes in, step by step."""
        return tuple(_copy(step) for step in self._steps)

    def input(self, /, **rows: Iterable[Any]) -> Script:
        """Feed rows `(time, value, …)`, or mappings with `time`; a time is a datetime or in ms."""
        self._check(rows)
        ended = {name for step in self._steps for name in _ended(step)}
        for name in rows:
            if name in ended:
                raise StreamEnded(f"source {name!r} has ended and takes no more rows")
        step, made = self._next(begin=bool(self._begun and self._steps[-1].watermarks))
        for name, fed in rows.items():
            tuples = step.tuples.setdefault(name, [])
            tuples += [_read(name, self.sources[name], row) for row in fed]
        return made

    def watermark(self, at: int | datetime | None = None, /, **each: int | datetime) -> Script:
        """Promise that no row before this time comes any more, from all sources or from some."""
        self._check(each)
        told = ({} if at is None else dict.fromkeys(self.sources, at)) | each
        return self._promise({name: _moment(name, moment) for name, moment in told.items()})

    def end(self, *sources: str) -> Script:
        """End these sources, or all of them."""
        self._check(sources)
        return self._promise(dict.fromkeys(sources or self.sources, END_OF_TIME))

    def cut(self) -> Script:
        """End a step here: what follows belongs to the next one."""
        return self._like(self._steps, begun=False)

    def play(
        self,
        function: Callable[..., Any],
        output: str | TupleType,
        *,
        time: str = "ts",
        session: Any = None,
    ) -> list[list[Tuple]]:
        """Run a function on Spark; return the rows that each step made, sorted.

        The function gets a streaming DataFrame for each source, by its name or by its place, with
        the event time in the column `time`, under its watermark. The columns of what it returns are
        matched to `output` by name; a column `window` will do for the time.
        """
        from onefold.engines.spark.plain import play_function
        from onefold.engines.spark.session import session as running

        type = tuple_type(output)
        spark = running() if session is None else session
        made = play_function(spark, function, self.sources, type, self.steps, time=time)
        for each in made:
            for error in each.errors:
                raise error
        return [type.sort(each.output) for each in made]

    def __repr__(self) -> str:
        types = ", ".join(f"{name}={str(type)!r}" for name, type in self.sources.items())
        return f"Script({types}) of {len(self._steps)} steps"

    def _promise(self, told: Mapping[str, int]) -> Script:
        step, made = self._next(
            begin=bool(self._begun and self._steps[-1].watermarks.keys() & told.keys())
        )
        step.watermarks.update(told)
        return made

    def _next(self, *, begin: bool) -> tuple[Step, Script]:
        """Return a script like this one, and the step in it that goes on, or begins."""
        steps = self.steps
        if begin or not self._begun:
            steps += (Step(),)
        return steps[-1], self._like(steps, begun=True)

    def _like(self, steps: tuple[Step, ...], *, begun: bool) -> Script:
        made = Script(**self.sources)
        made._steps, made._begun = steps, begun
        return made

    def _check(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self.sources:
                raise UnknownSource(
                    f"the script has no source {name!r}",
                    hint=f"its sources are {listed(list(self.sources))}",
                )


def _copy(step: Step) -> Step:
    return Step({name: [*each] for name, each in step.tuples.items()}, {**step.watermarks})


def _ended(step: Step) -> list[str]:
    return [name for name, told in step.watermarks.items() if told == END_OF_TIME]


def _read(source: str, type: TupleType, row: Any) -> Tuple:
    try:
        return type.read(row)
    except Misfit as problem:
        raise MistypedTuple(
            f"source {source}: {problem}",
            detail=f"got {row!r}",
            hint=f"a row here is (time, {', '.join(type.names)}), the time in ms or a datetime",
        ) from None


def _moment(source: str, at: Any) -> int:
    try:
        return event_time(at)
    except Misfit as problem:
        raise MistypedTuple(
            f"source {source}: a watermark is a time: {problem}",
            hint="give it in whole milliseconds, or as a datetime; end() ends a source",
        ) from None
