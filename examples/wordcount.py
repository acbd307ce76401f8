"""How often is each long word among the top words of an article, over the last ten seconds?

onefold run examples/wordcount.py:pipeline --input edits=examples/data/edits.jsonl
"""

import re
from collections import Counter

import onefold as of

TOP = 3


def top_words(edit: of.Tuple) -> list[tuple[str]]:
    """Return the most frequent words of the text before the edit; the smallest of equal ones."""
    counts = Counter(re.findall(r"[^\W\d]+", edit.orig))
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    return [(word,) for word in ranked[:TOP]]


def count(window: of.Window) -> tuple[str, int]:
    """Return the word of a window and how many tuples it holds."""
    return window.key.word, len(window.tuples)


edits = of.source("edits", "orig string, change string, updated string")
words = edits.flat_map(top_words, "word string")
long = words.filter(lambda t: len(t.word) >= 10)
lower = long.map(lambda t: (t.word.lower(),), "word string")
pipeline = lower.aggregate(count, "word string, n int", key=["word"], size="10 s", advance="2 s")
