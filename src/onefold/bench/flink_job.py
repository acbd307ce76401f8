"""A flat_map experiment in PyFlink; run by the interpreter that has PyFlink.

Two runs of different size are timed, and the difference counts: what a job takes to start is in
both.
"""

from __future__ import annotations

import json
import sys
from collections import namedtuple
from collections.abc import Iterator
from time import perf_counter
from typing import Any

import pyarrow as pa

from onefold.bench.experiments import EXPERIMENTS
from onefold.bench.experiments.experiment import Experiment
from onefold.core.types import Array, Boolean, DataType, Floating, Integer, String

SMALL = 5
"""The first run has a fifth of the tuples."""


def main(order: dict[str, Any]) -> dict[str, Any]:
    """Return how many tuples PyFlink takes in a second."""
    experiment, tuples = EXPERIMENTS[order["experiment"]], order["tuples"]
    with pa.memory_map(order["file"]) as mapped:
        table = pa.ipc.open_file(mapped).read_all()
    few = _run(experiment, _repeated(table, tuples // SMALL + 1), order["cores"])
    many = _run(experiment, _repeated(table, tuples // SMALL + 1 + tuples), order["cores"])
    if many <= few:
        sys.exit(f"{tuples:,} tuples more took no longer: give it more --tuples to be timed by")
    return {"calls": tuples, "outputs": 0, "per_second": tuples / (many - few)}


def _repeated(table: pa.Table, size: int) -> pa.Table:
    copies = -(-size // table.num_rows)
    return pa.concat_tables([table] * copies).slice(0, size)


def _run(experiment: Experiment, table: pa.Table, cores: int) -> float:
    """Return how many seconds a job takes."""
    from pyflink.table import EnvironmentSettings, TableEnvironment
    from pyflink.table.expressions import col
    from pyflink.table.udf import udtf

    environment = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    environment.get_config().set("parallelism.default", str(cores))
    environment.get_config().set("python.executable", sys.executable)
    made, names, function = experiment.pipeline().type, table.schema.names, experiment.function
    row = namedtuple("row", names)  # type: ignore[misc]  # noqa: PYI024  of any data set

    def call(*values: Any) -> Iterator[Any]:
        assert function is not None
        yield from function(row(*values))

    kinds = [kind for _, kind in made.attributes]
    flat = udtf(call, result_types=[_flink_type(kind) for kind in kinds])
    columns = ", ".join(f"`{name}` {_sql_type(kind)}" for name, kind in made.attributes)
    environment.execute_sql(f"CREATE TABLE nowhere ({columns}) WITH ('connector' = 'blackhole')")
    data = environment.from_pandas(table.to_pandas(), names, cores)
    out = data.flat_map(flat(*(col(name) for name in names))).alias(*made.names)
    began = perf_counter()
    out.execute_insert("nowhere").wait()
    return perf_counter() - began


def _flink_type(kind: DataType) -> Any:
    from pyflink.table import DataTypes

    match kind:
        case String():
            return DataTypes.STRING()
        case Boolean():
            return DataTypes.BOOLEAN()
        case Integer(bits):
            return DataTypes.INT() if bits == 32 else DataTypes.BIGINT()
        case Floating(bits):
            return DataTypes.FLOAT() if bits == 32 else DataTypes.DOUBLE()
        case Array(element):
            return DataTypes.ARRAY(_flink_type(element))
    raise TypeError(type(kind).__name__)


def _sql_type(kind: DataType) -> str:
    return str(kind).upper()  # onefold writes its types as SQL does


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(json.loads(sys.argv[1]))) + "\n")
