"""Where a run on Spark puts its rows: by batch, so that a batch that runs again is written once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from onefold.core.functions import Failure
from onefold.core.plan import Node, Plan
from onefold.core.records import Tuple
from onefold.core.time import floor_to_tick
from onefold.engines.accounts import written_by_user
from onefold.engines.spark.job import Sink
from onefold.engines.spark.task import BadRow
from onefold.files.formats import STANDARD
from onefold.files.journal import call_entry, late_entry
from onefold.files.json_text import dumps
from onefold.files.rows import BadInput
from onefold.files.targets import Output, writing
from onefold.files.values import plain

ASIDE = "--on-error quarantine=DIR"
MICROSECONDS = "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX"
DEFAULTS: Mapping[str, Mapping[str, str]] = {
    "csv": {
        "header": "true",
        "escape": '"',
        "ignoreLeadingWhiteSpace": "false",
        "ignoreTrailingWhiteSpace": "false",
        "timestampFormat": MICROSECONDS,
    },
    "json": {"ignoreNullFields": "false", "timestampFormat": MICROSECONDS},
}
"""So that what is written says all that the tuples hold."""


@dataclass(frozen=True)
class FolderSink(Sink):
    """Writes the rows of each batch to a folder of its own; late and bad ones beside, as JSON."""

    plan: Plan
    output: str
    format: str
    options: Mapping[str, str]
    quarantine: Path | None
    late: Path | None
    time: str
    standard: Output | None
    cleared: Callable[[], AbstractContextManager[None]]
    """Clears the terminal for rows on standard output."""

    @classmethod
    @contextmanager
    def opened(
        cls,
        plan: Plan,
        output: str,
        format: str,  # noqa: A002  what it is
        options: Mapping[str, str],
        quarantine: str | None,
        late: str | None,
        time: str,
        *,
        cleared: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> Iterator[FolderSink]:
        """Return a sink, its folders made."""
        with ExitStack() as stack:
            standard = None
            if output == STANDARD:
                standard = stack.enter_context(writing(STANDARD, plan.output.type))
            bad, dropped = (Path(each) if each else None for each in (quarantine, late))
            for folder in (bad, dropped):
                if folder:
                    folder.mkdir(parents=True, exist_ok=True)
            yield cls(plan, output, format, options, bad, dropped, time, standard, cleared)

    def write(self, frame: Any, batch: int) -> None:
        if self.standard:
            make, table = self.plan.output.type.make, frame.toArrow()  # rows of Spark lose the zone
            rows = zip(*(column.to_pylist() for column in table.columns))
            made = [make(floor_to_tick(row[0]), row[1:]) for row in rows]
            with self.cleared() if made else nullcontext():
                self.standard.write(made)
                self.standard.flush()
            return
        options = {**DEFAULTS.get(self.format, {}), **self.options}
        writer = frame.write.format(self.format).options(**options)
        if self.output:
            writer.mode("overwrite").save(f"{self.output}/batch={batch}")
        else:
            writer.mode("append").save()

    def set_aside(
        self, late: list[tuple[Node, list[Tuple]]], bad: list[Failure | BadRow], batch: int
    ) -> None:
        if bad and self.quarantine is None:
            raise self._error(bad[0])
        if self.quarantine:
            self._journal(self.quarantine, batch, [self._entry(each) for each in bad])
        if self.late:
            entries = [
                late_entry(written_by_user(node).step, t) for node, tuples in late for t in tuples
            ]
            self._journal(self.late, batch, entries)

    def _journal(self, folder: Path, batch: int, entries: list[dict[str, Any]]) -> None:
        file = folder / f"batch-{batch:06}.jsonl"
        if entries:
            part = folder / f".{file.name}"
            part.write_text("".join(dumps(each) + "\n" for each in entries))
            part.replace(file)
        else:
            file.unlink(missing_ok=True)

    def _entry(self, bad: Failure | BadRow) -> dict[str, Any]:
        if isinstance(bad, Failure):
            return call_entry(bad)
        source = self.plan.nodes[bad.source].label()
        return {"reason": bad.reason, "source": source, "row": plain(bad.row)}

    def _error(self, bad: Failure | BadRow) -> Exception:
        if isinstance(bad, Failure):
            return bad.error(ASIDE)
        return BadInput(
            f"{self.plan.nodes[bad.source].label()}: {bad.reason}",
            detail=str(bad.row)[:300],
            hint=f"mend the row, or set such rows aside: {ASIDE}",
        )
