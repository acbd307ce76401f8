"""Where a run reads and writes: every mistake on the command line, found before the first row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from onefold.core.near import did_you_mean, nearest
from onefold.core.plan import Plan
from onefold.core.values import listed
from onefold.files.formats import STANDARD, SUFFIXES, Format, format_of, is_stream
from onefold.files.targets import PART


@dataclass(frozen=True)
class Places:
    """The files of a run."""

    inputs: dict[str, str]
    output: str
    quarantine: str | None
    late: str | None

    def written(self) -> Iterator[tuple[str, str]]:
        """Return what is written, by option."""
        yield "--output", self.output
        if self.quarantine is not None:
            yield "--on-error quarantine", self.quarantine
        if self.late is not None:
            yield "--late", self.late


def checked_places(
    plan: Plan,
    pipeline: Path | None,
    inputs: tuple[str, ...],
    output: str,
    on_error: str,
    late: str | None,
) -> Places:
    """Return the files that the options name, or raise a usage error."""
    places = Places(checked_inputs(plan, inputs), output, _quarantine(on_error), late)
    for option, where in places.written():
        _check_output(option, where)
    _check_apart(places, pipeline)
    return places


def checked_inputs(plan: Plan, given: tuple[str, ...]) -> dict[str, str]:
    """Return the file of each source, or raise a usage error."""
    named = _inputs(plan, given)
    for where in named.values():
        _check_input(where)
    return named


def nearly(where: str) -> str:
    """Ask for the file or folder that a path may have been meant to lead to, if there is one."""
    path = Path(where)
    try:
        found = nearest(path.name, [each.name for each in path.parent.iterdir()])
    except OSError:  # there is no such folder either
        return ""
    return f": did you mean {str(path.with_name(found))!r}?" if found else ""


def tell_written(where: str, *, quiet: bool) -> None:
    """Say on standard error which file is there now."""
    if where != STANDARD and not quiet:
        click.echo(f"wrote {where}", err=True)


def _inputs(plan: Plan, given: tuple[str, ...]) -> dict[str, str]:
    named: dict[str, str] = {}
    sources = list(plan.sources)
    for each in given:
        name, equals, where = each.partition("=")
        if not equals or not name or not where:
            raise click.UsageError(f"--input {each}: write --input NAME=FILE, as {sources[0]}=FILE")
        if name not in sources:
            hint = did_you_mean(name, sources, f"its sources are {listed(sources)}")
            raise click.UsageError(f"--input {each}: the pipeline has no source {name!r}; {hint}")
        if name in named:
            raise click.UsageError(f"--input {each}: source {name!r} has an input already")
        named[name] = STANDARD if where == "/dev/stdin" else where
    if missing := [name for name in sources if name not in named]:
        raise click.UsageError(
            f"no input for source {listed(missing)}: write --input {missing[0]}=FILE"
        )
    if list(named.values()).count(STANDARD) > 1:
        raise click.UsageError("two inputs can't both read standard input")
    return named


def _quarantine(on_error: str) -> str | None:
    if on_error == "fail":
        return None
    kind, _, where = on_error.partition("=")
    if kind != "quarantine" or not where:
        raise click.UsageError(f"--on-error {on_error}: write fail or quarantine=FILE")
    return where


def _check_input(where: str) -> None:
    path = Path(where)
    if where != STANDARD and not path.exists():
        raise click.UsageError(f"there is no file {where}{nearly(where)}")
    if where != STANDARD and path.is_dir():
        raise click.UsageError(f"{where} is a folder, not a file")
    format_of(where)


def _check_output(option: str, where: str) -> None:
    path = Path(where)
    if where != STANDARD and path.is_dir():
        raise click.UsageError(f"{option}: {where} is a folder, not a file")
    if where != STANDARD and not path.resolve().parent.is_dir():
        raise click.UsageError(f"{option}: there is no folder {path.parent}")
    if option == "--output":
        format_of(where)
    elif SUFFIXES.get(path.suffix, Format.JSON_LINES) is not Format.JSON_LINES:
        raise click.UsageError(f"{option} writes JSON lines: name the file .jsonl, not {where}")


def _check_apart(places: Places, pipeline: Path | None) -> None:
    taken = {_place(where): f"--input {name}" for name, where in places.inputs.items()}
    taken.pop(Path(STANDARD), None)
    if pipeline:
        taken[pipeline] = "the pipeline"
    for option, where in places.written():
        if where != STANDARD and is_stream(Path(where)):
            continue
        place = _place(where)
        for each in (place, place.with_name(place.name + PART)):
            if each in taken:
                raise click.UsageError(f"{option}: {where} is the file of {taken[each]} too")
            taken[each] = option


def _place(where: str) -> Path:
    return Path(STANDARD) if where == STANDARD else Path(where).resolve()
