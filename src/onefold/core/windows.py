"""Window arithmetic. Window instances are [ℓ·advance, ℓ·advance + size) for every integer ℓ.

Every comparison of times and watermarks that the model makes about windows stands here, once.
"""

from __future__ import annotations

from onefold.core.time import TICK


def last_left(time: int, advance: int) -> int:
    """Return the left boundary of the latest window that `time` falls in.

    >>> last_left(7, 5), last_left(-1, 5)
    (5, -5)
    """
    return time - time % advance


def lefts(time: int, advance: int, size: int) -> range:
    """Return the left boundaries of all windows that `time` falls in, the earliest first.

    >>> list(lefts(7, 5, 10)), list(lefts(-1, 5, 5))
    ([0, 5], [-5])
    """
    latest = last_left(time, advance)
    return range(latest - (size - 1 - time % advance) // advance * advance, latest + 1, advance)


def fires(left: int, size: int, watermark: int) -> bool:
    """Say whether the window's result is due: no tuple in time can fall in it any more.

    >>> fires(0, 10, 9), fires(0, 10, 10)
    (False, True)
    """
    return left + size <= watermark


def dropped(left: int, size: int, lateness: int, watermark: int) -> bool:
    """Say whether the window is gone: a tuple that falls in it now is dropped for it.

    >>> dropped(0, 10, 5, 14), dropped(0, 10, 5, 15)
    (False, True)
    """
    return left + size + lateness <= watermark


def output_time(left: int, size: int) -> int:
    """Return the time of what a window emits, its last instant.

    >>> output_time(0, 10)
    9
    """
    return left + size - TICK
