"""For your own tests: streams with explicit watermarks, verdicts, readable differences.

import onefold.testing as ot

def test_my_join():
    ot.assert_same(pipeline, my_spark_join)        # judged by the pipeline's definition

def test_a_late_tuple():
    script = ot.Script(s="word string").input(s=[(5, "a")]).watermark(10).input(s=[(6, "a")]).end()
    assert script.play(my_spark_count, "word string, n int")[0] == [(9, "a", 1)]

def test_transcripts():
    ot.replay("tests/my_pipeline.yaml")

ot.trace(pipeline, script)                         # in a notebook: step through it

@given(ot.inputs(pipeline))                        # Hypothesis: streams of the sources' types
def test_nothing_is_lost(inputs): ...
"""

from __future__ import annotations

from typing import Any

from onefold.check.case import Case
from onefold.check.judge import Verdict
from onefold.check.players import bounded_engine, streaming_engine
from onefold.engines.steps import Made, Step
from onefold.pages.trace import trace
from onefold.testing.conformance import assert_conforms
from onefold.testing.same import assert_same, assert_same_tuples, replay
from onefold.testing.script import Script

__all__ = [
    "Case",
    "Made",
    "Script",
    "Step",
    "Verdict",
    "assert_conforms",
    "assert_same",
    "assert_same_tuples",
    "bounded_engine",
    "cases",
    "inputs",
    "replay",
    "rows",
    "streaming_engine",
    "trace",
]

_STRATEGIES = ("cases", "inputs", "rows")
"""What needs Hypothesis, and so is imported when it is asked for."""


def __getattr__(name: str) -> Any:
    if name in _STRATEGIES:
        from onefold.testing import strategies

        return getattr(strategies, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
