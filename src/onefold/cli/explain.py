"""onefold explain: show what a pipeline is made of."""

from __future__ import annotations

import click

from onefold.core.explain import mermaid, text
from onefold.core.plan import Implementation
from onefold.local import lower
from onefold.operators.rewrites import rewrite
from onefold.pipelines import load_pipeline

FORMATS = {"text": text, "mermaid": mermaid}


@click.command(name="explain")
@click.argument("pipeline")
@click.option(
    "--implementation",
    type=click.Choice([each.value for each in Implementation]),
    default=Implementation.DEDICATED.value,
    show_default=True,
    help="how the operators are carried out",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(list(FORMATS)),
    default="text",
    show_default=True,
    help="a numbered list, or a drawing in Mermaid's language",
)
@click.option(
    "--engine",
    type=click.Choice(["reference", "spark"]),
    default="reference",
    show_default=True,
    help="the plan itself, or which of Spark's operators carry it out",
)
@click.option(
    "--rewrites/--no-rewrites",
    default=True,
    help="with --engine spark: shorten compositions where the answer is the same",
)
def command(
    pipeline: str,
    *,
    implementation: str,
    format_: str,
    engine: str,
    rewrites: bool,
) -> None:
    """Show PIPELINE (file.py:name or package.module:name) operator by operator.

    \b
    onefold explain examples/wordcount.py:pipeline
    onefold explain examples/wordcount.py:pipeline --implementation aggregate --format mermaid
    onefold explain examples/wordcount.py:pipeline --implementation aggregate --engine spark
    """
    plan = lower(load_pipeline(pipeline), implementation)
    if engine == "spark":
        from onefold.engines.spark.explain import text as on_spark

        shorter, applied = rewrite(plan) if rewrites else (plan, ())
        click.echo(on_spark(shorter, applied), nl=False)
        return
    click.echo(FORMATS[format_](plan), nl=False)
