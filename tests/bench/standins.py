"""Small experiments and data, of the shape of the paper's."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

import onefold as of
from onefold.bench.experiments.experiment import Experiment

EDITS = "orig string, change string, updated string"
WORDS = [f"{letter * n}{n}" for n in range(1, 12) for letter in "abc"]


def chunks(tuples: int, seed: int) -> Iterator[pa.Table]:
    """Return edits in tables of 1000."""
    drawn = random.Random(seed)
    for start in range(0, tuples, 1000):
        rows = [_edit(drawn) for _ in range(min(1000, tuples - start))]
        yield pa.table(dict(zip(("orig", "change", "updated"), map(list, zip(*rows)))))


def _edit(drawn: random.Random) -> tuple[str, str, str]:
    orig = " ".join(drawn.choices(WORDS, k=8))
    change = " ".join(drawn.choices(WORDS, k=drawn.randint(1, 3)))
    return orig, change, f"{orig} {change}"


def top3(t: Any) -> list[tuple[str]]:
    return [(word,) for word, _ in Counter(t.orig.split()).most_common(3)]


def first(t: Any) -> list[tuple[str]]:
    return [(t.orig.split()[0],)]


def words_of_change(t: Any) -> int:
    return len(t.change.split())


def similar(x: Any, y: Any) -> bool:
    return x.orig != y.orig and len(x.orig) == len(y.orig)


def both(x: Any, y: Any) -> tuple[Any, ...]:
    return x.orig, y.orig, max(x.time, y.time)


def flat_map() -> of.Stream:
    return of.source("wikipedia", EDITS).flat_map(top3, "word string")


def mapping() -> of.Stream:
    return of.source("wikipedia", EDITS).flat_map(first, "word string")


def join() -> of.Stream:
    edits = of.source("wikipedia", EDITS)
    return edits.join(
        edits,
        "x string, y string, latest bigint",
        key=words_of_change,
        where=similar,
        select=both,
        size="3 s",
        advance="1 s",
    )


HLF = Experiment("HLF", "wikipedia", "three words", 3.0, flat_map, function=top3)
ALF = Experiment("ALF", "wikipedia", "one word", 1.0, mapping, function=first)
ALJ = Experiment(
    "ALJ", "wikipedia", "equal length", 0.1, join, key=words_of_change, size=3000, advance=1000
)
