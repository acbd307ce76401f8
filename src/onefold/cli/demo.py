"""onefold demo: a live pipeline on local Spark as D, A+ and A, compared, with a page to look at."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

import onefold
from onefold.cli import INTERRUPTED
from onefold.cli.bench import IMPLEMENTATIONS
from onefold.cli.extras import need_bench
from onefold.pipelines import load_pipeline

if TYPE_CHECKING:  # pyspark takes a second to import
    from onefold.bench.demo.runs import Ran, Stage
    from onefold.bench.demo.shown import Demo

PIPELINE = "live_edits.py"
PACKAGES = ("fast_sugiyama", "matplotlib", "numpy", "pandas", "pyarrow", "pyspark")
SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Java compiles quickly rather than well: in a minute and a half it would not pay. The same for all
implementations, whose work is mostly Python's."""
Shows = Callable[[str, str, int], None]


@click.command(name="demo")
@click.option(
    "--tuples",
    type=click.IntRange(min=300),
    default=10_400,
    show_default=True,
    help="how many edits; most wait at the start, and the others come live",
)
@click.option(
    "--seconds",
    type=click.IntRange(min=1),
    default=6,
    show_default=True,
    help="how long edits come live",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("onefold-demo"),
    show_default=True,
    help="where the page goes",
)
@click.option(
    "--rewrites/--no-rewrites",
    default=False,
    help="shorten compositions where the answer is the same, or run them as drawn (default)",
)
@click.option("--quiet", is_flag=True, help="no progress, only the table and the page's path")
def command(*, tuples: int, seconds: int, out: Path, rewrites: bool, quiet: bool) -> None:
    """Run one live pipeline on local Spark as D, A+ and A, and compare the answers.

    \b
    onefold demo
    onefold demo --seconds 20 --tuples 20000 --out demo

    Made-up Wikipedia edits arrive, a few of them late. The pipeline (examples/live_edits.py) ranks
    words, counts edits and joins them. The table at the end says whether the three answers are the
    same multiset, how fast they were and how late; the page shows the plans, the results and the
    charts. The exit code is 1 if answers differ.
    """
    need_bench("the demo", PACKAGES)
    _check_java()
    from rich.console import Console

    from onefold.bench.demo.page import write
    from onefold.cli.demo_table import printed

    try:
        demo = _played(tuples, seconds, rewrites=rewrites, quiet=quiet)
        path = write(demo, out)
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
        raise SystemExit(INTERRUPTED) from None
    printed(demo, Console())
    click.echo(f"page: {path}")
    if not demo.same:
        raise SystemExit(1)


def _check_java() -> None:
    from onefold.engines.spark.session import INSTALL, NoJava, check_java

    try:
        check_java()
    except NoJava as problem:  # the demo has no other engine to offer
        raise NoJava(problem.what, hint=INSTALL) from None


def pipeline_place() -> Path:
    """Return the file of the demo's pipeline: beside the installed package, or in the clone."""
    package = Path(onefold.__file__).parent
    places = [package / "bench" / "demo" / PIPELINE, package.parents[1] / "examples" / PIPELINE]
    return next(place for place in places if place.exists())


def _played(tuples: int, seconds: int, *, rewrites: bool, quiet: bool) -> Demo:
    from onefold.bench.demo.edits import Edits, write
    from onefold.bench.demo.runs import Stage, plan_of, warm_up
    from onefold.bench.demo.shown import Demo
    from onefold.bench.machine import facts
    from onefold.engines.spark.scratch import scratch
    from onefold.engines.spark.session import active, session

    file, edits = pipeline_place(), Edits(tuples, seconds)
    with ExitStack() as stack:
        shows = stack.enter_context(_progress(tuples, quiet=quiet))
        folder = stack.enter_context(scratch("onefold-demo-"))
        shows(IMPLEMENTATIONS[0], "making edits, starting Spark", 0)
        made = folder / "made"
        made.mkdir()
        parts = write(edits, made)
        stream = load_pipeline(f"{file}:pipeline")
        ours = active() is None
        config = {"spark.driver.extraJavaOptions": SHORT_LIVED}
        running = session(config=config, log=Path(os.devnull))
        if ours:
            stack.callback(running.stop)
        stage = Stage(running, stream, edits, parts, folder, rewrites, shows)
        warm_up(stage, IMPLEMENTATIONS[0])
        return Demo(
            edits,
            [_turn(stage, label) for label in IMPLEMENTATIONS],
            {label: plan_of(stage, label) for label in IMPLEMENTATIONS},
            file.read_text(encoding="utf-8"),
            shlex.join(["onefold", *sys.argv[1:]]),
            facts(),
        )


def _turn(stage: Stage, label: str) -> Ran:
    from onefold.bench.demo.runs import run

    ran = run(stage, label)
    stage.shows(label, f"{ran.answer.total():,} results", stage.edits.tuples)
    return ran


@contextmanager
def _progress(total: int, *, quiet: bool) -> Iterator[Shows]:
    """Show on a terminal a bar for each implementation; elsewhere a line for what it does."""
    if quiet or sys.stderr is None:
        yield lambda _label, _what, _read: None
        return
    if not sys.stderr.isatty():
        yield _Lines()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.fields[label]:>2}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("edits read"),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=Console(stderr=True), redirect_stdout=False) as progress:
        tasks = {
            label: progress.add_task("waiting", total=total, start=False, label=label)
            for label in IMPLEMENTATIONS
        }

        def show(label: str, what: str, read: int) -> None:
            progress.start_task(tasks[label])
            progress.update(tasks[label], description=what, completed=read)
            if read == total and what.endswith("results"):
                progress.stop_task(tasks[label])

        yield show


class _Lines:
    """Tells each thing that an implementation does in a line, once."""

    def __init__(self) -> None:
        self.last = ("", "")

    def __call__(self, label: str, what: str, read: int) -> None:
        if (label, what) != self.last:
            self.last = label, what
            click.echo(f"{label}: {what}", err=True)
