"""Row by row: `where`, `select`, `explode`, `union`."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  as everyone writes it


def big(s: DataFrame) -> DataFrame:
    """Keep the rows with a number above one."""
    return s.where(F.col("n") > 1)


def doubled(s: DataFrame) -> DataFrame:
    """Double the number."""
    return s.select("ts", "k", (2 * F.col("n")).alias("n"))


def keys(s: DataFrame) -> DataFrame:
    """Leave out the number."""
    return s.select("ts", "k")


def copies(s: DataFrame) -> DataFrame:
    """Repeat the key, as often as the number says."""
    return s.select("ts", F.explode(F.array_repeat("k", F.col("n"))).alias("k"))


def both(s: DataFrame, r: DataFrame) -> DataFrame:
    """Put two streams together."""
    return s.unionByName(r)
