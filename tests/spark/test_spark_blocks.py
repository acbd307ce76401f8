"""Tuples in Arrow: in and out as they are, and in normal form."""

from __future__ import annotations

import gc
import random
import weakref
from typing import Any

import pyarrow as pa
import pytest

import onefold as of
from onefold.core.block import Block, portions
from onefold.core.packing import unpacked
from onefold.core.plan import Implementation, plan
from onefold.core.values import NAN
from onefold.engines.spark.blocks import (
    FEW,
    LARGE,
    SMALL,
    ArrowBlock,
    by_cell,
    in_arrow,
    in_millis,
    merged,
)
from onefold.engines.spark.clock import END_MILLIS
from onefold.engines.spark.columns import Reading
from onefold.engines.spark.fragments import cut
from onefold.engines.spark.parcels import (
    REPORT,
    TOLD,
    by_time,
    cell,
    opened,
    pack_tuples,
    tuples_of,
)
from onefold.engines.spark.schema import TIME, arrow_type
from onefold.engines.spark.task import Settings, Task

TYPES = "a string, b int, c double, d array<double>, e boolean, f binary, g float, h array<string>"
ROWS: list[tuple[Any, ...]] = [
    ("x", 1, -0.0, [0.5, -0.0], True, b"\0", 0.1, ["a", None]),
    (None, None, float("nan"), [], None, None, None, None),
    ("ü", -5, 2.5, [float("nan")], False, b"", -0.0, []),
]


def reading(types: str, rows: list[tuple[Any, ...]], **options: Any) -> tuple[Reading, pa.Array]:
    node = of.source("s", types).node
    times, *columns = zip(*rows)
    moments = [None if time is None else time * 1000 for time in times]
    kinds = [arrow_type(kind) for _, kind in node.type.attributes]
    arrays = [
        pa.array(moments, pa.timestamp("us", tz="UTC")),
        *(pa.array(column, kind) for column, kind in zip(columns, kinds)),
    ]
    batch = pa.RecordBatch.from_arrays(arrays, names=[TIME, *node.type.names])
    fragment = cut(plan(node))[0]
    settings = Settings((7, 9), **options)
    return Reading(fragment, settings, 0, "s", node.type, 5), batch


def read(types: str, rows: list[tuple[Any, ...]]) -> list[of.Tuple]:
    work, batch = reading(types, rows)
    task = work.task(batch)
    return [t for parts in task.leaving.values() for part in parts for t in part]


@pytest.mark.parametrize("types", [TYPES, "p struct<x: double>, t timestamp"])
def test_values_are_in_normal_form(types: str) -> None:
    type = of.source("s", types).node.type
    rows = ROWS if types == TYPES else [((-0.0,), None), (None, None)]
    wanted = [type.make(n, row) for n, row in enumerate(rows)]
    found = read(types, [(n, *row) for n, row in enumerate(rows)])
    assert repr(found) == repr(wanted)
    assert found == wanted
    if types == TYPES:
        assert found[1].c is NAN


def test_what_nobody_looks_at_is_in_normal_form_too() -> None:
    work, batch = reading("c double, d array<double>", [(1, -0.0, [-0.0]), (2, 1.0, [0.0])])
    (part,) = (part for parts in work.task(batch).leaving.values() for part in parts)
    assert isinstance(part, ArrowBlock)
    assert repr(part.batch.to_pydict()) == repr(
        {TIME: [1, 2], "c": [0.0, 1.0], "d": [[0.0], [0.0]]}
    )


def test_a_batch_tells_every_group_the_watermark_behind_it() -> None:
    work, batch = reading("a string", [(3, "x"), (END_MILLIS, None), (8, "y")])
    rows = work(batch).to_pylist()
    told = [row for row in rows if row["node"] == TOLD]
    assert [row["grp"] for row in told] == [7, 9]
    assert {str(unpacked(row["data"])) for row in told} == {str({0: END_MILLIS - 5})}
    out = [row["data"] for row in rows if row["node"] not in (TOLD, REPORT)]
    assert [t for data in out for t in opened(data)[1]] == [(3, "x"), (8, "y")]


@pytest.mark.parametrize("count", [1, SMALL - 1, SMALL, 3 * SMALL])
def test_tuples_travel_as_they_are(count: int) -> None:
    type = of.source("s", TYPES).node.type
    tuples = [type.make(n, ROWS[n % 3]) for n in range(count)]
    port, held = opened(pack_tuples(type, 1, tuples))
    assert port == 1
    assert isinstance(held, list) == (count < SMALL)
    assert repr(list(tuples_of(type, held))) == repr(tuples)


def test_what_arrow_does_not_hold_travels_too() -> None:
    type = of.source("s", "a string").node.type
    tuples = [type.make(n, ("\ud800",)) for n in range(SMALL)]
    _, held = opened(pack_tuples(type, 0, tuples))
    assert list(tuples_of(type, held)) == tuples


def test_output_is_put_in_arrow_at_once_but_for_what_does_not_fit() -> None:
    type = of.source("s", "a string").node.type
    fits, small, odd = (
        Block(type, [range(count), [text] * count])
        for count, text in [(SMALL, "x"), (SMALL - 1, "x"), (SMALL, "\ud800")]
    )
    made = in_arrow(fits)
    assert isinstance(made, ArrowBlock)
    assert list(made) == list(fits)
    assert in_arrow(small) is small
    assert in_arrow(odd) is odd


def test_what_leaves_is_put_in_arrow_by_parts_of_a_size() -> None:
    many = of.source("s", "n int").flat_map(lambda t: [(n,) for n in range(t.n)], "n int")
    fragment = cut(of.lower(many, "dedicated"))[0]
    task = Task(fragment, 0, Settings((0,)))
    task.feed(fragment.entries[0], [many.node.type.make(1, (2 * LARGE + 500,))])
    assert [len(opened(each.data)[1]) for each in task.parcels() if each.data] == [
        LARGE,
        LARGE,
        500,
    ]


def test_blocks_in_arrow_are_put_together_up_to_a_size() -> None:
    type = of.source("s", "a string").node.type
    block = in_arrow(Block(type, [range(FEW - 1), ["x"] * (FEW - 1)]))
    few = [type.make(1, ("y",))]
    made = list(merged([block, few, *[block] * 6, few]))
    assert [len(each) for each in made] == [6 * (FEW - 1), FEW - 1, 2]
    many = in_arrow(Block(type, [range(FEW), ["x"] * FEW]))
    assert [len(each) for each in merged([many, many])] == [FEW, FEW]  # not worth a copy
    assert list(made[0]) == list(block) * 6


def test_portions_of_a_block_in_arrow_are_its_tuples() -> None:
    type = of.source("s", "a string").node.type
    block = in_arrow(Block(type, [range(SMALL), list(map(str, range(SMALL)))]))
    parts = list(portions(block, 100))
    assert [len(each) for each in parts] == [100, 100, SMALL - 200]
    assert [t for each in parts for t in each] == list(block)
    assert all(list(each.times) == [t.time for t in each] for each in parts)


def test_moments_before_1970_and_missing_ones_are_milliseconds() -> None:
    moments = pa.array([-5000, None, 0, 7000], pa.timestamp("us", tz="Europe/Berlin"))
    batch = in_millis(pa.RecordBatch.from_arrays([moments], names=["at"]))
    assert batch.to_pydict() == {"at": [-5, None, 0, 7]}


def test_arrays_that_spark_calls_never_null_go_with_others() -> None:
    rows = [(n, ["a"]) for n in range(SMALL)]
    work, batch = reading("a array<string>", rows)
    never_null = pa.list_(pa.field("element", pa.string(), nullable=False))
    other = batch.set_column(1, "a", batch.column(1).cast(never_null))
    parts = [
        part
        for each in (batch, other)
        for parts in work.task(each).leaving.values()
        for part in parts
    ]
    (made,) = merged(parts)
    assert [t.a for t in made] == [("a",)] * 2 * SMALL


@pytest.mark.parametrize("implementation", Implementation)
def test_a_task_is_gone_as_soon_as_nobody_has_it(implementation: Implementation) -> None:
    """Nobody looks for garbage while a batch runs: what only a search finds would stay."""
    s = of.source("s", "n int")
    joined, mapped = s.join(s, "n int, m int", size=9), s.flat_map(lambda t: [(t.n,)], "n int")
    for fragment in (
        *cut(of.lower(joined, implementation)),
        *cut(of.lower(mapped, implementation)),
    ):
        task = Task(fragment, 0, Settings((0,), reporting=True))
        for entry in fragment.entries:
            type = task.engine.plan.sources[entry.name].type
            task.feed(entry, [type.make(1, [None] * len(type.names))])
        task.end()
        assert list(task.parcels())
        engine = weakref.ref(task.engine)
        gc.disable()
        try:
            del task
            assert engine() is None
        finally:
            gc.enable()


@pytest.mark.parametrize("groups", [1, 2, 3, 64])
@pytest.mark.parametrize("ordered", [True, False])
def test_tuples_of_one_time_share_a_group_however_they_come(groups: int, *, ordered: bool) -> None:
    type = of.source("s", "n int").node.type
    times = [n // 50 - 20 for n in range(20_000)]  # before 1970 as well
    if not ordered:
        random.Random(1).shuffle(times)
    block = in_arrow(Block(type, [times, list(range(len(times)))]))
    assert isinstance(block, ArrowBlock)
    wanted = by_time(block, groups)
    found: dict[int, list[Any]] = {}
    for group, part in by_cell(block, groups, cell(groups)):
        found.setdefault(group, []).extend(part)
    assert found == wanted
    assert len(found) == groups
    assert sum(map(len, found.values())) == len(times)
