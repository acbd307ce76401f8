"""Predicates over columns: the same pairs as one by one, in few calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import onefold as of
from onefold.core.plan import Implementation
from onefold.engines.bulk import in_bulk
from onefold.engines.reference import Engine
from onefold.operators import vectorized
from onefold.operators.vectorized import Vectorized
from oracle import multiset


def pairs(where: Any) -> of.Stream:
    s = of.source("s", "k int, v double")
    return s.join(s, "k int, v double, l int, w double", key=["k"], where=where, size=10, advance=5)


@pytest.mark.parametrize("implementation", Implementation)
def test_a_predicate_over_columns_gives_the_same(implementation: Implementation) -> None:
    rows = [(n, n % 3, float(n * n % 17)) for n in range(60)]
    by_pair = pairs(lambda x, y: x.v < y.v and x.time != y.time)
    columns = pairs(of.vectorized(lambda x, y: (x.v < y.v) & (x.time != y.time)))
    wanted = multiset(of.run(by_pair, {"s": rows}, implementation))
    assert wanted
    assert multiset(of.run(columns, {"s": rows}, implementation)) == wanted
    engine = Engine(of.lower(columns, implementation), kernel_of=in_bulk)
    engine.input("s", rows)
    engine.end()
    assert multiset(engine.take_output()) == wanted


@pytest.mark.parametrize(
    ("predicate", "reason"),
    [
        (lambda x, y: x.v - y.v, "a vectorized predicate gives booleans, and not float64"),
        (lambda x, y: (x.v < y.v)[0, :, None, None], "gives the truth for 1 × 1 pairs"),
        (lambda x, y: x.nothing == y.v, "no attribute 'nothing': there are time, k, v"),
    ],
)
def test_a_predicate_over_columns_that_is_wrong(predicate: Any, reason: str) -> None:
    with pytest.raises(of.OnefoldError, match="join") as problem:
        of.run(pairs(of.vectorized(predicate)), {"s": [(1, 1, 1.0), (2, 1, 2.0)]})
    assert reason in str(problem.value)
    assert "test_vectorized.py, line" in str(problem.value)


def test_nulls_and_odd_lengths_come_as_objects() -> None:
    seen = []

    def look(x: Any, y: Any) -> Any:
        seen.append((x.n.dtype, x.a.shape, y.a.dtype, x.s.dtype))
        return x.time == y.time

    s = of.source("s", "n int, a array<double>, s string")
    stream = s.join(
        s, "n int", key=None, where=of.vectorized(look), select=lambda x, y: (x.n,), size=9
    )
    rows = [(1, None, [1.0], "a"), (2, 2, [1.0, 2.0], None)]
    assert len(of.run(stream, {"s": rows}, "aggregate-plus")) == 2
    assert {str(kind) for each in seen for kind in (each[0], each[2], each[3])} == {"object"}
    assert {each[1] for each in seen} == {(2, 1)}
    of.run(stream, {"s": [(1, 1, [1.0, 2.0], "a"), (2, 2, [3.0, 4.0], "b")]}, "aggregate-plus")
    assert seen[-1][1] == (2, 1, 2)


def test_an_attribute_may_have_any_name_in_a_predicate_over_columns() -> None:
    where = of.vectorized(lambda x, y: (x._type == y._tuples) & (x._axis == y._tuples))
    left = of.source("l", "_type int, _axis int")
    pairs = left.join(of.source("r", "_tuples int"), "a int, b int, c int", size=10, where=where)
    inputs = {"l": [(1, 5, 5), (1, 5, 6)], "r": [(2, 5), (2, 6)]}
    assert [tuple(t) for t in of.run(pairs, inputs)] == [(9, 5, 5, 5)]


@pytest.mark.parametrize(("left", "right"), [(7, 7), (1, 40), (40, 1), (3, 29), (29, 3), (0, 4)])
def test_many_pairs_are_asked_tile_by_tile(
    left: int, right: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectorized, "AT_ONCE", 16)
    asked = []

    def less(x: Any, y: Any) -> Any:
        asked.append((x.n.size, y.n.size))
        return x.n % 5 < y.n % 7

    make = of.source("s", "n int").node.type.make
    xs, ys = ([make(1, (n,)) for n in range(count)] for count in (left, right))
    wanted = [(x, y) for x in xs for y in ys if x.n % 5 < y.n % 7]
    assert sorted(Vectorized(less).holding(xs, ys)) == wanted
    assert sum(width * height for width, height in asked) == left * right
    assert all(width * height <= 16 for width, height in asked)
    if min(left, right) >= 4:
        assert max(asked) == (4, 4)


def test_a_predicate_may_not_change_its_columns() -> None:
    def doubled(x: Any, y: Any) -> Any:
        x.v[:] *= 2
        return x.v < y.v

    with pytest.raises(of.OnefoldError, match="read-only"):
        of.run(pairs(of.vectorized(doubled)), {"s": [(1, 1, 1.0), (2, 1, 2.0)]})


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize(
    "predicate",
    [lambda x, y: (x.v == y.v).any(), lambda x, y: x == y, lambda x, y: True],
    ids=["any", "of the tuples themselves", "constant"],
)
def test_one_value_for_all_pairs_is_refused_however_many_there_are(
    predicate: Any, rows: int
) -> None:
    with pytest.raises(of.OnefoldError, match="not one value for all"):
        of.run(pairs(of.vectorized(predicate)), {"s": [(n, 1, 1.0) for n in range(rows)]})


def test_a_masked_pair_is_none() -> None:
    def unmasked(x: Any, y: Any) -> Any:
        same = x.k == y.k
        return np.ma.masked_array(same, mask=np.broadcast_to(x.v < 2, same.shape))

    rows = [(1, 1, 1.0), (2, 1, 2.0)]
    found = of.run(pairs(of.vectorized(unmasked)), {"s": rows})
    assert {t.v for t in found} == {2.0}
