"""onefold: every stream operator is made of one Aggregate over time windows, and a loop.

A pipeline is written once and runs in three implementations with the same answer:

    dedicated       what an engine itself offers
    aggregate       only the minimal Aggregate, at most one tuple for each window, and loops
    aggregate-plus  an Aggregate that may emit many

From top to bottom, each layer imports only those below it:

    cli         run, explain, replay, bench
    bench       measurements
    pages       drawings and pages; a notebook asks streams, plans and verdicts for them
    check       the judge: transcripts, exhaustive comparison
    files       JSON lines, CSV, Parquet
    stream      the API a user writes; local and pipelines find and run it
    engines     reference (in-process), bulk, spark
    operators   one file for each: its dedicated meaning and its composition
    core        time, windows, tuple types, the Aggregate, the plan graph

>>> import onefold as of
>>> words = of.source("words", "word string")
>>> counts = words.aggregate(
...     lambda w: (w.key.word, len(w.tuples)), "word string, n int", key=["word"], size="10 s"
... )
>>> of.run(counts, {"words": [(1000, "be"), (2000, "to"), (3000, "be")]}, "aggregate")
[(time=9999, word='be', n=2), (time=9999, word='to', n=1)]
"""

from onefold.core.aggregate import Window
from onefold.core.errors import OnefoldError
from onefold.core.plan import Implementation, Plan
from onefold.core.records import Tuple
from onefold.engines.reference import Engine
from onefold.local import lower, run
from onefold.operators.vectorized import vectorized
from onefold.stream import Stream, source

__version__ = "0.1.0"
__all__ = [
    "Engine",
    "Implementation",
    "OnefoldError",
    "Plan",
    "Stream",
    "Tuple",
    "Window",
    "lower",
    "run",
    "source",
    "vectorized",
]
