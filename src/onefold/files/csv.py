"""CSV with a header: comma, double quotes. Values are read by type."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Any, BinaryIO

from onefold.core.near import check_columns
from onefold.core.records import Tuple
from onefold.core.scalars import Misfit
from onefold.core.types import TupleType
from onefold.files.json_lines import BYTE_ORDER_MARK
from onefold.files.rows import BadFile, Reader, RowType
from onefold.files.values import event_time_from_text, from_text, to_text

NAMED_FIRST = "the first line of CSV names the columns; --time names that of times"
LONGEST_CELL = 1 << 26
"""Python's own limit, 128 KiB, is shorter than an article."""


class _Decoded:
    """The lines of a file as text; remembers those of the row at hand, and what is wrong there."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream
        self.forget()

    def forget(self) -> None:
        """Begin a new row."""
        self.seen: list[str] = []
        self.problem = ""

    def __iter__(self) -> Iterator[str]:
        for number, line in enumerate(self.stream, 1):
            text = self._text(number, line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line)
            self.seen.append(text)
            yield text

    def _text(self, number: int, line: bytes) -> str:
        try:
            return line.decode()
        except UnicodeDecodeError as problem:
            self.problem = f"not UTF-8 at byte {problem.start + 1} of line {number}"
            return line.decode(errors="backslashreplace")


class CsvReader(Reader):
    """Reads CSV."""

    def __init__(self, name: str, stream: BinaryIO, type: TupleType, time: str) -> None:
        attributes = [(each, from_text(kind)) for each, kind in type.attributes]
        super().__init__(name, RowType(type, time, event_time_from_text, attributes))
        csv.field_size_limit(max(LONGEST_CELL, csv.field_size_limit()))
        self.lines = _Decoded(stream)
        self.rows_of_cells = csv.reader(iter(self.lines), strict=True)
        self.header = self._header()

    def _header(self) -> list[str]:
        try:
            header = next(self.rows_of_cells, [])
        except csv.Error as problem:
            raise BadFile(f"{self.name}:1: the header can't be read: {problem}") from None
        needed = (self.row_type.time, *self.row_type.type.names)
        check_columns(BadFile, self.name, needed, header, NAMED_FIRST)
        if twice := sorted({name for name in needed if header.count(name) > 1}):
            raise BadFile(f"{self.name}: two columns are named {twice[0]}")
        return header

    def records(self) -> Iterator[tuple[int, list[str]]]:
        rows, lines = self.rows_of_cells, self.lines
        while True:
            start = rows.line_num + 1
            lines.forget()
            try:
                cells = next(rows)
            except StopIteration:
                return
            except csv.Error as problem:
                lines.problem = f"malformed CSV: {problem}"
                yield start, []
                continue
            if cells:
                yield start, cells

    def make(self, record: list[str]) -> Tuple:
        if self.lines.problem:
            raise Misfit(self.lines.problem)
        if len(record) != len(self.header):
            raise Misfit(f"{len(record)} cells, and the header has {len(self.header)}")
        return self.row_type.make(dict(zip(self.header, record)))

    def shown(self, record: list[str]) -> Any:
        if self.lines.problem or len(record) != len(self.header):
            return "".join(self.lines.seen).strip()
        return dict(zip(self.header, record))


class CsvWriter:
    """Writes CSV: a header, then `time` first and the attributes."""

    def __init__(self, stream: BinaryIO, type: TupleType) -> None:
        self.encoders = [(name, to_text(kind)) for name, kind in type.attributes]
        self.rows = csv.writer(_Lines(stream), lineterminator="\r\n")
        self.rows.writerow(("time", *type.names))

    def write(self, tuples: list[Tuple]) -> None:
        for t in tuples:
            try:
                cells = [self._cell(name, encode, t) for name, encode in self.encoders]
                self.rows.writerow((str(t.time), *cells))
            except (Misfit, UnicodeEncodeError) as problem:
                raise BadFile(
                    f"a tuple can't be written as CSV: {problem}",
                    detail=repr(t),
                    hint="write .jsonl or .parquet, which can hold it",
                ) from None

    @staticmethod
    def _cell(name: str, encode: Any, t: Tuple) -> str:
        try:
            return str(encode(t[name]))
        except Misfit as problem:
            raise Misfit(f"attribute {name}: {problem}") from None

    def close(self) -> None:
        """Nothing is held back."""


class _Lines:
    """Takes lines that end in CRLF, so that cells with either sign are quoted; ends them in LF."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream

    def write(self, line: str) -> None:
        self.stream.write((line[:-2] + "\n").encode())
