"""The books of a query: what every task counted, added up batch by batch, and kept beside it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from onefold.core.functions import About, Step
from onefold.core.packing import packed, unpacked
from onefold.core.plan import Plan
from onefold.engines.ledger import Balance, Ledger
from onefold.engines.reference import Engine
from onefold.engines.spark.task import Report


@dataclass
class Books:
    """Counts by the numbers of nodes, since the query's first batch."""

    batch: int = -1
    counts: Counter[tuple[int, str, int]] = field(default_factory=Counter)
    late: Counter[int] = field(default_factory=Counter)
    bad: Counter[int] = field(default_factory=Counter)
    failures: Counter[Step] = field(default_factory=Counter)
    calls: Counter[About] = field(default_factory=Counter)
    written: int = 0
    held: dict[tuple[int, int], int] = field(default_factory=dict)
    """How many tuples are in state, by task."""

    def add(self, report: Report) -> None:
        """Add what a task tells."""
        self.counts.update(report.counts)
        if report.held:
            place, count = report.held
            self.held[place] = count
        for number, tuples in report.late:
            self.late[number] += len(tuples)
        for row in report.bad_rows:
            self.bad[row.source] += 1
        for failure in report.failures:
            if failure.about is About.TUPLE:
                self.failures[failure.step] += 1
            else:
                self.calls[failure.about] += 1

    def read(self, plan: Plan) -> int:
        """Return how many rows were read."""
        sources = set(plan.sources.values())
        numbers = [number for number, node in enumerate(plan.nodes) if node in sources]
        return sum(self.counts[number, "received", 0] + self.bad[number] for number in numbers)

    def balance(self, plan: Plan) -> Balance:
        """Return where every tuple went; raise an error if one is missing."""
        engine = Engine(plan)  # the chart of accounts: it runs nothing
        ledger = Ledger(written=self.written, failures=self.failures, calls=self.calls)
        for number, node in enumerate(plan.nodes):
            station = engine.stations[node]
            for port in range(len(station.received)):
                station.received[port] = self.counts[number, "received", port]
                station.dropped[port] = self.counts[number, "dropped", port]
            station.emitted = self.counts[number, "emitted", 0]
            ledger.late[node] = self.late[number]
        for source in plan.sources.values():
            number = plan.nodes.index(source)
            ledger.bad[source.name] = self.bad[number]
            ledger.read[source.name] = self.bad[number] + self.counts[number, "received", 0]
        return ledger.balance(engine)

    def save(self, folder: Path) -> None:
        """Keep the books as they are after a batch; a batch that is run again begins before it."""
        part = folder / ".part"
        part.write_bytes(packed(self))
        part.replace(folder / f"{self.batch:012}")
        for old in sorted(folder.glob("[0-9]*"))[:-2]:
            old.unlink()

    @classmethod
    def before(cls, batch: int, folder: Path) -> Books:
        """Return the books as they were before a batch."""
        kept = [each for each in sorted(folder.glob("[0-9]*")) if int(each.name) < batch]
        found: Books = unpacked(kept[-1].read_bytes()) if kept else cls()
        return found
