"""A series of runs: each turn of an order is found in the results, or taken now."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
from pyspark.sql import SparkSession

from onefold import spark
from onefold.bench import peers, prepared, sameness
from onefold.bench.experiments.comparisons import comparisons
from onefold.bench.experiments.experiment import Experiment
from onefold.bench.order import CALLED, WARM_UP, Mode, Order, Step
from onefold.bench.profile import CYCLE, estimate, size
from onefold.bench.rate import sustain
from onefold.bench.results import Results, Run
from onefold.bench.saturate import saturate
from onefold.bench.search import highest
from onefold.bench.subject import LABELS, Subject, implementation


@dataclass
class Series:
    """Takes the turns; what is in the results is not run again."""

    order: Order
    results: Results
    start: Callable[[], SparkSession] = spark.session
    """Called when the first query is to run."""
    _session: SparkSession | None = None
    _warm: set[tuple[Mode, str, bool, str]] = field(default_factory=set)
    _read: dict[tuple[str, Mode, int, int], tuple[Any, Any]] = field(default_factory=dict)

    def take(self, step: Step) -> Run | None:
        """Return the run of a turn: found, or made now; of a search the best, if any succeeds."""
        if step.subject in CALLED:
            return self._once(step, self._saturating(step), self._call)
        match self.order.mode:
            case Mode.SATURATE:
                return self._saturated(step)
            case Mode.RATE:
                assert self.order.rate is not None
                return self._at(step, self.order.rate)
            case Mode.SEARCH:
                return self._search(step)

    @property
    def session(self) -> SparkSession:
        """The one session of all queries."""
        if self._session is None:
            self._session = self.start()
        return self._session

    def stop(self) -> None:
        """Stop the session, if it was needed."""
        if self._session is not None:
            self._session.stop()
            self._session = None

    def _once(self, step: Step, wanted: Run, make: Callable[[Step, Run], Run]) -> Run:
        found = self.results.find(wanted)
        if found is not None:
            sameness.check(self.results.runs)
            return found
        made = {**wanted, **make(step, wanted)}
        sameness.check([*self.results.runs, made])
        self.results.add(made)
        return made

    def _wanted(
        self, step: Step, mode: Mode, tuples: int, rate: int, batch: int | None = None
    ) -> Run:
        return {
            "experiment": step.experiment.id,
            "implementation": step.subject,
            "mode": mode.value,
            "repetition": step.repetition,
            "tuples": tuples,
            "rate": rate,
            "batch": batch,
            "seed": self.order.origin.seed,
            "real": self.order.origin.real,
            "profile": self.order.profile.name,
            "rewrites": self.order.rewrites,
            "vectorized": self.order.vectorized,
        }

    def _saturating(self, step: Step) -> Run:
        rate = self.order.rate if self.order.mode is Mode.SATURATE else None
        fewest = min(self.order.tuples, default=None)  # one batch for all sizes
        batch = size(step.experiment, self.order.profile, fewest, rate, self.order.batch).batch
        given = size(step.experiment, self.order.profile, step.tuples, rate, batch)
        return self._wanted(step, Mode.SATURATE, given.tuples, given.rate, given.batch)

    def _saturated(self, step: Step) -> Run:
        return self._once(step, self._saturating(step), self._saturate)

    def _saturate(self, step: Step, wanted: Run) -> Run:
        experiment, subject = step.experiment, self._subject(step.subject)
        files = self._files(experiment, wanted)
        if self._is_cold(Mode.SATURATE, step):
            session, until = self.session, monotonic() + WARM_UP
            saturate(session, experiment, subject, files)
            while monotonic() < until:
                saturate(session, experiment, subject, files)
        told = saturate(self.session, experiment, subject, files)
        compared = self._compared(experiment, Mode.SATURATE, files.tuples, files.rate, files.table)
        steady = told.steady
        pairs = compared(steady.last) - compared(steady.first)
        return {
            "outputs": told.outputs,
            "comparisons": compared(files.tuples) if experiment.joins else None,
            "counted": pairs if experiment.joins else steady.last - steady.first,
            "seconds": steady.seconds,
            "cold": steady.cold,
            "tuples_per_second": steady.per_second,
            **_throughput(experiment, steady.per_second, pairs / steady.seconds),
            "digest": told.digest,
            "worker_mb": told.worker_mb,
            "state_mb": told.state_mb,
        }

    def _search(self, step: Step) -> Run | None:
        begun = self._saturated(step)
        first = estimate(step.experiment, begun["tuples_per_second"], begun["rate"])
        best: dict[int, Run] = {}

        def run(rate: int) -> bool:
            best[rate] = self._at(step, rate)
            return bool(best[rate]["success"])

        return best.get(highest(run, self.order.rate or first, self.order.profile.search))

    def _at(self, step: Step, rate: int) -> Run:
        tuples = rate * self.order.profile.seconds
        return self._once(step, self._wanted(step, Mode.RATE, tuples, rate), self._sustain)

    def _sustain(self, step: Step, wanted: Run) -> Run:
        experiment, subject = step.experiment, self._subject(step.subject)
        tuples, rate, file = wanted["tuples"], wanted["rate"], self._file(experiment)
        if self._is_cold(Mode.RATE, step):
            sustain(self.session, experiment, subject, file, rate=rate, seconds=WARM_UP)
        compared = self._compared(
            experiment, Mode.RATE, tuples, rate, lambda: prepared.mapped(file)
        )(tuples)
        unit = compared / tuples if experiment.joins else 1.0
        seconds = self.order.profile.seconds
        told = sustain(
            self.session, experiment, subject, file, rate=rate, seconds=seconds, unit=unit
        )
        return {
            **{name: value for name, value in asdict(told).items() if name != "per_second"},
            "comparisons": compared if experiment.joins else None,
            **_throughput(experiment, told.tuples_per_second, told.tuples_per_second * unit),
            "per_second": [asdict(each) for each in told.per_second],
        }

    def _call(self, step: Step, wanted: Run) -> Run:
        experiment, file, cores = step.experiment, self._file(step.experiment), os.cpu_count() or 1
        if step.subject == "python":
            count = min(wanted["tuples"], CYCLE[experiment.dataset] * cores)
            told = peers.python(experiment, file, count, wanted["rate"], cores)
        else:
            told = peers.pyflink(experiment, file, wanted["tuples"], cores, self.order.flink_python)
        return {
            "counted": told.calls,
            "seconds": told.calls / told.per_second,
            "throughput": told.per_second,
            "unit": "c/s" if experiment.joins else "t/s",
        }

    def _subject(self, label: str) -> Subject:
        if label not in LABELS:
            return peers.pyspark()
        return implementation(label, rewrites=self.order.rewrites, vectorized=self.order.vectorized)

    def _is_cold(self, mode: Mode, step: Step) -> bool:
        """Say whether a subject is to run unmeasured first, once: Java compiles as it goes."""
        kind = mode, step.subject, step.experiment.joins, step.experiment.dataset
        cold = kind not in self._warm
        self._warm.add(kind)
        return cold

    def _files(self, experiment: Experiment, wanted: Run) -> prepared.Files:
        return prepared.parquet_files(
            self.order.data,
            experiment.dataset,
            tuples=wanted["tuples"],
            origin=self.order.origin,
            rate=wanted["rate"],
            batch=wanted["batch"],
            parts=os.cpu_count() or 1,
        )

    def _file(self, experiment: Experiment) -> Path:
        return prepared.arrow_file(
            self.order.data,
            experiment.dataset,
            tuples=CYCLE[experiment.dataset],
            origin=self.order.origin,
        )

    def _compared(
        self, experiment: Experiment, mode: Mode, tuples: int, rate: int, table: Callable[[], Any]
    ) -> Callable[[int], int]:
        """Return how many pairs a join has compared when so many tuples of a mode's data came."""
        if not experiment.joins:
            return lambda _: 0
        known = experiment.id, mode, tuples, rate
        if known not in self._read:
            read = prepared.read_tuples(experiment, table(), tuples, rate)
            keys = None if experiment.key is None else np.array([experiment.key(t) for t in read])
            self._read[known] = np.array([t.time for t in read], np.int64), keys
        times, keys = self._read[known]
        return lambda many: comparisons(
            experiment, times[:many], None if keys is None else keys[:many]
        )


def _throughput(
    experiment: Experiment, tuples_per_second: float, pairs_per_second: float
) -> dict[str, Any]:
    if experiment.joins:
        return {"throughput": pairs_per_second, "unit": "c/s"}
    return {"throughput": tuples_per_second, "unit": "t/s"}
