"""onefold bench: measure the paper's experiments on Spark, or the reference engine."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from onefold.cli import INTERRUPTED
from onefold.cli.choices import Counts, Several, one_of
from onefold.cli.extras import need_bench
from onefold.cli.given import refuse
from onefold.cli.progress import bar

if TYPE_CHECKING:  # pyspark takes a second to import
    from onefold.bench.order import Order
    from onefold.bench.results import Results, Run
    from onefold.bench.series import Series

IMPLEMENTATIONS = ("D", "A+", "A")
PEERS = ("python", "pyspark", "pyflink")
PACKAGES = ("numpy", "pandas", "pyarrow", "pyspark")


@click.command(name="bench")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option(
    "--implementations",
    type=Several(IMPLEMENTATIONS),
    default=",".join(IMPLEMENTATIONS),
    show_default=True,
    metavar="D,A+,A",
    help="dedicated, aggregate-plus, aggregate",
)
@click.option(
    "--rewrites",
    type=click.Choice(["on", "off"]),
    default="on",
    show_default=True,
    help="whether Spark may run the compositions in a shorter form",
)
@click.option(
    "--mode",
    type=click.Choice(["saturate", "rate", "search"]),
    default="saturate",
    show_default=True,
    help="all tuples there at once, tuples at --rate, or the highest rate that can be sustained",
)
@click.option(
    "--profile",
    type=click.Choice(["quick", "paper"]),
    default="quick",
    show_default=True,
    help="5 batches once, or 20 three times; at a rate 20 s once, or 10 minutes three times",
)
@click.option(
    "--tuples",
    type=Counts(),
    default=(),
    metavar="N[,N...]",
    help="how many, if all are there at once; several show what more work costs, in batches of a "
    "fifth of the fewest",
)
@click.option("--batch", type=click.IntRange(min=1), help="how many of these in a micro-batch")
@click.option("--repetitions", type=click.IntRange(min=1), help="instead of the profile's")
@click.option(
    "--rate",
    type=click.IntRange(min=1, max=1_000_000_000),
    help="tuples in a second; of event time if all are there at once",
)
@click.option("--seconds", type=click.IntRange(min=5), help="of a run at a rate")
@click.option(
    "--peers",
    type=Several(PEERS),
    default="",
    metavar="python,pyspark,pyflink",
    help="measure these as well: the bare function, PySpark alone, PyFlink (flat_maps)",
)
@click.option("--vectorized", is_flag=True, help="joins whose predicate works on columns")
@click.option(
    "--seed", type=click.IntRange(min=0), default=1, show_default=True, help="of the data"
)
@click.option(
    "--from",
    "sources",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="measure on the real set: its files or their folder; may be given several times",
)
@click.option(
    "--data", type=click.Path(path_type=Path, file_okay=False), help="keep data in this folder"
)
@click.option(
    "--json",
    "to_json",
    type=click.Path(path_type=Path, dir_okay=False),
    help="write results there after each run; runs that it has are not run again",
)
@click.option(
    "--report", type=click.Path(path_type=Path, file_okay=False), help="write a report there"
)
@click.option(
    "--flink-python",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="the interpreter that has PyFlink, which can't share one with PySpark",
)
@click.option("--quiet", is_flag=True, help="no progress on standard error")
def command(ids: tuple[str, ...], **options: Any) -> None:
    """Measure experiments of the paper by their IDs, LLF … HHJ and llf … hhj, on Spark.

    \b
    onefold bench
    onefold bench all --rewrites off --json results.json --report report
    onefold bench HLF HLJ --mode search --json results.json --report report
    onefold bench reference --tuples 100000

    Implementations take turns, repetition by repetition, and must give the same output. Ratios
    to D count, not seconds. Each implementation warms up for a minute first, of flat_maps, of
    joins, and of each mode. `reference` measures the in-process engine instead, with --tuples and
    --json alone.
    """
    if "reference" in ids:
        _reference(ids, options)
        return
    need_bench("the bench", PACKAGES)
    if options["report"]:
        need_bench("a report", ["matplotlib"])
    from onefold.cli.bench_order import ordered

    order = ordered(ids, options)
    _make_folders(options["report"], options["to_json"])
    results = _results(options)
    runs, interrupted = _taken(order, results, quiet=options["quiet"])
    if runs:
        from onefold.cli.bench_table import printed

        printed(runs, order.mode.value)
    elif not interrupted:
        click.echo("no rate that was tried could be sustained: give a lower one with --rate")
    if interrupted:
        _tell_how_to_resume(options["to_json"])
        raise SystemExit(INTERRUPTED)
    if options["report"]:
        from onefold.bench import report

        told = results.alike(
            rewrites=order.rewrites,
            vectorized=order.vectorized,
            seed=order.origin.seed,
            real=order.origin.real,
        )
        click.echo(f"report: {report.write(told, options['report'])}", err=True)


def _reference(ids: tuple[str, ...], options: dict[str, Any]) -> None:
    if ids != ("reference",):
        raise click.UsageError("reference is measured alone: no ID beside it")
    used = {"tuples", "to_json", "quiet"}
    refuse(set(options) - used, "is for experiments on Spark, not for reference")
    from onefold.cli.bench_reference import measure_reference

    tuples = one_of(options["tuples"], "reference is measured with one, and four times as many")
    measure_reference(tuples, options["to_json"], quiet=options["quiet"])


def _results(options: dict[str, Any]) -> Results:
    from onefold.bench.machine import facts
    from onefold.bench.results import Results

    told = {name: options[name] for name in ("profile", "mode", "rewrites")}
    told["vectorized"] = "on" if options["vectorized"] else "off"
    told["seed"] = None if options["sources"] else options["seed"]
    told["data"] = ", ".join(map(str, options["sources"])) or "made up"
    command = shlex.join(["onefold", *sys.argv[1:]])
    return Results.opened(options["to_json"], {"command": command, **facts(), **told})


def _taken(order: Order, results: Results, *, quiet: bool) -> tuple[list[Run], bool]:
    """Return the runs, and whether the user stopped before the last one."""
    from onefold.bench.order import steps, warming_up
    from onefold.bench.room import start
    from onefold.bench.series import Series

    series = Series(order, results, start=start)
    turns, runs = list(steps(order)), []
    if not (quiet or results.runs):
        count = f"{len(turns)} run{'s' * (len(turns) != 1)}"
        click.echo(f"{count}, and {warming_up(order)} s of warming up", err=True)
    with bar("starting", len(turns), quiet=quiet) as shown, _stopped(series):
        try:
            for step in turns:
                shown.tell(str(step))
                run = series.take(step)
                runs += [run] if run else []
                shown.advance(1)
        except KeyboardInterrupt:
            return runs, True
    return runs, False


@contextmanager
def _stopped(series: Series) -> Iterator[None]:
    """Stop the session in the end if the series began it."""
    from onefold.engines.spark.session import active

    ours = active() is None
    try:
        yield
    finally:
        if ours:
            series.stop()


def _make_folders(report: Path | None, to_json: Path | None) -> None:
    """Make the folders of what is to be written: if that fails, before anything is measured."""
    for folder in (report, to_json.parent if to_json else None):
        if folder:
            folder.mkdir(parents=True, exist_ok=True)


def _tell_how_to_resume(to_json: Path | None) -> None:
    if to_json and not to_json.exists():
        how = "before the first run was done"
    elif to_json:
        how = f"the same command goes on from {to_json}"
    else:
        how = "with --json FILE the same command would go on from here"
    click.echo(f"interrupted: {how}", err=True)
