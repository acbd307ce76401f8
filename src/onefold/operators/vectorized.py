"""Predicates over columns: `where=of.vectorized(f)` tests many pairs in one call.

Composition: that of `join`. It changes how often `where` is called, not what comes out, as far as
NumPy reckons as Python does: its whole numbers end at 64 bits.

Cost: one call for up to 1,048,576 pairs, 16,384 if tuples have arrays, and NumPy arrays of the
attributes that the predicate asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Any

from onefold.core.errors import PlanError
from onefold.core.near import no_attribute
from onefold.core.records import Tuple, maker_of
from onefold.core.types import (
    Array,
    Boolean,
    DataType,
    Floating,
    Integer,
    Misfit,
    String,
    TupleType,
)

_OF = "the tuples"
"""What a column's own fields are under: no attribute has a name with a blank."""
AT_ONCE = 2**20
"""How many pairs are tested in one call."""
ARRAYS_AT_ONCE = 2**14
"""How many of types with arrays, which are long."""


class NoNumPy(PlanError):
    """A predicate over columns needs NumPy, and there is none."""


def vectorized(predicate: Callable[[Any, Any], Any]) -> Vectorized:
    """Return a predicate of a join that is called with columns, for many pairs at once.

    `predicate(x, y)` gets NumPy arrays for attributes and `time`: of shape (n, 1) for the left and
    (1, m) for the right, and with the length of its arrays as one more where all are equally long;
    strings are of NumPy's StringDType. It returns the truth for all pairs, of shape (n, m).

    >>> import onefold as of
    >>> bids = of.source("bids", "price int")
    >>> asks = of.source("asks", "price int")
    >>> deals = bids.join(
    ...     asks,
    ...     "bid int, ask int",
    ...     key=None,
    ...     where=of.vectorized(lambda bid, ask: bid.price >= ask.price),
    ...     size="10 s",
    ... )
    >>> of.run(deals, {"bids": [(1, 5), (2, 7)], "asks": [(3, 6)]})
    [(time=9999, bid=7, ask=6)]
    """
    try:
        import numpy  # noqa: F401  # said now, and not by the first pair
    except ImportError:
        raise NoNumPy(
            "a vectorized predicate needs NumPy",
            hint="pip install numpy, or give the function itself, to be called for each pair",
        ) from None
    return Vectorized(predicate)


@dataclass(frozen=True)
class Vectorized:
    """A predicate over columns."""

    predicate: Callable[[Any, Any], Any]

    def __post_init__(self) -> None:
        object.__setattr__(self, "__wrapped__", self.predicate)  # it is shown as the function

    def __call__(self, x: Tuple, y: Tuple) -> bool:
        """Say whether it holds for one pair."""
        return any(True for _ in self.holding([x], [y]))

    def holding(self, xs: Sequence[Tuple], ys: Sequence[Tuple]) -> Iterator[tuple[Tuple, Tuple]]:
        """Return the pairs that the predicate holds for."""
        import numpy as np

        if not xs or not ys:
            return
        left, right = maker_of(xs[0]), maker_of(ys[0])
        height, width = _tile(len(xs), len(ys), _at_once(left, right))
        across = [(some, Columns(right, some, 0)) for some in _chunks(ys, width)]
        for some in _chunks(xs, height):
            columns = Columns(left, some, 1)
            for others, its in across:
                truth = self._truth(columns, its, (len(some), len(others)))
                flat = np.flatnonzero(truth)  # in one dimension NumPy is many times faster
                lefts, rights = (at.tolist() for at in np.divmod(flat, len(others)))
                yield from zip(map(some.__getitem__, lefts), map(others.__getitem__, rights))

    def _truth(self, x: Columns, y: Columns, shape: tuple[int, int]) -> Any:
        import numpy as np

        truth = np.asarray(np.ma.filled(self.predicate(x, y), False))  # a masked pair is none
        if truth.ndim != len(shape):
            given = f"an array of {truth.ndim} dimensions" if truth.ndim else "one value for all"
            raise Misfit(
                f"a vectorized predicate gives the truth for {shape[0]} × {shape[1]} pairs, "
                f"and not {given}"
            )
        if truth.dtype != bool:
            raise Misfit(f"a vectorized predicate gives booleans, and not {truth.dtype}")
        try:
            return np.broadcast_to(truth, shape)
        except ValueError:
            raise Misfit(
                f"a vectorized predicate gives the truth for {shape[0]} × {shape[1]} pairs, "
                f"and not an array of shape {truth.shape}"
            ) from None


class Columns:
    """The attributes of tuples as NumPy arrays, each made when it is asked for."""

    def __init__(self, type: TupleType, tuples: Sequence[Tuple], axis: int) -> None:
        self.__dict__[_OF] = type, tuples, axis

    def __getattr__(self, name: str) -> Any:
        type, tuples, axis = self.__dict__[_OF]
        kinds: dict[str, DataType] = {"time": Integer(64), **dict(type.attributes)}
        if name not in kinds:
            raise AttributeError(no_attribute(name, list(kinds)))
        import numpy as np

        values = [getattr(t, name) for t in tuples]
        found = np.expand_dims(_array(kinds[name], values), axis)
        found.setflags(write=False)  # the next call gets it too
        setattr(self, name, found)
        return found


def _array(kind: DataType, values: list[Any]) -> Any:
    import numpy as np

    if None not in values:
        match kind:
            case Integer() | Boolean():
                return np.array(values)
            case Floating():
                return np.array(values, dtype=float)
            case String():
                return np.array(values, dtype=np.dtypes.StringDType())
            case Array(Integer() | Floating() | Boolean()) if _square(values):
                return np.array(values)
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def _square(arrays: list[Any]) -> bool:
    return len(set(map(len, arrays))) == 1 and not any(None in array for array in arrays)


def _tile(height: int, width: int, most: int) -> tuple[int, int]:
    """Return how many tuples of each side to ask for at once.

    About equally many: a predicate works on each of them too, and not only on the pairs.

    >>> _tile(5000, 5000, 2**18), _tile(5000, 64, 2**18), _tile(64, 5000, 2**18)
    ((512, 512), (4096, 64), (64, 4096))
    """
    width = min(width, max(isqrt(most), most // height))
    return most // width, width


def _chunks(tuples: Sequence[Tuple], size: int) -> list[Sequence[Tuple]]:
    return [tuples[begin : begin + size] for begin in range(0, len(tuples), size)]


def _at_once(*types: TupleType) -> int:
    kinds = [kind for type in types for _, kind in type.attributes]
    return ARRAYS_AT_ONCE if any(isinstance(kind, Array) for kind in kinds) else AT_ONCE
