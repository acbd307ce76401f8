"""The steps of a transcript: what a case does, and what it expects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from onefold.check.located import Located
from onefold.check.rows import read_row, read_time
from onefold.core.near import did_you_mean
from onefold.core.plan import Node, Plan
from onefold.core.records import Tuple
from onefold.core.time import END_OF_TIME
from onefold.core.types import Misfit, TupleType
from onefold.core.values import listed


@dataclass(frozen=True)
class Input:
    """Tuples for a source."""

    line: int
    source: str
    tuples: tuple[Tuple, ...]


@dataclass(frozen=True)
class Watermark:
    """A watermark for a source."""

    line: int
    source: str
    watermark: int


@dataclass(frozen=True)
class Expect:
    """The output since the last expectation, as a multiset."""

    line: int
    tuples: tuple[Tuple, ...]


@dataclass(frozen=True)
class ExpectLate:
    """What all late streams got since the last such step, as a multiset."""

    line: int
    rows: tuple[tuple[Tuple, ...], ...]
    """Each row as a tuple of every type that it fits: operators drop tuples of different types."""


@dataclass(frozen=True)
class End:
    """The end of some sources."""

    line: int
    sources: tuple[str, ...]


Step = Input | Watermark | Expect | ExpectLate | End

Mistake = Callable[[int, str], None]
"""Where to tell a line and what is wrong there."""


class StepReader:
    """Reads steps for a pipeline: sources and rows are checked against its types."""

    def __init__(self, tested: Plan, mistake: Mistake) -> None:
        self.plan, self.mistake = tested, mistake
        self.sources = tuple(tested.sources)
        self.late_types = list(dict.fromkeys(_late_types(tested.nodes)))
        self.kinds: dict[str, Callable[[Located, int], Iterator[Step]]] = {
            "input": self._input,
            "watermark": self._watermark,
            "expect": self._expect,
            "late": self._late,
            "end": self._end,
        }

    def read(self, given: Located) -> Iterator[Step]:
        """Return the steps that one item of the list writes, in its order."""
        match given.value:
            case str():
                written = {given.value: (Located(None, given.line), given.line)}
            case dict():
                written = {n: (each, given.names[n]) for n, each in given.value.items()}
            case _:
                self.mistake(given.line, f"a step is one of {listed(list(self.kinds))}")
                return
        for name, (value, line) in written.items():
            if name in self.kinds:
                yield from self.kinds[name](value, line)
            else:
                self.mistake(line, f"there is no step {name!r}{near(name, self.kinds)}")

    def _input(self, given: Located, line: int) -> Iterator[Step]:
        for_the_only = isinstance(given.value, list) and len(self.sources) == 1
        if not isinstance(given.value, dict) and not for_the_only:
            self.mistake(line, "input is a mapping of sources to rows")
            return
        for source, rows in self._by_source(given):
            tuples = self._rows(rows, f"input {source}", self.plan.sources[source].type)
            yield Input(rows.line, source, tuple(tuples))

    def _watermark(self, given: Located, line: int) -> Iterator[Step]:
        for source, each in self._by_source(given):
            value = each.plain()
            if isinstance(value, (int, float)) and value in {END_OF_TIME, float("inf")}:
                yield End(each.line, (source,))
                continue
            try:
                yield Watermark(each.line, source, read_time(value))
            except Misfit as problem:
                self.mistake(each.line, f"watermark of {source}: {problem}")

    def _expect(self, given: Located, line: int) -> Iterator[Step]:
        yield Expect(line, tuple(self._rows(given, "expect", self.plan.output.type)))

    def _late(self, given: Located, line: int) -> Iterator[Step]:
        yield ExpectLate(line, tuple(self._as_each_type(row) for row in self._list(given, "late")))

    def _end(self, given: Located, line: int) -> Iterator[Step]:
        match given.plain():
            case None | True:
                yield End(line, self.sources)
            case str() as source if self._known(source, given.line):
                yield End(line, (source,))
            case []:
                self.mistake(line, "end: an empty list names no source; end alone ends all")
            case [*sources] if all(isinstance(each, str) for each in sources):
                yield End(line, tuple(each for each in sources if self._known(each, given.line)))
            case str():
                pass
            case _:
                self.mistake(line, "end stands alone, or with a list of sources")

    def _by_source(self, given: Located) -> Iterator[tuple[str, Located]]:
        """Return what is given for each source; without a source it is for all there are."""
        if not isinstance(given.value, dict):
            yield from ((source, given) for source in self.sources)
            return
        for source, value in given.value.items():
            if self._known(source, given.names[source]):
                yield source, value

    def _known(self, source: str, line: int) -> bool:
        if source in self.plan.sources:
            return True
        there_are = near(source, self.plan.sources) or f": there is {listed(self.sources)}"
        self.mistake(line, f"there is no source {source!r}{there_are}")
        return False

    def _rows(self, given: Located, what: str, type: TupleType) -> Iterator[Tuple]:
        for row in self._list(given, what):
            try:
                yield read_row(row.plain(), type)
            except Misfit as problem:
                self.mistake(row.line, f"{what}: {problem}")

    def _as_each_type(self, row: Located) -> tuple[Tuple, ...]:
        fitting, reasons = [], []
        for type in self.late_types:
            try:
                fitting.append(read_row(row.plain(), type))
            except Misfit as problem:
                reasons.append(str(problem))
        if not fitting:
            why = "; ".join(reasons) or "no operator of the pipeline has a late stream"
            self.mistake(row.line, f"late: {why}")
        return tuple(fitting)

    def _list(self, given: Located, what: str) -> list[Located]:
        if given.value is not None and not isinstance(given.value, list):
            self.mistake(given.line, f"{what}: a list of rows was expected")
            return []
        return given.value or []


def _late_types(nodes: tuple[Node, ...]) -> Iterator[TupleType]:
    for node in nodes:
        yield from (node.inputs[port].type for port in range(node.late_ports))


def near(name: str, known: Iterable[str]) -> str:
    """Return a question for the known name that is most like `name`, if one is."""
    question = did_you_mean(name, known)
    return f": {question}" if question else ""
