"""Known causes: mistakes that explain a difference to the last tuple.

A known mistake is another choice in the rules. If the definition with that choice says just what
the side said, that is the cause.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from onefold.check.case import Case
from onefold.check.rules import Pairs, Rules
from onefold.check.sides import Said
from onefold.engines.steps import Made

KNOWN: tuple[tuple[Rules, str], ...] = (
    (
        Rules(first_instant=1),
        "its windows are (left, right]: a tuple on a boundary falls in the window that ends there",
    ),
    (
        Rules(toward_zero=True),
        "times before 1970 are rounded toward zero: a window must begin at or before its tuples",
    ),
    (
        Rules(fires_after=1),
        "its windows fire one tick late: a window is due at W = right, not at W > right",
    ),
    (Rules(fires_after=-1), "its windows fire one tick early: before W = right"),
    (
        Rules(gone_after=1),
        "it takes late tuples for one tick too long: a window is gone at W = right + lateness",
    ),
    (
        Rules(gone_after=-1),
        "it drops late tuples one tick too soon: a window is gone at W = right + lateness",
    ),
    (
        Rules(output_after=0),
        "its output has the window's right boundary as time: the last instant is 1 ms before",
    ),
    (
        Rules(previous_watermark=True),
        "the late filter of this operator uses the previous batch's watermark",
    ),
    (
        Rules(drops_late=False),
        "it drops no late tuple: a window that is gone is opened again",
    ),
    (
        Rules(fires_again=False),
        "a late tuple within the lateness does not fire its window again",
    ),
    (
        Rules(equal_tuples_count=False),
        "equal tuples count once: a stream is a multiset, and each of them counts",
    ),
    (Rules(null_is_a_key=False), "null does not equal null in its keys, as in SQL"),
    (Rules(nan_is_a_key=False), "NaN does not equal NaN in its keys"),
    (
        Rules(in_order=False),
        "it hands a window's tuples over as they arrived: they come by time, then by value",
    ),
    (
        Rules(end_fires=False),
        "the end of the stream does not fire the windows that are still open",
    ),
    (
        Rules(pairs=Pairs.ONCE),
        "it pairs two tuples once: the model pairs them for every window that holds both",
    ),
    (
        Rules(pairs=Pairs.INTERVAL),
        "it pairs all tuples that are near (an interval join), not those that share a window",
    ),
)


MOODY = "a function of the pipeline gives something else each time it is called"
AT_OTHER_STEPS = "it emits the right tuples, but not when they are due"
OTHER_TIMES = "its output has other times (--no-times compares the values alone)"


def cause(said: Said, case: Case) -> str | None:
    """Return the known mistake that explains all that a side said, if there is one."""
    return next(causes(said, case), None)


def causes(said: Said, case: Case) -> Iterator[str]:
    """Return every known mistake that explains all that a side said."""
    if said.difference is None or said.difference.error:
        return
    if _says(said.side.expected_anew(case).made) != _says(said.expected):
        yield MOODY
        return
    for rules, text in KNOWN:
        explained = said.side.expected(case, rules).made
        if said.side.difference(case, explained, said.made) is None:
            yield text
    if said.difference.what == "output" and _says(said.made) == _says(said.expected):
        yield AT_OTHER_STEPS
    if said.side.player.own_code:
        yield from _without_times(said, case)


def _without_times(said: Said, case: Case) -> Iterator[str]:
    """Return what explains all but the times: own code may give them as it likes."""
    here, wanted = _says(said.made, times=False), _says(said.expected, times=False)
    if here == wanted:
        yield OTHER_TIMES
        return
    for rules, text in KNOWN:
        if _says(said.side.expected(case, rules).made, times=False) == here:
            yield text


def _says(made: Sequence[Made], *, times: bool = True) -> Counter[tuple[object, ...]]:
    first = 0 if times else 1
    return Counter(tuple(t)[first:] for each in made for t in each.output)
