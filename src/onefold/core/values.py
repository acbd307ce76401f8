"""Values: their normal form, their order, their identity.

A value enters a stream in normal form: one NaN object, no negative zero, arrays as tuples. Then
Python's own equality is the model's (NaN equals NaN, -0.0 equals 0.0, null equals null, arrays
and structs by value), and tuples can be keys as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from onefold.core.time import as_utc

_WRITTEN_AS_IS = {str, int, bytes, type(None)}
"""Types of which no two equal values are written in two ways."""

NAN = float("nan")
"""The only NaN in any stream: containers compare by identity first, so it equals itself."""


def normal_float(value: float) -> float:
    """Return the normal form of a float.

    >>> normal_float(float("nan")) is NAN, str(normal_float(-0.0))
    (True, '0.0')
    """
    return value + 0.0 if value == value else NAN


def normal(value: Any) -> Any:
    """Return the normal form of what a key function returned; raise TypeError for other things.

    >>> normal([1, -0.0, None, "a"])
    (1, 0.0, None, 'a')
    """
    match value:
        case None | bool():
            return value
        case str():
            return str.__str__(value)  # a subclass may show itself, and compare, in other ways
        case int():
            return int(value)
        case float():
            return normal_float(float(value))
        case bytes():
            return bytes(value)
        case datetime():
            return as_utc(value)
        case tuple() | list():
            return tuple(normal(item) for item in value)
    raise TypeError(
        f"a key is made of None, bool, int, float, str, bytes, datetime and tuples of them, "
        f"not of {type(value).__name__}"
    )


def order(value: Any) -> Any:
    """Return a sort key: null first, then by value, NaN last, arrays and structs by element.

    >>> sorted([NAN, 1.0, None, 0.5], key=order)
    [None, 0.5, 1.0, nan]
    """
    if value is None:
        return (0,)
    if isinstance(value, tuple):
        return (1, tuple(order(item) for item in value))
    if value != value:
        return (2,)
    return (1, value)


def identity(value: Any) -> str:
    """Write a key down so that two are written alike exactly when they are equal.

    >>> identity(("a", 1, None)), identity(True) == identity(1) == identity(1.0)
    ("('a',1,None)", True)
    """
    if isinstance(value, tuple):
        written = repr if set(map(type, value)) <= _WRITTEN_AS_IS else identity
        return "(" + ",".join(map(written, value)) + ")"
    if isinstance(value, float) and value.is_integer():
        return repr(int(value))
    if isinstance(value, bool):
        return repr(int(value))
    return repr(value)


def identities(columns: Sequence[Sequence[Any]]) -> Iterator[str]:
    """Write rows down, given as columns, each as `identity` does.

    >>> list(identities([["a", "b"], [1, 2.0]]))
    ["('a',1)", "('b',2)"]
    """
    written = (
        map(repr if set(map(type, column)) <= _WRITTEN_AS_IS else identity, column)
        for column in columns
    )
    return ("(" + ",".join(row) + ")" for row in zip(*written))


def listed(names: Sequence[str]) -> str:
    """Write names for a sentence.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]])) or "none"
