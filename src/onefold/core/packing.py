"""State as bytes: pickled, with the one NaN of `core.values` kept one."""

from __future__ import annotations

import io
import pickle
from typing import Any

from onefold.core.values import NAN


class _Pickler(pickle.Pickler):
    def persistent_id(self, value: Any) -> str | None:
        return "nan" if isinstance(value, float) and value != value else None


class _Unpickler(pickle.Unpickler):
    def persistent_load(self, name: str) -> float:
        return NAN


def packed(state: Any, *, may_hold_nan: bool = True) -> bytes:
    """Return the state as bytes; looking for NaN takes a call for every value."""
    if not may_hold_nan:
        return pickle.dumps(state, pickle.HIGHEST_PROTOCOL)
    buffer = io.BytesIO()
    _Pickler(buffer).dump(state)
    return buffer.getvalue()


def unpacked(state: bytes) -> Any:
    """Return what `packed` was given."""
    return _Unpickler(io.BytesIO(state)).load()
