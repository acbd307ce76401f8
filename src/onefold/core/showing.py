"""Writing what users' objects say of themselves, even where they raise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

USERS_ERRORS = (Exception, SystemExit)
"""What a user's code may end with; Ctrl-C is not its own doing."""


def safely(write: Callable[[Any], str], thing: Any) -> str:
    """Return `write(thing)`, or that it can't be shown."""
    try:
        return write(thing)
    except Exception:  # noqa: BLE001  what a user's class raises when it is shown
        return f"a {type(thing).__name__} that can't be shown"


def shown(thing: Any) -> str:
    """Write a thing as Python does.

    >>> shown("a")
    "'a'"
    """
    return safely(repr, thing)


def told(problem: BaseException) -> str:
    """Write the class and the text of an error.

    >>> told(ValueError("no")), told(SystemExit())
    ('ValueError: no', 'SystemExit')
    """
    text = safely(str, problem)
    return f"{type(problem).__name__}{': ' if text else ''}{text}"
