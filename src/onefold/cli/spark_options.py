"""The options of `onefold run` that Spark alone knows."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import click

_OPTIONS = (
    click.option("--checkpoint", metavar="DIR", help="Spark: where a query keeps its state"),
    click.option("--master", metavar="URL", help="Spark: the cluster; by default this machine"),
    click.option(
        "--follow/--once",
        default=False,
        help="Spark: go on until Ctrl-C, or process what is there, flush it all and exit (default)",
    ),
    click.option(
        "--trigger",
        default="1 s",
        show_default=True,
        help="Spark: how often to begin a batch",
    ),
    click.option(
        "--rewrites/--no-rewrites",
        default=True,
        help="Spark: shorten compositions where the answer is the same (default), or run them "
        "as they stand",
    ),
    click.option(
        "--input-format",
        "input_formats",
        multiple=True,
        metavar="NAME=FORMAT",
        help="Spark: what a source is read as, if its path does not tell: json, rate, kafka, …",
    ),
    click.option(
        "--input-option",
        "input_options",
        multiple=True,
        metavar="NAME.OPTION=VALUE",
        help="Spark: an option of a source's reader, as edits.maxFilesPerTrigger=1",
    ),
    click.option("--output-format", metavar="FORMAT", help="Spark: what to write: json, csv, …"),
    click.option(
        "--output-option",
        "output_options",
        multiple=True,
        metavar="OPTION=VALUE",
        help="Spark: an option of the writer",
    ),
)


def spark_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command."""
    return reduce(lambda made, option: option(made), reversed(_OPTIONS), command)
