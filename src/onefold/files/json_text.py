"""JSON as text: stricter than Python's when it is read, and always written."""

from __future__ import annotations

import json
from typing import Any

from onefold.core.scalars import Misfit
from onefold.core.showing import shown


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise Misfit(f"the key {twice!r} stands twice in an object")
    return made


_DECODER = json.JSONDecoder(object_pairs_hook=_object)


def loads(text: str) -> Any:
    """Read JSON; raise `Misfit` for an object that has a key twice, which Python lets pass."""
    if text.startswith("{"):  # no space to skip: the time that is saved here pays for the check
        value, end = _DECODER.raw_decode(text)
        if end == len(text):
            return value
    return _DECODER.decode(text)


def dumps(value: Any) -> str:
    """Write JSON; text stays readable unless it is no valid Unicode."""
    text = json.dumps(value, ensure_ascii=False, default=shown)
    return text if text.isascii() or _encodable(text) else json.dumps(value, default=shown)


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
