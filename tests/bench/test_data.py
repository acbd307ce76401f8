"""Synthetic streams have the paper's selectivities, and real sets are read or refused by line."""

from __future__ import annotations

import gzip
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from rows import CHUNKS, readings, rows, scan_sides, table

from onefold.bench.data import real, written
from onefold.bench.data.parts import Form, OutputExists, UnknownDataset, cleared
from onefold.bench.experiments import EXPERIMENTS, comparisons
from onefold.bench.experiments.scans import READINGS
from onefold.bench.experiments.scans import alike_columns as scans_alike
from onefold.bench.experiments.wikipedia import long_words, words_of_change
from onefold.cli import cli, extras
from onefold.core.errors import OnefoldError

EDITS, SCANS = 30_000, 4_000


# Selectivities. The tolerance is that of the paper's figures, which have one digit.


@pytest.mark.parametrize(
    ("experiment", "least", "most"),
    [
        ("LLF", 4e-3, 6.5e-3),
        ("ALF", 1, 1),
        ("HLF", 2.99, 3),
        ("AHF", 1, 1),
        ("HHF", 2.27, 2.33),
    ],
)
def test_edits_have_the_selectivities_of_the_paper(
    experiment: str, least: float, most: float
) -> None:
    function = EXPERIMENTS[experiment].function
    assert function
    outputs = sum(len(function(t)) for t in rows("wikipedia", EDITS))
    assert least <= outputs / EDITS <= most


def test_three_long_words_are_as_rare_as_in_the_paper() -> None:
    """LHF gives so few tuples that it takes more edits to tell."""
    edits = (row for chunk in CHUNKS["wikipedia"](100_000, 2) for row in chunk.to_pylist())
    outputs = sum(len(long_words(SimpleNamespace(**row))) for row in edits)
    assert 2e-4 <= outputs / 100_000 <= 4e-4


@pytest.mark.parametrize(
    ("experiment", "least", "most"),
    [
        ("llf", 0.17, 0.23),
        ("alf", 1, 1),
        ("hlf", 3, 3),
        ("lhf", 0.66, 0.74),
        ("ahf", 1, 1),
        ("hhf", 3, 3),
    ],
)
def test_scans_have_the_selectivities_of_the_paper(
    experiment: str, least: float, most: float
) -> None:
    function = EXPERIMENTS[experiment].function
    assert function
    outputs = sum(len(function(t)) for t in rows("scans", SCANS))
    assert least <= outputs / SCANS <= most


@pytest.mark.parametrize("experiment", ["LLJ", "ALJ", "HLJ", "LHJ", "AHJ", "HHJ"])
def test_pairs_of_edits_are_as_rare_as_in_the_paper(experiment: str) -> None:
    """Counted in tumbling windows of the join's size, a thousand edits a second."""
    made = EXPERIMENTS[experiment]
    longer_than = {"L": 210, "A": 150, "H": 100}[experiment[0]]
    groups = Counter[tuple[int, int]]()
    texts = Counter[tuple[int, int, int, str]]()
    for n, t in enumerate(rows("wikipedia", EDITS)):
        group = n // made.size, words_of_change(t)
        groups[group] += 1
        if len(t.orig) > longer_than:
            texts[(*group, len(t.orig), t.orig.lower())] += 1
    lengths = Counter[tuple[int, int, int]]()
    for (*group, length, _), count in texts.items():
        lengths[(*group, length)] += count
    matches = sum(n * n for n in lengths.values()) - sum(n * n for n in texts.values())
    selectivity = matches / sum(n * n for n in groups.values())
    assert selectivity == pytest.approx(made.selectivity, rel=0.35)


@pytest.mark.parametrize("experiment", ["llj", "alj", "hlj", "lhj", "ahj", "hhj"])
def test_pairs_of_scans_are_as_rare_as_in_the_paper(experiment: str) -> None:
    """Every pair of 1,000 scans at a time, as if they were in one window."""
    made = EXPERIMENTS[experiment]
    threshold = {"l": 0.5, "a": 0.6, "h": 0.7}[experiment[0]]
    dist = readings(SCANS).reshape(4, 1_000, READINGS)
    where = scans_alike(threshold)
    found = sum(int(where(*scan_sides(each)).sum()) for each in dist)
    assert found / (4 * 1_000**2) == pytest.approx(made.selectivity, rel=0.6)


def test_edits_look_like_edits() -> None:
    edits = rows("wikipedia", 20_000)
    assert 100 <= np.mean([len(t.orig) for t in edits]) <= 110
    assert max(len(t.orig) for t in edits) > 350
    assert 0.1 <= np.mean([not t.orig.isascii() for t in edits]) <= 0.4
    assert any(t.orig != t.orig.lower() for t in edits)
    for t in edits:
        before, found, after = t.updated.partition(t.change)
        assert found
        assert len(t.updated) == len(t.orig) + 1 + len(t.change)
        for text in (t.orig, t.change, t.updated):
            assert text == " ".join(text.split())
        words = Counter(t.orig.split()) + Counter(t.change.split())
        assert words == Counter(t.updated.split())
        assert (before + after).split() or t.change in t.orig
    sentences = Counter(t.orig.lower() for t in edits)
    spellings = Counter({t.orig for t in edits})
    repeated = sum(count > 1 for count in sentences.values())
    assert 100 <= repeated <= 300
    assert len(spellings) > len(sentences), "one sentence, in two spellings of capitals"


def test_scans_look_like_scans() -> None:
    dist = readings(SCANS)
    assert dist.shape == (SCANS, READINGS)
    assert 0.2 < dist.min() < dist.max() < 10
    assert table("scans", SCANS)["id"].to_pylist() == list(range(SCANS))


@pytest.mark.parametrize(("dataset", "tuples"), [("wikipedia", 20_000), ("scans", 2_500)])
def test_a_seed_gives_one_stream_whatever_the_chunks(dataset: str, tuples: int) -> None:
    whole = table(dataset, tuples)
    chunks = list(CHUNKS[dataset](tuples, 1, chunk=777))
    assert {each.num_rows for each in chunks[:-1]} == {777}
    assert pa.concat_tables(chunks).equals(whole)
    assert pa.concat_tables(CHUNKS[dataset](900, 1)).equals(whole.slice(0, 900))
    assert not pa.concat_tables(CHUNKS[dataset](900, 2)).equals(whole.slice(0, 900))
    assert list(CHUNKS[dataset](0, 1)) == []


# How much a join compares.


@pytest.mark.parametrize(("size", "advance"), [(3_000, 1_000), (1_000, 500), (700, 300), (5, 5)])
def test_comparisons_are_those_of_every_window_and_key(size: int, advance: int) -> None:
    rng = np.random.default_rng(7)
    times = np.sort(rng.integers(-3_000, 9_000, 400))
    keys = rng.integers(1, 5, 400)
    join = replace(EXPERIMENTS["LLJ"], size=size, advance=advance)
    windows = Counter(
        (left, int(key))
        for time, key in zip(times, keys)
        for left in range(-4_000 // advance - size, 9_000 // advance + 1)
        if left * advance <= time < left * advance + size
    )
    assert comparisons(join, times, keys) == sum(n * n for n in windows.values())
    one_key = Counter[int]()
    for (left, _), count in windows.items():
        one_key[left] += count
    assert comparisons(join, times, None) == sum(n * n for n in one_key.values())
    assert comparisons(join, times[:0], None) == 0


# Files.


def test_a_stream_is_written_in_numbered_files_in_the_order_of_time(tmp_path: Path) -> None:
    told: list[int] = []
    files = written("wikipedia", 2_500, 3, tmp_path / "to", 300, 1_000, progress=told.append)
    assert [each.name for each in files] == [f"part-0000{n}.parquet" for n in range(3)]
    assert told == [1_000, 1_000, 500]
    read = pa.concat_tables(pq.read_table(each) for each in files)
    assert read.schema.names == ["time", "orig", "change", "updated"]
    assert read["time"].to_pylist() == [n * 1000 // 300 for n in range(2_500)]
    assert read.drop_columns("time").equals(table("wikipedia", 2_500, 3))


def test_a_set_that_there_is_not_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownDataset, match="there are wikipedia and scans"):
        written("edits", 1, 1, tmp_path, 1, 1)


def test_a_folder_with_files_is_left_alone(tmp_path: Path) -> None:
    written("scans", 30, 1, tmp_path, 10, 10, form=Form.JSONL)
    with pytest.raises(OutputExists, match=r"part-00000.jsonl and 2 more\n  Hint: .*--force"):
        cleared(tmp_path, force=False)
    cleared(tmp_path, force=True)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(OutputExists, match=r"mine.txt\n"):
        cleared(tmp_path, force=True)
    with pytest.raises(OutputExists, match="is a file"):
        cleared(tmp_path / "mine.txt", force=True)
    cleared(tmp_path / "new", force=False)


HEADER = "base_sentence\tphrase\tedited_sentence\n"
LINES = "a b\tc\ta c b\nÄ b\td e\tÄ b d e\n"


@pytest.mark.parametrize("text", [LINES, HEADER + LINES, HEADER + LINES.replace("\n", "\r\n")])
@pytest.mark.parametrize("packed", ["", ".gz"])
def test_edits_are_read_with_or_without_a_header(tmp_path: Path, text: str, packed: str) -> None:
    file = tmp_path / f"edits.tsv{packed}"
    file.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    (read,) = real.edits([tmp_path])
    assert read.to_pylist() == [
        {"orig": "a b", "change": "c", "updated": "a c b"},
        {"orig": "Ä b", "change": "d e", "updated": "Ä b d e"},
    ]
    (more,) = real.edits([file], 5)
    assert more["change"].to_pylist() == ["c", "d e", "c", "d e", "c"]


def scan_text(columns: int, scans: int = 4, readings: int = READINGS) -> str:
    first = "0.5 " if columns == 3 else ""
    lines = [f"{first}{n} {s}.25\n" for s in range(scans) for n in range(readings)]
    return "".join(lines)


@pytest.mark.parametrize("columns", [2, 3])
def test_a_file_of_scans_holds_four(tmp_path: Path, columns: int) -> None:
    for name in ("scan10.txt", "scan9.txt"):
        text = scan_text(columns)
        (tmp_path / name).write_text(text.replace(".25", ".5") if "10" in name else text)
    (read,) = real.readings([tmp_path])
    assert read["id"].to_pylist() == list(range(8))
    assert [dist[0] for dist in read["dist"].to_pylist()] == [
        *(0.25, 1.25, 2.25, 3.25),
        *(0.5, 1.5, 2.5, 3.5),
    ]
    assert {len(dist) for dist in read["dist"].to_pylist()} == {READINGS}


def test_indices_may_go_on_through_the_file(tmp_path: Path) -> None:
    file = tmp_path / "scan.txt"
    file.write_text("".join(f"{n} 1.0\n" for n in range(4 * READINGS)))
    (read,) = real.readings([file], 6)
    assert read["id"].to_pylist() == list(range(6))


@pytest.mark.parametrize(
    ("reader", "content", "message"),
    [
        (real.edits, b"a\tb\tc\na\tb\n", r"data.txt:2: an edit has three texts, not 2\n"),
        (real.edits, b"a\tb\tc\n\xff\tb\tc\n", r"data.txt:2: not UTF-8 at byte 1\n"),
        (real.edits, HEADER.encode(), r"the files hold no tuple\n"),
        (real.readings, b"1 2.0\n1 x\n", r"data.txt:2: a reading is an index and a distance\n"),
        (real.readings, b"1 nan\n", r"data.txt:1: a reading is an index and a distance\n"),
        (real.readings, b"nan 1\n", r"data.txt:1: a reading is an index and a distance\n"),
        (real.readings, b"1 -inf\n", r"data.txt:1: a reading is an index and a distance\n"),
        (real.readings, b"1 -3\n", r"data.txt:1: a reading is an index and a distance\n"),
        (real.readings, b"1 1_0\n", r"data.txt:1: a reading is an index and a distance\n"),
        (real.readings, b"1 2 3 4\n", r"data.txt:1: a reading is an index and a distance\n"),
        (real.readings, b"0 1.0\n1 1.0\n0 1.0\n", r"data.txt:3: scan 1 has 2 readings, and the n"),
        (
            real.readings,
            scan_text(2, scans=3).encode(),
            r"data.txt:2283: scan 4 has 0 readings, and the file ends here\n  Hint: .* 4 scans",
        ),
        (
            real.readings,
            (scan_text(2) + "0 1\n").encode(),
            r"data.txt:3045: scan 5 has 1 readings, beyond the 4 scans of a file",
        ),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, reader: object, content: bytes, message: str) -> None:
    (tmp_path / "data.txt").write_bytes(content)
    with pytest.raises(OnefoldError, match=message):
        list(reader([tmp_path / "data.txt"]))  # type: ignore[operator]


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "edits.tsv").write_text(HEADER + LINES, encoding="utf-8-sig")
    (read,) = real.edits([tmp_path / "edits.tsv"])
    assert read.num_rows == 2


def test_a_hidden_file_is_no_data(tmp_path: Path) -> None:
    (tmp_path / "edits.tsv").write_text(HEADER + LINES)
    (tmp_path / ".edits.tsv.swp").write_bytes(b"\xff")
    assert [file.name for file in real.files([tmp_path])] == ["edits.tsv"]


def test_what_is_no_data_is_named(tmp_path: Path) -> None:
    with pytest.raises(real.NoSuchData, match=r"there is no .*nowhere"):
        list(real.edits([tmp_path / "nowhere"]))
    (tmp_path / "broken.gz").write_bytes(gzip.compress(b"a\tb\tc\n" * 99)[:-9])
    with pytest.raises(real.BadEdit, match=r"broken.gz can't be read after line"):
        list(real.edits([tmp_path / "broken.gz"]))


# The command.


def test_the_command_writes_and_converts(tmp_path: Path) -> None:
    def called(*arguments: str) -> tuple[int, str]:
        done = CliRunner().invoke(cli, ["data", *arguments])
        if isinstance(done.exception, OnefoldError):
            return 1, str(done.exception)
        return done.exit_code, done.output

    out = str(tmp_path / "out")
    sizes = ["--tuples", "250", "--rate", "100", "--per-file", "100"]
    code, told = called("wikipedia", *sizes, "--seed", "7", "--out", out)
    assert code == 0
    assert told == (
        f"wrote 250 tuples of wikipedia, 2.5 s at 100 a second: "
        f"{out}/part-00000.parquet to part-00002.parquet\n"
    )
    assert called("wikipedia", *sizes, "--out", out)[0] == 1
    (tmp_path / "edits.tsv").write_text(HEADER + LINES)
    source = ["--from", str(tmp_path / "edits.tsv"), "--force", "--format", "jsonl"]
    code, told = called("wikipedia", *source, "--out", out)
    assert told.startswith("wrote 2 tuples of wikipedia, 0.0 s at 1,000 a second")
    (file,) = Path(out).iterdir()
    assert file.read_text(encoding="utf-8").splitlines()[1] == (
        '{"time": 1, "orig": "Ä b", "change": "d e", "updated": "Ä b d e"}'
    )


def test_a_stream_is_not_its_own_input(tmp_path: Path) -> None:
    (tmp_path / "part-00000.jsonl").write_text("{}")
    arguments = ["data", "wikipedia", "--from", str(tmp_path), "--out", str(tmp_path), "--force"]
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 2
    assert "name another folder with --out" in done.output
    assert (tmp_path / "part-00000.jsonl").exists()


def test_a_bad_line_leaves_no_folder(tmp_path: Path) -> None:
    (tmp_path / "edits.tsv").write_text("one text\n")
    out = tmp_path / "out"
    arguments = ["data", "wikipedia", "--from", str(tmp_path / "edits.tsv"), "--out", str(out)]
    assert isinstance(CliRunner().invoke(cli, arguments).exception, real.BadEdit)
    assert not out.exists()


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda package: None if package == "numpy" else 1)
    done = CliRunner().invoke(cli, ["data", "scans", "--out", str(tmp_path / "out")])
    assert "data needs numpy, which is not installed" in str(done.exception)
    done = CliRunner().invoke(cli, ["bench", "HLF"])
    assert "the bench needs numpy" in str(done.exception)
    monkeypatch.setattr(extras, "find_spec", lambda package: None if package == "matplotlib" else 1)
    done = CliRunner().invoke(cli, ["bench", "HLF", "--report", str(tmp_path)])
    assert "a report needs matplotlib" in str(done.exception)
