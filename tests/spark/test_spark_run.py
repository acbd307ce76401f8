"""onefold run --engine spark: files in, folders out, nothing lost, and errors that help."""

from __future__ import annotations

import csv
import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from pyspark.sql import DataFrame, SparkSession

from onefold import OnefoldError
from onefold.cli import cli as main
from onefold.engines.spark.inputs import Input
from onefold.engines.spark.job import Job, QueryFailed, Sink
from onefold.engines.spark.shipping import shipped
from onefold.local import lower
from onefold.pipelines import load_pipeline

HERE = Path(__file__).parent
PIPELINES = HERE / "pipelines_to_run.py"
ROWS = [(1, "a", 1), (2, "b", 2), (12, "a", 3), (5, "b", 0), (27, "c", 1)]


def lines(rows: Iterable[tuple[Any, ...]]) -> str:
    named = (dict(zip(("time", "word", "n"), row, strict=True)) for row in rows)
    return "".join(json.dumps(row) + "\n" for row in named)


@pytest.fixture
def words(tmp_path: Path) -> Path:
    file = tmp_path / "words.jsonl"
    file.write_text(lines(ROWS))
    return file


def run(name: str, *options: str) -> Result:
    return CliRunner().invoke(
        main, ["run", f"{PIPELINES}:{name}", "--engine", "spark", *options], catch_exceptions=False
    )


def read(folder: Path) -> list[dict[str, Any]]:
    parts = sorted(folder.glob("batch=*/*.json"))
    return [json.loads(line) for part in parts for line in part.read_text().splitlines()]


def journal(folder: Path) -> list[dict[str, Any]]:
    parts = sorted(folder.glob("*.jsonl"))
    return [json.loads(line) for part in parts for line in part.read_text().splitlines()]


def counts(rows: Iterable[dict[str, Any]]) -> list[tuple[str, int]]:
    return sorted((row["word"], row["n"]) for row in rows)


TOTALS = [("a", 1), ("a", 4), ("a", 4), ("b", 2), ("b", 2), ("b", 2), ("c", 1)]
COUNTED = [("a", 1), ("a", 1), ("b", 1), ("c", 1)]


@pytest.mark.usefixtures("session")
@pytest.mark.parametrize("implementation", ["dedicated", "aggregate"])
def test_a_file_is_drained_and_balanced(words: Path, tmp_path: Path, implementation: str) -> None:
    out = tmp_path / "out"
    options = ["--implementation", implementation, "--output", str(out)]
    result = run("counts", "--input", f"words={words}", *options)
    assert result.exit_code == 0, result.output
    assert counts(read(out)) == COUNTED
    assert result.stderr == (
        "read 5 + produced 4 + copied 0 = written 4 + filtered 1 + quarantined 0 + late 0"
        " + consumed 4\n"
    )


@pytest.mark.usefixtures("session")
def test_formats_of_files(tmp_path: Path) -> None:
    (tmp_path / "json").mkdir()
    (tmp_path / "json" / "one.json").write_text(lines(ROWS[:3]))
    with gzip.open(tmp_path / "json" / "two.json.gz", "wt") as file:
        file.write(lines(ROWS[3:]))
    with (tmp_path / "words.csv").open("w") as file:
        csv.writer(file).writerows([("n", "time", "word"), *((n, t, w) for t, w, n in ROWS)])
    names = ("time", "word", "n")
    table = pa.table(dict(zip(names, zip(*ROWS, strict=True), strict=True)))
    pq.write_table(table.set_column(2, "n", table["n"].cast(pa.int32())), tmp_path / "w.parquet")
    for place in ("json", "words.csv", "w.parquet"):
        result = run("counts", "--input", f"words={tmp_path / place}", "--output", "-", "--quiet")
        assert result.exit_code == 0, (place, result.output)
        assert counts(map(json.loads, result.stdout.splitlines())) == COUNTED, place


@pytest.mark.usefixtures("session")
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_missing_column_is_told_as_in_this_process(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"words.{suffix}"
    if suffix == "csv":
        file.write_text("time,wrod,n\n1,a,1\n")
    else:
        pq.write_table(pa.table({"time": [1], "wrod": ["a"], "n": [1]}), file)
    told = []
    for engine in ("reference", "spark"):
        named = [f"{PIPELINES}:counts", "--engine", engine, "--input", f"words={file}"]
        with pytest.raises(OnefoldError) as raised:
            CliRunner().invoke(main, ["run", *named], catch_exceptions=False)
        told.append(str(raised.value))
    assert told[0] == told[1]
    assert told[1] == (
        f"{file}: there is no column word\n"
        "  Detail: its columns are time, wrod and n\n"
        "  Hint: did you mean 'wrod'?"
    )


@pytest.mark.usefixtures("session")
def test_a_pipeline_file_with_a_helper_and_a_class(words: Path, tmp_path: Path) -> None:
    words.write_text(lines([(1, "a", 1), (2, "b", 5), (12, "a", 3)]))
    result = run("loud", "--input", f"words={words}", "--output", "-", "--quiet")
    assert counts(map(json.loads, result.stdout.splitlines())) == [("A", 3), ("A", 10), ("B", 2)]
    out = tmp_path / "out"
    result = run("totals", "--input", f"words={words}", "--output", str(out))
    assert result.exit_code == 0, result.output
    assert counts(read(out)) == [("a", 1), ("a", 4), ("b", 5), ("b", 5)]


def test_files_of_other_pipelines_stay_here(session: SparkSession, tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / f"{name}.py").write_text(
            "import onefold as of\np = of.source('s', 'n int').map(lambda t: (t.n,), 'n int')\n"
        )
    one, _ = (load_pipeline(f"{tmp_path}/{name}.py:p") for name in ("one", "other"))
    sent = shipped(lower(one, "dedicated"), session)
    assert [Path(file).name for _, file, _ in sent.files] == ["one.py"]


BAD = '{"time": 3, "word": "x", "n": "many"}\n{"time": null, "word": "y", "n": 1}\n{"time": 4\n'


@pytest.mark.usefixtures("session")
def test_bad_rows_are_set_aside_and_the_query_goes_on(words: Path, tmp_path: Path) -> None:
    words.write_text(lines([*ROWS[:3], (5, "z", 0), ROWS[4]]) + BAD)
    out, aside = tmp_path / "out", tmp_path / "aside"
    options = ["--output", str(out), "--on-error", f"quarantine={aside}"]
    result = run("raising", "--input", f"words={words}", *options)
    assert result.exit_code == 0, result.output
    assert "read 8 " in result.stderr
    assert "quarantined 3 " in result.stderr
    assert "quarantined windows: 1" in result.stderr
    told = journal(aside)
    assert [each["source"] for each in told if "source" in each] == ["source words"] * 3
    null = "the event time is null, or none before the year 8000"
    assert null in [each["reason"] for each in told]
    (window,) = [each for each in told if "window" in each]
    assert "ZeroDivisionError" in window["reason"]
    assert window["tuples"] == [{"time": 5, "word": "z", "n": 0}]


@pytest.mark.usefixtures("session")
def test_an_error_names_operator_function_and_tuple(words: Path) -> None:
    result = CliRunner().invoke(
        main,
        ["run", f"{PIPELINES}:loud", "--engine", "spark", "--input", f"words={words}"],
    )
    text = f"{result.output}{result.exception}"
    assert result.exit_code == 1
    assert "map (pipelines_to_run.py, line" in text
    assert "lambda (pipelines_to_run.py, line" in text
    assert "ZeroDivisionError" in text
    assert "(time=5, word='b', n=0)" in text
    assert "\tat " not in text
    assert "py4j" not in text


@pytest.mark.usefixtures("session")
def test_late_rows_are_written_and_counted(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for number, rows in enumerate([ROWS, [(28, "c", 1)], [(3, "late", 1), (29, "c", 1)]]):
        file = folder / f"{number}.json"
        file.write_text(lines(rows))
        os.utime(file, (number, number))
    late = tmp_path / "late"
    result = run(
        "counts",
        *("--input", f"words={folder}", "--input-option", "words.maxFilesPerTrigger=1"),
        *("--output", str(tmp_path / "out"), "--late", str(late)),
    )
    assert result.exit_code == 0, result.output
    assert "late 1 " in result.stderr
    assert [each["tuple"] for each in journal(late)] == [{"time": 3, "word": "late", "n": 1}]


@pytest.mark.usefixtures("session")
def test_two_sources(words: Path, tmp_path: Path) -> None:
    others = tmp_path / "others.jsonl"
    others.write_text(lines([(3, "b", 7), (15, "a", 8), (25, "d", 9)]))
    inputs = ["--input", f"words={words}", "--input", f"others={others}"]
    for implementation in ("dedicated", "aggregate"):
        options = ["--implementation", implementation, "--output", "-", "--no-rewrites"]
        result = run("pairs", *inputs, *options)
        assert result.exit_code == 0, result.output
        assert "written 3 " in result.stderr
        rows = map(json.loads, result.stdout.splitlines())
        found = sorted((row["word"], row["a"], row["b"]) for row in rows)
        assert found == [("a", 3, 8), ("b", 0, 7), ("b", 2, 7)], implementation


@pytest.mark.usefixtures("session")
def test_a_union_of_what_is_read_and_what_is_counted_balances(words: Path, tmp_path: Path) -> None:
    result = run("both", "--input", f"words={words}", "--output", str(tmp_path / "out"))
    assert result.exit_code == 0, result.output
    assert len(read(tmp_path / "out")) == 9


@pytest.mark.usefixtures("session")
def test_a_stream_ends_whatever_the_delay(words: Path, tmp_path: Path) -> None:
    """The last watermark is the end less the delay; a state must not count periods up to it."""
    for implementation in ("dedicated", "aggregate"):
        out = tmp_path / implementation
        options = ["--implementation", implementation, "--delay", "10s", "--output", str(out)]
        result = run("totals", "--input", f"words={words}", *options)
        assert result.exit_code == 0, result.output
        assert counts(read(out)) == TOTALS


@pytest.mark.usefixtures("session")
def test_a_row_that_is_set_aside_moves_no_watermark(words: Path, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    micros = 1_700_000_000_000_000  # no milliseconds: the year 55,840
    corrupt = '{"time": 5000, "word": "x", "n": "many"}\n'
    for number, text in enumerate([lines([(micros, "a", 1)]) + corrupt, lines(ROWS), lines(ROWS)]):
        (folder / f"{number}.json").write_text(text)
        os.utime(folder / f"{number}.json", (number, number))
    result = run(
        "counts",
        *("--input", f"words={folder}", "--input-option", "words.maxFilesPerTrigger=1"),
        *("--output", str(tmp_path / "out"), "--on-error", f"quarantine={tmp_path / 'aside'}"),
        *("--delay", "1 s"),
    )
    assert result.exit_code == 0, result.output
    assert "quarantined 2 + late 0" in result.stderr
    assert sum(row["n"] for row in read(tmp_path / "out")) == 8


@pytest.mark.usefixtures("session")
def test_times_on_standard_output_are_those_of_the_tuples(
    words: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        result = run("counts", "--input", f"words={words}", "--output", "-")
    finally:
        monkeypatch.undo()
        time.tzset()
    assert {json.loads(line)["time"] for line in result.stdout.splitlines()} == {9, 19, 29}
    assert "written 4 " in result.stderr


@pytest.mark.usefixtures("session")
def test_batches_of_two_runs_do_not_mix(words: Path, tmp_path: Path) -> None:
    options = ["--input", f"words={words}", "--output", str(tmp_path / "out")]
    assert run("counts", *options).exit_code == 0
    again = run("counts", *options)
    assert again.exit_code == 2
    assert "holds the batches of another run" in again.stderr


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_batch_that_runs_again_counts_once(
    session: SparkSession, words: Path, tmp_path: Path, when: str
) -> None:
    """A sink that fails, once before each batch is written or once after it."""
    plan = lower(load_pipeline(f"{PIPELINES}:counts"), "aggregate")
    written: dict[int, list[tuple[Any, ...]]] = {}
    failed: set[int] = set()

    class Faulty(Sink):
        def write(self, frame: DataFrame, batch: int) -> None:
            if batch not in failed and when == "before":
                failed.add(batch)
                raise RuntimeError("the disk is full")
            written[batch] = [tuple(row)[1:] for row in frame.collect()]
            if batch not in failed:
                failed.add(batch)
                raise RuntimeError("the disk is full")

        def set_aside(self, late: Any, bad: Any, batch: int) -> None:
            assert not late
            assert not bad

    for _ in range(20):
        given = {"words": Input("json", str(words.parent / "[w]ords.jsonl"))}
        job = Job(session, plan, given, Faulty(), tmp_path / "kept")
        try:
            job.once()
            break
        except QueryFailed:
            continue
    assert len(failed) >= 3
    assert sorted(row for rows in written.values() for row in rows) == COUNTED
    assert str(job.books.balance(plan)).startswith("read 5 + produced 4 + copied 0 = written 4 ")


@pytest.mark.usefixtures("session")
def test_a_stream_that_has_ended_does_not_go_on(words: Path, tmp_path: Path) -> None:
    options = ["--output", str(tmp_path / "out"), "--checkpoint", str(tmp_path / "kept")]
    assert run("counts", "--input", f"words={words}", *options).exit_code == 0
    again = CliRunner().invoke(
        main,
        ["run", f"{PIPELINES}:counts", "--engine", "spark", "--input", f"words={words}", *options],
    )
    assert "have ended" in f"{again.output}{again.exception}"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "no input for source words"),
        (["--input", "word=x.json"], "did you mean 'words'?"),
        (["--input", "words=nowhere.json"], "there is no such file or folder"),
        (["--input", "words=/nowhere/at/all.json"], "there is no such file or folder"),
        (["--input", "words=rate", "--follow"], "--follow needs --checkpoint"),
        (["--input", "words=rate", "--on-error", "ignore"], "write fail or quarantine=DIR"),
    ],
)
def test_mistakes_on_the_command_line(options: list[str], message: str) -> None:
    result = run("counts", *options)
    assert result.exit_code == 2
    assert message in result.stderr


def onefold(*arguments: str, **environment: str) -> subprocess.Popen[str]:
    def interruptible() -> None:  # a job in the background would ignore Ctrl-C
        signal.signal(signal.SIGINT, signal.default_int_handler)

    return subprocess.Popen(
        [sys.executable, "-m", "onefold", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
        preexec_fn=interruptible,  # noqa: PLW1509
        start_new_session=True,
    )


def test_without_java_there_is_one_sentence(words: Path, tmp_path: Path) -> None:
    nowhere = {"PATH": str(tmp_path), "JAVA_HOME": ""}
    query = onefold(
        "run", f"{PIPELINES}:counts", "--engine", "spark", "--input", f"words={words}", **nowhere
    )
    _, told = query.communicate(timeout=60)
    assert query.returncode == 1
    assert told.startswith("error: Spark can't start: there is no Java on this machine\n")
    assert "install Java 17" in told
    assert len(told.splitlines()) == 2


def test_a_query_is_followed_stopped_and_goes_on(tmp_path: Path) -> None:
    """Ctrl-C stops at a batch; the same command goes on where it stopped, and nothing is twice."""
    out, kept = tmp_path / "out", tmp_path / "kept"
    arguments = [
        *("run", f"{PIPELINES}:ticks", "--engine", "spark", "--input", "ticks=rate"),
        *("--time", "timestamp", "--input-option", "ticks.rowsPerSecond=20", "--follow"),
        *("--output", str(out), "--checkpoint", str(kept), "--trigger", "500 ms"),
    ]
    seen = 0
    for _ in range(2):
        query = onefold(*arguments)
        until = time.monotonic() + 120
        while len(read(out)) <= seen + 1 and time.monotonic() < until:
            assert query.poll() is None, query.communicate()
            time.sleep(0.5)
        os.killpg(query.pid, signal.SIGINT)
        _, told = query.communicate(timeout=60)
        assert query.returncode == 0, told
        assert "stopped after batch" in told
        assert "the same command goes on from here" in told
        seen = len(read(out))
    rows = sorted(read(out), key=lambda row: row["timestamp"])
    moments = [datetime.fromisoformat(row["timestamp"]) for row in rows]
    steps = {after - before for before, after in pairwise(moments)}
    assert len(rows) >= 4
    assert steps == {timedelta(seconds=1)}  # no window is missing, and none is there twice
    assert {row["n"] for row in rows[1:-1]} == {20}


def test_on_a_cluster_of_two_workers(words: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    query = onefold(
        *("run", f"{HERE / 'alone_to_run.py'}:totals", "--engine", "spark"),
        *("--input", f"words={words}", "--output", str(out), "--implementation", "aggregate"),
        *("--master", "local-cluster[2,1,1024]", "--no-rewrites"),
    )
    _, told = query.communicate(timeout=280)
    assert query.returncode == 0, told
    assert counts(read(out)) == TOTALS
