"""The twelve experiments over Wikipedia edits: frequent words, and pairs of alike sentences.

Words stand between white space. Of equally frequent words the smallest comes first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from onefold.bench.experiments.experiment import Experiment
from onefold.stream import Stream, source

TYPE = "orig string, change string, updated string"
WORD = "word string"
WORDS = "orig string, change string, updated string"
PAIR = "left string, right string, latest bigint"

LONG = 10
"""From how many letters on a word is long: as the authors' program has it, see docs/errata.md."""
ADVANCE, SHORT, WIDE = 1_000, 3_000, 10_000
"""Windows of joins in milliseconds."""


def edits() -> Stream:
    """Return the stream of edits."""
    return source("wikipedia", TYPE)


def occurrences(text: str) -> dict[str, int]:
    """Return how often each word stands in a text."""
    counts: dict[str, int] = {}
    for word in text.split():
        counts[word] = counts[word] + 1 if word in counts else 1
    return counts


def most_frequent(text: str) -> str:
    """Return the most frequent word; the empty word if there is none."""
    counts = occurrences(text)
    most = max(counts.values(), default=0)
    if most <= 1:
        return min(counts, default="")
    return min([word for word, count in counts.items() if count == most])


def top_three(text: str) -> list[str]:
    """Return the three most frequent words, or as many as there are."""
    counts = occurrences(text)
    return sorted(sorted(counts), key=counts.__getitem__, reverse=True)[:3]


def long_word(t: Any) -> list[tuple[str]]:
    """LLF: the most frequent word of the original, if it is long."""
    word = most_frequent(t.orig)
    return [(word,)] if len(word) >= LONG else []


def one_word(t: Any) -> list[tuple[str]]:
    """ALF: the most frequent word of the original."""
    word = most_frequent(t.orig)
    return [(word,)] if word else []


def three_words(t: Any) -> list[tuple[str]]:
    """HLF: the three most frequent words of the original, each as a tuple."""
    return [(word,) for word in top_three(t.orig)]


def long_words(t: Any) -> list[tuple[str, str, str]]:
    """LHF: the most frequent word of each text as one tuple, if all are long."""
    words = most_frequent(t.orig), most_frequent(t.change), most_frequent(t.updated)
    return [words] if min(map(len, words)) >= LONG else []


def one_of_each(t: Any) -> list[tuple[str, str, str]]:
    """AHF: the most frequent word of each text as one tuple."""
    words = most_frequent(t.orig), most_frequent(t.change), most_frequent(t.updated)
    return [words] if all(words) else []


def three_of_each(t: Any) -> list[tuple[str, str, str]]:
    """HHF: the first, second and third words of the three texts, as far as all of them have one."""
    return list(zip(top_three(t.orig), top_three(t.change), top_three(t.updated)))


def words_of_change(t: Any) -> int:
    """Return the key of the joins: how many words stand between the spaces of the change."""
    spaces: int = t.change.count(" ")
    return spaces + 1


def alike(longer_than: int) -> Callable[[Any, Any], bool]:
    """Return whether two originals have one length, a large one, and differ beyond their case."""

    def where(x: Any, y: Any) -> bool:
        length = len(x.orig)
        return length > longer_than and length == len(y.orig) and x.orig.lower() != y.orig.lower()

    return where


def alike_columns(longer_than: int) -> Callable[[Any, Any], npt.NDArray[np.bool_]]:
    """Return `alike` for all pairs of two columns, of shapes (n, 1) and (1, m)."""

    def where(x: Any, y: Any) -> npt.NDArray[np.bool_]:
        length = np.strings.str_len(x.orig)
        wanted = np.where(length > longer_than, length, -1)  # no text is that long
        holds: npt.NDArray[np.bool_] = wanted == np.strings.str_len(y.orig)
        pairs = np.flatnonzero(holds)
        lefts, rights = np.divmod(pairs, holds.shape[1])
        holds.flat[pairs] = _lowered(x.orig[:, 0], lefts) != _lowered(y.orig[0], rights)
        return holds

    return where


def _lowered(texts: Any, positions: npt.NDArray[np.intp]) -> Any:
    """Return the texts at these positions in lower case, each lowered once."""
    asked, back = np.unique(positions, return_inverse=True)
    return np.strings.lower(texts[asked])[back]


def both(x: Any, y: Any) -> tuple[str, str, int]:
    """Return what a pair gives; its latest time is there to tell the latency."""
    return x.orig, y.orig, max(x.time, y.time)


def pairs(where: Callable[[Any, Any], Any], size: int) -> Stream:
    """Return the pairs of edits with changes of equally many words."""
    stream = edits()
    return stream.join(
        stream, PAIR, key=words_of_change, where=where, select=both, size=size, advance=ADVANCE
    )


def _pairs_by_column(longer_than: int, size: int) -> Stream:
    from onefold import vectorized

    return pairs(vectorized(alike_columns(longer_than)), size)


def _words(
    name: str, selectivity: float, function: Callable[[Any], Any], type: str, notes: str
) -> Experiment:
    def pipeline() -> Stream:
        return edits().flat_map(function, type)

    return Experiment(name, "wikipedia", notes, selectivity, pipeline, function)


def _pairs(name: str, selectivity: float, longer_than: int, size: int) -> Experiment:
    return Experiment(
        name,
        "wikipedia",
        f"pairs of originals of one length > {longer_than}, windows of {size // 1000} s",
        selectivity,
        lambda: pairs(alike(longer_than), size),
        key=words_of_change,
        size=size,
        advance=ADVANCE,
        vectorized=lambda: _pairs_by_column(longer_than, size),
    )


EXPERIMENTS = (
    _words("LLF", 5e-3, long_word, WORD, "the most frequent word of orig, if long"),
    _words("ALF", 1, one_word, WORD, "the most frequent word of orig"),
    _words("HLF", 3, three_words, WORD, "the top 3 words of orig, each as a tuple"),
    _words("LHF", 3e-4, long_words, WORDS, "the most frequent words of all texts, if all long"),
    _words("AHF", 1, one_of_each, WORDS, "the most frequent words of all texts in one tuple"),
    _words("HHF", 2.3, three_of_each, WORDS, "the top 3 words of all texts as triplets"),
    _pairs("LLJ", 1e-4, 210, SHORT),
    _pairs("ALJ", 1e-3, 150, SHORT),
    _pairs("HLJ", 3e-3, 100, SHORT),
    _pairs("LHJ", 1e-4, 210, WIDE),
    _pairs("AHJ", 1e-3, 150, WIDE),
    _pairs("HHJ", 3e-3, 100, WIDE),
)
