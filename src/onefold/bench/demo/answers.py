"""Answers as multisets: whether two are the same, and where they differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

Row = tuple[int, str, str, int]
"""Time, question, about and number: what the demo's pipeline gives."""
Answer = Counter[Row]
PAIR = "clash"
"""The question that the join answers."""


@dataclass(frozen=True)
class Difference:
    """What one answer has and another has not, each row with how many times more."""

    missing: tuple[tuple[Row, int], ...]
    """What the first has more often."""
    extra: tuple[tuple[Row, int], ...]
    """What the other has more often."""

    @property
    def same(self) -> bool:
        """Whether there is none."""
        return not self.missing and not self.extra

    @property
    def rows(self) -> int:
        """How many rows differ."""
        return sum(count for _, count in (*self.missing, *self.extra))

    def __str__(self) -> str:
        return "1 row differs" if self.rows == 1 else f"{self.rows:,} rows differ"


def difference(first: Answer, other: Answer) -> Difference:
    """Return where two answers differ.

    >>> one, two = (1, "edits", "one word", 7), (2, "edits", "one word", 9)
    >>> found = difference(Counter([one, two]), Counter([two, two]))
    >>> found.missing, found.extra
    ((((1, 'edits', 'one word', 7), 1),), (((2, 'edits', 'one word', 9), 1),))
    >>> difference(Counter([one, two]), Counter([two, one])).same
    True
    """
    return Difference(_sorted((first - other).items()), _sorted((other - first).items()))


def _sorted(rows: Iterable[tuple[Row, int]]) -> tuple[tuple[Row, int], ...]:
    return tuple(sorted(rows))


def about(answer: Answer, question: str) -> list[Row]:
    """Return the rows of a question by time, each as often as it came; `top` means all ranks."""
    return sorted(row for row in answer.elements() if row[1].split()[0] == question)
