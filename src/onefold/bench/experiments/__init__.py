"""The paper's experiments: ordinary pipelines, by the names that they have there.

>>> from onefold.bench.experiments import EXPERIMENTS
>>> EXPERIMENTS["HLF"].notes
'the top 3 words of orig, each as a tuple'
"""

from onefold.bench.experiments import scans, wikipedia
from onefold.bench.experiments.comparisons import comparisons
from onefold.bench.experiments.experiment import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    each.id: each for each in (*wikipedia.EXPERIMENTS, *scans.EXPERIMENTS)
}

__all__ = ["EXPERIMENTS", "Experiment", "comparisons"]
