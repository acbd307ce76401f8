"""Data sets in files: made once, kept in a folder, read again by every run."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from onefold.bench.data import scans, wikipedia
from onefold.bench.data.real import READERS, files
from onefold.bench.experiments.experiment import Experiment
from onefold.core.records import Tuple
from onefold.core.time import floor_to_tick
from onefold.core.types import TupleType
from onefold.local import lower
from onefold.spark import END_OF_STREAM

Generator = Callable[[int, int], Iterator[pa.Table]]
GENERATORS: Mapping[str, Generator] = {"wikipedia": wikipedia.chunks, "scans": scans.chunks}
"""Given how many tuples and a seed: tables of attributes without a time."""

TIME = "time"
BEGIN = 1_700_000_000_000
"""The event time of a data set's first tuple: a whole second, where windows begin."""
MOMENT = pa.timestamp("us", tz="UTC")
BLOCK = 10_000
"""How many tuples stand in a block of an Arrow file."""


@dataclass(frozen=True)
class Origin:
    """Where a data set comes from: made up of a seed, or read from files of the real set."""

    seed: int = 1
    sources: tuple[Path, ...] = ()

    def tables(self, dataset: str, tuples: int) -> Iterator[pa.Table]:
        """Return so many tuples; the real set begins again where it has fewer."""
        if self.sources:
            return READERS[dataset](self.sources, tuples)
        return GENERATORS[dataset](tuples, self.seed)

    @property
    def real(self) -> str | None:
        """A name of the real set's files as they are now; None if the data is made up."""
        if not self.sources:
            return None
        stats = [(str(file.resolve()), file.stat()) for file in files(self.sources)]
        told = [(name, each.st_size, each.st_mtime_ns) for name, each in stats]
        return sha256(repr(told).encode()).hexdigest()[:12]

    def __str__(self) -> str:
        return f"real-{self.real}" if self.sources else f"seed{self.seed}"


def default_folder() -> Path:
    """Return where data is kept if nobody says where."""
    return Path(tempfile.gettempdir()) / "onefold-bench"


def moments(begin: int, first: int, last: int, rate: int) -> pa.Array:
    """Return the times of the tuples first ≤ i < last: `begin + i·1000 // rate` milliseconds."""
    millis = begin + np.arange(first, last, dtype=np.int64) * 1000 // rate
    return pa.array(millis * 1000, MOMENT)


@dataclass(frozen=True)
class Files:
    """Tuples in Parquet files: so many files make a batch, and the last one ends the stream."""

    folder: Path
    tuples: int
    rate: int
    batch: int
    parts: int

    @property
    def sizes(self) -> list[int]:
        """How many tuples each batch holds; the one that ends the stream is not told of."""
        starts = range(0, self.tuples, self.batch)
        return [min(self.batch, self.tuples - start) for start in starts]

    def table(self) -> pa.Table:
        """Return all tuples."""
        names = sorted(self.folder.glob("[0-9]*.parquet"))
        return pa.concat_tables([pq.read_table(name) for name in names])


def parquet_files(
    data: Path, dataset: str, *, tuples: int, origin: Origin, rate: int, batch: int, parts: int
) -> Files:
    """Return a data set in Parquet files, `rate` tuples in a second of event time."""
    folder = data / f"{dataset}-{tuples}-{origin}-rate{rate}-batch{batch}x{parts}-plain"
    files = Files(folder, tuples, rate, batch, parts)
    if not folder.exists():
        with _complete(folder) as unfinished:
            unfinished.mkdir()
            _write(files, unfinished, origin.tables(dataset, tuples))
    return files


def arrow_file(data: Path, dataset: str, *, tuples: int, origin: Origin) -> Path:
    """Return a data set in one Arrow file without times, to be mapped into memory."""
    file = data / f"{dataset}-{tuples}-{origin}.arrow"
    if not file.exists():
        with _complete(file) as unfinished:
            chunks = origin.tables(dataset, tuples)
            first = next(chunks)
            with pa.OSFile(str(unfinished), "wb") as out, pa.ipc.new_file(out, first.schema) as w:
                for block in _sized(chain([first], chunks), BLOCK):
                    w.write_table(block, max_chunksize=BLOCK)
    return file


def read_tuples(experiment: Experiment, table: pa.Table, count: int, rate: int) -> list[Tuple]:
    """Return the first tuples of a table, over and over if it has fewer, as onefold's."""
    kind = source_type(experiment)
    rows = list(zip(*(table.column(name).to_pylist() for name in kind.names)))
    return [kind.make(BEGIN + n * 1000 // rate, rows[n % len(rows)]) for n in range(count)]


def mapped(file: Path) -> pa.Table:
    """Return an Arrow file as a table, in memory only where it is read."""
    return pa.ipc.open_file(pa.memory_map(str(file))).read_all()


def source_type(experiment: Experiment) -> TupleType:
    """Return the type of an experiment's one source."""
    return lower(experiment.pipeline(), "dedicated").sources[experiment.dataset].type


def _write(files: Files, folder: Path, chunks: Iterator[pa.Table]) -> None:
    written, schema = 0, None
    for number, table in enumerate(_sized(chunks, files.batch)):
        part = -(-table.num_rows // files.parts)
        for n in range(files.parts):
            rows = table.slice(min(n * part, table.num_rows), part)
            times = moments(BEGIN, written, written + rows.num_rows, files.rate)
            written += rows.num_rows
            timed = rows.add_column(0, TIME, times)
            _put(timed, folder / f"{number:06}-{n}.parquet", number)
            schema = timed.schema
    if schema is None:
        raise ValueError("no tuples")
    end: dict[str, list[Any]] = {name: [None] for name in schema.names}
    end[TIME] = [floor_to_tick(END_OF_STREAM) * 1000]
    arrays = [pa.array(end[field.name], field.type) for field in schema]
    _put(pa.Table.from_arrays(arrays, schema=schema), folder / "end.parquet", len(files.sizes))


def _put(table: pa.Table, file: Path, order: int) -> None:
    """Write a file whose time of change says when Spark reads it; as cheap to read as can be."""
    pq.write_table(table, file, compression="none", use_dictionary=False)
    os.utime(file, (order, order))


def _sized(chunks: Iterator[pa.Table], size: int) -> Iterator[pa.Table]:
    """Return the same rows in tables of one size, the last one perhaps smaller."""
    held: list[pa.Table] = []
    rows = 0
    for chunk in chunks:
        held.append(chunk)
        rows += chunk.num_rows
        while rows >= size:
            whole = pa.concat_tables(held)
            yield whole.slice(0, size).combine_chunks()
            held, rows = [whole.slice(size)], rows - size
    if rows:
        yield pa.concat_tables(held).combine_chunks()


@contextmanager
def _complete(target: Path) -> Iterator[Path]:
    """Give a path to write to; it takes its name when it is complete.

    If another process was faster, its data stands there, which is the same.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    path = target.with_name(f".{target.name}-{os.getpid()}")
    try:
        yield path
        try:
            path.rename(target)
        except OSError:
            if not target.exists():
                raise
    finally:
        if path.is_dir():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
