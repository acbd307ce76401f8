"""The ledger: where every tuple of a run went. Nothing is lost silently.

Fates are counted for each operator as the user wrote it, so they are the same in every
implementation of a stream without late tuples. Of the tuples that an operator receives

    filter, map        received = emitted + filtered + quarantined + late
    every other        received = consumed + quarantined + late, and emitted = produced
    union              received = emitted
    a stream           that k operators or the output read is copied k - 1 times
    a late stream      produces again what its operator counted as late
    a user's loop      reads its own output too: one copy more, and received like the rest

and so, over the whole plan,

    read + produced + copied = written + filtered + quarantined + late + consumed

An operator of which only the late stream is read consumes all that it gets, and produces nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from onefold.core.errors import OnefoldError
from onefold.core.functions import About, Failure, Step
from onefold.core.plan import Late, Node, Source
from onefold.core.records import Tuple
from onefold.engines.accounts import Fate, operators_of
from onefold.engines.reference import Engine
from onefold.operators.loop import LoopKernel


class Unbalanced(OnefoldError):
    """Tuples were lost or made up: a mistake in onefold, not in the pipeline."""


@dataclass(frozen=True)
class Balance:
    """How many tuples went where."""

    read: int = 0
    produced: int = 0
    copied: int = 0
    written: int = 0
    filtered: int = 0
    quarantined: int = 0
    late: int = 0
    consumed: int = 0
    calls: tuple[tuple[About, int], ...] = ()
    """Failed calls that are no tuple's fate: of windows, pairs and states."""
    late_at: tuple[tuple[Step, int], ...] = ()

    @property
    def even(self) -> bool:
        """Whether both sides are equal."""
        gone = self.written + self.filtered + self.quarantined + self.late + self.consumed
        return self.read + self.produced + self.copied == gone

    def __str__(self) -> str:
        made = consumed = ""
        if self.produced or self.copied or self.consumed:
            made = f" + produced {self.produced} + copied {self.copied}"
            consumed = f" + consumed {self.consumed}"
        return (
            f"read {self.read}{made} = written {self.written} + filtered {self.filtered}"
            f" + quarantined {self.quarantined} + late {self.late}{consumed}"
        )

    def lines(self) -> Iterator[str]:
        """Write the balance, then what else there is to tell."""
        yield str(self)
        for about, count in self.calls:
            yield f"quarantined {about.value}s: {count}"
        for step, count in self.late_at:
            yield f"late at {step}: {count}"

    def as_json(self) -> dict[str, Any]:
        """Return the balance for machines."""
        counts = {name: n for name, n in vars(self).items() if isinstance(n, int)}
        calls = {about.value: n for about, n in self.calls}
        return {**counts, "calls": calls, "late_at": {str(step): n for step, n in self.late_at}}


@dataclass
class Ledger:
    """Counts at the two ends of a run; the engine counts between them."""

    read: Counter[str] = field(default_factory=Counter)
    """Rows by source, good and bad."""
    bad: Counter[str] = field(default_factory=Counter)
    """Rows by source that were no tuples."""
    written: int = 0
    failures: Counter[Step] = field(default_factory=Counter)
    """Tuples that a function failed on and that were set aside, by operator."""
    calls: Counter[About] = field(default_factory=Counter)
    late: Counter[Node] = field(default_factory=Counter)

    def failed(self, failure: Failure) -> None:
        """Note a call that failed and was set aside."""
        if failure.about is About.TUPLE:
            self.failures[failure.step] += 1
        else:
            self.calls[failure.about] += 1

    def dropped(self, node: Node, tuples: Sequence[Tuple]) -> None:
        """Note tuples that came late to a node."""
        self.late[node] += len(tuples)

    def balance(self, engine: Engine) -> Balance:
        """Return where every tuple went; raise an error if one is missing, or one too many."""
        found = _Account(self, engine)
        balance = found.balance()
        if not balance.even:
            found.wrong.append("the sums differ")
        if found.wrong:
            raise Unbalanced(
                f"internal error: the ledger does not balance: {balance}",
                detail="; ".join(found.wrong),
                hint="this is a mistake in onefold: please report it, with the pipeline",
            )
        return balance


class _Account:
    """One look at the counts of an engine whose streams have ended."""

    def __init__(self, ledger: Ledger, engine: Engine) -> None:
        self.ledger, self.stations, self.output = ledger, engine.stations, engine.plan.output
        self.wrong: list[str] = []
        self.operators = operators_of(engine)

    def balance(self) -> Balance:
        """Add everything up; what is wrong on the way goes to `wrong`."""
        self._check_ends()
        self._check_edges()
        lost: Counter[Step] = Counter()
        fates: dict[Step, set[Fate]] = {}
        late: Counter[Step] = Counter()
        produced = copied = 0
        for operator in self.operators:
            step, fate = operator.root.step, operator.fate
            gone = operator.received - operator.late
            copied += operator.emitted * max(0, operator.readers - 1)
            if fate is Fate.CONSUMED or isinstance(operator.root, Late):
                produced += operator.emitted
            if fate is not Fate.CONSUMED:
                gone -= operator.emitted
            lost[step] += gone
            fates.setdefault(step, set()).add(fate)
            late[step] += operator.late
            self._expect(f"late inside of {step}", operator.late_inside, 0)
        self._set_aside(lost)
        filtered, consumed = self._fates(lost, fates)
        return Balance(
            read=self.ledger.read.total(),
            produced=produced,
            copied=copied,
            written=self.ledger.written,
            filtered=filtered,
            quarantined=self.ledger.bad.total() + self.ledger.failures.total(),
            late=late.total(),
            consumed=consumed,
            calls=tuple((about, n) for about in About if (n := self.ledger.calls[about])),
            late_at=tuple((step, n) for step, n in late.items() if n),
        )

    def _set_aside(self, lost: Counter[Step]) -> None:
        operator_of: dict[Step, Step] = {}
        for operator in self.operators:
            for step in operator.steps():
                operator_of.setdefault(step, operator.root.step)
        for step, count in self.ledger.failures.items():
            if step in operator_of:
                lost[operator_of[step]] -= count
            else:
                self.wrong.append(f"{count} tuples failed at {step}, which is not in the plan")

    def _fates(self, lost: Counter[Step], fates: dict[Step, set[Fate]]) -> tuple[int, int]:
        filtered = consumed = 0
        for step, count in lost.items():
            match list(fates[step]):
                case [Fate.PASSED | Fate.MAPPED]:
                    self._expect(f"lost at {step}", count, 0)
                case [Fate.FILTERED]:
                    filtered += count
                    self._expect(f"too many at {step}", -min(0, count), 0)
                case _:  # operators that share a line share an account
                    consumed += count
        self._expect("consumed, but never received", -min(0, consumed), 0)
        return filtered, consumed

    def _check_ends(self) -> None:
        for node, station in self.stations.items():
            if isinstance(node, Source):
                good = self.ledger.read[node.name] - self.ledger.bad[node.name]
                self._expect(f"received by {node.label()}", station.received[0], good)
            self._expect(f"late at {node.step}", sum(station.dropped), self.ledger.late[node])
            if isinstance(station.kernel, LoopKernel):
                self._expect(f"still in the loop of {node.step}", len(station.kernel.queue), 0)
        self._expect("emitted", self.stations[self.output].emitted, self.ledger.written)

    def _check_edges(self) -> None:
        for node, station in self.stations.items():
            for port, feeding in enumerate(node.inputs):
                before = self.stations[feeding]
                sent = before.dropped[node.port] if isinstance(node, Late) else before.emitted
                self._expect(f"from {feeding.step} to {node.step}", station.received[port], sent)

    def _expect(self, what: str, count: int, expected: int) -> None:
        if count != expected:
            self.wrong.append(f"{what}: {count} instead of {expected}")
