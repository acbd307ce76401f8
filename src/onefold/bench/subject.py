"""What is measured: an experiment in one implementation, as a query over a DataFrame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import DataFrame

from onefold import spark
from onefold.bench.experiments.experiment import Experiment
from onefold.bench.prepared import TIME
from onefold.core.plan import Implementation
from onefold.stream import Stream

LABELS = {
    "D": Implementation.DEDICATED,
    "A+": Implementation.AGGREGATE_PLUS,
    "A": Implementation.AGGREGATE,
}
"""The paper's names of the implementations."""


@dataclass(frozen=True)
class Subject:
    """A way to run an experiment on Spark: an implementation of onefold's, or a peer."""

    label: str
    frame: Callable[[Experiment, DataFrame], DataFrame]


def implementation(label: str, *, rewrites: bool, vectorized: bool) -> Subject:
    """Return one of onefold's own implementations."""

    def frame(experiment: Experiment, data: DataFrame) -> DataFrame:
        return spark.dataframe(
            stream(experiment, vectorized=vectorized),
            {experiment.dataset: data},
            LABELS[label],
            time=TIME,
            delay="0 s",
            rewrites=rewrites,
        )

    return Subject(label, frame)


def stream(experiment: Experiment, *, vectorized: bool) -> Stream:
    """Return an experiment's pipeline; if asked for and there is one, that over columns."""
    if vectorized and experiment.vectorized is not None:
        return experiment.vectorized()
    return experiment.pipeline()
