"""onefold trace: step through a small stream, as a page, as lines or as JSON."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from pathlib import Path

import click

from onefold.cli.given import refuse
from onefold.cli.places import checked_inputs, tell_written
from onefold.cli.run import delay_of
from onefold.core.plan import Implementation
from onefold.files.formats import STANDARD
from onefold.files.rows import BadFile
from onefold.files.targets import Target
from onefold.local import lower
from onefold.pages.trace.inputs import from_files
from onefold.pages.trace.recording import LIMIT, recorded
from onefold.pages.trace.traced import Trace, subtitle, trace_case
from onefold.pipelines import load_pipeline


@click.command(name="trace")
@click.argument("pipeline", required=False)
@click.option(
    "--input",
    "inputs",
    multiple=True,
    metavar="NAME=FILE",
    help="the file of a source, one for each: .jsonl, .csv (or with .gz), .parquet, - for stdin",
)
@click.option(
    "--transcript",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="a case of a transcript instead of PIPELINE and files",
)
@click.option("--case", metavar="NAME", help="its name or number; the first if none is named")
@click.option(
    "--implementation",
    type=click.Choice([each.value for each in Implementation]),
    default=Implementation.DEDICATED.value,
    show_default=True,
    help="how operators are carried out",
)
@click.option("--html", "to_html", metavar="FILE", help="write a page, - for stdout")
@click.option("--json", "to_json", metavar="FILE", help="write data for machines, - for stdout")
@click.option("--time", default="time", show_default=True, help="the column of event times")
@click.option(
    "--delay",
    default="0 s",
    show_default=True,
    help="how far watermarks stay behind the latest row",
)
@click.option(
    "--watermark-every",
    "every",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="how many rows of a source between two watermarks; 1000 is what `run` does",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=LIMIT,
    show_default=True,
    help="how many steps to record",
)
@click.option("--quiet", is_flag=True, help="do not say on standard error which files were written")
def command(
    pipeline: str | None,
    *,
    inputs: tuple[str, ...],
    transcript: Path | None,
    case: str | None,
    implementation: str,
    to_html: str | None,
    to_json: str | None,
    time: str,
    delay: str,
    every: int,
    limit: int,
    quiet: bool,
) -> None:
    """Run PIPELINE, file.py:name or package.module:name, in-process, and show every step.

    \b
    onefold trace wordcount.py:pipeline --input edits=edits.jsonl --html trace.html
    onefold trace wordcount.py:pipeline --input edits=edits.jsonl --implementation aggregate
    onefold trace --transcript tests/transcripts/late.yaml --case 1 --html trace.html

    Without --html and --json every event is printed as a line. A watermark follows every row, the
    latest time so far less --delay: small streams show more that way. A trace that reaches --limit
    stops there and says so; so does one that an error stops, and the exit code is then 1.
    """
    _check(pipeline, inputs, transcript, case, to_html, to_json)
    try:
        with redirect_stdout(sys.stderr):  # the users' prints do not mix with the trace
            if transcript is not None:
                traced = trace_case(transcript, case, implementation, limit=limit)
            else:
                assert pipeline is not None
                traced = _of_files(pipeline, inputs, implementation, time, delay, every, limit)
        _write(traced, to_html, to_json, quiet=quiet)
    except BrokenPipeError:  # the reader of our output has gone
        raise
    except OSError as problem:
        about = f"{problem.filename}: " if problem.filename else ""
        raise BadFile(f"{about}{problem.strerror or problem}") from None
    if stopped := traced.recording.stopped:
        if stopped.error:
            raise stopped.error
        click.echo(stopped.text.replace("`limit`", "--limit"), err=True)


def _check(
    pipeline: str | None,
    inputs: tuple[str, ...],
    transcript: Path | None,
    case: str | None,
    to_html: str | None,
    to_json: str | None,
) -> None:
    if transcript is None and pipeline is None:
        raise click.UsageError("what to trace? Name a PIPELINE and its --input, or a --transcript")
    if transcript is not None and (pipeline is not None or inputs):
        raise click.UsageError(
            "a transcript names its own pipeline and input: leave out the others"
        )
    if transcript is not None:
        refuse(["time", "delay", "every"], "is for files: a transcript says where watermarks are")
    if transcript is None and case is not None:
        raise click.UsageError("--case is for --transcript")
    if to_html is not None and to_html == to_json:
        raise click.UsageError("--html and --json can't be written to one place")
    for option, where in (("--html", to_html), ("--json", to_json)):
        path = Path(where or STANDARD)
        if path.is_dir():
            if where not in (None, STANDARD):
                raise click.UsageError(f"{option}: {where} is a folder, not a file")
        elif not path.resolve().parent.is_dir():
            raise click.UsageError(f"{option}: there is no folder {path.parent}")


def _of_files(
    pipeline: str,
    inputs: tuple[str, ...],
    implementation: str,
    time: str,
    delay: str,
    every: int,
    limit: int,
) -> Trace:
    plan = lower(load_pipeline(pipeline), implementation)
    files, behind = checked_inputs(plan, inputs), delay_of(delay)
    feed = from_files(plan, files, time=time, delay=behind, every=every)
    recording = recorded(plan, feed, limit=limit, delay=behind)
    return Trace(recording, pipeline, subtitle(Implementation(implementation), behind, every))


def _write(traced: Trace, to_html: str | None, to_json: str | None, *, quiet: bool) -> None:
    if to_html is None and to_json is None:
        for event in traced.events:
            click.echo(str(event))
    if to_html is not None:
        _write_text(to_html, traced.html(), quiet=quiet)
    if to_json is not None:
        _write_text(to_json, traced.json() + "\n", quiet=quiet)


def _write_text(where: str, text: str, *, quiet: bool) -> None:
    with Target(where) as target:
        target.stream.write(text.encode("utf-8", "backslashreplace"))
    tell_written(where, quiet=quiet)
