"""How an operator runs: tuples and watermarks in, tuples and watermarks out, in order.

A kernel holds the state of one operator and nothing else. The reference engine chains kernels;
another engine may host one inside a task of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol

from onefold.core.records import Tuple


class Outlet(Protocol):
    """Where a kernel puts what it makes."""

    def emit(self, tuples: Sequence[Tuple]) -> None: ...

    def watermark(self, watermark: int) -> None: ...

    def late(self, port: int, tuples: Sequence[Tuple]) -> None: ...


class Watch(Protocol):
    """Who wants to know what happens inside a kernel."""

    def opened(self, left: int, right: int, key: Any) -> None: ...

    def added(self, left: int, right: int, key: Any, t: Tuple) -> None: ...

    def fired(
        self, left: int, right: int, key: Any, emitted: list[Tuple], *, again: bool
    ) -> None: ...

    def purged(self, left: int, right: int, key: Any) -> None: ...

    def turned(self, t: Tuple) -> None: ...

    def let_by(self, watermark: int) -> None: ...


class Kernel:
    """A running operator. This one has no state, and forwards watermarks as they come."""

    form: ClassVar[str] = ""
    """What its snapshots look like, where they are not those of the operator's own kernel."""

    def process(self, port: int, tuples: Sequence[Tuple], out: Outlet) -> None:
        """Take tuples from the input `port`."""
        raise NotImplementedError(type(self).__name__)

    def advance(self, watermark: int, out: Outlet) -> None:
        """Take a watermark, the least over all inputs; it is later than the one before."""
        out.watermark(watermark)

    def held(self) -> int:
        """Return how many tuples the state holds; one in two windows counts twice."""
        return 0

    def snapshot(self) -> Any:
        """Return the state, as something that can be pickled."""
        return None

    def restore(self, state: Any) -> None:
        """Take up a state that `snapshot` returned."""
