"""Three questions about a live stream of edits, in one pipeline. `onefold demo` runs it.

Which words do people insert most? How many edits come, and how much do they insert? Which sentence
is edited twice at almost the same time?
"""

from collections import Counter

import onefold as of

ANSWER = "question string, about string, n int"
TOP = 5


def words_inserted(edit: of.Tuple) -> list[tuple[str]]:
    """Return the words that an edit inserts, without punctuation."""
    return [(word.lower(),) for word in edit.change.split() if word.isalpha()]


def ranking(window: of.Window) -> list[tuple[str, str, int]]:
    """Return the most frequent words of a window; of equally frequent ones the smallest first."""
    counts = Counter(t.word for t in window.tuples)
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    return [(f"top {rank}", word, counts[word]) for rank, word in enumerate(ranked[:TOP], start=1)]


def size(edit: of.Tuple) -> str:
    """Return how much an edit inserts."""
    return {1: "one word", 2: "two words"}.get(len(edit.change.split()), "three or more words")


def count(window: of.Window) -> tuple[str, str, int]:
    """Return how many edits of a size came."""
    return "edits", window.key, len(window.tuples)


def sentence(edit: of.Tuple) -> str:
    """Return the sentence before the edit, whatever its capitals."""
    return edit.orig.lower()


def spelled_otherwise(one: of.Tuple, other: of.Tuple) -> bool:
    """Say whether two edits saw other capitals; in one order, so that a pair counts once."""
    return one.orig < other.orig


def both(one: of.Tuple, other: of.Tuple) -> tuple[str, str, int]:
    """Return what two edits insert, and how many words that is."""
    return "clash", f"{one.change} | {other.change}", len(f"{one.change} {other.change}".split())


edits = of.source("edits", "orig string, change string, updated string")

# The top words of the last six seconds, every two seconds.
words = edits.flat_map(words_inserted, "word string")
top_words = words.aggregate_plus(ranking, ANSWER, size="6 s", advance="2 s")

# How many edits of each size, in windows of two seconds.
counts = edits.aggregate(count, ANSWER, key=size, size="2 s")

# Two edits of one sentence, in windows of four seconds.
clashes = edits.join(edits, ANSWER, key=sentence, where=spelled_otherwise, select=both, size="4 s")

pipeline = top_words.union(counts, clashes)
