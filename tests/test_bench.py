"""The benchmark measures the pipeline it says, and the engine keeps no more than open windows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from onefold.bench.reference import CHUNK, WORDS, measure
from onefold.cli import cli
from onefold.core.plan import Implementation


@pytest.mark.parametrize("implementation", Implementation)
def test_every_implementation_counts_every_window(implementation: Implementation) -> None:
    measured = measure(implementation, 3 * CHUNK)
    kept_words = len(WORDS) - len(WORDS) // 10
    assert measured.outputs == 3 * kept_words


def test_the_engine_keeps_no_more_than_open_windows_hold() -> None:
    short, long = (measure(Implementation.DEDICATED, chunks * CHUNK) for chunks in (2, 20))
    assert short.most_open_tuples == long.most_open_tuples == CHUNK - CHUNK // 10


def test_the_command_writes_its_figures(tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    arguments = ["bench", "reference", "--tuples", "2000", "--json", str(figures)]
    done = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert done.exit_code == 0
    assert [each["tuples"] for each in json.loads(figures.read_text())] == [2000, 8000, 200, 500]
    assert "tuples/s" in done.output


@pytest.mark.parametrize("held", ['{"runs": []}', "mine"])
def test_the_command_overwrites_nothing_but_its_own(tmp_path: Path, held: str) -> None:
    figures = tmp_path / "figures.json"
    figures.write_text(held)
    arguments = ["bench", "reference", "--tuples", "2000", "--json", str(figures)]
    done = CliRunner().invoke(cli, arguments)
    assert "holds something else" in str(done.exception)
    assert figures.read_text() == held
