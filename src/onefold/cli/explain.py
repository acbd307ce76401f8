"""onefold explain: show what a pipeline is made of."""

from __future__ import annotations

import click

from onefold.core.explain import mermaid, text
from onefold.core.plan import Implementation
from onefold.local import lower
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
def command(pipeline: str, implementation: str, format_: str) -> None:
    """Show PIPELINE (file.py:name or package.module:name) operator by operator.

    \b
    onefold explain examples/wordcount.py:pipeline
    onefold explain examples/wordcount.py:pipeline --implementation aggregate --format mermaid
    """
    plan = lower(load_pipeline(pipeline), implementation)
    click.echo(FORMATS[format_](plan), nl=False)
