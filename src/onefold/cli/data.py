"""onefold data: write the streams that the experiments run on."""

from __future__ import annotations

from pathlib import Path

import click

from onefold.cli.extras import need_bench
from onefold.cli.given import refuse
from onefold.cli.progress import bar

DATASETS = ("wikipedia", "scans")
FORMS = ("parquet", "jsonl")
TUPLES = 100_000
"""How many tuples a synthetic stream has unless it is told."""


@click.command(name="data")
@click.argument("dataset", type=click.Choice(DATASETS))
@click.option(
    "--tuples",
    type=click.IntRange(min=1),
    help=f"how many; {TUPLES} if made up, by default all that --from has",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="another seed, another stream",
)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="the folder to write")
@click.option(
    "--rate",
    type=click.IntRange(min=1, max=1_000_000_000),
    default=1_000,
    show_default=True,
    help="tuples in a second of event time",
)
@click.option(
    "--per-file", type=click.IntRange(min=1), default=10_000, show_default=True, help="tuples"
)
@click.option(
    "--format",
    "kind",
    type=click.Choice(FORMS),
    default="parquet",
    show_default=True,
    help="of the files",
)
@click.option(
    "--from",
    "sources",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="convert the files of the real set, or of a folder; may be given several times",
)
@click.option("--force", is_flag=True, help="remove the parts of an earlier stream first")
@click.option("--quiet", is_flag=True, help="no progress, and nothing said but errors")
def command(
    dataset: str,
    *,
    tuples: int | None,
    seed: int,
    out: Path,
    rate: int,
    per_file: int,
    kind: str,
    sources: tuple[Path, ...],
    force: bool,
    quiet: bool,
) -> None:
    """Write a stream of Wikipedia edits or of scans: made up, or converted from the real set.

    \b
    onefold data wikipedia --tuples 1000000 --rate 10000 --out edits
    onefold data scans --from scans.txt --out scans --format jsonl
    """
    need_bench("data", ["numpy", "pyarrow"])
    from onefold.bench.data.parts import GENERATORS, Form, cleared, write
    from onefold.bench.data.real import READERS, files

    if sources:
        refuse(["seed"], "is for a stream that is made up: leave it out, or --from")
    # what leads nowhere, or would be its own input, is told before anything is removed
    if any(file.resolve().parent == out.resolve() for file in files(sources)):
        raise click.UsageError(f"--from reads what is in {out}: name another folder with --out")
    cleared(out, force=force)
    made_up = tuples or TUPLES
    tables = READERS[dataset](sources, tuples) if sources else GENERATORS[dataset](made_up, seed)
    rows: list[int] = []
    total = tuples if sources else made_up
    with bar(f"writing {dataset}", total, quiet=quiet) as shown:

        def progress(written: int) -> None:
            rows.append(written)
            shown.advance(written)

        parts = write(tables, out, rate, per_file, form=Form(kind), progress=progress)
    if not quiet:
        click.echo(_told(dataset, sum(rows), rate, parts))


def _told(dataset: str, rows: int, rate: int, parts: list[Path]) -> str:
    last = f" to {parts[-1].name}" if len(parts) > 1 else ""
    return (
        f"wrote {rows:,} tuples of {dataset}, {rows / rate:,.1f} s at {rate:,} a second: "
        f"{parts[0]}{last}"
    )
