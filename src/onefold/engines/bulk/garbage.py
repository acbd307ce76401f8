"""Python's search for garbage, put off."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache


@contextmanager
def searched_later() -> Iterator[None]:
    """Let nobody look for cycles meanwhile: a million new tuples hold none, and are looked at."""
    _leave_out_what_is_loaded()
    searching = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searching:
            gc.enable()


@cache
def _leave_out_what_is_loaded() -> None:
    """Never look at modules and classes again: a worker has them until it ends."""
    gc.collect()
    gc.freeze()
