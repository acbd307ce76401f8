"""Results in a file of JSON, written after every run, so that an interrupted bench goes on.

{"made": {what made them}, "runs": [one object for each run]}
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from onefold.core.errors import OnefoldError

CONDITIONS = (
    "experiment", "implementation", "mode", "repetition", "tuples", "rate", "batch", "seed",
    "real", "profile", "rewrites", "vectorized",
)  # fmt: skip
"""What makes a run that run: one that agrees in all of these is not run again."""
NEEDED = {"experiment", "implementation", "mode", "repetition", "tuples", "throughput", "unit"}
"""What a run has in every version."""

Run = dict[str, Any]


class BadResults(OnefoldError):
    """A file of results that can't be read."""


@dataclass
class Results:
    """The runs so far, in memory and, if there is one, in a file."""

    made: dict[str, Any]
    runs: list[Run] = field(default_factory=list)
    file: Path | None = None

    @classmethod
    def opened(cls, file: Path | None, made: Mapping[str, Any]) -> Results:
        """Return the results that a file holds, to go on with; none if there is no file yet."""
        held = _read(file) if file is not None and file.exists() else {"made": {}, "runs": []}
        times = {"began": held["made"].get("began") or moment(), "ended": held["made"].get("ended")}
        return cls({**made, **times}, held["runs"], file)

    def find(self, conditions: Mapping[str, Any]) -> Run | None:
        """Return the run of these conditions, if there is one."""
        wanted = key(conditions)
        return next((run for run in self.runs if key(run) == wanted), None)

    def add(self, run: Run) -> None:
        """Take one more run, and write the file."""
        self.runs.append(run)
        self.save()

    def save(self) -> None:
        """Write the file; a reader sees the old one or the new one, never half of it.

        What another bench has put into it meanwhile stays.
        """
        self.made["ended"] = moment()
        if self.file is None:
            return
        self.file.parent.mkdir(parents=True, exist_ok=True)
        if self.file.exists():
            known = {key(run) for run in self.runs}
            self.runs += [run for run in _read(self.file)["runs"] if key(run) not in known]
        half = self.file.with_name(f".{self.file.name}.{os.getpid()}.half")
        half.write_text(json.dumps(self.as_dict(), indent=1), encoding="utf-8")
        os.replace(half, self.file)  # noqa: PTH105  replaces on every system

    def as_dict(self) -> dict[str, Any]:
        """Return all as it stands in the file."""
        return {"made": self.made, "runs": self.runs}

    def alike(self, **conditions: Any) -> dict[str, Any]:
        """Return them as one object with the runs under some conditions: others do not compare."""
        wanted = conditions.items()
        runs = [run for run in self.runs if all(run.get(name) == value for name, value in wanted)]
        return {"made": self.made, "runs": runs}


def key(run: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the conditions of a run."""
    return tuple(run.get(each) for each in CONDITIONS)


def moment() -> str:
    """Return the time of day."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _whole(run: Any) -> bool:
    """Say whether a run has what every reader of results asks for."""
    if not isinstance(run, dict) or not run.keys() >= NEEDED:
        return False
    return run["mode"] != "rate" or "success" in run


def _read(file: Path) -> dict[str, Any]:
    try:
        held = json.loads(file.read_text(encoding="utf-8"))
        made, runs = held.get("made", {}), held["runs"]
        if isinstance(made, dict) and isinstance(runs, list) and all(map(_whole, runs)):
            return {"made": made, "runs": runs}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass
    raise BadResults(
        f"{file} holds no results of onefold bench",
        hint="name another file with --json; this one stays as it is",
    )
