"""The published sets, as the same tables that the synthetic streams have.

WikiAtomicEdits       a line an edit: base_sentence TAB phrase TAB edited_sentence
EUR-pallet scans      a line a reading: index distance, or x index distance; four scans a file
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import inf
from pathlib import Path
from typing import Any, BinaryIO, cast

import pyarrow as arrow

from onefold.bench.data import scans, wikipedia
from onefold.bench.experiments.scans import READINGS
from onefold.core.errors import OnefoldError

HEADER = ["base_sentence", "phrase", "edited_sentence"]
SCANS_OF_A_FILE = 4
ROWS = {"wikipedia": wikipedia.BLOCK, "scans": scans.BLOCK}
"""How many rows a table has."""


class NoSuchData(OnefoldError):
    """A path without a data set behind it."""


class BadEdit(OnefoldError):
    """A line that is no edit: not three texts, or not UTF-8."""


class BadScan(OnefoldError):
    """A line that is no reading, or a file that does not hold four whole scans."""


def edits(paths: Sequence[Path], tuples: int | None = None) -> Iterator[arrow.Table]:
    """Return the edits of WikiAtomicEdits files; repeated from the start if more are asked for."""
    rows = _repeated(lambda: (row for file in files(paths) for row in _edits(file)), tuples)
    return _tables(rows, ROWS["wikipedia"], wikipedia.SCHEMA)


def readings(paths: Sequence[Path], tuples: int | None = None) -> Iterator[arrow.Table]:
    """Return the scans of EUR-pallet files, numbered; repeated if more are asked for."""
    dists = _repeated(lambda: (scan for file in files(paths) for scan in _scans(file)), tuples)
    return _tables(enumerate(dists), ROWS["scans"], scans.SCHEMA)


READERS: dict[str, Callable[[Sequence[Path], int | None], Iterator[arrow.Table]]] = {
    "wikipedia": edits,
    "scans": readings,
}


def files(paths: Sequence[Path]) -> list[Path]:
    """Return the files that are named, and those of folders: scan 2 comes before scan 10."""
    found: list[Path] = []
    for path in paths:
        inside = (
            [path] if path.is_file() else [each for each in path.glob("[!.]*") if each.is_file()]
        )
        if not inside:
            raise NoSuchData(
                f"there are no files in {path}" if path.exists() else f"there is no {path}",
                hint="name the set's files or the folder they are in: --from PATH",
            )
        found += sorted(inside, key=_by_number)
    return found


def _by_number(path: Path) -> list[Any]:
    pieces = re.split(r"(\d+)", path.name)
    return [int(each) if each.isdecimal() else each for each in pieces]


def _repeated(rows: Callable[[], Iterator[Any]], tuples: int | None) -> Iterator[Any]:
    """Return rows once, or over and over up to a number of them."""
    made = 0
    while True:
        before = made
        for row in rows():
            yield row
            made += 1
            if made == tuples:
                return
        if made == before:
            raise NoSuchData("the files hold no tuple", hint="name the set's files: --from PATH")
        if tuples is None:
            return


def _tables(rows: Iterable[Any], size: int, schema: arrow.Schema) -> Iterator[arrow.Table]:
    waiting: list[Any] = []
    for row in rows:
        waiting.append(row)
        if len(waiting) == size:
            yield _table(waiting, schema)
            waiting = []
    if waiting:
        yield _table(waiting, schema)


def _table(rows: list[Any], schema: arrow.Schema) -> arrow.Table:
    columns = [arrow.array(column, field.type) for column, field in zip(zip(*rows), schema)]
    return arrow.table(columns, schema=schema)


def _lines(file: Path, mistake: type[OnefoldError]) -> Iterator[tuple[int, str]]:
    """Return the lines of a file that are not blank, numbered from 1."""
    number = 0
    try:
        with _opened(file) as stream:
            for number, line in enumerate(stream, 1):
                text = line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
                if text and not text.isspace():
                    yield number, text
    except UnicodeDecodeError as problem:
        raise mistake(
            f"{file}:{number}: not UTF-8 at byte {problem.start + 1}",
            hint="unpack the file if it is packed; .gz is read as it is",
        ) from None
    except (OSError, EOFError, zlib.error) as problem:
        raise mistake(f"{file} can't be read after line {number}", detail=str(problem)) from None


def _opened(file: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(file)) if file.suffix == ".gz" else file.open("rb")


def _edits(file: Path) -> Iterator[list[str]]:
    for number, line in _lines(file, BadEdit):
        texts = line.split("\t")
        if number == 1 and texts == HEADER:
            continue
        if len(texts) != len(HEADER):
            raise BadEdit(
                f"{file}:{number}: an edit has three texts, not {len(texts)}",
                detail=line[:100],
                hint="a line is: base sentence, phrase, edited sentence, with tabs between them",
            )
        yield texts


def _scans(file: Path) -> Iterator[list[float]]:
    scan: list[float] = []
    done = number = 0
    last = -1.0
    for number, line in _lines(file, BadScan):
        index, distance = _reading(file, number, line)
        if scan and index <= last:
            raise _miscounted(file, number, done, len(scan), "and the next scan begins here")
        if done == SCANS_OF_A_FILE:
            raise _miscounted(
                file, number, done, 1, f"beyond the {SCANS_OF_A_FILE} scans of a file"
            )
        scan.append(distance)
        last = index
        if len(scan) == READINGS:
            yield scan
            scan, done = [], done + 1
    if scan or done != SCANS_OF_A_FILE:
        raise _miscounted(file, number, done, len(scan), "and the file ends here")


def _reading(file: Path, number: int, line: str) -> tuple[float, float]:
    words = line.split()
    try:
        if len(words) not in {2, 3}:
            raise ValueError
        index, distance = map(float, words[-2:])
        if "_" in line or not (0 <= index < inf and 0 <= distance < inf):
            raise ValueError
    except ValueError:
        raise BadScan(
            f"{file}:{number}: a reading is an index and a distance",
            detail=line[:100],
            hint="a line is: index distance, or x index distance; neither is below zero",
        ) from None
    return index, distance


def _miscounted(file: Path, number: int, done: int, readings: int, where: str) -> BadScan:
    return BadScan(
        f"{file}:{number}: scan {done + 1} has {readings} readings, {where}",
        hint=f"a file holds {SCANS_OF_A_FILE} scans of {READINGS} readings each",
    )
