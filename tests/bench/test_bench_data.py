"""Data in files: every tuple once, in order, at its time; and at a rate, the same for an offset."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import standins

from onefold.bench import prepared
from onefold.bench.prepared import BEGIN, Origin, arrow_file, mapped, parquet_files
from onefold.bench.source import Load, Slice, rows, slices
from onefold.spark import END_OF_STREAM


@pytest.fixture(autouse=True)
def _data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepared, "GENERATORS", {"wikipedia": standins.chunks})


def original(tuples: int) -> list[str]:
    return [row for table in standins.chunks(tuples, 1) for row in table.column("orig").to_pylist()]


def test_files_hold_each_tuple_once_and_the_end(tmp_path: Path) -> None:
    files = parquet_files(
        tmp_path, "wikipedia", tuples=2500, origin=Origin(1), rate=100, batch=1100, parts=2
    )
    names = sorted(files.folder.iterdir(), key=lambda file: (file.stat().st_mtime, file.name))
    assert [file.stem for file in names] == [
        *(f"{n:06}-{p}" for n in range(3) for p in (0, 1)),
        "end",
    ]
    assert files.table().column("orig").to_pylist() == original(2500)
    times = files.table().column("time").cast(pa.int64()).to_pylist()
    assert times == [(BEGIN + n * 10) * 1000 for n in range(2500)]
    assert pq.read_table(names[-1]).column("time").to_pylist() == [END_OF_STREAM]


def test_files_are_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    size: dict[str, Any] = {"tuples": 50, "origin": Origin(1), "rate": 10, "batch": 10, "parts": 2}
    first = parquet_files(tmp_path, "wikipedia", **size)
    monkeypatch.setattr(prepared, "GENERATORS", {})
    assert parquet_files(tmp_path, "wikipedia", **size) == first


def test_data_that_could_not_be_made_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(tuples: int, seed: int) -> Iterator[pa.Table]:
        yield from standins.chunks(1000, seed)
        raise OSError("full")

    monkeypatch.setattr(prepared, "GENERATORS", {"wikipedia": broken})
    with pytest.raises(OSError, match="full"):
        parquet_files(tmp_path, "wikipedia", tuples=9, origin=Origin(1), rate=1, batch=9, parts=1)
    with pytest.raises(OSError, match="full"):
        arrow_file(tmp_path, "wikipedia", tuples=9, origin=Origin(1))
    assert not list(tmp_path.iterdir())


def test_a_rate_gives_the_file_over_and_over(tmp_path: Path) -> None:
    file = arrow_file(tmp_path, "wikipedia", tuples=12_500, origin=Origin(1))
    load = Load(str(file), begin=5_000, rate=2_000, tuples=30_000)
    parts = [each for each in slices(9_000, 30_001) if isinstance(each, Slice)]
    read = [block for part in parts for block in rows(load, part)]
    words = [word for block in read for word in block.column("orig").to_pylist()]
    times = [moment for block in read for moment in block.column("time").to_pylist()]
    held = mapped(file).column("orig").to_pylist()
    assert words[:-1] == [held[n % 12_500] for n in range(9_000, 30_000)]
    assert times[0] == times[1] == times[2] - timedelta(milliseconds=1)
    assert times[-1] == END_OF_STREAM
    assert times[0].timestamp() == 5 + 4.5


def test_the_real_set_is_read_and_begins_again(tmp_path: Path) -> None:
    real = tmp_path / "edits.tsv"
    real.write_text("a b\tc\ta b c\nd e\tf\td e f\n")
    origin = Origin(sources=(real,))
    size: dict[str, Any] = {"tuples": 5, "rate": 1, "batch": 3, "parts": 1}
    files = parquet_files(tmp_path / "data", "wikipedia", origin=origin, **size)
    assert files.table().column("orig").to_pylist() == ["a b", "d e", "a b", "d e", "a b"]
    before = origin.real
    real.write_text("g h\ti\tg h i\n")
    assert origin.real != before  # another set, though of the same name
    again = parquet_files(tmp_path / "data", "wikipedia", origin=origin, **size)
    assert again.table().column("orig").to_pylist() == ["g h"] * 5


def test_data_that_another_process_made_meanwhile_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    size: dict[str, Any] = {"tuples": 50, "rate": 10, "batch": 10, "parts": 2}
    raced = []

    def other_is_faster(tuples: int, seed: int) -> Iterator[pa.Table]:
        if not raced:
            raced.append(True)
            monkeypatch.setattr(prepared.os, "getpid", lambda: -1)
            parquet_files(tmp_path, "wikipedia", origin=Origin(1), **size)
        yield from standins.chunks(tuples, seed)

    monkeypatch.setattr(prepared, "GENERATORS", {"wikipedia": other_is_faster})
    files = parquet_files(tmp_path, "wikipedia", origin=Origin(1), **size)
    assert files.table().column("orig").to_pylist() == original(50)
    assert [each.name for each in tmp_path.iterdir()] == [files.folder.name]
