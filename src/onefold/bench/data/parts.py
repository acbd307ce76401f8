"""Writing a stream: numbered files of rows in the order of time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from pathlib import Path

import numpy as np
import pyarrow as arrow
from pyarrow import parquet

from onefold.bench.data import scans, wikipedia
from onefold.bench.data.blocks import cut
from onefold.core.errors import OnefoldError
from onefold.files.json_text import dumps
from onefold.files.targets import Target

GENERATORS = {"wikipedia": wikipedia.chunks, "scans": scans.chunks}
"""Synthetic streams by the names of their sets."""


class OutputExists(OnefoldError):
    """A folder for a new stream that has files in it."""


class UnknownDataset(OnefoldError):
    """A set that is none of wikipedia and scans."""


class Form(Enum):
    """In which form rows are written."""

    PARQUET = "parquet"
    JSONL = "jsonl"


def _ignored(_rows: int) -> None:
    pass


def written(
    dataset: str,
    tuples: int,
    seed: int,
    out: Path,
    rate: int,
    per_file: int,
    *,
    form: Form = Form.PARQUET,
    progress: Callable[[int], None] = _ignored,
) -> list[Path]:
    """Write a synthetic stream of `rate` tuples a second and return its files."""
    if dataset not in GENERATORS:
        raise UnknownDataset(
            f"there is no data set {dataset!r}", hint=f"there are {' and '.join(GENERATORS)}"
        )
    tables = GENERATORS[dataset](tuples, seed)
    return write(tables, out, rate, per_file, form=form, progress=progress)


def write(
    tables: Iterable[arrow.Table],
    out: Path,
    rate: int,
    per_file: int,
    *,
    form: Form = Form.PARQUET,
    progress: Callable[[int], None] = _ignored,
) -> list[Path]:
    """Write tables as `part-00000` and so on; row i has the time i · 1000 / rate, floored.

    `progress` is told how many rows each file has.
    """
    files: list[Path] = []
    start = 0
    for table in cut(tables, per_file):
        times = np.arange(start, start + table.num_rows, dtype=np.int64) * 1000 // rate
        timed = table.add_column(0, arrow.field("time", arrow.int64()), [arrow.array(times)])
        out.mkdir(parents=True, exist_ok=True)  # not before there is something to write
        file = out / f"part-{len(files):05}.{form.value}"
        _write_file(timed, file, form)
        files.append(file)
        start += table.num_rows
        progress(table.num_rows)
    return files


def _write_file(table: arrow.Table, file: Path, form: Form) -> None:
    with Target(str(file)) as target:
        match form:
            case Form.PARQUET:
                parquet.write_table(table, target.stream)
            case Form.JSONL:
                for batch in table.to_batches(max_chunksize=1_000):
                    text = "".join(f"{dumps(row)}\n" for row in batch.to_pylist())
                    target.stream.write(text.encode())


def cleared(out: Path, *, force: bool) -> None:
    """Make sure that a folder is empty; with `force` remove the parts of an earlier stream."""
    if not out.exists():
        return
    if not out.is_dir():
        raise OutputExists(f"{out} is a file", hint="name a folder for the stream: --out DIR")
    if force:
        for form in Form:
            for part in out.glob(f"part-[0-9][0-9][0-9][0-9][0-9]*.{form.value}"):
                part.unlink()
    if there := sorted(each.name for each in out.iterdir()):
        raise OutputExists(
            f"{out} is not empty",
            detail=f"{there[0]}" + (f" and {len(there) - 1} more" if len(there) > 1 else ""),
            hint="name another folder; --force removes the parts of an earlier stream"
            if not force
            else "name another folder: --force removes only part-*.parquet and part-*.jsonl",
        )
