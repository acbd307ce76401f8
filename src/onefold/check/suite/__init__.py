"""The conformance suite: every rule of the model as a small case, with its answer written by hand.

`rule` says what a rule is and who conforms, `streams` holds the pipelines, `windows` the rules of
the Aggregate and `others` those of all other operators.
"""

from __future__ import annotations

from onefold.check.suite import others, windows
from onefold.check.suite.rule import Outcome, Rule, conform

RULES: tuple[Rule, ...] = (*others.RULES, *windows.RULES)

__all__ = ["RULES", "Outcome", "Rule", "conform"]
