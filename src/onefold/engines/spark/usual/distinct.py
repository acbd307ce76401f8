"""Rows without their repetitions: `dropDuplicates`, `dropDuplicatesWithinWatermark`."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  as everyone writes it


def of_equal_rows(s: DataFrame) -> DataFrame:
    """Keep one of several equal rows."""
    return s.dropDuplicates(["ts", "k", "n"])


def of_each_window(s: DataFrame) -> DataFrame:
    """Keep one of several rows of equal values in each window."""
    windowed = s.select(F.window("ts", "10 milliseconds"), "k", "n")
    return windowed.dropDuplicates(["window", "k", "n"])


def within_watermark(s: DataFrame) -> DataFrame:
    """Keep one of several rows of equal values, as long as the watermark lets Spark remember it."""
    return s.dropDuplicatesWithinWatermark(["k", "n"])
