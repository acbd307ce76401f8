"""What was written on the command line, and options that would have no effect there."""

from __future__ import annotations

from collections.abc import Iterable

import click
from click.core import ParameterSource


def given(name: str) -> bool:
    """Say whether an option stands on the command line, be it with its default."""
    source = click.get_current_context().get_parameter_source(name)
    return source is ParameterSource.COMMANDLINE


def refuse(names: Iterable[str], why: str) -> None:
    """Raise a usage error for an option that is given and would have no effect.

    `why` says what it is for, and so what to do: "is for --engine spark".
    """
    unwanted = set(names)
    for parameter in click.get_current_context().command.params:
        if parameter.name in unwanted and given(parameter.name):
            raise click.UsageError(f"{parameter.opts[0]} {why}")
