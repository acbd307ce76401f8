"""Data types: what a value may be.

A data type knows one thing about values: `conform` returns the normal form of a value that fits,
and raises `Misfit` for one that does not. Null fits every type.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import index
from typing import Any

from onefold.core.showing import a_kind_of
from onefold.core.time import EPOCH, LATEST, as_utc, floor_to_tick
from onefold.core.values import NAN, normal_float


class Misfit(ValueError):
    """A value that does not fit a type; the text says which and why."""


_NULL = type(None)


def _types(column: Sequence[Any]) -> set[type]:
    return set(map(type, column))


def misfit(value: Any, wanted: str) -> Misfit:
    """Return the error for a value that is not what was wanted."""
    return Misfit(f"{_short(value)} is {a_kind_of(value)}, not {wanted}")


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 80 else shown[:77] + "..."


@dataclass(frozen=True)
class DataType:
    """What an attribute may hold. `str(type)` is how Spark writes it."""

    def conform(self, value: Any) -> Any:
        raise NotImplementedError(type(self).__name__)

    def normal(self, column: Sequence[Any]) -> Sequence[Any] | None:
        """Return many values in normal form at once; None: some need `conform`, one by one."""
        return None


@dataclass(frozen=True)
class String(DataType):
    """Text."""

    def conform(self, value: Any) -> Any:
        if type(value) is str or value is None:
            return value
        if isinstance(value, str):  # an enum's, numpy's: its text alone
            return str.__str__(value)
        raise misfit(value, "a string")

    def normal(self, column: Sequence[Any]) -> Sequence[Any] | None:
        return column if _types(column) <= {str, _NULL} else None

    def __str__(self) -> str:
        return "string"


@dataclass(frozen=True)
class Boolean(DataType):
    """True or false."""

    def conform(self, value: Any) -> Any:
        if isinstance(value, bool) or value is None:
            return value
        if type(value).__name__ in ("bool", "bool_"):  # numpy's
            return bool(value)
        raise misfit(value, "a boolean")

    def normal(self, column: Sequence[Any]) -> Sequence[Any] | None:
        return column if _types(column) <= {bool, _NULL} else None

    def __str__(self) -> str:
        return "boolean"


@dataclass(frozen=True)
class Integer(DataType):
    """A whole number of 32 or 64 bits: what Spark can't hold is an error here too."""

    bits: int

    def conform(self, value: Any) -> Any:
        if type(value) is int:
            if -(limit := 1 << self.bits - 1) <= value < limit:
                return value
            raise Misfit(f"{value} does not fit in the {self.bits} bits of {self}")
        if value is None:
            return None
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise misfit(value, f"a whole number ({self})")
        try:
            return self.conform(index(value))
        except TypeError:  # an array of several, which has the method and refuses
            raise misfit(value, f"a whole number ({self})") from None

    def normal(self, column: Sequence[Any]) -> Sequence[Any] | None:
        limit = 1 << self.bits - 1
        fits = _types(column) == {int} and -limit <= min(column) and max(column) < limit
        return column if fits else None

    def __str__(self) -> str:
        return "int" if self.bits == 32 else "bigint"


@dataclass(frozen=True)
class Floating(DataType):
    """A number of 32 or 64 bits. A whole number is taken as it is; 32 bits are rounded to."""

    bits: int

    def conform(self, value: Any) -> Any:
        if value is None:
            return None
        if isinstance(value, bool) or not (
            isinstance(value, (int, float)) or hasattr(value, "__float__")
        ):
            raise misfit(value, f"a number ({self})")
        try:
            number = normal_float(float(value))
        except OverflowError:
            raise Misfit(f"{_short(value)} does not fit in the 64 bits of double") from None
        except (TypeError, ValueError):  # an array of several, which has the method and refuses
            raise misfit(value, f"a number ({self})") from None
        if self.bits == 64:
            return number
        try:
            return normal_float(float(struct.unpack("<f", struct.pack("<f", number))[0]))
        except OverflowError:
            raise Misfit(f"{value} does not fit in the 32 bits of float") from None

    def normal(self, column: Sequence[Any]) -> Sequence[Any] | None:
        if self.bits != 64 or _types(column) != {float}:
            return None
        return [value + 0.0 if value == value else NAN for value in column]

    def __str__(self) -> str:
        return "float" if self.bits == 32 else "double"


@dataclass(frozen=True)
class Timestamp(DataType):
    """A moment in UTC, to the microsecond, as a `datetime`. Takes ISO text and milliseconds too."""

    def conform(self, value: Any) -> Any:
        match value:
            case None:
                return None
            case datetime():
                return _in_calendar(value)
            case str():
                try:
                    moment = datetime.fromisoformat(value.strip())
                except ValueError:
                    raise Misfit(f"{value!r} is not a timestamp in ISO 8601") from None
                return _in_calendar(moment)
            case int() if not isinstance(value, bool):
                try:
                    return EPOCH + timedelta(milliseconds=value)
                except OverflowError:
                    raise Misfit(f"{value} ms lies outside of the calendar") from None
        raise misfit(value, "a timestamp")

    def __str__(self) -> str:
        return "timestamp"


def _in_calendar(moment: datetime) -> datetime:
    if type(moment) is not datetime:  # pandas' goes on to nanoseconds
        moment = datetime.combine(moment.date(), moment.timetz())
    try:
        return as_utc(moment)
    except OverflowError:
        raise Misfit(f"{moment} lies outside of the calendar in UTC") from None


@dataclass(frozen=True)
class Binary(DataType):
    """Bytes."""

    def conform(self, value: Any) -> Any:
        if type(value) is bytes or value is None:
            return value
        if isinstance(value, (bytes, bytearray, memoryview)):
            return bytes(value)
        raise misfit(value, "bytes")

    def normal(self, column: Sequence[Any]) -> Sequence[Any] | None:
        return column if _types(column) <= {bytes, _NULL} else None

    def __str__(self) -> str:
        return "binary"


def event_time(value: Any) -> int:
    """Return an event time; finer than a millisecond is floored.

    >>> event_time(7), event_time(-0.5), event_time("1970-01-01T00:00:01.000900Z")
    (7, -1, 1000)
    """
    match value:
        case bool():
            raise misfit(value, "a time")
        case int():
            time = value
        case float() if math.isfinite(value):
            time = math.floor(value)
        case str() | datetime():
            time = floor_to_tick(Timestamp().conform(value))
        case _:
            raise misfit(value, "a time")
    if not -LATEST < time < LATEST:
        raise Misfit(f"{value!r} ms lies outside of ±2^62")
    return time
