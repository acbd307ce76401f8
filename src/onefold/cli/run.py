"""onefold run: files in, a pipeline, a file out, and the balance of where every tuple went."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout
from dataclasses import dataclass, field
from typing import Any

import click

from onefold.cli.given import refuse
from onefold.cli.places import Places, checked_places
from onefold.cli.progress import counter
from onefold.cli.spark_options import spark_options
from onefold.core.errors import BadDuration
from onefold.core.functions import Failure, on_failure
from onefold.core.plan import Implementation, Node, Plan
from onefold.core.records import Tuple
from onefold.core.time import duration
from onefold.engines.accounts import written_by_user
from onefold.engines.ledger import Balance, Ledger
from onefold.engines.reference import Engine
from onefold.files.feed import feed
from onefold.files.formats import STANDARD, opened
from onefold.files.journal import Journal, call_entry, late_entry, row_entry
from onefold.files.json_text import dumps
from onefold.files.rows import CHUNK, BadFile, BadRow
from onefold.files.targets import Output, Target, writing
from onefold.local import lower
from onefold.pipelines import load_pipeline, pipeline_file

ASIDE = "--on-error quarantine=FILE"
DELAYS = "write milliseconds or a unit: --delay 500, --delay 3s, --delay 2min, --delay 1h"


@click.command(name="run")
@click.argument("pipeline")
@click.option(
    "--engine",
    type=click.Choice(["reference", "spark"]),
    default="reference",
    show_default=True,
    help="in this process, or as a query of Spark Structured Streaming",
)
@click.option(
    "--implementation",
    type=click.Choice([each.value for each in Implementation]),
    default=Implementation.DEDICATED.value,
    show_default=True,
    help="how operators are carried out; the answer is the same if no row is late",
)
@click.option(
    "--input",
    "inputs",
    multiple=True,
    metavar="NAME=FILE",
    help="the file of a source, one for each: .jsonl, .csv (or with .gz), .parquet, - for stdin",
)
@click.option("--output", default=STANDARD, metavar="FILE", help="where to, - for stdout (default)")
@click.option(
    "--on-error",
    default="fail",
    metavar="fail|quarantine=FILE",
    help="stop at the first bad row or failing function, or set such aside in FILE and go on",
)
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
    default=CHUNK,
    show_default=True,
    help="how many rows of a source between two watermarks",
)
@click.option("--late", metavar="FILE", help="write what operators drop as too late to FILE")
@click.option("--json", "as_machine", is_flag=True, help="the balance as a line of JSON")
@click.option("--quiet", is_flag=True, help="no progress, and no balance but with --json")
@spark_options
def command(
    pipeline: str,
    *,
    engine: str,
    implementation: str,
    inputs: tuple[str, ...],
    output: str,
    on_error: str,
    time: str,
    delay: str,
    every: int,
    late: str | None,
    as_machine: bool,
    quiet: bool,
    **spark: Any,
) -> None:
    """Run PIPELINE, file.py:name or package.module:name, over files.

    \b
    onefold run wordcount.py:pipeline --input edits=edits.jsonl --output counts.csv
    onefold run wordcount.py:pipeline --input edits=- --implementation aggregate

    Every row has its event time (ms, or ISO text) under `time`. A watermark follows every 1000
    rows, the latest time so far less --delay; a row behind it may be late. A file is written when
    it is complete. At the end the balance goes to standard error: read + produced + copied =
    written + filtered + quarantined + late + consumed, where produced and consumed are what windows
    and flat_map made and took in, and copied what two readers of one stream read twice.
    """
    try:
        with redirect_stdout(sys.stderr):
            plan = lower(load_pipeline(pipeline), implementation)
        if engine == "spark":
            refuse(["every"], "is for --engine reference: on Spark, watermarks follow batches")
            from onefold.cli.run_spark import Options
            from onefold.cli.run_spark import run as run_on_spark

            options = Options(
                inputs=inputs,
                output=output,
                on_error=on_error,
                late=late,
                time=time,
                delay=delay_of(delay),
                as_machine=as_machine,
                quiet=quiet,
                **spark,
            )
            run_on_spark(plan, options)
            return
        refuse(spark, "is for --engine spark")
        places = checked_places(plan, pipeline_file(pipeline), inputs, output, on_error, late)
        with counter(quiet=quiet or _mixed(places.output)) as progress:
            balance = run(plan, places, time, delay_of(delay), every, progress)
    except BrokenPipeError:  # the reader of our output has gone
        raise
    except OSError as problem:
        about = f"{problem.filename}: " if problem.filename else ""
        raise BadFile(f"{about}{problem.strerror or problem}") from None
    tell(balance, as_machine=as_machine, quiet=quiet)


def tell(balance: Balance, *, as_machine: bool, quiet: bool) -> None:
    """Write a balance on standard error, where no row is."""
    if as_machine:
        click.echo(dumps(balance.as_json()), err=True)
    elif not quiet:
        for line in balance.lines():
            click.echo(line, err=True)


def run(
    plan: Plan,
    places: Places,
    time: str,
    delay: int,
    every: int,
    progress: Callable[[int], None],
) -> Balance:
    """Run a plan from its files to its files, and return the balance."""
    with ExitStack() as stack:
        enter = stack.enter_context
        readers = {
            name: enter(opened(places.inputs[name], source.type, time))
            for name, source in plan.sources.items()
        }
        ends = _Ends(
            late=enter(_journal(places.late)),
            quarantine=enter(_journal(places.quarantine)),
            output=enter(writing(places.output, plan.output.type)),
            progress=progress,
        )
        enter(redirect_stdout(sys.stderr))  # the users' prints do not mix with rows
        stack.callback(on_failure.reset, on_failure.set(ends.set_call_aside))
        engine = Engine(plan, on_output=ends.write, on_late=ends.drop)
        feed(
            engine, readers, delay=delay, every=every, on_read=ends.count, on_bad=ends.set_row_aside
        )
        return ends.ledger.balance(engine)


@dataclass
class _Ends:
    """Everything that leaves a run, counted."""

    output: Output
    quarantine: Journal | None
    late: Journal | None
    progress: Callable[[int], None]
    ledger: Ledger = field(default_factory=Ledger)

    def write(self, tuples: Sequence[Tuple]) -> None:
        self.output.write(list(tuples))
        self.ledger.written += len(tuples)

    def drop(self, node: Node, tuples: Sequence[Tuple]) -> None:
        self.ledger.dropped(node, tuples)
        if self.late:
            step = written_by_user(node).step
            for t in tuples:
                self.late.write(late_entry(step, t))

    def set_row_aside(self, source: str, bad: BadRow) -> None:
        if self.quarantine is None:
            raise bad.error(ASIDE)
        self.quarantine.write(row_entry(bad))
        self.ledger.bad[source] += 1

    def set_call_aside(self, failure: Failure) -> None:
        if self.quarantine is None:
            raise failure.error(ASIDE)
        self.quarantine.write(call_entry(failure))
        self.ledger.failed(failure)

    def count(self, source: str, rows: int) -> None:
        self.ledger.read[source] += rows
        self.output.flush()
        self.progress(rows)


@contextmanager
def _journal(where: str | None) -> Iterator[Journal | None]:
    if where is None:
        yield None
        return
    with Target(where, keep=True) as target:
        yield Journal(target)


def _mixed(output: str) -> bool:
    """Say whether output and progress would share one terminal."""
    return output == STANDARD and sys.stdout is not None and sys.stdout.isatty()


def delay_of(written: str) -> int:
    """Return the milliseconds of --delay; digits alone are milliseconds."""
    try:
        bare = re.fullmatch(r"\s*[+-]?[0-9]+\s*", written)
        return duration(int(written) if bare else written, "--delay")
    except BadDuration as problem:
        raise BadDuration(problem.what, hint=DELAYS) from None
    except ValueError:  # thousands of digits
        raise BadDuration("--delay is longer than event time itself", hint=DELAYS) from None
