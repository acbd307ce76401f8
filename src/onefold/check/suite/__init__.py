"""The conformance suite: every rule of the model as a small case, with its answer written by hand.

`rule` says what a rule is and who conforms, `streams` holds the pipelines. `windows` has the rules
of the Aggregate, `distinct` those of one that drops repetitions, `watermarks` what a watermark
decides, and `others` the rules of all other operators.
"""

from __future__ import annotations

from onefold.check.suite import distinct, others, watermarks, windows
from onefold.check.suite.rule import Outcome, Rule

RULES: tuple[Rule, ...] = (*others.RULES, *windows.RULES, *watermarks.RULES, *distinct.RULES)

__all__ = ["RULES", "Outcome", "Rule"]
