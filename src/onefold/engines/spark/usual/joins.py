"""Stream-stream joins: by window, and by an interval of time."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  as everyone writes it


def _by_window(left: DataFrame, right: DataFrame, *slide: str) -> DataFrame:
    window = F.window("ts", "10 milliseconds", *slide)
    lefts = left.select(window, "k", "n")
    rights = right.select(window, "k", "m")
    return lefts.join(rights, ["window", "k"])


def by_window(left: DataFrame, right: DataFrame) -> DataFrame:
    """Pair rows of one key and one window."""
    return _by_window(left, right)


def by_sliding_window(left: DataFrame, right: DataFrame) -> DataFrame:
    """Pair rows of one key and one window, where windows overlap."""
    return _by_window(left, right, "5 milliseconds")


def by_interval(left: DataFrame, right: DataFrame) -> DataFrame:
    """Pair rows of one key that are less than 10 ms apart."""
    near = F.expr(
        "l.k = r.k and r.ts > l.ts - interval 10 milliseconds"
        " and r.ts < l.ts + interval 10 milliseconds"
    )
    pairs = left.alias("l").join(right.alias("r"), near)
    return pairs.select(F.greatest("l.ts", "r.ts").alias("ts"), "l.k", "n", "m")
