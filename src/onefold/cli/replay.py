"""onefold replay: run transcripts, and show where a pipeline does something else."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import click

from onefold.check.located import BadTranscript
from onefold.check.players import own_function, player
from onefold.check.replay import CaseResult, replay
from onefold.core.plan import Implementation
from onefold.core.values import listed

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
def command(
    files: tuple[Path, ...],
    *,
    engine: str,
    against: str | None,
    time: str,
    times: bool,
    implementation: str,
    rewrites: bool,
) -> None:
    """Replay the transcripts in FILES; exit 1 if a case fails or a file can't be read.

    \b
    onefold replay tests/transcripts/*.yaml
    onefold replay mine.yaml --implementation aggregate
    onefold replay mine.yaml --engine spark
    onefold replay mine.yaml --against mine.py:my_spark_function
    """
    by = replace(own_function(against, time), times=times) if against else player(engine)
    chosen = list(Implementation) if implementation == ALL else [Implementation(implementation)]
    chosen = [each for each in chosen if each in by.implementations]
    if not chosen:
        runs = listed([each.value for each in by.implementations])
        raise click.UsageError(f"{by.name} runs {runs}, not {implementation}")
    results: list[CaseResult] = []
    unreadable = 0
    for file in files:
        try:
            of_file = replay(file, chosen, by, rewrites=rewrites)
        except BadTranscript as problem:
            unreadable += 1
            click.echo(f"error: {problem}", err=True)
            continue
        results += of_file
        click.echo("\n".join(_told(file, of_file)))
    click.echo(_summary(results, unreadable, by.name, chosen))
    sys.exit(1 if unreadable or not all(each.passed for each in results) else 0)


def _told(file: Path, results: list[CaseResult]) -> Iterator[str]:
    """Write a file, a line for each case, and what went wrong."""
    yield click.style(str(file), bold=True)
    for _, runs in groupby(results, key=lambda each: each.number):
        case = ""
        failures: dict[str, list[str]] = {}
        for each in runs:
            case = each.name
            if each.problem:
                failures.setdefault(str(each.problem), []).append(each.implementation.value)
        if not failures:
            yield f"  {click.style('ok', fg='green')}    {case}"
        for problem, implementations in failures.items():
            mark = click.style("FAIL", fg="red", bold=True)
            yield f"  {mark}  {case}: {listed(implementations)}"
            yield from (f"        {text}" for text in problem.splitlines())


def _summary(
    results: list[CaseResult], unreadable: int, engine: str, chosen: list[Implementation]
) -> str:
    cases = len(results) // len(chosen)
    failed = sum(not each.passed for each in results)
    told = [f"{len(results) - failed} passed"]
    told += [f"{failed} failed"] if failed else []
    told += [f"{unreadable} unreadable"] if unreadable else []
    where = f"on {engine}: {listed([each.value for each in chosen])}"
    text = f"{', '.join(told)} ({_several(cases, 'case')} {where})"
    return click.style(text, fg="red" if failed or unreadable else "green")


def _several(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
