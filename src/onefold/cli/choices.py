"""Options that are one of some names, or several of them: another one gets a question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click

from onefold.core.near import did_you_mean


class Named(click.Choice):  # type: ignore[type-arg]  # generic only from click 8.2 on
    """One of some names."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as problem:
            hint = did_you_mean(str(value), map(str, self.choices))
            self.fail(f"{problem.message} {hint}".rstrip().replace(" did", " Did"), param, ctx)


@dataclass(frozen=True)
class Several(click.ParamType):  # type: ignore[type-arg]  # generic only from click 8.4 on
    """Names with commas between them."""

    names: tuple[str, ...]
    name = "names"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        given = tuple(dict.fromkeys(each.strip() for each in value.split(",") if each.strip()))
        for each in given:
            if each not in self.names:
                known = did_you_mean(each, self.names, f"there are {', '.join(self.names)}")
                self.fail(f"there is no {each}: {known}", param, ctx)
        return given


def asking_back(command: click.Command) -> click.Command:
    """Return a command whose choices ask which name was meant."""
    for parameter in command.params:
        if type(parameter.type) is click.Choice:
            parameter.type = Named(parameter.type.choices)
    return command
