"""Assertions: your code means the same as a pipeline, multisets are equal, a transcript holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace as changed
from pathlib import Path
from typing import Any

from onefold.check.ask import on_generated_streams
from onefold.check.judge import Verdict
from onefold.check.players import Player, own_code, player
from onefold.check.replay import CaseResult
from onefold.check.replay import replay as replayed
from onefold.check.rows import MOST_SHOWN, write_row
from onefold.core.functions import describe
from onefold.core.plan import Implementation, plan
from onefold.core.records import Record
from onefold.core.values import NAN
from onefold.stream import Stream


def assert_same(
    stream: Stream,
    *functions: Callable[..., Any],
    engines: str | Player | Sequence[str | Player] = (),
    implementations: str | Implementation | Sequence[str | Implementation] = tuple(Implementation),
    cases: int | None = None,
    seed: int = 0,
    late: bool = True,
    time: str = "ts",
    times: bool = True,
) -> Verdict:
    """Assert that your Spark code, or engines, do what a stream means; return the verdict.

    A function gets a DataFrame for each source, with the event time in the column `time` and its
    watermark, and returns one. It is judged on generated streams; where it differs, the error shows
    the smallest stream that was found; with `times=False` the times of its output do not count.
    Without functions and engines, the implementations on the
    reference engine are compared.

    >>> words = of.source("words", "word string")
    >>> verdict = assert_same(words.filter(lambda t: t.word == "a"), cases=20)
    >>> verdict.same, verdict.tried.streams
    (True, 20)
    """
    if isinstance(engines, (str, Player)):
        engines = [engines]
    if isinstance(implementations, (str, Implementation)):
        implementations = [implementations]
    named = [each if isinstance(each, Player) else player(each) for each in engines]
    owned = [own_code(each, describe(each), time) for each in functions]
    players = [*named, *owned] or [player("reference")]
    players = [changed(each, times=times and each.times) for each in players]
    verdict = on_generated_streams(
        plan(stream.node),
        players,
        [Implementation.of(each) for each in implementations],
        cases=cases,
        seed=seed,
        late=late,
    )
    if not verdict.same:
        raise AssertionError(str(verdict))
    return verdict


def assert_same_tuples(found: Iterable[Any], expected: Iterable[Any]) -> None:
    """Assert that two multisets of rows are equal; say what is missing and what is unexpected.

    Rows may be tuples of a stream, plain tuples, lists, Spark's rows or dictionaries; NaN equals
    NaN, -0.0 equals 0.0.

    >>> assert_same_tuples([(9, "a", 1), (9, "b", 2)], [(9, "b", 2), (9, "a", 1)])
    >>> assert_same_tuples([(9, "a", 1), (9, "a", 1)], [(9, "a", 1), (9, "b", 2)])
    Traceback (most recent call last):
    AssertionError: the rows differ
      missing    [9, "b", 2]
      unexpected [9, "a", 1]
    """
    here, wanted = Counter(map(_plain, found)), Counter(map(_plain, expected))
    if here == wanted:
        return
    told = _listed("missing   ", wanted - here) + _listed("unexpected", here - wanted)
    raise AssertionError("\n".join(["the rows differ", *(f"  {each}" for each in told)]))


def _plain(row: Any) -> Any:
    """Return a row as a tuple that Python compares as the model does."""
    match row:
        case float():
            return row + 0.0 if row == row else NAN
        case Record():
            return tuple(_plain(each) for each in tuple(row))
        case Mapping():
            return tuple(_plain(each) for each in row.values())
        case bytes() | bytearray():
            return bytes(row)
        case tuple() | list():
            return tuple(_plain(each) for each in row)
    return row


def _listed(title: str, rows: Counter[Any]) -> list[str]:
    written = sorted(
        f"{title} {write_row(row)}" + (f" ({count} times)" if count > 1 else "")
        for row, count in rows.items()
    )
    more = len(written) - MOST_SHOWN
    return written[:MOST_SHOWN] + ([f"{title} {more} more"] if more > 0 else [])


def replay(
    path: str | Path,
    implementations: Iterable[str | Implementation] = tuple(Implementation),
    engine: str | Player | Callable[..., Any] = "reference",
    *,
    rewrites: bool = False,
) -> list[CaseResult]:
    """Assert that every case of a transcript holds, in every implementation.

    `engine` is who runs it: an engine, or a function of yours, from DataFrames to one.
    """
    by = engine if isinstance(engine, (str, Player)) else own_code(engine, describe(engine))
    results = replayed(path, implementations, by, rewrites=rewrites)
    failed = [each for each in results if each.problem]
    if failed:
        told = [f"{each.name} ({each.implementation.value}): {each.problem}" for each in failed]
        raise AssertionError("\n".join(told))
    return results
