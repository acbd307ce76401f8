"""onefold replay: run transcripts, and show where a pipeline does something else."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from onefold.check.located import BadTranscript
from onefold.check.players import Player, own_function, player
from onefold.check.replay import CaseResult, replay
from onefold.check.transcript import read_transcript
from onefold.cli import NO, complain
from onefold.cli.given import refuse
from onefold.core.near import did_you_mean
from onefold.core.plan import Implementation
from onefold.core.values import listed
from onefold.files.json_text import dumps

ALL = "all"


@click.command(name="replay")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--engine",
    default="reference",
    show_default=True,
    metavar="NAME",
    help="who runs the pipeline: reference, spark, file.py:name for one of yours",
)
@click.option(
    "--against",
    metavar="FILE.PY:FUNCTION",
    help="your own Spark code instead: a function of DataFrames to a DataFrame",
)
@click.option("--time", default="ts", show_default=True, help="its column of times")
@click.option("--times/--no-times", default=True, help="look at its times, or not")
@click.option(
    "--implementation",
    type=click.Choice([*(each.value for each in Implementation), ALL]),
    default=ALL,
    show_default=True,
    help="how the operators are carried out",
)
@click.option(
    "--rewrites/--no-rewrites",
    default=False,
    help="shorten compositions first, where the answer is the same",
)
@click.option(
    "--case", "cases", multiple=True, metavar="NAME", help="only the case of this name; repeatable"
)
@click.option("--json", "as_machine", is_flag=True, help="the results as JSON on standard output")
@click.option("--quiet", is_flag=True, help="only cases that fail, and the sum")
def command(
    files: tuple[Path, ...],
    *,
    engine: str,
    against: str | None,
    time: str,
    times: bool,
    implementation: str,
    rewrites: bool,
    cases: tuple[str, ...],
    as_machine: bool,
    quiet: bool,
) -> None:
    """Replay the transcripts in FILES; exit 1 if a case fails or a file can't be read.

    \b
    onefold replay tests/transcripts/*.yaml
    onefold replay mine.yaml --implementation aggregate --case "no input, no output"
    onefold replay mine.yaml --engine spark
    onefold replay mine.yaml --against mine.py:my_spark_function
    """
    if against:
        refuse(["engine"], "and --against exclude each other")
    else:
        refuse(["time", "times"], "is for --against")
    by = replace(own_function(against, time), times=times) if against else player(engine)
    done = _Done(by, _chosen(by, implementation))
    if cases:
        _check_names(files, cases)
    for file in files:
        try:
            of_file = replay(file, done.chosen, by, rewrites=rewrites, names=cases)
        except BadTranscript as problem:
            done.unreadable.append((file, problem))
            complain(problem)
            continue
        done.results += of_file
        lines = [] if as_machine else list(_told(file, of_file, quiet=quiet))
        if lines:
            click.echo("\n".join(lines))
    click.echo(dumps(done.as_json()) if as_machine else done.summary())
    sys.exit(0 if done.passed else NO)


def _chosen(by: Player, implementation: str) -> list[Implementation]:
    chosen = list(Implementation) if implementation == ALL else [Implementation(implementation)]
    chosen = [each for each in chosen if each in by.implementations]
    if not chosen:
        runs = listed([each.value for each in by.implementations])
        raise click.UsageError(f"{by.name} runs {runs}, not {implementation}")
    return chosen


def _check_names(files: Sequence[Path], names: Sequence[str]) -> None:
    """Raise a usage error for a case that no file has; a bad file is told of later."""
    known: list[str] = []
    for file in files:
        try:
            known += [case.name for case in read_transcript(file).cases]
        except BadTranscript:
            return
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known, f"there are {len(known)} others")
            raise click.UsageError(f"--case: there is no case {name!r}; {hint}")


def _told(file: Path, results: list[CaseResult], *, quiet: bool) -> Iterator[str]:
    """Write a file, a line for each case, and what went wrong."""
    if not quiet or not all(each.passed for each in results):
        yield click.style(str(file), bold=True)
    for _, runs in groupby(results, key=lambda each: each.number):
        case = ""
        failures: dict[str, list[str]] = {}
        for each in runs:
            case = each.name
            if each.problem:
                failures.setdefault(str(each.problem), []).append(each.implementation.value)
        if not failures and not quiet:
            yield f"  {click.style('ok', fg='green')}    {case}"
        for problem, implementations in failures.items():
            mark = click.style("FAIL", fg="red", bold=True)
            yield f"  {mark}  {case}: {listed(implementations)}"
            yield from (f"        {text}" for text in problem.splitlines())


@dataclass
class _Done:
    """What was replayed, and how it went."""

    by: Player
    chosen: list[Implementation]
    results: list[CaseResult] = field(default_factory=list)
    unreadable: list[tuple[Path, BadTranscript]] = field(default_factory=list)

    @property
    def failed(self) -> int:
        return sum(not each.passed for each in self.results)

    @property
    def passed(self) -> bool:
        return not self.unreadable and not self.failed

    def summary(self) -> str:
        """Write how many passed, on what."""
        cases, failed = len(self.results) // len(self.chosen), self.failed
        told = [f"{len(self.results) - failed} passed"]
        told += [f"{failed} failed"] if failed else []
        told += [f"{len(self.unreadable)} unreadable"] if self.unreadable else []
        where = f"on {self.by.name}: {listed([each.value for each in self.chosen])}"
        text = f"{', '.join(told)} ({_several(cases, 'case')} {where})"
        return click.style(text, fg="green" if self.passed else "red")

    def as_json(self) -> dict[str, Any]:
        """Return all results for machines."""
        return {
            "passed": self.passed,
            "engine": self.by.name,
            "cases": [
                {
                    "file": str(each.file),
                    "line": each.line,
                    "case": each.name,
                    "implementation": each.implementation.value,
                    "passed": each.passed,
                    "problem": str(each.problem) if each.problem else None,
                }
                for each in self.results
            ],
            "unreadable": [
                {"file": str(file), "problem": str(problem)} for file, problem in self.unreadable
            ],
        }


def _several(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
