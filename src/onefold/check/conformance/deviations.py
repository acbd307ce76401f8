"""What plain PySpark does otherwise than the model: each deviation in words, and where it shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from onefold.check.conformance.usual import BY_INTERVAL, COUNTED, LISTED, UPDATED, WITHIN, Usual
from onefold.check.suite import Outcome


@dataclass(frozen=True)
class Deviation:
    """A thing that Spark does otherwise."""

    title: str
    instead: str
    """What Spark does, in a sentence."""
    matters: str
    """Why that matters, in a sentence."""
    shows: Callable[[Outcome], bool]
    """Says whether an outcome that differs shows it; the first deviation that says so counts."""


def _uses(outcome: Outcome, *constructs: object) -> bool:
    return isinstance(outcome.side, Usual) and outcome.side.way in constructs


def _about(outcome: Outcome, *beginnings: str) -> bool:
    return outcome.rule.name.startswith(beginnings)


def _on_late(outcome: Outcome) -> bool:
    return outcome.difference is not None and outcome.difference.what == "late"


DEVIATIONS: tuple[Deviation, ...] = (
    Deviation(
        "A stream has no end",
        "When a bounded run stops, with `availableNow` or as nothing more comes, the windows that "
        "the watermark has not passed stay in the state.",
        "The last results of a run never come out, unless somebody feeds a row from far in the "
        "future.",
        lambda outcome: _about(outcome, "end of stream"),
    ),
    Deviation(
        "Late rows are lost",
        "A row that is too late is dropped, and there is no stream of such rows.",
        "What was lost can't be counted, kept or put right.",
        _on_late,
    ),
    Deviation(
        "A window never fires again",
        "In append mode a window gives its result once, and what comes for it later is dropped.",
        "The delay of `withWatermark` is no allowed lateness: it makes every result wait, and "
        "corrects none.",
        lambda outcome: _uses(outcome, COUNTED) and _about(outcome, "lateness"),
    ),
    Deviation(
        "Update mode tells results before they are due",
        "Each batch tells the windows that it changed, due or not, and once for all of its rows.",
        "How many results there are, and with what numbers, depends on how the stream was cut into "
        "batches.",
        lambda outcome: _uses(outcome, UPDATED),
    ),
    Deviation(
        "A row at the watermark is late",
        "Interval joins, `dropDuplicates` and `transformWithState` drop rows with a time ≤ W; "
        "`groupBy(window)` and a join on a window drop those whose window has an end ≤ W.",
        "The same row is in time for one operator and late for another. With a delay of 0, rows as "
        "new as the newest one of the batch before are dropped.",
        lambda outcome: _about(outcome, "watermarks: a tuple at the watermark"),
    ),
    Deviation(
        "Null keys never join",
        "A join compares keys with `=`, and null = null is not true, though `groupBy` takes null "
        "for a key.",
        "Rows without a key are counted in one place and missing in the next; `<=>` joins them.",
        lambda outcome: _about(outcome, "keys: null"),
    ),
    Deviation(
        "Rows from before 1970 are late",
        "Spark's watermark begins at 1970-01-01, so stateful operators drop all that is older.",
        "A stream of old dates gives less than a batch job over the same rows, without a word.",
        lambda outcome: _about(outcome, "negative times"),
    ),
    Deviation(
        "An interval join pairs across windows",
        "It pairs all rows that are near, and two rows that are near may share no window.",
        "It gives other pairs than a windowed join does, here or on another engine.",
        lambda outcome: _uses(outcome, BY_INTERVAL) and _about(outcome, "pairs", "windows are"),
    ),
    Deviation(
        "An interval join pairs once, at a time of its own",
        "It pairs two rows once, however many windows hold both, and the pair has no time but "
        "those of its rows.",
        "Counts of pairs per window, made of its output, come out otherwise.",
        lambda outcome: _uses(outcome, BY_INTERVAL),
    ),
    Deviation(
        "collect_list keeps no order",
        "It lists rows as they reach the task, by neither time nor value.",
        "What is made of the list changes with batches and shuffles; `array_sort` by time and "
        "value makes it the same each time.",
        lambda outcome: _uses(outcome, LISTED),
    ),
    Deviation(
        "dropDuplicatesWithinWatermark knows no windows",
        "It keeps the row that comes first, until the watermark has passed its time and the delay.",
        "Which rows are repetitions depends on when the watermark moved.",
        lambda outcome: _uses(outcome, WITHIN),
    ),
)

UNKNOWN = Deviation(
    "Not described yet",
    "Spark does otherwise, and nobody has said why.",
    "It may be a change of Spark's.",
    lambda _: True,
)


def deviation(outcome: Outcome) -> Deviation | None:
    """Return what an outcome of plain Spark shows; None if it is as the model says."""
    if outcome.difference is None:
        return None
    return next((each for each in DEVIATIONS if each.shows(outcome)), UNKNOWN)


def shown(outcomes: Sequence[Outcome]) -> dict[Deviation, list[Outcome]]:
    """Return the deviations that show, in their order, each with what shows it."""
    found = [(each, what) for each in outcomes if (what := deviation(each))]
    return {
        what: [outcome for outcome, other in found if other is what]
        for what in (*DEVIATIONS, UNKNOWN)
        if any(other is what for _, other in found)
    }
