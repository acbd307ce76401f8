"""Reading: a file as pieces of tuples, and the rows that are none."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from onefold.core.errors import OnefoldError, RunError
from onefold.core.records import Tuple
from onefold.core.scalars import Misfit
from onefold.core.showing import shown
from onefold.core.time import LATEST
from onefold.core.types import TupleType
from onefold.files.values import Convert, converted

CHUNK = 1_000
"""After how many rows of a source its watermark moves."""

LONGEST_REASON = 300
"""How much is said of why a row is bad, in characters."""


class BadInput(RunError):
    """A row that is no tuple of its source: malformed, or a value is missing or mistyped."""


class BadFile(OnefoldError):
    """A file that can't be read or written at all: not there, broken, or without a column."""


@dataclass(frozen=True)
class BadRow:
    """A row that is no tuple, where it stands, and why."""

    file: str
    line: int
    reason: str
    row: Any
    """The row as parsed; its text if it can't be parsed."""
    unit: str = "line"

    @property
    def where(self) -> str:
        """Write the file and the place in it."""
        if self.unit == "line":
            return f"{self.file}:{self.line}"
        return f"{self.file}, {self.unit} {self.line}"

    def error(self, aside: str = "") -> BadInput:
        """Return the error that stops a run; `aside` says how to go on without such rows."""
        row = self.row if isinstance(self.row, str) else shown(self.row)
        return BadInput(
            f"{self.where}: {self.reason}",
            detail=row if len(row) <= 300 else row[:297] + "...",
            hint="mend the row" + (f", or set such rows aside: {aside}" if aside else ""),
        )


@dataclass(frozen=True)
class RowType:
    """How to make a tuple of a parsed row: by the names and notations of its file."""

    type: TupleType
    time: str
    event_time: Convert
    attributes: list[tuple[str, Convert]]

    def make(self, row: dict[str, Any]) -> Tuple:
        """Return the tuple of a row, or raise `Misfit`."""
        time = row.get(self.time)
        if type(time) is not int or not -LATEST < time < LATEST:
            time = self._time(row)
        made: Tuple = self.type.tuple_class((time, *converted(row, self.attributes)))
        return made

    def _time(self, row: dict[str, Any]) -> int:
        if self.time not in row:
            raise Misfit(f"the event time, {self.time}, is missing")
        if row[self.time] in (None, ""):
            raise Misfit(f"the event time, {self.time}, is null")
        try:
            time: int = self.event_time(row[self.time])
        except Misfit as problem:
            raise Misfit(f"the event time, {self.time}: {problem}") from None
        return time


class Reader:
    """Reads one file, row by row."""

    unit = "line"

    def __init__(self, name: str, row_type: RowType) -> None:
        self.name, self.row_type = name, row_type
        self.rows = 0
        """How many rows it has read, good and bad."""

    def records(self) -> Iterator[tuple[int, Any]]:
        """Return each row as it stands in the file, with its place."""
        raise NotImplementedError(type(self).__name__)

    def make(self, record: Any) -> Tuple:
        """Return the tuple of a row, or raise `Misfit`."""
        raise NotImplementedError(type(self).__name__)

    def shown(self, record: Any) -> Any:
        """Return a bad row as a person wants to see it: parsed, or as text."""
        raise NotImplementedError(type(self).__name__)

    def pieces(self, every: int = CHUNK) -> Iterator[tuple[list[Tuple], BadRow | None]]:
        """Return the tuples in order, cut after every bad row and after each `every` rows."""
        tuples: list[Tuple] = []
        make = self.make
        for line, record in self._records_of_a_sound_file():
            self.rows += 1
            bad = None
            try:
                tuples.append(make(record))
            except Misfit as problem:
                bad = self._bad(line, str(problem), record)
            except RecursionError:
                bad = self._bad(line, "nested too deep", record)
            if bad or self.rows % every == 0:
                yield tuples, bad
                tuples = []
        if tuples:
            yield tuples, None

    def _bad(self, line: int, reason: str, record: Any) -> BadRow:
        if len(reason) > LONGEST_REASON:  # its ends say where and why, the value between is long
            reason = f"{reason[: LONGEST_REASON // 2]} ... {reason[-LONGEST_REASON // 2 :]}"
        return BadRow(self.name, line, reason, self.shown(record), self.unit)

    def _records_of_a_sound_file(self) -> Iterator[tuple[int, Any]]:
        try:
            yield from self.records()
        except (OSError, EOFError, zlib.error) as problem:
            raise BadFile(
                f"{self.name} can't be read after {self.rows} rows", detail=str(problem)
            ) from None
