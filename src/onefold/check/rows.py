"""Tuples as transcripts write them: `[time, value, …]` or `{time: …, name: value, …}`."""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, date, datetime, time
from typing import Any

import yaml

from onefold.core.records import Record, Tuple, as_dict
from onefold.core.scalars import Binary, DataType, Misfit, String, Timestamp, event_time
from onefold.core.types import Array, Struct, TupleType

MOST_SHOWN = 20
"""How many different rows a list of differences shows."""


def read_row(row: Any, type: TupleType) -> Tuple:
    """Return the tuple that a row writes; raise `Misfit` if it does not fit the type.

    >>> from onefold.core.ddl import tuple_type
    >>> read_row([5, "a", 1], tuple_type("word string, n int"))
    (time=5, word='a', n=1)
    """
    match row:
        case [first, *rest]:
            if len(rest) != len(type.attributes):
                written = ", ".join(["time", *type.names])
                raise Misfit(f"{write_row(row)} has {len(row)} values, not {written}")
            values = _ready(rest, type)
        case {"time": first, **named}:
            values = _ready(named, type)
        case _:
            raise Misfit(f"{write_value(row)} is no row: write [time, {', '.join(type.names)}]")
    return type.make(read_time(first), values)


def read_time(value: Any) -> int:
    """Return an event time: milliseconds, or a moment as YAML or ISO 8601 writes it.

    >>> read_time(7), read_time("1970-01-01 00:00:01Z")
    (7, 1000)
    """
    try:
        return event_time(_moment(value) if isinstance(value, (str, date)) else value)
    except Misfit as problem:
        raise Misfit(f"time: {problem}") from None


def _ready(value: Any, kind: DataType) -> Any:
    """Return what YAML made of a value as the type's `conform` takes it."""
    match value, kind:
        case str() | date(), Timestamp():
            return _moment(value)
        case str(), Binary():
            return _bytes(value)
        case list(), Array(element):
            return [_ready(each, element) for each in value]
        case list(), Struct(attributes) if len(value) == len(attributes):
            return [_attribute(each, *named) for each, named in zip(value, attributes)]
        case dict(), Struct(attributes):
            kinds = dict(attributes)
            return {n: _attribute(v, n, kinds[n]) if n in kinds else v for n, v in value.items()}
        case bool() | int() | float(), String():
            raise Misfit(f"{write_value(value)} is no string: write it in quotes")
    return value


def _attribute(value: Any, name: str, kind: DataType) -> Any:
    try:
        return _ready(value, kind)
    except Misfit as problem:
        raise Misfit(f"attribute {name}: {problem}") from None


def _moment(value: str | date) -> Any:
    """Return the moment that YAML or ISO 8601 writes; other text as it is."""
    if isinstance(value, str):
        constructor = yaml.constructor.SafeConstructor()
        if not constructor.timestamp_regexp.match(value.strip()):
            return value
        node = yaml.ScalarNode("tag:yaml.org,2002:timestamp", value.strip())
        try:
            value = constructor.construct_yaml_timestamp(node)
        except ValueError as problem:
            raise Misfit(f"{value!r} is no moment: {problem}") from None
    if isinstance(value, datetime):
        return value
    return datetime.combine(value, time(), UTC)


def _bytes(value: str) -> bytes:
    try:
        return base64.b64decode("".join(value.split()), validate=True)
    except binascii.Error:
        raise Misfit(f"{value!r} is not base64") from None


def write_row(row: Iterable[Any]) -> str:
    """Write a tuple as a transcript would.

    >>> write_row((9, "a", None, float("nan"), (1, 2.5)))
    '[9, "a", null, .nan, [1, 2.5]]'
    """
    return "[" + ", ".join(write_value(each) for each in row) + "]"


def write_value(value: Any) -> str:
    """Write a value as a transcript would."""
    match value:
        case float() if not math.isfinite(value):
            return ".nan" if value != value else ".inf" if value > 0 else "-.inf"
        case bytes():
            return f'!!binary "{base64.b64encode(value).decode()}"'
        case date():
            return f'"{value.isoformat()}"'
        case Record():
            return write_value(as_dict(value))
        case dict():
            pairs = (f"{name}: {write_value(each)}" for name, each in value.items())
            return "{" + ", ".join(pairs) + "}"
        case tuple() | list():
            return write_row(value)
    return _NOT_IN_YAML.sub(_escaped, json.dumps(value, ensure_ascii=False, default=repr))


# What YAML does not take as it stands, or takes for the end of a line.
_NOT_IN_YAML = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def write_rows(title: str, rows: Iterable[Tuple]) -> list[str]:
    """Write a multiset of tuples, a line each, in order."""
    counted = Counter(rows)
    ordered = sorted(counted, key=lambda row: (row[0], write_row(row)))
    lines = [
        f"{title} {write_row(row)}" + (f" ({counted[row]} times)" if counted[row] > 1 else "")
        for row in ordered[:MOST_SHOWN]
    ]
    left = len(ordered) - MOST_SHOWN
    return [*lines, f"{title} {left} more"] if left > 0 else lines
