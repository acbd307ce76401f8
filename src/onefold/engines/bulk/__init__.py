"""Operators at work on many tuples at once: the same answer as their own kernels, sooner.

A kernel in bulk is an engine's way to run an operator, not what it means: that is what the node's
own kernel says, and every kernel here is tested against it. Where there is none, or someone wants
to watch, the node's own kernel runs.
"""

from onefold.engines.bulk.kernels import in_bulk

__all__ = ["in_bulk"]
