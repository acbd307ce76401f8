"""Replaying transcripts: run every case, in every implementation, and compare.

An `expect` names all output since the last one. Output that the watermark has not passed yet may
come earlier or later, depending on who carries out a stateless operator or a join (decision 7):

- where the output may run ahead of the watermark, an `expect` may leave such tuples to a later one;
- where a composition waits and the dedicated pipeline would not, it may name them before they come,
  and they must come.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from onefold.check.players import REFERENCE, Player, player
from onefold.check.rows import write_rows
from onefold.check.runners import Run, Runner, on_reference, runners
from onefold.check.steps import End, Expect, ExpectLate, Input, Step, Watermark
from onefold.check.transcript import Case, Transcript, read_transcript
from onefold.core.errors import OnefoldError
from onefold.core.lower import lower
from onefold.core.plan import Implementation, Plan
from onefold.core.records import Tuple, values
from onefold.core.showing import USERS_ERRORS, told
from onefold.core.time import TICK
from onefold.operators.rewrites import rewrite


@dataclass(frozen=True)
class Problem:
    """Why a case failed, and where."""

    file: Path
    line: int
    text: str
    missing: tuple[Tuple, ...] = ()
    unexpected: tuple[Tuple, ...] = ()

    @property
    def what(self) -> str:
        """What went wrong, without the place: the text that `fails` is looked for in."""
        differences = write_rows("missing   ", self.missing)
        differences += write_rows("unexpected", self.unexpected)
        return "\n".join([self.text, *(f"  {each}" for each in differences)])

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}"


@dataclass(frozen=True)
class CaseResult:
    """How a case went in one implementation."""

    file: Path
    number: int
    name: str
    line: int
    implementation: Implementation
    problem: Problem | None

    @property
    def passed(self) -> bool:
        """Whether all was as the case expects, be it a failure."""
        return self.problem is None


def replay(
    path: str | Path,
    implementations: Iterable[str | Implementation] = tuple(Implementation),
    engine: str | Player = "reference",
    *,
    rewrites: bool = False,
    names: Iterable[str] = (),
) -> list[CaseResult]:
    """Run every case of a transcript in these implementations; refuse a bad transcript.

    `engine` is one of the judge: reference, spark, or `file.py:name` for one of yours. With
    `names`, only the cases of these names are run.
    """
    by = engine if isinstance(engine, Player) else player(engine)
    chosen = [Implementation.of(each) for each in implementations]
    chosen = [each for each in chosen if each in by.implementations]
    lowering = lower_and_rewrite if rewrites else lower
    transcript = read_transcript(Path(path))
    if only := set(names):
        kept = tuple(case for case in transcript.cases if case.name in only)
        transcript = replace(transcript, cases=kept)
    return replay_transcripts([transcript], chosen, runners(by), lowering, by)


def lower_and_rewrite(plan: Plan, implementation: Implementation) -> Plan:
    """Return a plan in an implementation, as short as the rewrites make it."""
    return rewrite(lower(plan, implementation))[0]


def replay_transcripts(
    transcripts: Iterable[Transcript],
    implementations: Iterable[Implementation],
    run_all: Callable[[Sequence[Run]], list[Runner]] = on_reference,
    lowering: Callable[[Plan, Implementation], Plan] = lower,
    by: Player = REFERENCE,
) -> list[CaseResult]:
    """Run every case of transcripts in these implementations, on an engine."""
    wanted = [
        (transcript, case, implementation)
        for transcript in transcripts
        for case in transcript.cases
        for implementation in implementations
    ]
    plans = [lowering(transcript.plan, implementation) for transcript, _, implementation in wanted]
    readable = [n for n, (_, case, _) in enumerate(wanted) if not case.mistakes]
    engines = dict(zip(readable, run_all([(plans[n], wanted[n][1]) for n in readable])))
    return [
        _result(*each, plans[number], engines.get(number), by) for number, each in enumerate(wanted)
    ]


def _result(
    transcript: Transcript,
    case: Case,
    implementation: Implementation,
    plan: Plan,
    engine: Runner | None,
    by: Player,
) -> CaseResult:
    ahead = by.own_code or plan.output.ahead
    problem = _problem(
        transcript, case, implementation, engine, ahead=ahead, times=by.times, bounded=by.bounded
    )
    if case.fails is not None:
        problem = _as_told(transcript, case, case.fails, problem)
    return CaseResult(transcript.file, case.number, case.name, case.line, implementation, problem)


def _as_told(
    transcript: Transcript, case: Case, text: str, problem: Problem | None
) -> Problem | None:
    """Return what is wrong with a case that must fail with this text."""
    if problem is None:
        return Problem(transcript.file, case.line, f"did not fail, and must fail with {text!r}")
    if _words(text) in _words(problem.what):
        return None
    return Problem(transcript.file, case.line, f"failed without {text!r}, but with\n{problem}")


def _words(text: str) -> str:
    return " ".join(text.split()).casefold()


def _problem(
    transcript: Transcript,
    case: Case,
    implementation: Implementation,
    engine: Runner | None,
    *,
    ahead: bool,
    times: bool,
    bounded: bool,
) -> Problem | None:
    file = transcript.file
    if engine is None:
        return Problem(file, case.line, "\n".join(["can't be read", *case.mistakes]))
    line = case.line
    try:
        composed = implementation is not Implementation.DEDICATED
        may_come_late = composed and transcript.plan.output.ahead
        run = _Run(engine, ahead, may_come_late, times, bounded)
        for step in case.steps:
            line = step.line
            run.take(step)
        run.finish()
        if composed and case.fails is not None:
            run.engine.end()  # a composition may call a function later, and fail later
    except _Differs as differs:
        text = f"{differs.what} differs"
        return Problem(file, differs.step.line, text, differs.missing, differs.unexpected)
    except OnefoldError as problem:
        return Problem(file, line, f"failed: {problem}")
    except USERS_ERRORS as problem:  # whatever an engine raises is this case's failure
        return Problem(file, line, f"failed: {told(problem)}")
    return None


class _Differs(Exception):
    """The run gave other tuples than a step expects."""

    def __init__(
        self, step: Step, what: str, missing: Iterable[Tuple], unexpected: Iterable[Tuple]
    ) -> None:
        super().__init__(what)
        self.step, self.what = step, what
        self.missing, self.unexpected = tuple(missing), tuple(unexpected)


@dataclass
class _Run:
    """A case at work."""

    engine: Runner
    may_come_early: bool
    may_come_late: bool
    times: bool = True
    """Whether times are looked at; if not, all tuples are held to have the same."""
    bounded: bool = False
    """Whether only the end counts: then all that was expected is looked for there."""
    last: Expect | None = None
    """The last expectation, where only the end counts."""
    unclaimed: Counter[Tuple] = field(default_factory=Counter)
    owed: list[tuple[Expect, Tuple]] = field(default_factory=list)
    """What was expected before the watermark passed it, and has not come yet."""

    def take(self, step: Step) -> None:
        match step:
            case Input():
                self.engine.input(step.source, step.tuples)
            case Watermark():
                self.engine.watermark(step.source, step.watermark)
            case End():
                self.engine.end(*step.sources)
            case Expect() if self.bounded:
                self.last = step
                self.owed += [(step, self._seen(t)) for t in step.tuples]
            case Expect():
                self._expect(step)
            case ExpectLate() if self.bounded:
                pass
            case ExpectLate():
                self._expect_late(step)

    def _expect(self, step: Expect) -> None:
        self._collect()
        expected = Counter(map(self._seen, step.tuples))
        missing, self.unclaimed = expected - self.unclaimed, self.unclaimed - expected
        if self.may_come_late:
            self.owed += [(step, t) for t in missing.elements() if not self._passed(t)]
            missing = Counter(t for t in missing.elements() if self._passed(t))
        self._check_owed(self._passed)
        if missing or any(self._must_be_claimed(t) for t in +self.unclaimed):
            raise _Differs(step, "expect", missing.elements(), self.unclaimed.elements())

    def _collect(self) -> None:
        self.unclaimed.update(map(self._seen, self.engine.take_output()))
        still_owed = []
        for step, t in self.owed:
            if self.unclaimed[t]:
                self.unclaimed[t] -= 1
            else:
                still_owed.append((step, t))
        self.owed = still_owed

    def _seen(self, t: Tuple) -> Tuple:
        return t if self.times else type(t)((0, *values(t)))

    def _passed(self, t: Tuple) -> bool:
        return t.time + TICK <= self.engine.output_watermark()

    def _must_be_claimed(self, t: Tuple) -> bool:
        return self._passed(t) or not self.may_come_early

    def _check_owed(self, due: Callable[[Tuple], bool]) -> None:
        if overdue := [(step, t) for step, t in self.owed if due(t)]:
            first = overdue[0][0]
            missing = [t for step, t in overdue if step is first]
            raise _Differs(first, "expect", missing, self.unclaimed.elements())

    def _expect_late(self, step: ExpectLate) -> None:
        unexpected, missing = self.engine.take_late(), []
        for row in step.rows:
            found = next((t for t in unexpected if t in row), None)
            if found is None:
                missing.append(row[0])
            else:
                unexpected.remove(found)
        if missing or unexpected:
            raise _Differs(step, "late", missing, unexpected)

    def finish(self) -> None:
        """See that what was expected early has come, at the latest at the end of the stream."""
        self._collect()
        if self.owed:
            self.engine.end()
            self._collect()
            self._check_owed(lambda _: True)
        if self.last and +self.unclaimed:
            raise _Differs(self.last, "the output", (), self.unclaimed.elements())
