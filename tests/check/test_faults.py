"""Every seeded fault is found by `onefold check` as it stands, and shown in a few tuples."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from faults import FAULTS, Fault

HERE = Path(__file__).parent
SRC = HERE.parents[1] / "src"
PIPELINES = HERE / "pipelines_to_check.py"
MOST_TUPLES = 5


def broken(fault: Fault, folder: Path) -> Path:
    """A copy of the package with the fault in it."""
    copy = folder / "src"
    shutil.copytree(SRC, copy, ignore=shutil.ignore_patterns("__pycache__"))
    file = copy / "onefold" / fault.file
    text = file.read_text(encoding="utf-8")
    assert text.count(fault.before) == 1, f"{fault.file} has changed: seed the fault anew"
    file.write_text(text.replace(fault.before, fault.after), encoding="utf-8")
    return copy


def onefold(src: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "onefold", *arguments],
        env={**os.environ, "PYTHONPATH": str(src), "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=False,
    )


def tuples_of(difference: dict[str, Any]) -> int:
    return sum(len(rows) for step in difference["steps"] for rows in step["input"].values())


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_is_found_shrunk_and_replayed(fault: Fault, tmp_path: Path) -> None:
    src = broken(fault, tmp_path)
    saved = tmp_path / "case.yaml"
    done = onefold(
        src, "check", f"{PIPELINES}:{fault.pipeline}", "--json", "--save", str(saved)
    )  # fmt: skip
    assert done.returncode == 1, done.stdout + done.stderr
    told = json.loads(done.stdout)
    difference = told["difference"]
    assert tuples_of(difference) <= MOST_TUPLES, difference
    command = next(line for line in saved.read_text().splitlines() if "onefold replay" in line)
    again = command.lstrip("# ").split()[1:]
    replayed = onefold(src, *again)
    assert replayed.returncode == 1, replayed.stdout + replayed.stderr
    for row in difference["missing"] + difference["unexpected"]:
        assert str(row["time"]) in replayed.stdout
    sound = onefold(SRC, *again)
    assert sound.returncode == 0, sound.stdout + sound.stderr
