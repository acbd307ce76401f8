"""Seeded faults: one change each in a copy of the package, and the pipeline that suffers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from onefold.check.rows import write_row

HERE = Path(__file__).parent
SRC = HERE.parents[1] / "src"
PIPELINES = HERE / "pipelines_to_check.py"
MOST_TUPLES = 5


@dataclass(frozen=True)
class Fault:
    name: str
    file: str
    before: str
    after: str
    pipeline: str

    def __str__(self) -> str:
        return self.name


FAULTS = (
    Fault(
        "wrong boundary",
        "core/windows.py",
        "return time - time % advance",
        "return (time - 1) - (time - 1) % advance",
        "counted",
    ),
    Fault(
        "lost duplicate",
        "operators/aggregate.py",
        "            pane.append(t)\n",
        "            pane += [] if t in pane else [t]\n",
        "counted",
    ),
    Fault(
        "hash key",
        "operators/join.py",
        "return keyed[0] if keyed else FAILED",
        "return hash(keyed[0]) % 8 if keyed else FAILED",
        "joined",
    ),
    Fault(
        "key by what it looks like",
        "core/aggregate.py",
        "return zip(tuples, map(attrgetter(*self.attributes), tuples))",
        "return zip(tuples, map(str, map(attrgetter(*self.attributes), tuples)))",
        "lenient",
    ),
    Fault(
        "late re-fire missing",
        "operators/aggregate.py",
        "            if self.passed:\n",
        "            if self.passed and not pane[:-1]:\n",
        "lenient",
    ),
    Fault(
        "watermark one tick early",
        "core/windows.py",
        "return left + size <= watermark",
        "return left + size - 1 <= watermark",
        "counted",
    ),
    Fault(
        "late one tick too long",
        "core/windows.py",
        "return left + size + lateness <= watermark",
        "return left + size + lateness < watermark",
        "lenient",
    ),
    Fault(
        "pair missed in the last window",
        "operators/join.py",
        "            for left in open_:\n",
        "            for left in open_[:-1] or open_:\n",
        "joined",
    ),
    Fault(
        "pair twice in one collection",
        "operators/join.py",
        "            sides[port].extend(tuples)\n",
        "            sides[port].extend(tuples + tuples[1:])\n",
        "joined",
    ),
    Fault(
        "tuples out of order",
        "operators/aggregate.py",
        "ordered = self.sort(pane) if len(pane) > 1 else pane",
        "ordered = pane",
        "first_and_last",
    ),
    Fault(
        "last tuple of a window not unfolded",
        "operators/unfold.py",
        "if t.position + 1 < len(t.tuples):",
        "if t.position + 2 < len(t.tuples):",
        "first_and_last",
    ),
    Fault(
        "greatest watermark instead of the least",
        "engines/station.py",
        "least = min(self.watermarks)",
        "least = max(self.watermarks)",
        "united_count",
    ),
    Fault(
        "shared instant counted twice",
        "operators/stateful.py",
        "                continue  # counts in the next window\n",
        "                pass\n",
        "totals",
    ),
    Fault(
        "periods without tuples left out",
        "operators/stateful.py",
        "        for key, kept in self.states.items():\n            self._put_out",
        "        for key, kept in list(self.states.items())[:1]:\n            self._put_out",
        "totals",
    ),
    Fault(
        "NaN is no key",
        "core/values.py",
        "return value + 0.0 if value == value else NAN",
        "return value + 0.0",
        "by_number",
    ),
    Fault(
        "a window does not feed the loop again",
        "operators/loop.py",
        "        self.kernel.queue.extend((turn, t) for t in tuples)\n",
        "        self.kernel.queue.extend((turn, t) for t in tuples if turn < 3)\n",
        "looped",
    ),
)

ON_SPARK = (
    Fault(
        "state forgotten between batches",
        "engines/spark/host.py",
        "            if not task.stopped:\n",
        "            if not task.stopped and moved:\n",
        "counted",
    ),
    Fault(
        "watermark one tick early on Spark",
        "engines/spark/script.py",
        "return told[min(watermark, len(told) - 1)]",
        "return told[min(watermark, len(told) - 1)] + 1",
        "counted",
    ),
    Fault(
        "a watermark alone wakes no one",
        "engines/spark/host.py",
        "for place in range(len(self.fragments)) if moved else arrived:",
        "for place in arrived:",
        "counted",
    ),
    Fault(
        "lost duplicate in a parcel",
        "engines/spark/task.py",
        "arrived.setdefault(entry, []).append(tuples_of(type, held))",
        "arrived.setdefault(entry, []).append(list(dict.fromkeys(tuples_of(type, held))))",
        "counted",
    ),
    Fault(
        "late tuples not reported",
        "engines/spark/task.py",
        "kept.append((node, tuples))",
        "kept.append((node, tuples[1:]))",
        "lenient",
    ),
    Fault(
        "groups do not hear of each other's last tuple",
        "engines/spark/task.py",
        "if leaving.tells_time and latest != START_OF_TIME:",
        "if leaving.tells_time and latest == START_OF_TIME:",
        "totals",
    ),
)
"""They take a minute each: the tests try the first, and all with ALL_FAULTS in the environment."""


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


def found_and_shrunk(fault: Fault, src: Path, *options: str) -> dict[str, Any]:
    """Check a pipeline with the fault in it; return the difference."""
    done = onefold(src, "check", f"{PIPELINES}:{fault.pipeline}", "--json", *options)
    assert done.returncode == 1, done.stdout + done.stderr
    difference: dict[str, Any] = json.loads(done.stdout)["difference"]
    assert tuples_of(difference) <= MOST_TUPLES, difference
    return difference


def found_shrunk_and_replayed(fault: Fault, folder: Path, *options: str) -> None:
    """Check with the fault in it; replay the case that is saved, with the fault and without."""
    src = broken(fault, folder)
    saved = folder / "case.yaml"
    difference = found_and_shrunk(fault, src, "--save", str(saved), *options)
    command = next(line for line in saved.read_text().splitlines() if "onefold replay" in line)
    again = command.lstrip("# ").split()[1:]
    replayed = onefold(src, *again)
    assert replayed.returncode == 1, replayed.stdout + replayed.stderr
    for kind in ("missing", "unexpected"):
        for row in difference[kind]:
            assert f"{kind:10} {write_row(row.values())}" in replayed.stdout
    sound = onefold(SRC, *again)
    assert sound.returncode == 0, sound.stdout + sound.stderr
