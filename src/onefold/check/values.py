"""Values to try: for each type those that code gets wrong, and those that the pipeline names."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from random import Random
from types import CodeType
from typing import Any

from onefold.core.functions import UserFunction
from onefold.core.plan import Plan
from onefold.core.types import (
    Array,
    Binary,
    Boolean,
    DataType,
    Floating,
    Integer,
    Misfit,
    String,
    Struct,
    Timestamp,
)

HUGE = "long " * 2_000
"""A string that no one expects."""
MOST_TURNS = 100
"""How large numbers are for a pipeline with a loop."""
LONGEST_NAMED = 200
"""A number up to here may be the length of a string."""
LARGEST_NAMED = 10_000_000
"""A number up to here is tried."""
_MOMENT = datetime(2020, 2, 29, 12, tzinfo=UTC)


def plain_values(kind: DataType) -> list[Any]:
    """Return ordinary values of a type, the simplest first."""
    match kind:
        case String():
            return ["a", "b", "a b", "b a b", "word", "a long sentence of extraordinary words"]
        case Boolean():
            return [False, True]
        case Integer():
            return [0, 1, 2, 3, 7, 10, 100]
        case Floating():
            return [0.0, 1.0, 1.5, 2.5, 10.0, 100.0]
        case Timestamp():
            return [_MOMENT, _MOMENT.replace(day=1)]
        case Binary():
            return [b"a", b"b", b"ab"]
        case Array(element):
            inner = plain_values(element)
            return [inner[:1], inner[:2], inner[1:2] * 2, inner]
        case Struct(attributes):
            parts = [plain_values(each) for _, each in attributes]
            return [tuple(p[n % len(p)] for p in parts) for n in range(max(map(len, parts)))]
    raise NotImplementedError(type(kind).__name__)


def odd_values(kind: DataType) -> list[Any]:
    """Return the values of a type that code gets wrong; null is one of every type."""
    match kind:
        case String():
            return ["", " ", "A", "é", "e\N{COMBINING ACUTE ACCENT}", "0", "None", "a,b\n", HUGE]
        case Integer():  # none is huge: a function may make as many tuples, or wait as long
            return [-1, -100, 1_000]
        case Floating():
            return [math.nan, -0.0, math.inf, -math.inf, -1.5, 1e-30, 0.1]
        case Timestamp():
            return [datetime(1969, 12, 31, 23, 59, 59, 999_999, UTC)]
        case Binary():
            return [b"", b"\0", b"\xff"]
        case Array(element):
            return [[], [None], *([each] for each in odd_values(element))]
        case Struct(attributes):
            nulls = tuple(None for _ in attributes)
            return [nulls, *zip(*(_cycled(odd_values(each)) for _, each in attributes))]
    return []


def _cycled(values: list[Any]) -> list[Any]:
    return [values[n % len(values)] if values else None for n in range(4)]


def named_values(plan: Plan, kind: DataType) -> list[Any]:
    """Return what the pipeline's own functions name and the type holds, and the values beside."""
    found: list[Any] = []
    for value in _constants(plan):
        try:
            found += [kind.conform(each) for each in _about(value, kind)]
        except Misfit:
            continue
    return list(dict.fromkeys(each for each in found if each is not None))


def _about(value: Any, kind: DataType) -> list[Any]:
    """Return a value and those beside it; where text is wanted, a number may be a length."""
    if isinstance(kind, String) and type(value) is int:
        return ["x" * value] if 0 < value <= LONGEST_NAMED else []
    if not isinstance(value, (int, float)):
        return [value]
    return [value, value + 1, value - 1] if abs(value) <= LARGEST_NAMED else []


def _constants(plan: Plan) -> Iterator[Any]:
    for node in plan.nodes:
        for part in vars(node).values():
            for each in part if isinstance(part, tuple) else (part,):
                yield from _of_function(each)


def _of_function(thing: Any) -> Iterator[Any]:
    function = thing.function if isinstance(thing, UserFunction) else thing
    function = getattr(function, "function", function)  # an Aggregate's, a key's
    function = getattr(function, "function", function)
    function = getattr(function, "__wrapped__", function)
    code = getattr(function, "__code__", None)
    if code is not None:
        yield from (each for each in _of_code(code) if each != function.__doc__)
    for cell in getattr(function, "__closure__", None) or ():
        try:
            held = cell.cell_contents
        except ValueError:  # not filled yet
            continue
        yield from _simple([held])


def _of_code(code: CodeType) -> Iterator[Any]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _of_code(each)
    yield from _simple(code.co_consts)


def _simple(values: Iterable[Any]) -> Iterator[Any]:
    for each in values:
        if isinstance(each, (str, bytes, int, float)) and not isinstance(each, bool):
            yield each
        elif isinstance(each, (tuple, frozenset, list, set)):
            yield from _simple(each)


class Values:
    """Draws values for the attributes of a case: few of them, so that many are equal."""

    def __init__(self, plan: Plan, random: Random) -> None:
        self.plan, self.random = plan, random
        self.odd = random.random() < 0.5
        """Half of the cases have ordinary values only: a function that fails hides what follows."""
        self.counted = any(node.loops for node in plan.nodes)
        """A loop may go round as often as a number says: then numbers are small."""
        self.known: dict[DataType, list[Any]] = {}

    def draw(self, kind: DataType) -> Any:
        """Return a value of a type."""
        if kind not in self.known:
            self.known[kind] = self._few(kind)
        return self.random.choice(self.known[kind])

    def _few(self, kind: DataType) -> list[Any]:
        """Return the values that the case has of a type: one, two, or more."""
        every = plain_values(kind) + named_values(self.plan, kind)
        if self.odd:
            every += [None, *odd_values(kind)]
        if self.counted:
            every = [each for each in every if not isinstance(each, int) or abs(each) <= MOST_TURNS]
        return [self.random.choice(every) for _ in range(self.random.choice([1, 2, 2, 3, 8]))]
