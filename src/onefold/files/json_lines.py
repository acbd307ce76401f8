"""JSON lines: one object a line. Blank lines are skipped; `NaN` and `Infinity` are numbers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from onefold.core.records import Tuple
from onefold.core.scalars import Misfit, event_time
from onefold.core.types import TupleType
from onefold.files.json_text import dumps, loads
from onefold.files.rows import Reader, RowType
from onefold.files.values import from_json, to_json

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
DEEP = 100
"""A bad row that is nested deeper is shown as its text: writing it again could fail."""


def lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Return the lines that are not blank, numbered from 1, without a byte order mark."""
    for number, line in enumerate(stream, 1):
        if number == 1:
            line = line.removeprefix(BYTE_ORDER_MARK)  # noqa: PLW2901  as if it were not there
        if line and not line.isspace():
            yield number, line


class JsonLinesReader(Reader):
    """Reads JSON lines."""

    def __init__(self, name: str, stream: BinaryIO, type: TupleType, time: str) -> None:
        attributes = [(each, from_json(kind)) for each, kind in type.attributes]
        super().__init__(name, RowType(type, time, event_time, attributes))
        self.stream = stream

    def records(self) -> Iterator[tuple[int, bytes]]:
        return lines(self.stream)

    def make(self, record: bytes) -> Tuple:
        try:
            row = loads(record.decode().rstrip())
        except UnicodeDecodeError as problem:
            raise Misfit(f"not UTF-8 at byte {problem.start + 1}") from None
        except json.JSONDecodeError as problem:
            raise Misfit(f"malformed JSON at column {problem.colno}: {problem.msg}") from None
        except Misfit:
            raise
        except ValueError as problem:  # a number of thousands of digits
            raise Misfit(f"malformed JSON: {problem}") from None
        except RecursionError:
            raise Misfit("malformed JSON: nested too deep") from None
        if type(row) is not dict:
            raise Misfit("not a JSON object: JSON lines hold one object a line")
        return self.row_type.make(row)

    def shown(self, record: bytes) -> Any:
        try:
            row = loads(record.decode())
        except (ValueError, RecursionError):
            row = None
        if row is None or _nested_deep(row):
            return record.decode(errors="backslashreplace").strip()
        return row


def _nested_deep(value: Any) -> bool:
    level = [value] if type(value) in {dict, list} else []
    for _ in range(DEEP):
        inner = [each.values() if type(each) is dict else each for each in level]
        level = [item for items in inner for item in items if type(item) in {dict, list}]
        if not level:
            return False
    return True


class JsonLinesWriter:
    """Writes JSON lines: `time` first, then the attributes."""

    def __init__(self, stream: BinaryIO, type: TupleType) -> None:
        self.stream = stream
        self.names = ("time", *type.names)
        self.encoders = [
            (name, encode) for name, kind in type.attributes if (encode := to_json(kind))
        ]

    def write(self, tuples: list[Tuple]) -> None:
        text = []
        for t in tuples:
            row = dict(zip(self.names, t))
            for name, encode in self.encoders:
                row[name] = encode(row[name])
            text.append(dumps(row) + "\n")
        self.stream.write("".join(text).encode())

    def close(self) -> None:
        """Nothing is held back."""
