"""State as bytes: pickled, with the one NaN of `core.values` kept one."""

from __future__ import annotations

import io
import pickle
import re
from typing import Any

from onefold.core.values import NAN

_MAYBE_NAN = re.compile(rb"G[\x7f\xff](?!\xf0\0{6})[\xf0-\xff]")
"""How a NaN begins in a pickle, and no infinity does; other things may look like it."""


class _Pickler(pickle.Pickler):
    def persistent_id(self, value: Any) -> str | None:
        # A NaN of a subclass, NumPy's above all, is the user's own, and stays one.
        return "nan" if type(value) is float and value != value else None


class _Unpickler(pickle.Unpickler):
    def persistent_load(self, name: str) -> float:
        return NAN


def packed(state: Any) -> bytes:
    """Return the state as bytes; only one that may hold NaN is asked for every value."""
    plain = pickle.dumps(state, pickle.HIGHEST_PROTOCOL)
    if not _MAYBE_NAN.search(plain):
        return plain
    del plain
    buffer = io.BytesIO()
    _Pickler(buffer, pickle.HIGHEST_PROTOCOL).dump(state)
    return buffer.getvalue()


def unpacked(state: bytes) -> Any:
    """Return what `packed` was given."""
    return _Unpickler(io.BytesIO(state)).load()
