"""Each of the 24 experiments on tuples made by hand, in every implementation."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from rows import readings, rows, scan_sides, sides

from onefold.bench.experiments import EXPERIMENTS, scans, wikipedia
from onefold.core.plan import Implementation
from onefold.engines.reference import Engine
from onefold.local import lower

ALL = [each.value for each in Implementation]


def driven(experiment: str, tuples: list[Any], implementation: str) -> Counter[Any]:
    """What comes out, with a watermark after every tuple."""
    made = EXPERIMENTS[experiment]
    engine = Engine(lower(made.pipeline(), implementation))
    for t in tuples:
        engine.input(made.dataset, [t])
        engine.watermark(made.dataset, t[0])
    engine.end()
    return Counter(tuple(t) for t in engine.take_output())


def test_there_are_24_in_the_order_of_the_paper() -> None:
    functions = ["LLF", "ALF", "HLF", "LHF", "AHF", "HHF"]
    joins = ["LLJ", "ALJ", "HLJ", "LHJ", "AHJ", "HHJ"]
    upper = functions + joins
    assert list(EXPERIMENTS) == upper + [each.lower() for each in upper]
    for name, each in EXPERIMENTS.items():
        assert each.id == name
        assert each.dataset == ("wikipedia" if name.isupper() else "scans")
        assert each.joins == name.upper().endswith("J")
        assert each.joins == (each.vectorized is not None) == (each.size > 0)
        assert list(lower(each.pipeline(), "dedicated").sources) == [each.dataset]


LONG = "Encyclopedia"
EDITS = [
    (1, "b a b c", "x", "b a b x c"),
    (2, f"{LONG} z", "y x y", f"{LONG} z y x y"),
    (2, f"{LONG} z", "y x y", f"{LONG} z y x y"),
    (3, f"{LONG} a {LONG}", LONG.lower(), f"{LONG} a {LONG.lower()} {LONG}"),
    (4, "abcdefghij\tabcdefghi", "d  c\nb a", "abcdefghij\tabcdefghi d  c\nb a"),
    (5, " ", "a", "a"),
]
WORDS: dict[str, list[tuple[Any, ...]]] = {
    "LLF": [(2, LONG), (2, LONG), (3, LONG)],
    "ALF": [(1, "b"), (2, LONG), (2, LONG), (3, LONG), (4, "abcdefghi")],
    "HLF": [
        (1, "b"), (1, "a"), (1, "c"),
        *[(2, LONG), (2, "z")] * 2,
        (3, LONG), (3, "a"),
        (4, "abcdefghi"), (4, "abcdefghij"),
    ],
    "LHF": [(3, LONG, LONG.lower(), LONG)],
    "AHF": [
        (1, "b", "x", "b"),
        *[(2, LONG, "y", "y")] * 2,
        (3, LONG, LONG.lower(), LONG),
        (4, "abcdefghi", "a", "a"),
    ],
    "HHF": [
        (1, "b", "x", "b"),
        *[(2, LONG, "y", "y"), (2, "z", "x", LONG)] * 2,
        (3, LONG, LONG.lower(), LONG),
        (4, "abcdefghi", "a", "a"), (4, "abcdefghij", "b", "abcdefghi"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("implementation", ALL)
@pytest.mark.parametrize("experiment", WORDS)
def test_words(experiment: str, implementation: str) -> None:
    assert driven(experiment, EDITS, implementation) == Counter(WORDS[experiment])


LONGER_THAN = {"L": 210, "A": 150, "H": 100}


@pytest.mark.parametrize("implementation", ALL)
@pytest.mark.parametrize("experiment", ["LLJ", "ALJ", "HLJ", "LHJ", "AHJ", "HHJ"])
def test_pairs_of_edits(experiment: str, implementation: str) -> None:
    limit = LONGER_THAN[experiment[0]]
    made = EXPERIMENTS[experiment]
    one, other, upper = "a" * limit + "b", "a" * limit + "c", "A" * limit + "B"
    short, shorter = "a" * limit, "b" * limit
    edits = [
        (500, one, "two words", ""),
        (600, upper, "two words", ""),  # differs by its case alone
        (700, other, "three words long", ""),  # another key
        (800, short, "two words", ""),
        (900, shorter, "two words", ""),
        (2_500, other, "two more", ""),
    ]
    windows = range(2_500 // 1_000 * 1_000 - made.size + 1_000, 501, 1_000)
    assert len(windows) == made.size // 1_000 - 2
    right = Counter[Any]()
    for left in windows:
        for text in (one, upper):
            right[left + made.size - 1, text, other, 2_500] += 1
            right[left + made.size - 1, other, text, 2_500] += 1
    assert driven(experiment, edits, implementation) == right


def scan(reading: float) -> tuple[float, ...]:
    return (reading,) * scans.READINGS


SCANS = [(1, 7, scan(2.0)), (2, 8, scan(3.0)), (2, 8, scan(3.0)), (3, 9, scan(5.0))]


def points(t: Any, x: float = 0.0, y: float = 0.0) -> tuple[Any, ...]:
    """A scan's points by the definition, from a point."""
    angles = [math.radians(-5 + n * 0.25) for n in range(761)]
    xs = tuple(reading * math.cos(angle) - x for reading, angle in zip(t[2], angles))
    ys = tuple(reading * math.sin(angle) - y for reading, angle in zip(t[2], angles))
    return t[0], xs, ys


def in_three(t: Any, *reference: float) -> list[tuple[Any, ...]]:
    time, xs, ys = points(t, *reference)
    return [(time, xs[a:b], ys[a:b]) for a, b in ((0, 254), (254, 508), (508, 761))]


POINTS: dict[str, list[tuple[Any, ...]]] = {
    "llf": [points(t) for t in SCANS[1:]],
    "alf": [points(t) for t in SCANS],
    "hlf": [part for t in SCANS for part in in_three(t)],
    "lhf": [points(t, 10, 10) for t in SCANS[:3]],
    "ahf": [points(t, 10, 10) for t in SCANS],
    "hhf": [part for t in SCANS for part in in_three(t, 10, 10)],
}


def rounded(found: Counter[Any]) -> Counter[Any]:
    """To a nanometre, and without a negative zero."""
    shown = Counter[Any]()
    for (time, *axes), count in found.items():
        shown[time, *(tuple(round(v, 9) + 0.0 for v in axis) for axis in axes)] += count
    return shown


@pytest.mark.parametrize("implementation", ALL)
@pytest.mark.parametrize("experiment", POINTS)
def test_points(experiment: str, implementation: str) -> None:
    found = driven(experiment, SCANS, implementation)
    assert rounded(found) == rounded(Counter(POINTS[experiment]))


@pytest.mark.parametrize("implementation", ALL)
@pytest.mark.parametrize("experiment", ["llj", "alj", "hlj", "lhj", "ahj", "hhj"])
def test_pairs_of_scans(experiment: str, implementation: str) -> None:
    made = EXPERIMENTS[experiment]
    millimetres = {"l": 500, "a": 600, "h": 700}[experiment[0]]
    near = list(scan(2.0))
    for n in range(millimetres):
        near[n % scans.COMPARED] += 0.001  # in all exactly the threshold, but for rounding
    far = [*near]
    far[0] += 0.001
    elsewhere = [*scan(2.0)[:-1], 9.0]  # equal in the readings that are compared
    tuples = [(0, 1, scan(2.0)), (10, 2, near), (20, 3, elsewhere), (600, 4, far)]
    count = made.size // made.advance
    right = Counter[Any]()
    for left in range(-made.size + made.advance, 1, made.advance):
        end = left + made.size - 1
        for a, b, latest in [(1, 2, 10), (2, 3, 20)]:
            right[end, a, b, latest] += 1
            right[end, b, a, latest] += 1
    for left in range(600 // made.advance * made.advance - made.size + made.advance, 1, 500):
        for pair in [(2, 4), (4, 2)]:
            right[left + made.size - 1, *pair, 600] += 1
    assert right.total() == 4 * count + 2 * (count - 1)
    assert driven(experiment, tuples, implementation) == right


# The predicates on columns.


@pytest.mark.parametrize("longer_than", [210, 150, 100])
def test_edits_are_alike_by_column_as_one_by_one(longer_than: int) -> None:
    edits = sorted(rows("wikipedia", 20_000), key=lambda t: len(t.orig), reverse=True)[::7][:700]
    edits += edits[:50]
    where, columns = wikipedia.alike(longer_than), wikipedia.alike_columns(longer_than)
    one_by_one = np.array([[where(x, y) for y in edits] for x in edits])
    assert one_by_one.any()
    assert not one_by_one.diagonal().any()
    np.testing.assert_array_equal(columns(*sides([t.orig for t in edits])), one_by_one)


def test_case_beyond_ascii_is_lowered_by_column() -> None:
    texts = ["Жé" * 60, "жÉ" * 60, "жe" * 60]
    found = wikipedia.alike_columns(100)(*sides(texts))
    assert found.tolist() == [[False, False, True], [False, False, True], [True, True, False]]
    none = wikipedia.alike_columns(100)(*sides(["a", "b"]))
    assert none.dtype == bool
    assert not none.any()


@pytest.mark.parametrize("threshold", [0.5, 0.6, 0.7])
def test_scans_are_alike_by_column_as_one_by_one(threshold: float) -> None:
    dist = readings(2_000)[:300]
    dist = np.concatenate([dist, dist[:5]])
    scans_ = rows("scans", 2_000)[:300]
    scans_ = [*scans_, *scans_[:5]]
    where, columns = scans.alike(threshold), scans.alike_columns(threshold)
    one_by_one = np.array([[where(x, y) for y in scans_] for x in scans_])
    assert one_by_one.any() or threshold == 0.5
    np.testing.assert_array_equal(columns(*scan_sides(dist)), one_by_one)
