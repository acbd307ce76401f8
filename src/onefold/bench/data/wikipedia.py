"""Synthetic edits: a sentence, the words that an edit inserts into it, the sentence with them.

    orig string, change string, updated string

The lengths are such that the paper's selectivities come about. Short changes go into long sentences
and long ones into short: joins compare edits with changes of equally many words, mostly of one to
three, and so meet the lengths of these.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as arrow
from pyarrow import compute

from onefold.bench.data.blocks import in_chunks
from onefold.bench.data.vocabulary import WORDS, Ids, Vocabulary, drawn, vocabulary

BLOCK = 8_192
SCHEMA = arrow.schema([(name, arrow.string()) for name in ("orig", "change", "updated")])

OF_CHANGE = (0.25, 0.20, 0.55)
"""How likely a change has one word, two, or more: HHF makes as many triplets, up to three."""
MORE = 0.27
"""How likely a change of three words or more ends after any of them."""
SHORT_CHANGE = 3
LENGTHS = {True: (131.0, 57.0), False: (67.0, 30.0)}
"""Mean and deviation of a sentence's length: of short changes, of long ones."""
PER_WORD = 5.03
"""Characters for each word of a sentence, with the space."""
LEAST_WORDS = 4
TITLE, UPPER, FIRST_TITLE = 0.07, 0.005, 0.9
"""How likely a word has a capital or is in capitals, and the first word has a capital."""
REPEATED = 0.01
"""How likely an edit is of the sentence before, in another spelling of capitals."""


def chunks(tuples: int, seed: int, chunk: int = BLOCK) -> Iterator[arrow.Table]:
    """Return edits, `chunk` at a time: the same ones for every size of a chunk."""
    return in_chunks(_block, BLOCK, tuples, seed, chunk)


def _block(_: int, rng: np.random.Generator) -> arrow.Table:
    words = vocabulary()
    inserted = _words_of_changes(rng)
    ends = _ends(_words_of_sentences(inserted, rng))
    ranks = drawn(words.any_word, int(ends[-1]), rng)
    ranks, ends = _with_repetitions(ranks, ends, rng)
    sentences = _in_case(ranks, rng)
    first = ends[:-1][rng.random(BLOCK) < FIRST_TITLE]
    sentences[first] = sentences[first] % WORDS + WORDS
    changes = _in_case(drawn(words.content, int(inserted.sum()), rng), rng)
    whole, whole_ends = _inserted(sentences, ends, changes, _ends(inserted), rng)
    texts = [
        _text(words, sentences, ends),
        _text(words, changes, _ends(inserted)),
        _text(words, whole, whole_ends),
    ]
    return arrow.table(texts, schema=SCHEMA)


def _words_of_changes(rng: np.random.Generator) -> Ids:
    few = rng.choice(3, BLOCK, p=OF_CHANGE) + 1
    return np.where(few < 3, few, 2 + rng.geometric(MORE, BLOCK))


def _words_of_sentences(inserted: Ids, rng: np.random.Generator) -> Ids:
    short = inserted <= SHORT_CHANGE
    long, brief = (_gamma(*LENGTHS[kind], rng) for kind in (True, False))
    lengths = np.where(short, long, brief)
    return np.maximum(LEAST_WORDS, np.rint(lengths / PER_WORD).astype(np.int64))


def _gamma(mean: float, deviation: float, rng: np.random.Generator) -> np.ndarray:
    return rng.gamma((mean / deviation) ** 2, deviation**2 / mean, BLOCK)


def _ends(counts: Ids) -> Ids:
    """Return where the words of each row begin, and where the last ones end."""
    return np.concatenate(([0], np.cumsum(counts)))


def _spans(starts: Ids, counts: Ids) -> Ids:
    """Return the positions start, start + 1, … of each row, one row after the other."""
    return np.arange(counts.sum()) + np.repeat(starts - _ends(counts)[:-1], counts)


def _with_repetitions(ranks: Ids, ends: Ids, rng: np.random.Generator) -> tuple[Ids, Ids]:
    """Let some rows have the words of the row before."""
    repeats = rng.random(BLOCK) < REPEATED
    repeats[0] = False
    repeats[1:] &= ~repeats[:-1]
    rows = np.arange(BLOCK) - repeats
    counts = np.diff(ends)[rows]
    return ranks[_spans(ends[rows], counts)], _ends(counts)


def _in_case(ranks: Ids, rng: np.random.Generator) -> Ids:
    case = rng.random(len(ranks))
    return ranks + WORDS * ((case < TITLE + UPPER).astype(np.int64) + (case < UPPER))


def _inserted(
    sentences: Ids, ends: Ids, changes: Ids, change_ends: Ids, rng: np.random.Generator
) -> tuple[Ids, Ids]:
    """Return the sentences, each with its change somewhere between two words or at an end."""
    words, inserted = np.diff(ends), np.diff(change_ends)
    before = rng.integers(0, words, endpoint=True)
    whole_ends = ends + change_ends
    whole = np.empty(whole_ends[-1], dtype=np.int64)
    within = _spans(np.zeros_like(words), words)
    pushed = np.where(within >= np.repeat(before, words), np.repeat(inserted, words), 0)
    whole[np.repeat(whole_ends[:-1], words) + within + pushed] = sentences
    whole[_spans(whole_ends[:-1] + before, inserted)] = changes
    return whole, whole_ends


def _text(words: Vocabulary, ids: Ids, ends: Ids) -> arrow.StringArray:
    spelled = words.spelled.take(arrow.array(ids))
    rows = arrow.ListArray.from_arrays(arrow.array(ends, arrow.int32()), spelled)
    return compute.binary_join(rows, " ")
