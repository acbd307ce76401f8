"""Counts in windows: `groupBy(window(…))`."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  as everyone writes it

TEN, FIVE, FOUR = "10 milliseconds", "5 milliseconds", "4 milliseconds"


def _count(stream: DataFrame, window: Column) -> DataFrame:
    return stream.groupBy(window, "k").agg(F.count("*").alias("c"))


def counted(s: DataFrame) -> DataFrame:
    """Count the rows of each key in windows side by side."""
    return _count(s, F.window("ts", TEN))


def sliding(s: DataFrame) -> DataFrame:
    """Count in windows that overlap."""
    return _count(s, F.window("ts", TEN, FIVE))


def uneven(s: DataFrame) -> DataFrame:
    """Count in windows whose length is no multiple of their slide."""
    return _count(s, F.window("ts", TEN, FOUR))


def both_counted(s: DataFrame, r: DataFrame) -> DataFrame:
    """Count the rows of two streams together."""
    return counted(s.unionByName(r))


def by_float(x: DataFrame) -> DataFrame:
    """Count by a key that is a double."""
    return x.groupBy(F.window("ts", TEN), "v").agg(F.count("*").alias("c"))


def many(s: DataFrame) -> DataFrame:
    """Give every row of a window a number."""
    numbers = F.explode(F.sequence(F.lit(0), F.col("c").cast("int") - 1))
    return counted(s).select("window", "k", numbers.alias("c"))


def listed(s: DataFrame) -> DataFrame:
    """List the numbers of a window, as they are collected."""
    numbers = F.collect_list(F.col("n").cast("string"))
    return s.groupBy(F.window("ts", TEN)).agg(F.concat_ws(" ", numbers).alias("listing"))


def sorted_list(s: DataFrame) -> DataFrame:
    """List the numbers of a window by time, and then by value."""
    rows = F.array_sort(F.collect_list(F.struct("ts", "k", "n")))
    numbers = F.transform(rows, lambda row: row["n"].cast("string"))
    return s.groupBy(F.window("ts", TEN)).agg(F.concat_ws(" ", numbers).alias("listing"))
