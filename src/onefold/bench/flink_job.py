"""A flat_map experiment in PyFlink; run by the interpreter that has PyFlink.

A first job, not timed, warms Flink up and counts its outputs. Then two jobs of different size are
timed, and the difference counts: what a job takes to start is in both.
"""

from __future__ import annotations

import json
import sys
from collections import namedtuple
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

import pyarrow as pa

from onefold.bench.experiments import EXPERIMENTS
from onefold.bench.experiments.experiment import Experiment
from onefold.core.types import Array, Boolean, DataType, Floating, Integer, String

SMALL = 5
"""The smaller job has a fifth of the tuples."""
NOWHERE = "nowhere"
"""The table that outputs are written to."""


def main(order: dict[str, Any]) -> dict[str, Any]:
    """Return the outputs counted, those that the function makes, and the seconds of two jobs."""
    experiment, tuples, cores = EXPERIMENTS[order["experiment"]], order["tuples"], order["cores"]
    with pa.memory_map(order["file"]) as mapped:
        table = pa.ipc.open_file(mapped).read_all()
    fewer = tuples // SMALL + 1
    few, many = _repeated(table, fewer), _repeated(table, fewer + tuples)
    return {
        "counted": _counted(experiment, few, cores),
        "made": _made(experiment, few),
        "few": _timed(experiment, few, cores),
        "many": _timed(experiment, many, cores),
    }


def _repeated(table: pa.Table, size: int) -> pa.Table:
    copies = -(-size // table.num_rows)
    return pa.concat_tables([table] * copies).slice(0, size)


def _made(experiment: Experiment, table: pa.Table) -> int:
    """Return how many outputs the bare function makes."""
    call, columns = _call(experiment, table.schema.names), table.to_pydict().values()
    return sum(1 for values in zip(*columns) for _ in call(*values))


def _call(experiment: Experiment, names: list[str]) -> Callable[..., Iterator[Any]]:
    """Return the experiment's function as one of values instead of a tuple."""
    row = namedtuple("row", names)  # type: ignore[misc]  # noqa: PYI024  of any data set
    function = experiment.function
    assert function is not None

    def call(*values: Any) -> Iterator[Any]:
        yield from function(row(*values))

    return call


def _flat_mapped(settings: Any, experiment: Experiment, table: pa.Table, cores: int) -> Any:
    """Return Flink's table of an experiment's outputs."""
    from pyflink.table import TableEnvironment
    from pyflink.table.expressions import col
    from pyflink.table.udf import udtf

    environment = TableEnvironment.create(settings)
    environment.get_config().set("parallelism.default", str(cores))
    environment.get_config().set("python.executable", sys.executable)
    made, names = experiment.pipeline().type, table.schema.names
    kinds = [_flink_type(kind) for _, kind in made.attributes]
    flat = udtf(_call(experiment, names), result_types=kinds)
    columns = ", ".join(f"`{name}` {_sql_type(kind)}" for name, kind in made.attributes)
    environment.execute_sql(f"CREATE TABLE {NOWHERE} ({columns}) WITH ('connector' = 'blackhole')")
    data = environment.from_pandas(table.to_pandas(), names, cores)
    return data.flat_map(flat(*(col(name) for name in names))).alias(*made.names)


def _counted(experiment: Experiment, table: pa.Table, cores: int) -> int:
    """Return how many outputs a job makes: in batch mode, where a count is one row."""
    from pyflink.table import EnvironmentSettings
    from pyflink.table.expressions import lit

    out = _flat_mapped(EnvironmentSettings.in_batch_mode(), experiment, table, cores)
    with out.select(lit(1).count.alias("outputs")).execute().collect() as rows:
        return int(next(rows)[0])


def _timed(experiment: Experiment, table: pa.Table, cores: int) -> float:
    """Return how many seconds a job takes."""
    from pyflink.table import EnvironmentSettings

    out = _flat_mapped(EnvironmentSettings.in_streaming_mode(), experiment, table, cores)
    began = perf_counter()
    out.execute_insert(NOWHERE).wait()
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
