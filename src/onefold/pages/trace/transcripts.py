"""A case of a transcript as what a traced run is fed with: its watermarks are written down."""

from __future__ import annotations

from onefold.check import steps
from onefold.check.located import BadTranscript
from onefold.check.transcript import Case, Transcript
from onefold.engines.reference import Engine
from onefold.pages.trace.inputs import Feed


def from_case(case: Case) -> Feed:
    """Return what feeds a case of a transcript, whatever it expects."""

    def give(engine: Engine) -> None:
        for step in case.steps:
            match step:
                case steps.Input(source=source, tuples=tuples):
                    engine.process(source, tuples)
                case steps.Watermark(source=source, watermark=watermark):
                    engine.watermark(source, watermark)
                case steps.End(sources=sources):
                    engine.end(*sources)

    return give


def case_named(transcript: Transcript, name: str | None) -> Case:
    """Return the case of this name or number, the first if none is named."""
    cases = transcript.cases
    found = cases[0] if name is None else None
    for each in cases:
        if name in {each.name, str(each.number)}:
            found = found or each
    if found is None:
        there = "; ".join(f"{each.number}: {each.name}" for each in cases)
        raise BadTranscript(
            f"{transcript.file}: there is no case {name!r}", hint=f"name one of these: {there}"
        )
    if found.mistakes:
        raise BadTranscript(
            f"{transcript.file}:{found.line}: the case {found.name!r} can't be read",
            detail="; ".join(found.mistakes),
        )
    return found
