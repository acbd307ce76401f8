"""onefold explain: show what a pipeline is made of."""

from __future__ import annotations

from pathlib import Path

import click

from onefold.cli.places import tell_written
from onefold.core.explain import mermaid, text
from onefold.core.plan import Implementation, Plan, plan
from onefold.local import lower
from onefold.operators.rewrites import rewrite
from onefold.pipelines import load_pipeline
from onefold.stream import Stream

FORMATS = ("text", "mermaid", "svg", "html")


@click.command(name="explain")
@click.argument("pipeline")
@click.option(
    "--implementation",
    type=click.Choice([each.value for each in Implementation]),
    help="how the operators are carried out  [default: dedicated; a page begins with aggregate]",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="a numbered list, a drawing in Mermaid's language, a drawing, or a page where operators "
    "unfold on a click",
)
@click.option(
    "--engine",
    type=click.Choice(["reference", "spark"]),
    help="the plan itself, or which of Spark's operators carry it out  [default: reference; a page "
    "shows both]",
)
@click.option(
    "--rewrites/--no-rewrites",
    default=None,
    help="with --engine spark: shorten compositions where the answer is the same (default), or "
    "not; a page has a switch for it, which is off at first",
)
@click.option("--output", metavar="FILE", default="-", help="write there, not to standard output")
@click.option("--quiet", is_flag=True, help="do not say on standard error which file was written")
def command(
    pipeline: str,
    *,
    implementation: str | None,
    format_: str,
    engine: str | None,
    rewrites: bool | None,
    output: str,
    quiet: bool,
) -> None:
    """Show PIPELINE (file.py:name or package.module:name) operator by operator.

    \b
    onefold explain examples/wordcount.py:pipeline
    onefold explain examples/wordcount.py:pipeline --format html --output wordcount.html
    onefold explain examples/wordcount.py:pipeline --implementation aggregate --format svg
    onefold explain examples/wordcount.py:pipeline --implementation aggregate --engine spark

    A drawing or a page needs the extra `pages`; a browser shows them without a network.
    """
    _check_together(format_, engine, rewrites=rewrites)
    stream = load_pipeline(pipeline)
    if format_ == "html":
        written = _page(stream, pipeline, implementation, rewrites=bool(rewrites))
    else:
        lowered = lower(stream, implementation or Implementation.DEDICATED)
        written = (
            _on_spark(lowered, format_, rewrites=rewrites is not False)
            if engine == "spark"
            else _plain(lowered, format_)
        )
    _write(written, output, quiet=quiet)


def _check_together(format_: str, engine: str | None, *, rewrites: bool | None) -> None:
    """Refuse what would have no effect."""
    if format_ == "html" and engine:
        raise click.UsageError(
            f"--engine {engine}: a page shows the plan and what Spark runs of it; leave it out"
        )
    if format_ == "mermaid" and engine == "spark":
        raise click.UsageError(
            "--engine spark: Mermaid shows the plan itself; take --format text, svg or html"
        )
    if rewrites is not None and engine != "spark" and format_ != "html":
        option = "--rewrites" if rewrites else "--no-rewrites"
        raise click.UsageError(f"{option}: a plan is rewritten for Spark; add --engine spark")


def _plain(lowered: Plan, format_: str) -> str:
    if format_ == "svg":
        from onefold.pages.drawing import svg

        return svg(lowered)
    return mermaid(lowered) if format_ == "mermaid" else text(lowered)


def _on_spark(lowered: Plan, format_: str, *, rewrites: bool) -> str:
    shorter, applied = rewrite(lowered) if rewrites else (lowered, ())
    if format_ == "svg":
        from onefold.pages.drawing import annotated
        from onefold.pages.stages import staged

        return annotated(shorter, staged(shorter))
    from onefold.engines.spark.explain import text as on_spark

    return on_spark(shorter, applied)


def _page(stream: Stream, name: str, implementation: str | None, *, rewrites: bool) -> str:
    from onefold.pages.explain import page

    first = Implementation.of(implementation or Implementation.AGGREGATE)
    return page(plan(stream.node), name, first, rewrites=rewrites)


def _write(written: str, output: str, *, quiet: bool) -> None:
    if output == "-":
        click.echo(written, nl=False)
        return
    try:
        Path(output).write_text(written, encoding="utf-8", errors="backslashreplace")
    except OSError as problem:
        raise click.UsageError(f"--output {output}: {problem.strerror}") from None
    tell_written(output, quiet=quiet)
