"""A made-up vocabulary: frequent words are short, a few have letters beyond ASCII."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
import pyarrow as arrow

WORDS = 20_000
MARKS = (",", "(", '"', "—")
"""Punctuation stands between spaces as words do, and is as frequent as the first words are."""
MARK_RANKS = (0, 4, 11, 29)
LATIN = ("bcdfghklmnprstvw", "aeiou")
ACCENTED = ("çčłñšž", "áéèíöüå")
CYRILLIC = ("бвгдклмнпрст", "аеиоуя")
SEED = 20_160_101
"""Of the vocabulary, which is one and the same for every seed of a stream."""

Ids = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Vocabulary:
    """Words by rank, three times over: in lower case, with a capital, in capitals."""

    spelled: arrow.StringArray
    any_word: npt.NDArray[np.float64]
    """The distribution function over ranks, of the words of a sentence."""
    content: npt.NDArray[np.float64]
    """The same of the words that an edit inserts: fewer of the frequent ones."""


@cache
def vocabulary() -> Vocabulary:
    """Return the vocabulary."""
    lower = _words()
    spelled = [*lower, *(word.capitalize() for word in lower), *(word.upper() for word in lower)]
    return Vocabulary(arrow.array(spelled), _zipf(1.05, 2.7), _zipf(0.8, 30.0))


def drawn(distribution: npt.NDArray[np.float64], count: int, rng: np.random.Generator) -> Ids:
    """Return the ranks of `count` words."""
    return np.searchsorted(distribution, rng.random(count), side="right")


def _zipf(exponent: float, shift: float) -> npt.NDArray[np.float64]:
    """P(rank) ∝ 1 / (rank + shift)^exponent, summed up."""
    weights = (np.arange(WORDS) + shift) ** -exponent
    total: npt.NDArray[np.float64] = np.cumsum(weights / weights.sum())
    return total


def _words() -> list[str]:
    rng = np.random.default_rng(SEED)
    marks = dict(zip(MARK_RANKS, MARKS))
    words: dict[str, None] = {}
    while len(words) < WORDS:
        rank = len(words)
        words[marks.get(rank) or _word(rank, rng)] = None  # a word that is there gets another try
    return list(words)


def _word(rank: int, rng: np.random.Generator) -> str:
    longest = 2 if rank < 10 else 4 if rank < 100 else 40
    length = min(longest, 1 + int(rng.poisson(1.05 + 0.475 * np.log1p(rank))))
    kind = rng.random() if rank >= 200 else 1.0
    letters = CYRILLIC if kind < 0.004 else ACCENTED if kind < 0.016 else LATIN
    start = int(rng.integers(2))
    spelled = [str(rng.choice(list(letters[(start + n) % 2]))) for n in range(length)]
    return "".join(spelled)
