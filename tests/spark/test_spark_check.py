"""The judge on Spark: our own implementations, and code of a user's own."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from faults import ON_SPARK, Fault, broken, found_and_shrunk, found_shrunk_and_replayed
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  as everyone writes it

import onefold.testing as ot
from onefold.check.case import Arrival, Case
from onefold.check.causes import cause
from onefold.check.hear import hear
from onefold.check.players import own_code
from onefold.check.sides import sides_of
from onefold.core.errors import OnefoldError
from onefold.core.plan import plan

FEW = 3

PAGE = Path(__file__).parents[2] / "docs" / "check.md"
CODE = re.search(
    r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
)
assert CODE
own = ModuleType("deals")
exec(CODE[1], own.__dict__)  # noqa: S102  the page's code, as it stands there
deals, bids, asks, near, aligned = own.pipeline, own.bids, own.asks, own.near, own.aligned
counts = bids.aggregate(
    lambda w: (w.key.item, len(w.tuples)), "item string, n bigint", key=["item"], size="10 s"
)


def with_a_watermark_of_its_own(bids: DataFrame) -> DataFrame:
    window = F.window("ts", "10 seconds")
    return (
        bids.withWatermark("ts", "5 seconds")
        .groupBy(window, "item")
        .agg(F.count(F.lit(1)).alias("n"))
    )


@pytest.mark.usefixtures("session")
def test_our_implementations_on_spark_are_the_same() -> None:
    verdict = ot.assert_same(deals, engines=["spark"], cases=FEW)
    assert len(verdict.sides) == 5
    assert verdict.emitted


@pytest.mark.usefixtures("session")
def test_a_right_join_and_a_wrong_one_are_told_apart() -> None:
    assert ot.assert_same(deals, aligned, cases=FEW).emitted
    hasty = replace(own_code(near, "near"), patience=10, times=False)
    with pytest.raises(AssertionError) as found:
        ot.assert_same(deals, engines=[hasty], cases=FEW)
    assert str(found.value).startswith("near differs from the definition (stream ")
    assert "windows of join" in str(found.value)


@pytest.mark.usefixtures("session")
def test_the_cause_of_an_interval_join_is_named() -> None:
    side, *_ = sides_of(plan(deals.node), [own_code(near, "near")], [])
    pair = [Arrival("bids", bids.type.make(9_999, ("a", 1)))]
    pair += [Arrival("asks", asks.type.make(10_000, ("a", 2)))]
    case = Case(("bids", "asks"), tuple(pair))
    [[said]] = hear([side], [case])
    assert said
    assert said.difference
    assert [tuple(t) for t in said.difference.unexpected] == [(10_000, "a", 1, 2)]
    assert "an interval join" in str(cause(said, case))


@pytest.mark.usefixtures("session")
def test_a_watermark_of_its_own_is_refused() -> None:
    with pytest.raises(OnefoldError, match="leave out withWatermark"):
        ot.assert_same(counts, with_a_watermark_of_its_own, cases=1, seed=2)


ALL_FAULTS = "ALL_FAULTS" in os.environ
"""With default settings a fault takes minutes: then the first, on few streams, stands for all."""
QUICKLY = ("--implementations", "dedicated", "--cases", "8")


@pytest.mark.parametrize("fault", ON_SPARK if ALL_FAULTS else ON_SPARK[:1], ids=str)
def test_a_fault_in_the_spark_engine_is_found(fault: Fault, tmp_path: Path) -> None:
    if ALL_FAULTS:
        found_shrunk_and_replayed(fault, tmp_path, "--engines", "spark")
    else:
        found_and_shrunk(fault, broken(fault, tmp_path), "--engines", "spark", *QUICKLY)
