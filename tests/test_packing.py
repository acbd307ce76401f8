"""State as bytes: what comes back, and that there is one NaN."""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onefold.core import packing
from onefold.core.packing import packed, unpacked
from onefold.core.values import NAN

ODD = [float("nan"), -float("nan"), struct.unpack(">d", b"\x7f\xf0\0\0\0\0\0\x01")[0]]


@pytest.mark.parametrize("nan", ODD)
@pytest.mark.parametrize("around", [0, 1, 9_000, 70_000])
def test_any_nan_comes_back_as_the_one(nan: float, around: int) -> None:
    state = {"texts": ["G"] * around, nan: [(nan, [nan])], "more": list(range(around))}
    found = unpacked(packed(state))
    key = next(key for key in found if isinstance(key, float))
    assert key is NAN
    assert found[NAN][0][0] is NAN
    assert found[NAN][0][1][0] is NAN
    assert (found["texts"], found["more"]) == (state["texts"], state["more"])


VALUES = st.recursive(
    st.none() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES)
def test_all_comes_back(state: Any) -> None:
    found = unpacked(packed(state))
    assert repr(found) == repr(state)
    assert all(each is NAN for each in _floats(found) if math.isnan(each))


@pytest.mark.parametrize("state", [1.5, "nan", "G\x7f", [math.inf, -math.inf], (2, b"G\x7f\xf8")])
def test_what_only_looks_like_nan_comes_back(state: Any) -> None:
    assert unpacked(packed(state)) == state


def test_only_a_state_that_may_hold_nan_is_asked_for_every_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(packing, "_Pickler", None)
    assert unpacked(packed([1.5, math.inf, -math.inf, "a"])) == [1.5, math.inf, -math.inf, "a"]
    with pytest.raises(TypeError):
        packed([math.nan])


@pytest.mark.parametrize("beside", [math.nan, 1.0])
def test_a_nan_of_numpy_stays_one(beside: float) -> None:
    found = unpacked(packed([np.float64("nan"), beside]))
    assert type(found[0]) is np.float64
    assert np.isnan(found[0])


def _floats(state: Any) -> list[float]:
    if isinstance(state, float):
        return [state]
    if isinstance(state, dict):
        state = [*state, *state.values()]
    return [f for part in state for f in _floats(part)] if isinstance(state, (list, tuple)) else []
