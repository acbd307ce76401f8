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


@dataclass(frozen=True)
class Counts(click.ParamType):  # type: ignore[type-arg]  # as above
    """Whole numbers from 1 on, with commas between them."""

    name = "counts"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        return tuple(sorted({self._count(each.strip()) for each in str(value).split(",")}))

    def _count(self, text: str) -> int:
        try:
            count = int(text)
        except ValueError:
            count = 0
        return count if count > 0 else self.fail(f"{text!r} is no whole number from 1 on")


def short(count: int) -> str:
    """Return a count in few letters.

    >>> [short(count) for count in (500, 20_000, 1_240_000, 3_000_000)]
    ['500', '20k', '1.24M', '3M']
    """
    for unit, letter in ((1_000_000, "M"), (1_000, "k")):
        if count >= unit:
            return f"{count / unit:.2f}".rstrip("0").rstrip(".") + letter
    return str(count)


def one_of(tuples: tuple[int, ...], why: str) -> int | None:
    """Return the one count that was given, if one was; raise a usage error for several."""
    if len(tuples) > 1:
        raise click.UsageError(f"--tuples takes one number here: {why}")
    return tuples[0] if tuples else None


def asking_back(command: click.Command) -> click.Command:
    """Return a command whose choices ask which name was meant."""
    for parameter in command.params:
        if type(parameter.type) is click.Choice:
            parameter.type = Named(parameter.type.choices)
    return command
