"""Which format a file has: its name tells."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO, Protocol, cast

from onefold.core.errors import OnefoldError
from onefold.core.records import Tuple
from onefold.core.types import TupleType
from onefold.files.csv import CsvReader, CsvWriter
from onefold.files.json_lines import JsonLinesReader, JsonLinesWriter
from onefold.files.rows import BadFile, Reader

STANDARD = "-"
"""The name of standard input and standard output."""


class Format(Enum):
    """How rows stand in a file."""

    JSON_LINES = "JSON lines"
    CSV = "CSV"
    PARQUET = "Parquet"


class UnknownFormat(OnefoldError):
    """A file whose name does not tell its format."""


class ParquetMissing(OnefoldError):
    """A Parquet file, and no pyarrow to read or write it."""


SUFFIXES = {
    ".jsonl": Format.JSON_LINES,
    ".ndjson": Format.JSON_LINES,
    ".json": Format.JSON_LINES,
    ".csv": Format.CSV,
    ".parquet": Format.PARQUET,
}


def format_of(where: str) -> Format:
    """Return the format of a file; what has no name of its own, as `-`, holds JSON lines.

    >>> format_of("edits.csv.gz"), format_of("-")
    (<Format.CSV: 'CSV'>, <Format.JSON_LINES: 'JSON lines'>)
    """
    path = Path(where.lower())
    packed = path.suffix == ".gz"
    found = SUFFIXES.get(path.with_suffix("").suffix if packed else path.suffix)
    if found and not (packed and found is Format.PARQUET):
        return found
    if where == STANDARD or is_stream(Path(where)):
        return Format.JSON_LINES
    raise UnknownFormat(
        f"the name of {where} does not tell its format",
        hint="name it .jsonl, .ndjson, .json or .csv, each with or without .gz, or .parquet",
    )


def is_stream(path: Path) -> bool:
    """Say whether a path is a device or a pipe."""
    return path.exists() and not path.is_file() and not path.is_dir()


@contextmanager
def opened(where: str, type: TupleType, time: str = "time") -> Iterator[Reader]:
    """Open a file to read tuples of a type from it.

    >>> from onefold.core.ddl import tuple_type
    >>> with opened("examples/data/edits.jsonl", tuple_type("orig string")) as reader:
    ...     tuples, bad = next(reader.pieces())
    >>> len(tuples), bad
    (200, None)
    """
    kind, name = format_of(where), "standard input" if where == STANDARD else where
    if kind is Format.PARQUET:
        yield _parquet().ParquetReader(name, where, type, time)
        return
    reader = JsonLinesReader if kind is Format.JSON_LINES else CsvReader
    if where == STANDARD:
        if sys.stdin is None:  # closed before the program began
            raise BadFile("standard input is closed", hint="name a file, or give it an input")
        yield reader(name, sys.stdin.buffer, type, time)
        return
    opener = gzip.open if where.lower().endswith(".gz") else open
    with opener(where, "rb") as stream:
        yield reader(name, cast(BinaryIO, stream), type, time)


class Writer(Protocol):
    """Writes tuples of one type."""

    def write(self, tuples: list[Tuple]) -> None: ...

    def close(self) -> None: ...


def writer(where: str, stream: BinaryIO, type: TupleType) -> Writer:
    """Return what writes tuples of a type to a stream, in the format of the file `where`."""
    match format_of(where):
        case Format.JSON_LINES:
            return JsonLinesWriter(stream, type)
        case Format.CSV:
            return CsvWriter(stream, type)
        case Format.PARQUET:
            made: Writer = _parquet().ParquetWriter(stream, type)
            return made


def _parquet() -> Any:
    try:
        import onefold.files.parquet
    except ModuleNotFoundError as problem:
        if (problem.name or "").partition(".")[0] != "pyarrow":
            raise
        raise ParquetMissing(
            "Parquet files need pyarrow, which is not installed",
            hint="pip install 'onefold[parquet]'",
        ) from None
    module: ModuleType = onefold.files.parquet
    return module
