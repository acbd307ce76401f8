"""What a traced run is fed with: files, rows in memory, steps with watermarks of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from onefold.core.errors import UnknownSource
from onefold.core.plan import Plan
from onefold.core.records import Tuple
from onefold.core.time import END_OF_TIME
from onefold.core.types import TupleType
from onefold.core.values import listed
from onefold.engines.reference import Engine
from onefold.engines.steps import Step
from onefold.files.feed import feed
from onefold.files.formats import opened
from onefold.files.rows import BadRow, Reader

Feed = Callable[[Engine], None]


def from_files(plan: Plan, files: Mapping[str, str], *, time: str, delay: int, every: int) -> Feed:
    """Return what reads the file of each source to its end, as `onefold run` does."""

    def give(engine: Engine) -> None:
        with ExitStack() as stack:
            readers = {
                name: stack.enter_context(opened(files[name], source.type, time))
                for name, source in plan.sources.items()
            }
            _read(engine, readers, delay, every)

    return give


def from_rows(plan: Plan, rows: Mapping[str, Iterable[Any]], *, delay: int, every: int) -> Feed:
    """Return what feeds rows `(time, value, …)` of each source, with the watermarks of files."""
    for name in rows:
        if name not in plan.sources:
            hint = f"its sources are {listed(list(plan.sources))}"
            raise UnknownSource(f"the pipeline has no source {name!r}", hint=hint)
    if missing := [name for name in plan.sources if name not in rows]:
        raise UnknownSource(f"no input for source {listed(missing)}")

    def give(engine: Engine) -> None:
        readers = {
            name: _Rows(f"source {name}", source.type, rows[name])
            for name, source in plan.sources.items()
        }
        _read(engine, readers, delay, every)

    return give


def _read(engine: Engine, readers: Mapping[str, Reader], delay: int, every: int) -> None:
    def refuse(_: str, bad: BadRow) -> None:
        raise bad.error()

    feed(engine, readers, delay=delay, every=every, on_read=lambda *_: None, on_bad=refuse)


class _Rows(Reader):
    """Reads rows that are in memory."""

    unit = "row"

    def __init__(self, name: str, type: TupleType, given: Iterable[Any]) -> None:
        self.name, self.type, self.given = name, type, given
        self.rows = 0

    def records(self) -> Iterator[tuple[int, Any]]:
        return enumerate(self.given, start=1)

    def make(self, record: Any) -> Tuple:
        return self.type.read(record)

    def shown(self, record: Any) -> Any:
        return record


def from_steps(script: Sequence[Step]) -> Feed:
    """Return what feeds the steps of a script: tuples of sources, then watermarks."""

    def give(engine: Engine) -> None:
        for step in script:
            for source, tuples in step.tuples.items():
                engine.process(source, tuples)
            for source, watermark in step.watermarks.items():
                _promise(engine, source, watermark)

    return give


def _promise(engine: Engine, source: str, watermark: int) -> None:
    if watermark == END_OF_TIME:
        engine.end(source)
    else:
        engine.watermark(source, watermark)
