"""An experiment of the evaluation: an ordinary pipeline, and what a benchmark asks of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from onefold.stream import Stream


@dataclass(frozen=True)
class Experiment:
    """One row of the paper's table of experiments."""

    id: str
    """As in the paper: LLF … HHJ over Wikipedia edits, llf … hhj over scans."""
    dataset: str
    """wikipedia or scans, which is also the name of the pipeline's one source."""
    notes: str
    """What it does, in a line."""
    selectivity: float
    """The paper's: outputs for each tuple, of joins for each comparison."""
    pipeline: Callable[[], Stream]
    function: Callable[[Any], list[tuple[Any, ...]]] | None = None
    """What flat_map calls; None for a join."""
    key: Callable[[Any], Any] | None = None
    """The key of a join."""
    size: int = 0
    """The window of a join in milliseconds."""
    advance: int = 0
    vectorized: Callable[[], Stream] | None = None
    """A join's pipeline whose predicate works on columns."""

    @property
    def joins(self) -> bool:
        """Whether it is a join, measured in comparisons."""
        return self.function is None
