"""onefold check: do all implementations, and your own code, mean the same?"""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path

import click

from onefold.check.ask import CASES, on_generated_streams, verdict_on
from onefold.check.given import given_cases, read
from onefold.check.judge import Verdict, judge
from onefold.check.players import Player, own_function, player
from onefold.check.report import as_json, lines
from onefold.check.save import replay_command, transcript
from onefold.check.small import small_cases
from onefold.cli import NO, USAGE, complain
from onefold.cli.given import given, refuse
from onefold.cli.places import checked_inputs
from onefold.cli.progress import bar
from onefold.core.errors import OnefoldError
from onefold.core.plan import Implementation, plan
from onefold.core.time import duration
from onefold.files.json_text import dumps
from onefold.files.rows import BadFile
from onefold.files.values import plain
from onefold.pipelines import load_pipeline


@click.command(name="check")
@click.argument("pipeline")
@click.option(
    "--engines",
    default="reference",
    show_default=True,
    metavar="NAME,…",
    help="who runs the pipeline: reference, spark, file.py:name for one of yours, none",
)
@click.option(
    "--implementations",
    default="all",
    show_default=True,
    metavar="NAME,…",
    help="dedicated, aggregate, aggregate-plus",
)
@click.option(
    "--against",
    multiple=True,
    metavar="FILE.PY:FUNCTION",
    help="your own Spark code: a function of DataFrames, one for each source, to a DataFrame",
)
@click.option(
    "--input",
    "inputs",
    multiple=True,
    metavar="NAME=FILE",
    help="check on these files, one for each source, instead of generated streams",
)
@click.option("--generate", "generated", is_flag=True, help="generate streams (the default)")
@click.option("--cases", type=click.IntRange(min=1), metavar="N", help=f"how many ({CASES})")
@click.option("--seed", type=int, default=0, show_default=True, help="another seed, other streams")
@click.option(
    "--exhaustive",
    type=click.IntRange(min=0, max=4),
    metavar="K",
    help="every small stream of up to K tuples instead of generated ones",
)
@click.option("--late/--no-late", default=True, help="with tuples behind the watermark, or without")
@click.option("--times/--no-times", default=True, help="with --against: look at its times, or not")
@click.option("--time", default=None, help="the column of times: `time` in files, `ts` on Spark")
@click.option(
    "--delay", default="0 s", show_default=True, help="with --input: watermarks lag so far"
)
@click.option("--save", type=click.Path(path_type=Path, dir_okay=False), metavar="CASE.YAML",
              help="write the case that differs as a transcript")  # fmt: skip
@click.option("--json", "as_machine", is_flag=True, help="the verdict as JSON on standard output")
@click.option("--quiet", is_flag=True, help="no progress on standard error")
def command(
    pipeline: str,
    *,
    engines: str,
    implementations: str,
    against: tuple[str, ...],
    inputs: tuple[str, ...],
    generated: bool,
    cases: int | None,
    seed: int,
    exhaustive: int | None,
    late: bool,
    times: bool,
    time: str | None,
    delay: str,
    save: Path | None,
    as_machine: bool,
    quiet: bool,
) -> None:
    """Compare what runs PIPELINE with its definition; exit 1 if someone differs.

    \b
    onefold check examples/wordcount.py:pipeline
    onefold check examples/wordcount.py:pipeline --engines reference,spark
    onefold check examples/wordcount.py:pipeline --input edits=examples/data/edits.jsonl
    onefold check deals.py:pipeline --against deals.py:my_spark_join --save case.yaml

    Streams are made from the types of the sources: equal tuples, times on window boundaries, gaps,
    bursts, tuples out of order and behind the watermark, nulls, NaN, cut into micro-batches in many
    ways. The smallest stream that shows a difference is drawn.
    """
    if sum((bool(inputs), generated, exhaustive is not None)) > 1:
        raise click.UsageError("--input, --generate and --exhaustive exclude each other")
    if inputs or exhaustive is not None:
        refuse(["cases", "seed"], "is for generated streams: leave out --input and --exhaustive")
    if not inputs:
        refuse(["delay"], "is for --input: generated streams have watermarks of their own")
    if not against:
        refuse(["times"], "is for --against: an engine's times are part of its answer")
        if not inputs:
            refuse(["time"], "is for --input and --against")
    if save and not save.resolve().parent.is_dir():
        raise click.UsageError(f"--save: there is no folder {save.parent}")
    try:
        with redirect_stdout(sys.stderr), bar("playing", None, quiet=quiet) as shown:
            tested = plan(load_pipeline(pipeline).node)
            players = _players(engines, against, time or "ts")
            players = [replace(each, times=times or not each.own_code) for each in players]
            chosen = _implementations(implementations)
            if inputs or exhaustive is not None:
                verdict = verdict_on(tested, players, chosen)
                verdict.exhaustive = exhaustive
                if inputs:
                    streams = read(tested, checked_inputs(tested, inputs), time or "time")
                    tried = given_cases(streams, duration(delay, "--delay"), late=late)
                else:
                    tried = list(small_cases(tested, exhaustive or 0, late=late))
                judge(verdict, tried, tell=shown.tell)
            else:
                verdict = on_generated_streams(
                    tested, players, chosen, cases=cases, seed=seed, late=late, tell=shown.tell
                )
    except OnefoldError as problem:  # 1 is for a difference
        complain(problem)
        sys.exit(USAGE)
    _tell(verdict, pipeline, save, as_machine=as_machine)
    sys.exit(0 if verdict.same else NO)


def _tell(verdict: Verdict, pipeline: str, save: Path | None, *, as_machine: bool) -> None:
    if as_machine:
        click.echo(dumps(plain(as_json(verdict))))
    else:
        first, *rest = lines(verdict)
        click.echo(click.style(first, fg="green" if verdict.same else "red", bold=True))
        for line in rest:
            click.echo(line)
    if verdict.found and save:
        try:
            save.write_text(transcript(verdict.found, pipeline, save), encoding="utf-8")
        except OSError as problem:
            raise BadFile(f"--save {save}: {problem.strerror or problem}") from None
        again = replay_command(verdict.found.first.side, str(save))
        click.echo(f"saved: {again}", err=as_machine)


def _players(engines: str, against: tuple[str, ...], time: str) -> list[Player]:
    names = [each.strip() for each in engines.split(",") if each.strip()]
    if against and not given("engines"):
        names = []
    found = [player(name) for name in dict.fromkeys(names) if name != "none"]
    found += [own_function(name, time) for name in against]
    if not found:
        raise click.UsageError("there is no one to compare: name --engines or --against")
    return found


def _implementations(written: str) -> list[Implementation]:
    if written == "all":
        return list(Implementation)
    return [Implementation.of(each.strip()) for each in written.split(",")]
