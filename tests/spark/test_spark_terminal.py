"""A run on Spark as one sees it at a terminal: rows and balance whole, and one line between."""

from __future__ import annotations

import sys
from pathlib import Path

import onefold
from onefold.cli.run_spark import told_in_a_line
from onefold.engines.spark.clock import END_MILLIS
from onefold.engines.spark.job import Progress
from screen import on_terminal

ROOT = Path(onefold.__file__).parents[2]


def told(watermark: int | None, lag: float | None, *, live: bool) -> str:
    return told_in_a_line(Progress(3, 1_234, 567.0, watermark, lag, 12, 0), live=live)


def test_a_query_tells_its_watermark_as_a_time_and_how_far_it_is_behind_if_it_is_live() -> None:
    moment = 1_480_586_400_000
    start, end = "batch 3: 1,234 read, 567/s, ", ", 12 held, 0 late"
    assert told(None, None, live=True) == f"{start}no watermark yet{end}"
    assert told(moment, 5.2, live=False) == f"{start}watermark 2016-12-01 10:00:00{end}"
    at = "watermark 2016-12-01 10:00:00"
    assert told(moment, 5.2, live=True) == f"{start}{at} (5 s behind){end}"
    assert told(moment, 3e8, live=True) == f"{start}{at}{end}"  # a replay of the past
    assert told(END_MILLIS - 5, -2e11, live=True) == f"{start}end of the stream{end}"


def test_a_line_of_a_query_fits_a_terminal_of_80_columns() -> None:
    assert len("⠋ " + told(1_480_586_400_000, None, live=False)) <= 80


def test_rows_and_balance_come_out_whole_at_80_columns() -> None:
    command = [sys.executable, "-m", "onefold", "run", "examples/wordcount.py:pipeline"]
    command += ["--engine", "spark", "--input", "edits=examples/data/edits.jsonl"]
    environment = {"PYTHONPATH": str(ROOT / "src")}
    code, seen, written = on_terminal(command, 80, env=environment, cwd=ROOT)
    *rows, balance = seen.folded()
    assert code == 0
    assert rows, written
    assert all(row.startswith('{"time": ') and row.endswith("}") for row in rows), rows
    assert balance.startswith("read ")
    assert balance.split(" + ")[-1].startswith("consumed ")
    assert "starting Spark" in written
    assert "end of the stream" in written
    assert "behind" not in written
