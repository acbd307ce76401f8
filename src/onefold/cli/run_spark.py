"""onefold run --engine spark: a pipeline as a streaming query, from inputs to a folder."""

from __future__ import annotations

import glob
import re
import signal
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from onefold.cli.given import refuse
from onefold.cli.places import nearly
from onefold.cli.progress import Line, line
from onefold.cli.run import tell
from onefold.core.near import did_you_mean
from onefold.core.plan import Plan
from onefold.core.time import duration, show_moment
from onefold.core.values import listed
from onefold.files.json_text import dumps
from onefold.operators.rewrites import rewrite

if TYPE_CHECKING:  # pyspark takes a second to import
    from onefold.engines.spark.inputs import Input
    from onefold.engines.spark.job import Job, Progress

FORMATS = {
    ".json": "json", ".jsonl": "json", ".ndjson": "json",
    ".csv": "csv", ".parquet": "parquet", ".txt": "text", ".orc": "orc",
}  # fmt: skip
A_DAY = 24 * 60 * 60
"""In seconds. Who is farther behind replays the past, and the watermark's own date tells it."""
PATHLESS = ("rate", "rate-micro-batch", "socket", "kafka")


@dataclass(frozen=True)
class Options:
    """What the command line says about a run on Spark."""

    inputs: Sequence[str]
    input_formats: Sequence[str]
    input_options: Sequence[str]
    output: str
    output_format: str | None
    output_options: Sequence[str]
    on_error: str
    late: str | None
    time: str
    delay: int
    checkpoint: str | None
    master: str | None
    follow: bool
    trigger: str
    rewrites: bool
    as_machine: bool
    quiet: bool


def run(plan: Plan, options: Options) -> None:
    """Run a plan on Spark as the options say."""
    plan = rewrite(plan)[0] if options.rewrites else plan
    inputs = _inputs(plan, options)
    if options.follow and options.checkpoint is None:
        raise click.UsageError("--follow needs --checkpoint DIR, to go on after a stop")
    if not options.follow:
        refuse(["trigger"], "is for --follow: without it, what is there is one batch after another")
    writing = (
        options.output,
        _format_of(options.output, options.output_format, "--output"),
        _pairs(options.output_options, "--output-option"),
        _quarantine(options.on_error),
        options.late,
        options.time,
    )
    _check_new(options)
    with ExitStack() as stack:
        with line("starting Spark", quiet=options.quiet) as shown:
            job = _job(plan, inputs, options, writing, stack, shown)
            shown.tell("starting the query")
            _work(job, options)
        _tell(job, options)


def _job(
    plan: Plan,
    inputs: dict[str, Input],
    options: Options,
    writing: tuple[Any, ...],
    stack: ExitStack,
    shown: Line,
) -> Job:
    from onefold.cli.spark_sink import FolderSink
    from onefold.engines.spark.job import Job
    from onefold.engines.spark.scratch import scratch
    from onefold.engines.spark.session import active, session

    folder = Path(options.checkpoint or stack.enter_context(scratch()))
    log = folder / "onefold" / "spark.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    ours = active() is None
    running = session(options.master, log=log)
    if ours:
        stack.callback(running.stop)
    sink = stack.enter_context(FolderSink.opened(plan, *writing, cleared=shown.away))
    job = Job(running, plan, inputs, sink, folder, options.time, options.delay, options.rewrites)
    live = options.follow or not all(each.bounded for each in inputs.values())
    job.on_progress = lambda told: shown.tell(told_in_a_line(told, live=live))
    return job


def _check_new(options: Options) -> None:
    """Refuse to mix the batches of a new query with those of an old one."""
    goes_on = options.checkpoint is not None and Path(options.checkpoint, "offsets").exists()
    if not goes_on and options.output != "-" and any(Path(options.output).glob("batch=*")):
        raise click.UsageError(
            f"--output: {options.output} holds the batches of another run: name another folder, "
            "or go on with that run's --checkpoint"
        )


def _work(job: Job, options: Options) -> None:
    if not options.follow:
        job.once()
        return
    asked = _Asked()
    with asked.on_interrupt():
        job.follow(duration(options.trigger, "--trigger"), asked)


def _tell(job: Job, options: Options) -> None:
    books = job.books
    if not options.follow:
        tell(books.balance(job.plan), as_machine=options.as_machine, quiet=options.quiet)
        return
    so_far = {
        "read": books.read(job.plan),
        "written": books.written,
        "late": books.late.total(),
        "quarantined": books.bad.total() + books.failures.total(),
    }
    if options.as_machine:
        click.echo(dumps({"batch": books.batch, **so_far}), err=True)
    elif not options.quiet:
        told = ", ".join(f"{what} {count}" for what, count in so_far.items())
        again = "the same command goes on from here"
        click.echo(f"stopped after batch {books.batch}: {told}; {again}", err=True)


@dataclass
class _Asked:
    """Whether someone asked to stop."""

    said: bool = False

    def __call__(self) -> bool:
        return self.said

    @contextmanager
    def on_interrupt(self) -> Iterator[None]:
        """Take Ctrl-C as a request to stop after the batch; a second one stops at once."""

        def ask(*_: Any) -> None:
            if self.said:
                raise KeyboardInterrupt
            self.said = True
            click.echo("stopping after this batch (once more: at once)", err=True)

        before = {each: signal.signal(each, ask) for each in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)


def _inputs(plan: Plan, options: Options) -> dict[str, Input]:
    from onefold.engines.spark.inputs import Input

    paths = _named(plan, options.inputs, "--input", "PATH")
    formats = _named(plan, options.input_formats, "--input-format", "FORMAT")
    settings: dict[str, dict[str, str]] = {name: {} for name in plan.sources}
    for each in options.input_options:
        name, dot, rest = each.partition(".")
        key, equals, value = rest.partition("=")
        if not dot or not equals:
            raise click.UsageError(f"--input-option {each}: write SOURCE.OPTION=VALUE")
        if name not in settings:
            hint = did_you_mean(name, settings, f"there is {listed(list(settings))}")
            raise click.UsageError(f"--input-option {each}: there is no source {name!r}; {hint}")
        settings[name][key] = value
    found = {}
    for name in plan.sources:
        path: str | None = paths.get(name)
        if path is None and formats.get(name) is None:
            raise click.UsageError(f"no input for source {name}: write --input {name}=PATH")
        if path == "-":
            raise click.UsageError(f"--input {name}=-: Spark reads no standard input; name a file")
        if path is not None and path in PATHLESS and name not in formats:
            formats[name] = path
            path = None
        if path is not None and "://" not in path and not _exists(path):
            missing = f"--input {name}={path}: there is no such file or folder"
            raise click.UsageError(f"{missing}{nearly(path)}")
        kind = _format_of(path or "", formats.get(name), f"--input {name}")
        found[name] = Input(kind, _readable(path), settings[name], path)
    return found


def _exists(path: str) -> bool:
    return Path(path).exists() or bool(glob.glob(path))  # noqa: PTH207  it may be absolute


def _readable(path: str | None) -> str | None:
    """Return what Spark's file streams read: they want a folder or a pattern, not a file."""
    if path is None or "://" in path or not Path(path).is_file():
        return path
    place = Path(path).resolve()
    if place.name.startswith(("_", ".")):
        raise click.UsageError(f"{path}: Spark passes over files whose names begin with _ or a dot")
    folder, name = (
        re.sub(r"([\\{}\[\]*?,^])", r"\\\1", part) for part in (str(place.parent), place.name)
    )
    # Brackets make a pattern of a name that it alone fits.
    return f"{folder}/" + (f"[{name[0]}]{name[1:]}" if name[0].isalnum() else f"{{{name}}}")


def _named(plan: Plan, given: Sequence[str], option: str, what: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for each in given:
        name, equals, value = each.partition("=")
        if not equals or not value:
            raise click.UsageError(f"{option} {each}: write {option} SOURCE={what}")
        if name not in plan.sources:
            hint = did_you_mean(name, plan.sources, f"there is {listed(list(plan.sources))}")
            raise click.UsageError(f"{option} {each}: there is no source {name!r}; {hint}")
        if name in found:
            raise click.UsageError(f"{option} {each}: source {name!r} has one already")
        found[name] = value
    return found


def _format_of(path: str, given: str | None, option: str) -> str:
    if given or path == "-":
        return given or "-"
    place = Path(path.lower().removesuffix(".gz"))
    if place.suffix in FORMATS:
        return FORMATS[place.suffix]
    inside = sorted(each.suffix for each in Path(path).glob("*") if each.suffix in FORMATS)
    if inside:
        return FORMATS[inside[0]]
    if option == "--output":
        return "json"
    raise click.UsageError(
        f"{option}: {path} does not tell its format: add {option.split(maxsplit=1)[0]}-format"
    )


def _pairs(given: Sequence[str], option: str) -> dict[str, str]:
    found = {}
    for each in given:
        key, equals, value = each.partition("=")
        if not equals:
            raise click.UsageError(f"{option} {each}: write {option} OPTION=VALUE")
        found[key] = value
    return found


def _quarantine(on_error: str) -> str | None:
    if on_error == "fail":
        return None
    kind, _, where = on_error.partition("=")
    if kind != "quarantine" or not where:
        raise click.UsageError(f"--on-error {on_error}: write fail or quarantine=DIR")
    return where


def told_in_a_line(progress: Progress, *, live: bool) -> str:
    """Write how a query stands; how far it is behind the clock if its source is live."""
    return (
        f"batch {progress.batch}: {progress.read:,} read, {progress.per_second:,.0f}/s, "
        f"{_watermark(progress, live=live)}, {progress.held:,} held, {progress.late:,} late"
    )


def _watermark(progress: Progress, *, live: bool) -> str:
    if progress.watermark is None:
        return "no watermark yet"
    from onefold.engines.spark.clock import LAST_MILLIS

    if progress.watermark >= LAST_MILLIS:
        return "end of the stream"
    lag = progress.lag
    behind = f" ({lag:,.0f} s behind)" if live and lag is not None and 0 <= lag < A_DAY else ""
    return f"watermark {show_moment(progress.watermark)}{behind}"
