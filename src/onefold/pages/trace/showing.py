"""How tuples, keys, windows and times are written: short, and the way a person reads a clock."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from onefold.core.records import Key, Tuple, as_dict
from onefold.core.showing import shown
from onefold.core.time import END_OF_TIME, EPOCH, START_OF_TIME, show_time

LONGEST_VALUE, LONGEST_TUPLE = 40, 110
"""How much is shown of a value and of a tuple, in characters."""
_CALENDAR = (31_536_000_000, 4_102_444_800_000)
"""Times between 1971 and 2100 are moments; others are told as numbers."""
_DAY = 86_400_000


@dataclass(frozen=True)
class Clock:
    """Writes event times: as numbers, as times of one day, or with their date."""

    moments: bool = False
    dates: bool = False

    @classmethod
    def of(cls, times: Iterable[int]) -> Clock:
        """Return how to write these times.

        >>> Clock.of([3, 12]).time(12)
        '12'
        >>> Clock.of([1714550400000, 1714550401500]).time(1714550401500)
        '08:00:01.500'
        """
        first, last = _ends(times)
        if not _CALENDAR[0] <= first <= last <= _CALENDAR[1]:
            return cls()
        return cls(moments=True, dates=first // _DAY != last // _DAY)

    def time(self, time: int) -> str:
        """Write a time or a watermark; the two ends of time have names."""
        if time == END_OF_TIME:
            return "the end of time"
        if time == START_OF_TIME or not self.moments:
            return show_time(time)
        moment = EPOCH + timedelta(milliseconds=time)
        finer = f".{time % 1000:03}" if time % 1000 else ""
        day = f"{moment:%Y-%m-%d} " if self.dates else ""
        return f"{day}{moment:%H:%M:%S}{finer}"

    def window(self, left: int, right: int) -> str:
        """Write the span of a window.

        >>> Clock().window(0, 10)
        '[0, 10)'
        """
        return f"[{self.time(left)}, {self.time(right)})"

    def tuple(self, t: Tuple) -> str:
        """Write a tuple; long values are cut, and end in three dots.

        >>> (t,) = of.run(of.source("s", "word string"), {"s": [(5, "a" * 50)]})
        >>> Clock().tuple(t)
        "(time=5, word='aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…)"
        """
        named = as_dict(t)
        told = [f"{name}={value(each)}" for name, each in named.items() if name != "time"]
        return cut(f"({', '.join([f'time={self.time(t.time)}', *told])})", LONGEST_TUPLE)


def _ends(times: Iterable[int]) -> tuple[int, int]:
    finite = [each for each in times if each not in (START_OF_TIME, END_OF_TIME)]
    return (min(finite), max(finite)) if finite else (0, 0)


def value(given: Any) -> str:
    """Write a value, cut where it is long."""
    return cut(shown(given), LONGEST_VALUE)


def whole_tuple(t: Tuple) -> str:
    """Write a tuple with all that it holds."""
    return shown(t)


def key(given: Any) -> str:
    """Write the key of a window; nothing for the one key of all tuples.

    >>> key(("a", 1)), key(())
    ("('a', 1)", '')
    """
    match given:
        case Key():
            return cut(", ".join(f"{n}={value(v)}" for n, v in as_dict(given).items()), 60)
        case ():
            return ""
    return cut(shown(given), 60)


def cut(text: str, longest: int) -> str:
    """Return a text that is no longer than this, with three dots where it was cut.

    >>> cut("arrow", 4)
    'arr…'
    """
    return text if len(text) <= longest else text[: longest - 1] + "…"


def counted(count: int, noun: str) -> str:
    """Write how many.

    >>> counted(1, "tuple"), counted(2, "tuple")
    ('1 tuple', '2 tuples')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
