"""Python's search for garbage, put off."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def searched_later() -> Iterator[None]:
    """Let nobody look for cycles meanwhile: a million new tuples hold none, and are looked at."""
    searching = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searching:
            gc.enable()
