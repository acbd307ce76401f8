"""The rules of the model, as choices: a common mistake is another choice at one place.

Written anew from docs/model.md. Nothing of the engines or the window arithmetic is used, so that a
fault there does not hide itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

from onefold.core.aggregate import KeyBy
from onefold.core.functions import FAILED
from onefold.core.records import Tuple


class Pairs(Enum):
    """Which tuples a join pairs."""

    EVERY_WINDOW = "once for every window that holds both"
    ONCE = "once, however many windows hold both"
    INTERVAL = "all that are less than a window's size apart"


@dataclass(frozen=True)
class Rules:
    """What an operator does where it could do otherwise; as it stands here, what the model says."""

    first_instant: int = 0
    """Windows begin this much after their boundary: 0 for [left, right), 1 for (left, right]."""
    toward_zero: bool = False
    """Whether times before 1970 are rounded up to a boundary instead of down."""
    fires_after: int = 0
    """A window fires when W ≥ right + this."""
    gone_after: int = 0
    """A window is gone when W ≥ right + lateness + this."""
    output_after: int = -1
    """What a window emits has the time right + this."""
    previous_watermark: bool = False
    """Whether late is judged by the watermark of the step before."""
    drops_late: bool = True
    """Whether a tuple that comes too late is dropped; if not, it opens its window again."""
    fires_again: bool = True
    """Whether a tuple within the lateness fires its window again."""
    equal_tuples_count: bool = True
    """Whether each of several equal tuples counts."""
    null_is_a_key: bool = True
    """Whether null equals null, in a key."""
    nan_is_a_key: bool = True
    """Whether NaN equals NaN, in a key."""
    in_order: bool = True
    """Whether a window's tuples come by time and value; if not, as they arrived."""
    end_fires: bool = True
    """Whether the end of the stream fires the windows that are open."""
    pairs: Pairs = Pairs.EVERY_WINDOW

    def lefts(self, time: int, advance: int, size: int) -> Iterator[int]:
        """Return where the windows begin that hold a time."""
        time -= self.first_instant
        number = -(-time // advance) if self.toward_zero and time < 0 else time // advance
        while (left := number * advance) > time - size:
            yield left
            number -= 1

    def fires(self, left: int, size: int, watermark: int) -> bool:
        """Say whether a window's result is due."""
        return watermark >= left + size + self.fires_after

    def gone(self, left: int, size: int, lateness: int, watermark: int) -> bool:
        """Say whether a window takes no more tuples."""
        return self.drops_late and watermark >= left + size + lateness + self.gone_after

    def output_time(self, left: int, size: int) -> int:
        """Return the time of what a window emits."""
        return left + size + self.output_after

    def is_key(self, key: Any) -> bool:
        """Say whether a key equals itself."""
        parts = key if isinstance(key, tuple) else (key,)
        nulls = not self.null_is_a_key and any(each is None for each in parts)
        nans = not self.nan_is_a_key and any(each != each for each in parts)
        return not nulls and not nans

    def ordered(self, tuples: Iterable[Tuple]) -> tuple[Tuple, ...]:
        """Return a window's tuples as its function gets them."""
        taken = list(tuples)
        if not self.equal_tuples_count:
            taken = list({comparable(tuple(t)): t for t in taken}.values())
        return tuple(sorted(taken, key=rank) if self.in_order else taken)


MODEL = Rules()


def key_of(t: Tuple, key: KeyBy) -> Any:
    """Return a tuple's key; FAILED if the user's function failed and was set aside."""
    if key.function is not None:
        return key.function(t)
    if key.attributes is None:
        return tuple(t)[1:]
    found = tuple(t[name] for name in key.attributes)
    return found[0] if len(found) == 1 else found


def keyed(tuples: Iterable[Tuple], key: KeyBy) -> Iterator[tuple[Tuple, Any]]:
    """Return tuples with their keys, without those whose key failed."""
    for t in tuples:
        found = key_of(t, key)
        if found is not FAILED:
            yield t, found


class _Nan(Enum):
    NAN = "NaN"


def comparable(value: Any) -> Any:
    """Return a value that Python compares as the model does: NaN equals NaN, tuples by value."""
    if isinstance(value, tuple):
        return tuple(comparable(each) for each in value)
    return _Nan.NAN if value != value else value


def rank(value: Any) -> Any:
    """Return what to sort by: null before all values, NaN behind them."""
    if isinstance(value, tuple):
        return 1, [rank(each) for each in value]
    if value is None:
        return (0,)
    return (2,) if value != value else (1, value)


def matched_by(join: Any, x: Tuple, y: Tuple) -> list[Any]:
    """Return the row of a pair if the join's predicate holds; none where a call was set aside."""
    made = [join.select(x, y)] if join.where(x, y) is True else []
    return [row for row in made if row is not FAILED]
