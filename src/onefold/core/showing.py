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
        return f"{a_kind_of(thing)} that can't be shown"


def a_kind_of(thing: object) -> str:
    """Write the name of a thing's class, with its article.

    >>> a_kind_of(2), a_kind_of("two"), a_kind_of(OSError())
    ('an int', 'a str', 'an OSError')
    """
    return with_article(type(thing).__name__)


def with_article(name: str) -> str:
    """Write a name with a or an before it.

    >>> with_article("array<int>"), with_article("UUID")
    ('an array<int>', 'a UUID')
    """
    return f"{'an' if name[0] in 'aeioAEIO' else 'a'} {name}"


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
