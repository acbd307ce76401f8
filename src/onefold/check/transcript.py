"""Transcripts: ordered logs of input, watermarks and expected output, with the pipeline they test.

```yaml
pipeline: sliding_count.py:pipeline      # beside the transcript, or package.module:name
cases:
- name: a late tuple re-fires its window
  fails: "…"                             # optional: the case must fail with this text
  steps:
  - input: {s: [[5, "a", 1]]}            # source: rows of [time, attributes in order]
  - watermark: {s: 10}                   # or a number alone, for every source
  - expect: [[9, "a", 1]]                # all output since the last expect, in any order
  - late: []                             # all that late streams got since the last late
  - end                                  # of every source; `end: [s]` ends some
```
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from onefold.check.located import BadTranscript, Located, read_located
from onefold.check.steps import Expect, ExpectLate, Step, StepReader, near
from onefold.core.errors import OnefoldError
from onefold.core.plan import Plan, plan
from onefold.core.values import listed
from onefold.pipelines import load_pipeline

TRANSCRIPT = ("pipeline", "cases", "name", "description")
CASE = ("name", "steps", "fails", "description")


@dataclass(frozen=True)
class Case:
    """A run of the pipeline from its beginning."""

    number: int
    name: str
    line: int
    steps: tuple[Step, ...]
    fails: str | None
    """The text that the case must fail with."""
    mistakes: tuple[str, ...] = ()
    """What is wrong with the steps of a case that is to fail; elsewhere the file is refused."""


@dataclass(frozen=True)
class Transcript:
    """A pipeline and its cases."""

    file: Path
    plan: Plan
    cases: tuple[Case, ...]


def read_transcript(file: Path) -> Transcript:
    """Return the transcript in a file; raise `BadTranscript` with all mistakes in it."""
    return _Reader(file).transcript(read_located(file))


class _Reader:
    """Reads the frame of a transcript, and collects mistakes."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.mistakes: list[tuple[int, str]] = []

    def transcript(self, given: Located) -> Transcript:
        top = self._mapping(given, "a transcript", TRANSCRIPT)
        tested = self._plan(top) if top else None
        cases = list(self._cases(top, StepReader(tested, self._mistake))) if top and tested else []
        if self.mistakes or tested is None:
            raise BadTranscript("\n".join(f"{self.file}:{n}: {text}" for n, text in self.mistakes))
        return Transcript(self.file, tested, tuple(cases))

    def _mistake(self, line: int, text: str) -> None:
        self.mistakes.append((line, text))

    def _mapping(self, given: Located, what: str, known: tuple[str, ...]) -> Located | None:
        if not isinstance(given.value, dict):
            self._mistake(given.line, f"{what} is a mapping with {listed(known[:2])}")
            return None
        for name in given.value:
            if name not in known:
                self._mistake(given.names[name], f"{what} has no {name!r}{near(name, known)}")
        return given

    def _plan(self, top: Located) -> Plan | None:
        name = top.value.get("pipeline", top)
        if not isinstance(name.value, str):
            self._mistake(name.line, "pipeline: write file.py:name or package.module:name")
            return None
        try:
            return plan(load_pipeline(name.value, self.file.parent).node)
        except OnefoldError as problem:
            self._mistake(name.line, f"pipeline: {problem}")
            return None

    def _cases(self, top: Located, steps: StepReader) -> Iterator[Case]:
        given = top.value.get("cases", top)
        if not isinstance(given.value, list) or not given.value:
            self._mistake(given.line, "cases: write a list of at least one case")
            return
        for number, each in enumerate(given.value, start=1):
            if case := self._mapping(each, f"case {number}", CASE):
                yield self._case(case, number, steps)

    def _case(self, given: Located, number: int, steps: StepReader) -> Case:
        title = self._title(given, number)
        fails = self._fails(given)
        before = len(self.mistakes)
        read = tuple(step for each in self._steps(given) for step in steps.read(each))
        if fails is not None:
            own = tuple(f"line {n}: {text}" for n, text in self.mistakes[before:])
            del self.mistakes[before:]
            return Case(number, title, given.line, read, fails, own)
        tests = any(isinstance(step, Expect | ExpectLate) for step in read)
        if not tests and before == len(self.mistakes):
            self._mistake(given.line, f"{title} tests nothing: it has no expect, late or fails")
        return Case(number, title, given.line, read, None)

    def _title(self, given: Located, number: int) -> str:
        name = given.value.get("name", Located(None, given.line))
        if isinstance(name.value, (dict, list)):
            self._mistake(name.line, f"the name of case {number} is no text")
        elif name.value is not None:
            return str(name.value)
        return f"case {number}"

    def _fails(self, given: Located) -> str | None:
        if "fails" not in given.value:
            return None
        text = given.value["fails"]
        if not isinstance(text.value, str) or not text.value.strip():
            self._mistake(text.line, "fails: write the text that the case must fail with")
        return str(text.value)

    def _steps(self, case: Located) -> list[Located]:
        given = case.value.get("steps", case)
        if isinstance(given.value, list) and given.value:
            return given.value
        self._mistake(given.line, "steps: write a list of at least one step")
        return []
