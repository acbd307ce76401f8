"""Every transcript, in every implementation. Their cases are the tests."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from onefold import Implementation
from onefold.check.replay import replay_transcripts
from onefold.check.steps import Expect, ExpectLate
from onefold.check.transcript import Case, Transcript, read_transcript

HERE = Path(__file__).parent
FILES = sorted((HERE / "transcripts").glob("*.yaml"))
OPERATORS = HERE.parent / "src" / "onefold" / "operators"
# Parts of compositions, which no user calls.
PARTS = {"rewrites", "__init__", "embed", "unfold", "vectorized", "watermarks"}

implementations = pytest.mark.parametrize("implementation", Implementation, ids=lambda i: i.value)
files = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)


@files
@implementations
def test_transcript(file: Path, implementation: Implementation) -> None:
    results = replay_transcripts([read_transcript(file)], [implementation])
    assert results
    assert not "\n".join(f"{each.name}\n{each.problem}" for each in results if not each.passed)


def test_every_operator_has_a_transcript_of_its_name() -> None:
    operators = {file.stem for file in OPERATORS.glob("*.py")} - PARTS
    assert {"filter", "join", "loop"} <= operators
    assert not operators - {file.stem for file in FILES}


def with_one_tuple_less(case: Case) -> Iterator[Case]:
    """The case as if one of the tuples that it expects had been forgotten, for each of them."""
    for at, step in enumerate(case.steps):
        before, after = case.steps[:at], case.steps[at + 1 :]
        if isinstance(step, Expect) and step.tuples:
            yield replace(case, steps=(*before, replace(step, tuples=step.tuples[1:]), *after))
        if isinstance(step, ExpectLate) and step.rows:
            yield replace(case, steps=(*before, replace(step, rows=step.rows[1:]), *after))


def without_one_tuple(transcript: Transcript) -> Transcript:
    right = [case for case in transcript.cases if case.fails is None]
    cases = [
        replace(less, number=number, fails="unexpected")
        for number, less in enumerate(each for case in right for each in with_one_tuple_less(case))
    ]
    return replace(transcript, cases=tuple(cases))


@pytest.mark.parametrize(
    "file", [each for each in FILES if "harness" not in each.stem], ids=lambda file: file.stem
)
@implementations
def test_a_tuple_that_a_case_forgets_is_noticed(file: Path, implementation: Implementation) -> None:
    results = replay_transcripts([without_one_tuple(read_transcript(file))], [implementation])
    assert results
    assert not "\n".join(f"{each.name}\n{each.problem}" for each in results if not each.passed)
