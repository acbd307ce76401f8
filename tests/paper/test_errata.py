"""One test for each row of docs/errata.md: the printed version fails, ours does not.

The printed pieces stand in `printed.py`. Rows 11 to 14 are about the experiments, which are in
`onefold.bench.experiments`.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from pathlib import Path
from typing import Any

import printed
import pytest
from runs import ALL, Driven, adversary

import onefold as of
from onefold.bench.experiments import EXPERIMENTS, scans, wikipedia
from onefold.core import windows
from onefold.core.aggregate import WHOLE_TUPLE, Aggregate, KeyBy
from onefold.core.ddl import tuple_type
from onefold.core.errors import FunctionFailed, LoopNeverEnds
from onefold.core.time import END_OF_TIME
from onefold.core.types import TupleType
from onefold.operators.aggregate import Aggregation
from onefold.operators.embed import embed
from onefold.operators.loop import Loop
from onefold.operators.stateful import Stateful
from onefold.operators.unfold import BY_IDENTITY, next_position, unfold
from onefold.operators.watermarks import DownstreamManager, Owed, UpstreamManager

ROOT = Path(__file__).parents[2]
WORD = tuple_type("word string")


def words() -> of.Stream:
    return of.source("s", WORD)


def count(window: of.Window) -> tuple[int]:
    return (len(window.tuples),)


def each(function: Any, output: TupleType = WORD) -> Aggregate:
    """A flat_map's function as that of a window of δ by the whole tuple."""
    return Aggregate(
        lambda window: [row for t in window.tuples for row in function(t)],
        output,
        WHOLE_TUPLE,
        1,
        1,
        many=True,
    )


def test_row_01_a_late_tuple_is_processed_iff_its_window_is_not_gone() -> None:
    """As printed: processed if γ.l + WS ≤ W + L. Right: iff W < γ.l + WS + L."""
    meaning = Aggregate(lambda w: [count(w)], tuple_type("n int"), KeyBy(), 10, 10)
    as_printed = printed.LatenessAsPrinted(
        (words().node,), meaning.output, printed.PRINTED, meaning
    )
    ours = words().aggregate(count, "n int", size=10)

    # L = 0, W = 10: the window [0, 10) has fired and is gone, and 0 + 10 ≤ 10 + 0.
    gone = [("s", (1, "a")), ("s", 10), ("s", (9, "b"))]
    assert Driven(as_printed, gone).output == [(9, 1), (9, 1)]
    assert (Driven(ours, gone).output, Driven(ours, gone).late) == ([(9, 1)], [(9, "b")])

    # L = 0, W = 5: the window [0, 10) has not even fired, and 0 + 10 > 5 + 0.
    still_open = [("s", (1, "a")), ("s", 5), ("s", (3, "b"))]
    assert Driven(as_printed, still_open).late == [(3, "b")]
    assert (Driven(ours, still_open).output, Driven(ours, still_open).late) == ([(9, 2)], [])

    # As printed a window takes late tuples from W = γ.l + WS − L on, for ever.
    for watermark in range(30):
        assert windows.dropped(0, 10, 5, watermark) == (watermark >= 15)
        assert printed.is_processed(0, 10, 5, watermark) == (watermark >= 5)


def test_row_02_the_index_stops_at_the_last_tuple() -> None:
    """As printed: A1 loops while t[2] < |t[1]|. Right: while t[2] + 1 < |t[1]|."""
    run = [("s", (1, "a"))]
    embedded = embed(words().node, each(lambda t: [(t.word,)]), printed.PRINTED)
    as_printed = printed.unfold(embedded, WORD, printed.next_position)
    with pytest.raises(IndexError):
        Driven(as_printed, run)
    ours = unfold(embedded, WORD, printed.PRINTED, lateness=0)
    assert Driven(ours, run).output == [(1, "a")]


def test_row_03_the_manager_behind_the_loop_counts_what_it_sees() -> None:
    """As printed: C3 waits for t[2] = −1, which A1 never emits. Right: the first index is 0."""
    # A1 emits one tuple of τ = 1 that is its own only successor; then comes W = 2.
    as_printed = printed.Downstream()
    as_printed.process_tuple(time=1, count=1, index=0)
    for watermark in (2, 100, 10_000):
        as_printed.process_watermark(watermark)
    assert as_printed.successors == {1: -1}, "never set, so it falls below 0 and stays"
    assert as_printed.forwarded == [0], "A2's window [1, 2) never fires"

    # With the index mended, |T| = 1 leaves an entry of 0 for ever.
    half_mended = printed.Downstream(first=0)
    half_mended.process_tuple(time=1, count=1, index=0)
    for watermark in (2, 100, 10_000):
        half_mended.process_watermark(watermark)
    assert half_mended.successors == {1: 0}
    assert half_mended.forwarded == [0]

    # And the watermark goes back: W = 9 is out when the last successor of τ = 5 comes.
    goes_back = printed.Downstream(first=0)
    goes_back.process_watermark(9)
    goes_back.process_tuple(time=5, count=2, index=0)
    goes_back.process_tuple(time=5, count=2, index=1)
    assert goes_back.forwarded == [9, 5]

    owed = Owed()
    ours = DownstreamManager(owed)
    owed.expect(1)
    ours.process(2)
    assert ours.forward() == 1, "nothing before τ = 1 is owed"
    owed.settle(1)
    assert ours.forward() == 2
    owed.expect(1)
    assert ours.forward() is None, "never back"


@pytest.mark.parametrize("implementation", ALL)
def test_row_04_no_two_embedded_tuples_are_equal(implementation: str) -> None:
    """As printed: different inputs give different T. With multisets f(a) ⌢ f(b) may equal f(c)."""

    def function(t: Any) -> list[tuple[str]]:
        return [("x",), ("x",)] if t.word == "c" else [("x",)]

    run = [("s", (1, "a")), ("s", (1, "b")), ("s", (1, "c"))]
    as_printed = printed.unfold(
        printed.embed_plain(words().node, each(function)),
        WORD,
        printed.next_position_plain,
        key=WHOLE_TUPLE,
    )
    assert Driven(as_printed, run).output == [(1, "x")] * 2
    assert Driven(words().flat_map(function, WORD), run, implementation).output == [(1, "x")] * 4


def totals(period: int = 10) -> of.Stream:
    return words().stateful(
        "n int",
        period=period,
        create=lambda t: 1,
        add=lambda n, t: n + 1,
        merge=lambda n, m: n + m,
        output=lambda n: (n,),
    )


def printed_totals(loop: Loop, *, lateness: int = 1, **pieces: bool) -> Any:
    node = totals().node
    assert isinstance(node, Stateful)
    return printed.stateful(node, printed.StateFunction(node, **pieces), loop, lateness=lateness)


UNTIL_THE_END = Loop(distance=1, after_end=0)


@pytest.mark.parametrize(
    ("time", "as_printed", "right"),
    [(10, [(10, 1), (20, 2)], [(20, 1)]), (9, [], [(10, 1)])],
    ids=["the boundary counts twice", "one tick before is lost"],
)
def test_row_05_the_shared_instant_is_the_period_boundary(
    time: int, as_printed: list[Any], right: list[Any]
) -> None:
    """As printed: O skips τ = γ.l + P − δ. Right: two windows share γ.l + P."""
    run = [("s", (time, "a"))]
    assert Driven(printed_totals(UNTIL_THE_END, skips_one_before=True), run).output == as_printed
    for implementation in ALL:
        assert Driven(totals(), run, implementation).output == right


def test_row_06_a_window_of_boundary_tuples_has_no_state() -> None:
    """As printed: O returns {t_s} always. Right: nothing where no tuple made a state."""
    run = [("s", (10, "a"))]
    with pytest.raises(FunctionFailed, match="called with None and"):
        Driven(printed_totals(UNTIL_THE_END, always_returns=True), run)
    for implementation in ALL:
        assert Driven(totals(), run, implementation).output == [(20, 1)]


def test_row_07_the_state_stops_at_the_end_of_the_stream() -> None:
    """As printed: with W = ∞ the state goes round for ever. Right: to the last window in use."""
    run = [("s", (1, "a"))]
    with pytest.raises(LoopNeverEnds, match="500 times"):
        Driven(printed_totals(Loop(distance=1, limit=500)), run)
    for implementation in ALL:
        assert Driven(totals(), run, implementation).output == [(10, 1)]


def test_row_08_equal_tuples_each_count() -> None:
    """As printed: sets and ∪. Right: multisets, two equal inputs give two outputs."""
    run = [("s", (1, "a")), ("s", (1, "a"))]
    embedded = printed.embed_set(words().node, each(lambda t: [(t.word,)]))
    as_printed = printed.unfold(embedded, WORD, next_position)
    assert Driven(as_printed, run).output == [(1, "a")]
    for implementation in ALL:
        made = Driven(words().map(lambda t: t, WORD), run, implementation).output
        assert made == [(1, "a")] * 2


def test_row_09_windows_start_before_zero() -> None:
    """As printed: ℓ is a natural number. Right: every integer ℓ."""
    assert printed.lefts(-1, 10, 10) == [], "a tuple that falls in no window is lost"
    assert list(windows.lefts(-1, 10, 10)) == [-10]
    assert printed.lefts(1, 5, 10) == [0]
    assert list(windows.lefts(1, 5, 10)) == [-5, 0]
    counts = words().aggregate(count, "n int", size=10, advance=5)
    assert Driven(counts, [("s", (1, "a"))]).output == [(4, 1), (9, 1)]
    assert Driven(counts, [("s", (-1, "a"))]).output == [(-1, 1), (4, 1)]


def test_row_10_keys_are_compared_by_value() -> None:
    """The authors' code keys by 32-bit hash codes. Right: by value."""
    assert printed.hash_code("Aa") == printed.hash_code("BB") == 2112
    run = [("s", (1, "Aa")), ("s", (1, "BB"))]

    def first_and_count(window: of.Window) -> tuple[str, int]:
        return window.tuples[0].word, len(window.tuples)

    def counts(key: Any) -> of.Stream:
        return words().aggregate(first_and_count, "word string, n int", key=key, size=1)

    assert Driven(counts(lambda t: printed.hash_code(t.word)), run).output == [(1, "Aa", 2)]
    assert Driven(counts(["word"]), run).output == [(1, "Aa", 1), (1, "BB", 1)]

    # Python's own hash codes meet as well; a join that took them would pair -1 with -2.
    assert hash((-1,)) == hash((-2,))
    numbers = of.source("s", "n int")
    pairs = numbers.join(numbers, "x int, y int", key=["n"], size=1)
    for implementation in ALL:
        found = Driven(pairs, [("s", (1, -1)), ("s", (1, -2))], implementation).answer
        assert found == Counter([(1, -1, -1), (1, -2, -2)])


# Rows 11 to 14: the experiments, as decided.


def test_row_11_the_longest_word_has_ten_letters_or_more() -> None:
    """As printed: length > 10. The authors' code: ≥ 10; ties go to the smallest word."""

    def long_as_printed(t: Any) -> list[tuple[str]]:
        word = wikipedia.most_frequent(t.orig)
        return [(word,)] if len(word) > 10 else []

    def edited(*originals: str) -> list[Any]:
        return [("wikipedia", (n, text, "", "")) for n, text in enumerate(originals, 1)]

    run = edited("abcdefghij a", "abcdefghijk", "abcdefghi")
    as_printed = wikipedia.edits().flat_map(long_as_printed, WORD)
    assert Driven(as_printed, run).output == [(2, "abcdefghijk")]

    # In the first text both words come once, and "a" is the smaller.
    ours = EXPERIMENTS["LLF"].pipeline()
    for implementation in ALL:
        assert Driven(ours, run, implementation).output == [(2, "abcdefghijk")]
        ten = edited("abcdefghij")
        assert Driven(ours, ten, implementation).output == [(1, "abcdefghij")]
        assert Driven(as_printed, ten, implementation).output == []
    assert wikipedia.most_frequent("b\ta\n b a c") == "a"
    assert wikipedia.most_frequent("b b a") == "b"
    assert Driven(EXPERIMENTS["ALF"].pipeline(), edited(" \n")).output == []


def scanned(*scans_: tuple[float, ...]) -> list[Any]:
    return [("scans", (n, n, dist)) for n, dist in enumerate(scans_, 1)]


def test_row_12_a_scan_is_forwarded_from_13_metres_on() -> None:
    """As printed: > 3 m from the reference point, which every scan is. The authors' code: 13 m."""
    run = scanned((1.0,) * scans.READINGS, (5.0,) * scans.READINGS)

    def far_as_printed(t: Any) -> list[Any]:
        points = scans.from_reference(t.dist)
        return [points] if scans.average_distance(points) > 3 else []

    as_printed = scans.scans().flat_map(far_as_printed, scans.POINTS)
    ours = EXPERIMENTS["lhf"].pipeline()
    for implementation in ALL:
        assert [t[0] for t in Driven(as_printed, run, implementation).output] == [1, 2]
        assert [t[0] for t in Driven(ours, run, implementation).output] == [1]
    # The sensor stands at (0, 0), 14.1 m away: a scan must reach 11 m to come nearer than 3 m.
    assert math.dist((0, 0), scans.REFERENCE) - 3 > 11


def test_row_13_scans_are_compared_by_their_first_76_readings() -> None:
    """As printed: the differences over the scan, < threshold. Right: of 76 readings, 0 < … ≤."""
    # Two scans that differ by a millimetre everywhere: 0.076 m in 76 readings, 0.761 m in all.
    run = scanned((2.0,) * scans.READINGS, (2.001,) * scans.READINGS)

    def alike_as_printed(x: Any, y: Any) -> bool:
        return sum(abs(a - b) for a, b in zip(x.dist, y.dist)) < 0.5

    as_printed = scans.pairs(alike_as_printed, size=1000)
    ours = EXPERIMENTS["llj"].pipeline()
    for implementation in ALL:
        # Every scan matches itself, and no other.
        found = Driven(as_printed, run, implementation).answer
        assert found == Counter((end, n, n, n) for end in (499, 999) for n in (1, 2))
        found = Driven(ours, run, implementation).answer
        assert found == Counter((end, *pair, 2) for end in (499, 999) for pair in ((1, 2), (2, 1)))


def test_row_14_a_self_join_finds_a_pair_in_both_orders_in_every_window() -> None:
    """As printed: two streams. The authors' code: one stream, joined with itself."""
    stream = words()
    joined = stream.join(stream, "x string, y string", size=3, advance=1)
    run = [("s", (5, "a")), ("s", (6, "b"))]
    # [3, 6) holds a alone, [4, 7) and [5, 8) hold both, [6, 9) holds b alone.
    both_orders = [("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")]
    right = Counter(
        [(5, "a", "a"), (8, "b", "b")]
        + [(6, *pair) for pair in both_orders]
        + [(7, *pair) for pair in both_orders]
    )
    left, other = of.source("l", WORD), of.source("r", WORD)
    two_streams = left.join(other, "x string, y string", size=3, advance=1)
    apart = [("l", (5, "a")), ("r", (6, "b"))]
    for implementation in ALL:
        assert Driven(joined, run, implementation).answer == right
        found = Driven(two_streams, apart, implementation).answer
        assert found == Counter([(6, "a", "b"), (7, "a", "b")])


# Rows 15 to 18: found while building.


def test_row_15_a_window_is_silent_once_its_own_state_has_come_round() -> None:
    """As printed: the state of τ = γ.l + P falls in γ itself, which fires again, for ever."""
    run = [("s", (1, "a")), ("s", 11)]
    endless = Loop(distance=1, after_end=0, limit=500)
    with pytest.raises(LoopNeverEnds, match="500 times"):
        Driven(printed_totals(endless, knows_its_own=False), run, end=False)
    mended = Driven(printed_totals(endless), run, end=False)
    assert mended.output == [(10, 1)], "that piece alone makes the difference"
    for implementation in ALL:
        assert Driven(totals(), run, implementation, end=False).output == [(10, 1)]


@pytest.mark.parametrize("watermark", [8, END_OF_TIME], ids=["a gap above L", "the end"])
def test_row_16_a_watermark_is_cut_where_a_successor_is_owed(watermark: int) -> None:
    """As printed: C2 holds W > B back whole, and the successor it waits for never comes."""
    as_printed = printed.Upstream(lateness=1)
    as_printed.process_tuple(time=5, count=1, index=-1)
    as_printed.process_watermark(watermark)
    assert as_printed.fed == [(5, 1, -1)], "A1 needs W = 6 to fire, and is given nothing"
    assert as_printed.pending == [watermark]

    owed = Owed()
    ours = UpstreamManager(owed, distance=1)
    owed.expect(5)
    ours.process(watermark)
    assert ours.forward() == 6, "cut at the owed time + distance: A1 fires"
    assert ours.forward() is None, "no further before the successor is back"
    owed.settle(5)
    assert ours.forward() == watermark
    for implementation in ALL:
        run = [("s", (5, "a")), ("s", watermark)]
        made = Driven(words().map(lambda t: t, WORD), run, implementation, end=False)
        assert made.output == [(5, "a")]
        assert made.engine.output_watermark() == watermark


def test_row_16_a_state_comes_round_before_the_next_window_fires() -> None:
    """As printed: O with L > P fires the next window first, and partial states come out."""
    run = [("s", (1, "a")), ("s", (11, "b"))]
    as_printed = printed_totals(Loop(distance=25, after_end=0), lateness=25)
    assert Driven(as_printed, run).output == [(10, 1), (20, 1), (20, 2)]
    for implementation in ALL:
        assert Driven(totals(), run, implementation).output == [(10, 1), (20, 2)]


def test_row_17_a_window_that_fires_again_gives_a_new_embedded_tuple() -> None:
    """As printed: E tells tuples by value; a window that fires again meets what it gave before."""
    run = [("s", (1, "a")), ("s", 10), ("s", (2, "b"))]

    def unfolded(made: Aggregation, count_up: Any, key: KeyBy) -> list[Any]:
        return Driven(printed.unfold(made, WORD, count_up, key=key, lateness=5), run).output

    # The same result twice: the second [x] joins the first, to [x, x], and 3 come out.
    same = Aggregate(lambda w: [("x",)], WORD, KeyBy(), 10, 10, 5, many=True)
    as_printed = printed.embed_plain(words().node, same)
    assert unfolded(as_printed, printed.next_position_plain, WHOLE_TUPLE) == [(9, "x")] * 3

    # The window's key alone does not tell either: [a] comes again, and [a, b] never.
    both = Aggregate(lambda w: [(t.word,) for t in w.tuples], WORD, KeyBy(), 10, 10, 5, many=True)
    by_key = printed.embed_by_key(words().node, both)
    assert unfolded(by_key, next_position, BY_IDENTITY) == [(9, "a"), (9, "a")]

    for implementation in ALL:
        ours = words().aggregate_plus(lambda w: [("x",)], WORD, size=10, lateness=5)
        assert Driven(ours, run, implementation).output == [(9, "x")] * 2
        ours = words().aggregate_plus(lambda w: w.tuples, WORD, size=10, lateness=5)
        assert Driven(ours, run, implementation).output == [(9, "a"), (9, "a"), (9, "b")]


NAN = float("nan")


@pytest.mark.parametrize("implementation", ALL)
def test_row_18_nan_and_structs_are_keys_by_value(implementation: str) -> None:
    """As printed: key-by all attributes. NaN ≠ NaN in every language, and would never meet."""
    stream = of.source("s", "x double, at struct<y: double, z: array<string>>")
    run: list[Any] = [
        ("s", (1, NAN, {"y": float("nan"), "z": ["a"]})),
        ("s", (1, float("nan"), (NAN, ("a",)))),
        ("s", (1, -0.0, None)),
        ("s", (1, 0.0, None)),
    ]
    plain = KeyBy(function=printed.held(lambda t: float(str(t.x))))
    meaning = Aggregate(lambda w: [count(w)], tuple_type("n int"), plain, 1, 1)
    as_printed = Aggregation((stream.node,), meaning.output, printed.PRINTED, meaning)
    assert Driven(as_printed, run).output == [(1, 1), (1, 1), (1, 2)]

    for key in (["x"], ["at"], ["x", "at"], lambda t: t.x, lambda t: [t.at, t.x]):
        counts = stream.aggregate(count, "n int", key=key, size=1)
        assert Driven(counts, run, implementation).output == [(1, 2), (1, 2)]
        states = stream.stateful(
            "n int",
            key=key,
            period=10,
            create=lambda t: 1,
            add=lambda n, t: n + 1,
            merge=lambda n, m: n + m,
            output=lambda n: (n,),
        )
        later = [("s", (11, float("nan"), (float("nan"), ["a"])))]
        found = Driven(states, run + later, implementation).answer
        assert found == Counter([(10, 2), (10, 2), (20, 3), (20, 2)])
    pairs = stream.join(stream, "n int", key=["at"], select=lambda x, y: (1,), size=1)
    assert Driven(pairs, run, implementation).answer == Counter({(1, 1): 8})
    copies = stream.map(lambda t: t, stream.type)
    assert len(Driven(copies, run, implementation).output) == 4


# What the authors' program gets wrong when it is run and counted.


def top_three(t: Any) -> list[tuple[str]]:
    counts = Counter(t.word.split())
    return [(word,) for word in sorted(counts, key=lambda word: (-counts[word], word))[:3]]


def test_the_end_of_a_stream_loses_nothing_that_is_in_the_loop() -> None:
    """Theirs: 272,298 of 299,999 results, as what is in the loop at the end is lost."""
    pipeline = words().flat_map(top_three, WORD)
    run: list[Any] = []
    for time in range(1000):
        run.append(("s", (time, f"w{time % 7} x y z")))
        if time % 200 == 199:
            run.append(("s", time + 1))
    right = Driven(pipeline, run).answer
    assert right.total() == 3000
    starved = Driven(pipeline, run, "aggregate", schedule=adversary([3, 0] * 100), end=False)
    assert 0 < len(starved.output) < 3000, "something is in the loop"
    starved.engine.end()
    rest = Counter(tuple(t) for t in starved.engine.take_output())
    assert starved.answer + rest == right
    assert Driven(pipeline, run, "aggregate-plus").answer == right


@pytest.mark.parametrize("implementation", ALL)
def test_twenty_equal_tuples_in_a_millisecond_give_all_their_results(implementation: str) -> None:
    """Theirs: 1,000 of 60,000 results (rows 4 and 8)."""
    run = [("s", (time, "x y z")) for time in range(50) for _ in range(20)]
    made = Driven(words().flat_map(top_three, WORD), run, implementation).answer
    assert made == {(time, word): 20 for time in range(50) for word in "xyz"}


@pytest.mark.parametrize("implementation", ALL)
def test_two_strings_of_one_hash_code_in_a_millisecond_stay_apart(implementation: str) -> None:
    """Theirs: all 10,000 results of one lost, 5,077 false ones of the other (row 10)."""
    run = [("s", (time, word)) for time in range(100) for word in ("Aa", "BB")]
    one_each = {(time, word): 1 for time in range(100) for word in ("Aa", "BB")}
    assert Driven(words().map(lambda t: t, WORD), run, implementation).answer == one_each
    stream = words()
    joined = stream.join(stream, "x string, y string", key=["word"], size=1)
    pairs = {(time, word, word): 1 for time in range(100) for word in ("Aa", "BB")}
    assert Driven(joined, run, implementation).answer == pairs


def test_the_halves_of_a_stream_give_together_what_the_whole_gives() -> None:
    """Theirs: a NullPointerException at parallelism 2.

    The reference engine has one instance of each operator, so parallelism does not apply to it.
    What it rests on does: two instances, each with a part of the stream, give what one gives.
    """
    pipeline = words().flat_map(top_three, WORD)
    run = [("s", (time, f"w{time % 3} x y")) for time in range(60)]
    whole = Driven(pipeline, run, "aggregate").answer
    first, second = (Driven(pipeline, run[n::2], "aggregate").answer for n in (0, 1))
    assert first + second == whole


def test_every_row_of_the_errata_names_its_tests() -> None:
    text = (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")
    rows = {
        int(row): line for line in text.splitlines() for row in re.findall(r"^\| (\d+) \|", line)
    }
    assert sorted(rows) == list(range(1, 19))
    for number, line in rows.items():
        named = re.findall(r"`(test_\w+)`", line)
        assert named, f"row {number} names no test"
        for name in named:
            assert callable(globals().get(name)), f"row {number}: there is no {name}"
            assert name.startswith(f"test_row_{number:02}_")
    tests = {name for name in globals() if name.startswith(("test_row_", "test_the_", "test_tw"))}
    assert tests <= set(re.findall(r"`(test_\w+)`", text))
