"""onefold conformance: every rule of the model, put to engines and to plain PySpark."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from pathlib import Path

import click

from onefold.check.conformance.asked import chosen
from onefold.check.conformance.page import page
from onefold.check.conformance.table import as_json, conformance, lines
from onefold.check.players import player
from onefold.cli import NO, USAGE, complain
from onefold.core.errors import OnefoldError
from onefold.files.json_text import dumps
from onefold.files.values import plain as plain_values


@click.command(name="conformance")
@click.option(
    "--engines",
    default="reference",
    show_default=True,
    metavar="NAME,…",
    help="who is put to the rules: reference, spark, file.py:name for one of yours, none",
)
@click.option("--plain/--no-plain", default=False, help="plain PySpark as people write it, too")
@click.option("--operators", metavar="NAME,…", help="the rules of these operators alone")
@click.option("--json", "as_machine", is_flag=True, help="the table as JSON on standard output")
@click.option(
    "--markdown",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="write the table as a page, with every deviation of plain PySpark drawn",
)
@click.option("--quiet", is_flag=True, help="no progress on standard error")
def command(
    *,
    engines: str,
    plain: bool,
    operators: str | None,
    as_machine: bool,
    markdown: Path | None,
    quiet: bool,
) -> None:
    """Put every rule of the model to engines; exit 1 if one of them breaks a rule.

    \b
    onefold conformance
    onefold conformance --engines mine.py:engine --operators aggregate,join
    onefold conformance --engines reference,spark --plain --markdown conformance.md

    Each rule is a small stream with its answer. Plain PySpark is compared as well, but what it does
    otherwise is no failure.
    """

    def tell(what: str) -> None:
        if not quiet:
            click.echo(what, err=True)

    names = [name for name in _listed(engines) if name != "none"]
    if not names and not plain:
        raise click.UsageError("there is no one to ask: name --engines or say --plain")
    try:
        rules = chosen(None if operators is None else _listed(operators))
        with redirect_stdout(sys.stderr):
            players = [player(name) for name in names]
            table = conformance(players, rules, plain=plain, tell=tell)
    except OnefoldError as problem:  # 1 is for a rule that is broken
        complain(problem)
        sys.exit(USAGE)
    if as_machine:
        click.echo(dumps(plain_values(as_json(table))))
    else:
        for line in lines(table):
            click.echo(line)
    if markdown:
        if table.shown:
            tell("drawing what plain PySpark does otherwise")
        with redirect_stdout(sys.stderr):
            written = page(table)
        markdown.write_text(written, encoding="utf-8")
        tell(f"written: {markdown}")
    sys.exit(0 if table.conforms else NO)


def _listed(names: str) -> list[str]:
    return list(dict.fromkeys(each.strip() for each in names.split(",") if each.strip()))
