"""Peers: the bare function is called for every tuple; PyFlink runs in the interpreter given."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import standins

from onefold.bench import peers, prepared
from onefold.bench.experiments.experiment import Experiment
from onefold.bench.peers import Called, NoFlink, NoPeer, pyflink, python


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(prepared, "GENERATORS", {"wikipedia": standins.chunks})
    return prepared.arrow_file(tmp_path, "wikipedia", tuples=50, origin=prepared.Origin(1))


@pytest.mark.parametrize(
    ("experiment", "calls"),
    [(standins.HLF, 200), (standins.ALJ, 2 * 200**2)],
    ids=["flat_map", "join"],
)
def test_the_function_is_called_on_all_cores(
    file: Path, experiment: Experiment, calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers, "LASTING", 0.1)
    told = python(experiment, file, tuples=200, rate=100, cores=2)
    assert told.calls == calls
    assert told.outputs > 0
    assert told.per_second > 0


def interpreter(folder: Path, script: str) -> Path:
    made = folder / "python"
    made.write_text(f"#!/bin/sh\n{script}\n")
    made.chmod(0o755)
    return made


def answering(folder: Path, **told: float) -> Path:
    """Return an interpreter that keeps the order and gives an answer."""
    return interpreter(
        folder, f"echo \"$4\" > {folder}/order; echo starting; echo '{json.dumps(told)}'"
    )


def test_pyflink_is_told_what_to_do_and_believed(tmp_path: Path) -> None:
    flink = answering(tmp_path, counted=6, made=6, few=3.0, many=5.0)
    assert pyflink(standins.HLF, Path("a.arrow"), 7, 2, flink) == Called(7, 6, 3.5)
    order = json.loads((tmp_path / "order").read_text())
    assert order == {"experiment": "HLF", "file": "a.arrow", "tuples": 7, "cores": 2}


def test_pyflink_that_loses_an_output_is_not_believed(tmp_path: Path) -> None:
    flink = answering(tmp_path, counted=5, made=6, few=3.0, many=5.0)
    with pytest.raises(NoFlink, match="gives 5 outputs of HLF"):
        pyflink(standins.HLF, Path("a.arrow"), 7, 2, flink)


def test_pyflink_needs_tuples_enough_to_be_timed(tmp_path: Path) -> None:
    flink = answering(tmp_path, counted=6, made=6, few=3.0, many=2.9)
    with pytest.raises(NoFlink, match="took no longer for 7 tuples") as failed:
        pyflink(standins.HLF, Path("a.arrow"), 7, 2, flink)
    assert "more --tuples" in str(failed.value)
    assert "apache-flink" not in str(failed.value)


def test_pyflink_that_fails_shows_why(tmp_path: Path) -> None:
    script = "echo 'ModuleNotFoundError: pyflink' >&2; exit 1"
    with pytest.raises(NoFlink, match="ModuleNotFoundError: pyflink"):
        pyflink(standins.HLF, Path("a.arrow"), 7, 2, interpreter(tmp_path, script))


def test_pyflink_joins_nothing(tmp_path: Path) -> None:
    with pytest.raises(NoPeer, match="ALJ is a join"):
        pyflink(standins.ALJ, Path("a.arrow"), 7, 2, None)
