"""A case that was found, written as a transcript that `onefold replay` runs."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from onefold.check.judge import Found
from onefold.check.rows import write_row
from onefold.check.sides import Side
from onefold.core.records import Tuple
from onefold.core.time import END_OF_TIME
from onefold.engines.steps import Made, Step


def transcript(found: Found, pipeline: str, file: Path) -> str:
    """Return the text of the transcript. The pipeline's file is named from the transcript's."""
    side, difference = found.first.side, found.first.difference
    assert difference
    return "\n".join(
        [
            f"# {side.name} differs from what the definition says, in step {difference.step + 1}:",
            f"# {replay_command(side, str(file))}",
            f"pipeline: {json.dumps(_beside(pipeline, file))}",
            "cases:",
            f"- name: {json.dumps(f'{side.name} differs')}",
            *_fails(found.first.expected),
            "  steps:",
            *_steps(side, side.steps(found.case), found.first.expected),
            "",
        ]
    )


def replay_command(side: Side, file: str) -> str:
    """Return how to see the difference again."""
    words = ["onefold", "replay", file]
    if side.player.own_code:
        words += ["--against", side.player.where]
        words += ["--time", side.player.time] if side.player.time != "ts" else []
        words += [] if side.how.times else ["--no-times"]
    else:
        words += ["--engine", side.player.where or side.player.name]
        words += ["--implementation", side.implementation.value]
        words += ["--rewrites"] if side.rewritten else []
    return shlex.join(words)


def _beside(pipeline: str, file: Path) -> str:
    where, _, name = pipeline.rpartition(":")
    if not where.endswith(".py"):
        return pipeline
    return f"{os.path.relpath(Path(where).resolve(), file.resolve().parent)}:{name}"


def _fails(expected: Sequence[Made]) -> list[str]:
    """Say what a case must fail with, if it must."""
    errors = [error for made in expected for error in made.errors]
    return [f"  fails: {json.dumps(errors[0].what, ensure_ascii=False)}"] if errors else []


def _steps(side: Side, steps: Sequence[Step], expected: Sequence[Made]) -> Iterator[str]:
    last = len(steps) - 1
    for number, (step, made) in enumerate(zip(steps, expected)):
        if step.tuples:
            yield f"  - input: {_mapping({name: _rows(ts) for name, ts in step.tuples.items()})}"
        ends = [name for name, at in step.watermarks.items() if at == END_OF_TIME]
        told = {name: str(at) for name, at in step.watermarks.items() if at != END_OF_TIME}
        if told:
            yield f"  - watermark: {_mapping(told)}"
        if number == last:
            yield "  - end"
        elif ends:
            yield f"  - end: [{', '.join(map(_name, ends))}]"
        if number != last and (side.how.bounded or not side.how.times):
            continue
        due = made.output if side.how.times else [t for each in expected for t in each.output]
        yield f"  - expect: {_rows(due)}"
        if side.how.late and not side.how.bounded:
            yield f"  - late: {_rows(made.late)}"


def _rows(tuples: Sequence[Tuple]) -> str:
    return "[" + ", ".join(write_row(t) for t in tuples) + "]"


def _mapping(of: Mapping[str, Any]) -> str:
    return "{" + ", ".join(f"{_name(name)}: {value}" for name, value in of.items()) + "}"


def _name(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z_]\w*", name) else json.dumps(name, ensure_ascii=False)
