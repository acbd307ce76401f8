"""How values stand in files: from JSON, CSV and Parquet to the normal form of a type, and back.

| type                | JSON              | CSV             | Parquet                |
|---------------------|-------------------|-----------------|------------------------|
| string              | text              | as it is        | string                 |
| boolean             | true, false       | true, false     | bool                   |
| int, bigint         | whole number      | digits          | int32, int64           |
| float, double       | number, NaN, ±Infinity | the same   | float, double          |
| timestamp           | ISO text in UTC   | the same        | timestamp[us, tz=UTC]  |
| binary              | base64            | base64          | binary                 |
| array<…>, struct<…> | array, object     | JSON            | list, struct           |
| null                | null              | empty           | null                   |

`NaN` and `Infinity` are not in the JSON standard; Python reads and writes them, and so do we. CSV
has no null string (an empty one is the empty string) and no empty binary (an empty one is null).
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

from onefold.core.records import Record, as_dict
from onefold.core.scalars import (
    Binary,
    Boolean,
    DataType,
    Floating,
    Integer,
    Misfit,
    String,
    Timestamp,
    event_time,
    misfit,
)
from onefold.core.types import Array, Struct
from onefold.files.json_text import dumps, loads

Convert = Callable[[Any], Any]

_WHOLE = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_SPECIAL = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)
_BOOLEANS = {"true": True, "false": False}


def event_time_from_text(text: str) -> int:
    """Return the event time that a cell of CSV holds."""
    text = text.strip()
    if _WHOLE.fullmatch(text):
        return event_time(_whole(text))
    if _NUMBER.fullmatch(text):
        return event_time(float(text))
    try:
        return event_time(text)
    except Misfit:
        raise Misfit(f"{text!r} is neither milliseconds nor a timestamp in ISO 8601") from None


def from_json(kind: DataType, binary: Convert | None = None) -> Convert:
    """Return what makes a value of a type from parsed JSON, or raises `Misfit`."""
    match kind:
        case Binary():
            return binary or _from_base64
        case Array(element):
            return _from_list(kind, from_json(element, binary))
        case Struct(attributes):
            return _from_object(
                kind, [(name, from_json(inner, binary)) for name, inner in attributes]
            )
    return kind.conform


def from_arrow(kind: DataType) -> Convert:
    """Return what makes a value of a type from a cell of Parquet, or raises `Misfit`."""
    return from_json(kind, Binary().conform)


def from_text(kind: DataType) -> Convert:
    """Return what makes a value of a type from a cell of CSV, or raises `Misfit`."""
    match kind:
        case String():
            return kind.conform
        case Boolean():
            return _or_null(_boolean)
        case Integer():
            return _or_null(lambda text: kind.conform(_whole(text)))
        case Floating():
            return _or_null(lambda text: kind.conform(_number(text)))
        case Array() | Struct():
            inner = from_json(kind)
            return _or_null(lambda text: inner(_parsed(text)))
    return _or_null(from_json(kind))


def to_json(kind: DataType) -> Convert | None:
    """Return what makes a value ready for JSON; None if it is."""
    match kind:
        case Timestamp() | Binary() | Struct():
            return plain
        case Array(element):
            return plain if to_json(element) else None
    return None


def to_text(kind: DataType) -> Convert:
    """Return what makes a cell of CSV from a value."""
    match kind:
        case String():
            return _text_of_string
        case Boolean():
            return lambda value: "" if value is None else str(value).lower()
        case Floating():
            return lambda value: "" if value is None else _text_of_float(value)
        case Binary():
            return _text_of_bytes
        case Array() | Struct():
            return lambda value: "" if value is None else dumps(plain(value))
    return lambda value: "" if value is None else str(plain(value))


def plain(value: Any) -> Any:
    """Return a value made of what JSON has: bytes as base64, moments as ISO text, records as dicts.

    >>> plain((b"a", None, 1.5))
    ['YQ==', None, 1.5]
    """
    match value:
        case bytes():
            return base64.b64encode(value).decode()
        case datetime():
            return value.isoformat().replace("+00:00", "Z")
        case Record():
            return {name: plain(each) for name, each in as_dict(value).items()}
        case tuple() | list():
            return [plain(each) for each in value]
        case dict():
            return {name: plain(each) for name, each in value.items()}
    return value


def _from_base64(value: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, str):
        try:
            return base64.b64decode(value, validate=True)
        except (binascii.Error, ValueError):
            raise Misfit(f"{value!r} is not base64") from None
    raise misfit(value, "bytes in base64")


def _from_list(kind: Array, convert: Convert) -> Convert:
    def made(value: Any) -> Any:
        if value is None:
            return None
        if not isinstance(value, list):
            raise misfit(value, f"an {kind}")
        items = []
        for position, item in enumerate(value):
            try:
                items.append(convert(item))
            except Misfit as problem:
                raise Misfit(f"element {position}: {problem}") from None
        return tuple(items)

    return made


def _from_object(kind: Struct, attributes: list[tuple[str, Convert]]) -> Convert:
    def made(value: Any) -> Any:
        if value is None:
            return None
        if not isinstance(value, dict):
            raise misfit(value, f"a {kind}")
        return kind.record(converted(value, attributes))

    return made


def converted(row: dict[str, Any], attributes: list[tuple[str, Convert]]) -> list[Any]:
    """Return the values of a row in the order of the attributes; others are ignored."""
    values = []
    for name, convert in attributes:
        try:
            values.append(convert(row[name]))
        except KeyError:
            raise Misfit(f"attribute {name} is missing") from None
        except Misfit as problem:
            raise Misfit(f"attribute {name}: {problem}") from None
    return values


def _or_null(convert: Convert) -> Convert:
    def made(text: str) -> Any:
        text = text.strip()
        return convert(text) if text else None

    return made


def _boolean(text: str) -> bool:
    try:
        return _BOOLEANS[text.lower()]
    except KeyError:
        raise Misfit(f"{text!r} is neither true nor false") from None


def _whole(text: str) -> int:
    if not _WHOLE.fullmatch(text):
        raise Misfit(f"{text!r} is not a whole number")
    if len(text) > 40:
        raise Misfit(f"a whole number of {len(text)} digits is too long")
    return int(text)


def _number(text: str) -> float:
    if not _NUMBER.fullmatch(text) and not _SPECIAL.fullmatch(text):
        raise Misfit(f"{text!r} is not a number")
    return float(text)


def _parsed(text: str) -> Any:
    try:
        return loads(text)
    except Misfit:
        raise
    except (ValueError, RecursionError) as problem:
        raise Misfit(f"{text[:80]!r} is not JSON: {problem}") from None


def _text_of_string(value: str | None) -> str:
    if value is None:
        raise Misfit("CSV can't tell a null string from an empty one")
    return value


def _text_of_bytes(value: bytes | None) -> str:
    if value is not None and not value:
        raise Misfit("CSV can't tell empty bytes from null")
    return "" if value is None else str(plain(value))


def _text_of_float(value: float) -> str:
    return json.dumps(value)
