"""JSON as text: stricter than Python's when it is read, and always written."""

from __future__ import annotations

import json
from typing import Any

from onefold.core.scalars import Misfit

_APART = (" :", "\t:", "\r:", "\n:")
"""How a colon may stand apart from its key."""


def loads(text: str) -> Any:
    """Read JSON; raise `Misfit` for an object that has a key twice, which Python lets pass."""
    value = json.loads(text)
    # A key ends in a quote and a colon. As many of them as keys: there is none twice.
    if text.count('":') != _keys(value) or any(each in text for each in _APART):
        json.loads(text, object_pairs_hook=_object)
    return value


def _keys(value: Any) -> int:
    count, nested = 0, [value]
    for each in nested:
        inner = each
        if type(each) is dict:
            count += len(each)
            inner = each.values()
        elif type(each) is not list:
            continue
        nested += [item for item in inner if type(item) is dict or type(item) is list]
    return count


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise Misfit(f"the key {twice!r} stands twice in an object")
    return made


def dumps(value: Any) -> str:
    """Write JSON; text stays readable unless it is no valid Unicode."""
    text = json.dumps(value, ensure_ascii=False, default=shown)
    return text if text.isascii() or _encodable(text) else json.dumps(value, default=shown)


def shown(thing: Any) -> str:
    """Write a thing as Python does, even one whose own way raises."""
    try:
        return repr(thing)
    except Exception:  # noqa: BLE001  a user's class may raise anything when it is shown
        return f"a {type(thing).__name__} that can't be shown"


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
