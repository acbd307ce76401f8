"""Peers: the same experiments without onefold.

- python: the bare function over a list on every core; for a join, its bare predicate over pairs.
  Nothing is read, shuffled or written: an upper bound for a flat_map of any engine that calls it. A
  join may do better, as it need not ask a pair again for every window that holds it.
- pyspark: what a user writes in PySpark alone. A flat_map is `mapInPandas`, the usual way to make
  any number of rows of one. A join is Spark's own stream-stream join on key and window, where a
  tuple stands once in each window that holds it, as the paper's join has it; a join on a time range
  would be another operator. The predicate is a UDF behind it: Spark takes none as a condition.
- pyflink: a UDTF of the Table API, in an interpreter of its own, as PyFlink and PySpark need
  different versions of py4j.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import Any

import pandas as pd
from pyspark import cloudpickle
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  as everyone writes it

from onefold.bench.experiments.experiment import Experiment
from onefold.bench.prepared import TIME, mapped, read_tuples, source_type
from onefold.bench.subject import Subject
from onefold.core.errors import OnefoldError
from onefold.core.types import TupleType
from onefold.engines.spark.shipping import Shipment, shipped
from onefold.operators.join import Join
from onefold.spark import END_OF_STREAM

COMPARED = 2000
"""How many tuples the bare predicate is tried on, each with each."""
LASTING = 10.0
"""How many seconds the bare function is called: a moment of a shared machine says little."""
PATIENCE = 120.0
"""How many seconds a process waits for the others to begin with it."""


class NoFlink(OnefoldError):
    """PyFlink was asked for, and there is no interpreter that has it."""


class NoPeer(OnefoldError):
    """A peer that can't run an experiment."""


@dataclass(frozen=True)
class Called:
    """How often a bare function was called in a second, on all cores together."""

    calls: int
    outputs: int
    per_second: float


# python


def python(experiment: Experiment, file: Path, tuples: int, rate: int, cores: int) -> Called:
    """Call an experiment's function, or its join's predicate, in a process for each core."""
    count = min(tuples, COMPARED) if experiment.joins else -(-tuples // cores)
    work = cloudpickle.dumps((experiment, file, count, rate, LASTING))  # type: ignore[no-untyped-call]  # Spark's copy has no types
    context = get_context("spawn")
    begin = context.Barrier(cores)
    told = context.SimpleQueue()
    processes = [
        context.Process(target=_call, args=(work, begin, told), daemon=True) for _ in range(cores)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    if any(process.exitcode for process in processes):
        raise NoPeer(f"python: the function of {experiment.id} failed")
    rates = [told.get() for _ in processes]
    calls, outputs = (sum(each[n] for each in rates) for n in (0, 1))
    return Called(calls, outputs, sum(each[0] / each[2] for each in rates))


def _call(work: bytes, begin: Any, told: Any) -> None:
    experiment, file, count, rate, lasting = cloudpickle.loads(work)
    tuples = read_tuples(experiment, mapped(file), count, rate)
    calls = _flat_mapped if experiment.function is not None else _compared
    begin.wait(PATIENCE)  # one that fails before must not hold the others for ever
    began, passes, lasted = perf_counter(), 0, 0.0
    while lasted < lasting:
        made, outputs = calls(experiment, tuples)
        passes, lasted = passes + 1, perf_counter() - began
    told.put((made, outputs, lasted / passes))


def _flat_mapped(experiment: Experiment, tuples: Sequence[Any]) -> tuple[int, int]:
    function = experiment.function
    assert function is not None
    return len(tuples), sum(len(function(t)) for t in tuples)


def _compared(experiment: Experiment, tuples: Sequence[Any]) -> tuple[int, int]:
    where = _join_of(experiment).where.function
    pairs = product(tuples, tuples)
    return len(tuples) ** 2, sum(1 for x, y in pairs if where(x, y))


def _join_of(experiment: Experiment) -> Join:
    node = experiment.pipeline().node
    if not isinstance(node, Join):
        raise NoPeer(
            f"{experiment.id}: a peer needs a pipeline that ends in its join",
            detail=f"it ends in {node.step}",
        )
    return node


# pyspark


def pyspark() -> Subject:
    """Return PySpark without onefold."""
    return Subject("pyspark", _plain)


def _plain(experiment: Experiment, data: DataFrame) -> DataFrame:
    return _joined(experiment, data) if experiment.joins else _mapped(experiment, data)


def _mapped(experiment: Experiment, data: DataFrame) -> DataFrame:
    type = experiment.pipeline().type
    function = shipped(experiment.function, data.sparkSession)
    names = [TIME, *type.names]

    def call(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        work = function.opened()
        for frame in frames:
            rows = [
                (row.time, *made) for row in frame.itertuples(index=False) for made in work(row)
            ]
            yield pd.DataFrame(rows, columns=names)

    tuples = data.where(F.col(TIME) < F.lit(END_OF_STREAM))
    return tuples.mapInPandas(call, f"{TIME} timestamp, {type}")


def _joined(experiment: Experiment, data: DataFrame) -> DataFrame:
    join = _join_of(experiment)
    type, own = join.type, source_type(experiment)
    functions = (experiment.key or _no_key, join.where.function, join.select.function)
    ship = shipped(functions, data.sparkSession)
    columns = [F.unix_millis(F.col(TIME)).alias(TIME), *map(F.col, own.names)]
    window = F.window(TIME, f"{experiment.size} milliseconds", f"{experiment.advance} milliseconds")
    timed = (
        data.withWatermark(TIME, "0 seconds")
        .where(F.col(TIME) < F.lit(END_OF_STREAM))
        .withColumn("t", F.struct(*columns))
        .withColumn("key", _user(ship, 0, own, "string")("t"))
        .select(window.alias("window"), "key", "t")
    )
    left, right = timed.withColumnRenamed("t", "x"), timed.withColumnRenamed("t", "y")
    pairs = left.join(right, ["window", "key"]).where(_user(ship, 1, own, "boolean")("x", "y"))
    moment = F.timestamp_millis(F.unix_millis("window.end") - 1).alias(TIME)
    made = pairs.select(
        moment, _user(ship, 2, own, f"struct<{_fields(type)}>")("x", "y").alias("z")
    )
    return made.select(TIME, *(f"z.{name}" for name in type.names))


def _fields(type: TupleType) -> str:
    return ", ".join(f"{name}: {kind}" for name, kind in type.attributes)


def _user(ship: Shipment, number: int, own: TupleType, made: str) -> Callable[..., Column]:
    """Return one of the user's functions of tuples as a UDF; keys are compared as text."""
    function = _Shipped(ship, number)

    def call(*rows: Any) -> Any:
        return function()(*map(own.tuple_class, rows))

    def text(row: Any) -> str:
        return str(call(row))

    chosen = text if made == "string" else call
    chosen.__annotations__ = {}  # Spark reads them, and warns of those it can't read
    udf: Callable[..., Column] = F.udf(chosen, made)
    return udf


@dataclass
class _Shipped:
    """A function of a shipment, taken out of it once."""

    ship: Shipment
    number: int
    function: Callable[..., Any] | None = None

    def __call__(self) -> Callable[..., Any]:
        if self.function is None:
            self.function = self.ship.opened()[self.number]
            assert self.function is not None
        return self.function


def _no_key(_: Any) -> None:
    """Give all tuples the same key."""


# pyflink


def checked_interpreter(interpreter: Path | None) -> Path:
    """Return the interpreter that has PyFlink; raise an error that says how to get one."""
    if interpreter is None:
        raise NoFlink(
            "PyFlink needs an interpreter of its own",
            detail="it can't share an environment with PySpark: they need different py4j",
            hint="python3 -m venv flink && flink/bin/pip install 'apache-flink>=2.0', "
            "then --flink-python flink/bin/python",
        )
    return interpreter


def pyflink(
    experiment: Experiment, file: Path, tuples: int, cores: int, interpreter: Path | None
) -> Called:
    """Run an experiment's flat_map in PyFlink, in an interpreter of its own."""
    if experiment.joins:
        raise NoPeer(
            f"pyflink: {experiment.id} is a join",
            hint="PyFlink is a peer of the flat_map experiments alone",
        )
    flink_python = checked_interpreter(interpreter)
    order = {"experiment": experiment.id, "file": str(file), "tuples": tuples, "cores": cores}
    with tempfile.TemporaryDirectory(prefix="onefold-flink-") as folder:
        # onefold alone: what is installed beside it, such as PySpark's py4j, is not for Flink
        (Path(folder) / "onefold").symlink_to(Path(__file__).parents[1], target_is_directory=True)
        done = subprocess.run(  # noqa: S603  the user's interpreter, our module
            [str(flink_python), "-P", "-m", "onefold.bench.flink_job", json.dumps(order)],
            env={**os.environ, "PYTHONPATH": folder},
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise NoFlink(
            f"PyFlink failed on {experiment.id}",
            detail=(done.stderr.strip().splitlines() or ["it says nothing"])[-1],
            hint=f"{interpreter} must have apache-flink, and Java 11 or 17",
        )
    return _called(experiment, tuples, json.loads(done.stdout.strip().splitlines()[-1]))


def _called(experiment: Experiment, tuples: int, told: dict[str, Any]) -> Called:
    """Return what the job tells; raise an error if it can't be believed."""
    if told["counted"] != told["made"]:
        raise NoFlink(
            f"PyFlink gives {told['counted']:,} outputs of {experiment.id}",
            detail=f"the function itself makes {told['made']:,}",
        )
    seconds = told["many"] - told["few"]
    if seconds <= 0:
        raise NoFlink(
            f"PyFlink took no longer for {tuples:,} tuples of {experiment.id} more",
            hint="give it more --tuples to be timed by",
        )
    return Called(tuples, told["counted"], tuples / seconds)
