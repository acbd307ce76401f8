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
    return prepared.arrow_file(tmp_path, "wikipedia", tuples=50, seed=1)


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


def test_pyflink_is_told_what_to_do_and_believed(tmp_path: Path) -> None:
    told = json.dumps({"calls": 7, "outputs": 0, "per_second": 3.5})
    script = f"echo \"$4\" > {tmp_path}/order; echo starting; echo '{told}'"
    found = pyflink(standins.HLF, Path("a.arrow"), 7, 2, interpreter(tmp_path, script))
    assert found == Called(7, 0, 3.5)
    order = json.loads((tmp_path / "order").read_text())
    assert order == {"experiment": "HLF", "file": "a.arrow", "tuples": 7, "cores": 2}


def test_pyflink_that_fails_shows_why(tmp_path: Path) -> None:
    script = "echo 'ModuleNotFoundError: pyflink' >&2; exit 1"
    with pytest.raises(NoFlink, match="ModuleNotFoundError: pyflink"):
        pyflink(standins.HLF, Path("a.arrow"), 7, 2, interpreter(tmp_path, script))


def test_pyflink_joins_nothing(tmp_path: Path) -> None:
    with pytest.raises(NoPeer, match="ALJ is a join"):
        pyflink(standins.ALJ, Path("a.arrow"), 7, 2, None)
