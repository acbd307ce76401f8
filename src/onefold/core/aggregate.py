"""The one operator."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from onefold.core.errors import BadKey, SizeBelowAdvance, UnknownAttribute
from onefold.core.functions import Step, UserFunction
from onefold.core.near import did_you_mean
from onefold.core.records import Key, Tuple, record_class, values
from onefold.core.time import TICK, Duration, duration, show_duration
from onefold.core.types import Misfit, TupleType
from onefold.core.values import listed, normal


@dataclass(frozen=True)
class Window:
    """What an Aggregate's function gets: [left, right), the key, the tuples by time and value."""

    left: int
    right: int
    key: Any
    tuples: tuple[Tuple, ...]


@dataclass(frozen=True)
class KeyBy:
    """Which tuples share a window: those of equal attributes, or of equal function value."""

    attributes: tuple[str, ...] | None = ()
    """None: the whole tuple, the paper's T(S)."""
    function: UserFunction | None = None
    text: str = ""
    """How to show the key where the function is not the user's own."""

    def over(self, tuples: Sequence[Tuple]) -> Iterable[tuple[Tuple, Hashable]]:
        """Return each tuple with its key; a tuple whose key fails and is set aside is left out."""
        if self.function is not None:
            return self.function.over(tuples)
        if self.attributes is None:
            return zip(tuples, map(values, tuples))
        if not self.attributes:
            return ((t, ()) for t in tuples)
        return zip(tuples, map(attrgetter(*self.attributes), tuples))

    def shown(self, key: Any) -> Any:
        """Return a key as `window.key` shows it: with names if it is made of attributes."""
        if self.function is not None or self.attributes is None:
            return key
        values = (key,) if len(self.attributes) == 1 else key
        if not isinstance(values, tuple) or len(values) != len(self.attributes):
            return key  # of the other side of a join
        return record_class(Key, self.attributes)(values)

    def __str__(self) -> str:
        if self.text:
            return self.text
        if self.function is not None:
            return self.function.describe()
        return "the whole tuple" if self.attributes is None else listed(self.attributes)


WHOLE_TUPLE = KeyBy(None)

KeyArgument = str | Sequence[str] | Callable[[Any], Any] | None


def key_by(key: KeyArgument, type: TupleType, step: Step) -> KeyBy:
    """Return the key that a user wrote: a list of attributes, a function, or None for one key."""
    if key is None:
        return KeyBy()
    if isinstance(key, str):
        key = [key]
    if callable(key):
        return KeyBy(function=UserFunction(key, step, "key", _normal_key).takes(1))
    if not isinstance(key, (list, tuple)) or not all(isinstance(name, str) for name in key):
        raise BadKey(
            f"{step}: a key is a list of attributes or a function",
            detail=f"got {key!r}",
            hint='write key=["word"] or key=lambda t: t.word',
        )
    for name in key:
        if name not in type.names:
            raise UnknownAttribute(
                f"{step}: there is no attribute {name!r} to key by",
                detail=f"the stream has {listed(type.names)}",
                hint=did_you_mean(name, type.names),
            )
    return KeyBy(tuple(key))


def _normal_key(key: Any, *_: Any) -> Any:
    try:
        return normal(key)
    except TypeError as problem:
        raise Misfit(str(problem)) from None


Rows = Sequence[Sequence[Any]]


@dataclass(frozen=True)
class Aggregate:
    """A: the one operator that every other is made of.

    Tuples fall in windows [ℓ·advance, ℓ·advance + size), apart for each key. With W the watermark:

    - A window fires when W ≥ left + size: `function` gets it, its tuples by time and then value,
      and what it returns is emitted with the time left + size - δ.
    - A window is gone when W ≥ left + size + lateness. A tuple that falls in a window that has
      fired and is not gone is added to it and fires it again, at once, with all its tuples.
    - A tuple whose windows are all gone goes, once, to the late stream.
    - `many` False, the minimal Aggregate: a window emits one tuple or none. True, A+: any number.
    - W is forwarded after what it made fire.

    Three things that an engine may know, and need not:

    - `in_place`: all tuples of one key come from one window of the operator in front, or from
      operators that are `spread`. An engine that spreads keys over tasks may leave them there.
    - `spread`: tuples of one window agree in this key too, and may be brought together by it.
    - `each`: what `function` gives for a window is what this gives for each tuple, in a row.
      `embeds`: it is what this Aggregate gives for the window, carried in one tuple.

    `function` returns rows in the normal form of `output`, none for no output.
    """

    function: Callable[[Window], Rows]
    output: TupleType
    key: KeyBy
    size: int
    advance: int
    lateness: int = 0
    many: bool = False
    name: str = "aggregate"
    in_place: bool = False
    each: UserFunction | None = None
    embeds: Aggregate | None = None
    spread: KeyBy | None = None

    def __str__(self) -> str:
        window = f"every {self.window}" if self.size == self.advance else self.window
        lateness = f", lateness {show_duration(self.lateness)}" if self.lateness else ""
        return f"A{'+' if self.many else ''} {window} by {self.key}{lateness}"

    @property
    def window(self) -> str:
        """Size and advance, for people."""
        return show_window(self.size, self.advance)


def show_window(size: int, advance: int) -> str:
    """Write size and advance.

    >>> show_window(10_000, 2_000), show_window(500, 500)
    ('10 s every 2 s', '500 ms')
    """
    every = "" if size == advance else f" every {show_duration(advance)}"
    return show_duration(size) + every


def window_lengths(
    size: Duration, advance: Duration | None, lateness: Duration, step: Step
) -> tuple[int, int, int]:
    """Return size, advance (by default the size) and lateness in milliseconds, checked."""
    length = duration(size, f"{step}: size", least=TICK)
    stride = length if advance is None else duration(advance, f"{step}: advance", least=TICK)
    if length < stride:
        raise SizeBelowAdvance(
            f"{step}: size {show_duration(length)} is below advance {show_duration(stride)}",
            hint="windows would leave gaps, and a tuple in a gap would fall in none",
        )
    return length, stride, duration(lateness, f"{step}: lateness")


def one_row(output: TupleType, instead: str = "") -> Callable[..., Rows]:
    """Return the check of a function that gives one tuple or None; for many it says `instead`."""

    def check(result: Any, *_: Any) -> Rows:
        if result is None:
            return ()
        if not isinstance(result, (tuple, dict)) and _looks_like_rows(result):
            raise Misfit(f"a list of {len(result)}, not one tuple or None{instead}")
        return (output.conform_row(result),)

    return check


@dataclass(frozen=True)
class ManyRows:
    """The check of a function that gives any number of tuples."""

    output: TupleType

    def __call__(self, result: Any, *_: Any) -> Rows:
        if result is None or isinstance(result, (str, bytes, dict, Tuple)):
            raise Misfit(f"{result!r} is not a list of tuples (an empty list for none)")
        try:
            rows = iter(result)
        except TypeError:
            raise Misfit(f"{result!r} is not a list of tuples (an empty list for none)") from None
        return [self.output.conform_row(row) for row in rows]


def _looks_like_rows(result: Any) -> bool:
    return isinstance(result, list) and any(isinstance(row, (tuple, dict, list)) for row in result)
