"""Users' functions: called in one place, so that every failure names step, function and tuple."""

from __future__ import annotations

import inspect
import os
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any

from onefold.core.errors import FunctionFailed, OnefoldError, RunError, WrongArity
from onefold.core.records import Tuple
from onefold.core.showing import USERS_ERRORS, safely, shown
from onefold.core.types import Misfit

_PACKAGE = str(Path(__file__).parents[1]) + os.sep


@dataclass(frozen=True)
class Step:
    """An operator as the user wrote it: its name, and where."""

    operator: str
    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        return f"{self.operator} ({self.file}, line {self.line})" if self.file else self.operator


def here(operator: str) -> Step:
    """Return the step that the user is writing: the first line outside of this package."""
    frame = inspect.currentframe()
    while frame and frame.f_back and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    if frame is None:  # an interpreter without frames
        return Step(operator)
    return Step(operator, Path(frame.f_code.co_filename).name, frame.f_lineno)


class Outcome(Enum):
    """What a call gives that was set aside instead of failing the run."""

    FAILED = "failed"


FAILED = Outcome.FAILED


class About(Enum):
    """What a function is called for: what is set aside when it fails."""

    TUPLE = "tuple"
    WINDOW = "window"
    PAIR = "pair"
    STATE = "state"


@dataclass(frozen=True)
class Failure:
    """A call of a user's function that went wrong."""

    step: Step
    function: str
    reason: str
    subject: tuple[Any, ...]
    """What the function was called with: a tuple, a pair, a window, a state and a tuple."""
    about: About = About.TUPLE

    def error(self, aside: str = "") -> FunctionFailed:
        """Return the error that stops a run; `aside` says how to go on without such tuples."""
        return FunctionFailed(
            f"{self.step} failed: {self.function} {self.reason}",
            detail="called with " + " and ".join(_shown(part) for part in self.subject),
            hint="mend the function" + (f", or set such tuples aside: {aside}" if aside else ""),
        )


def _raise(failure: Failure) -> None:
    raise failure.error()


on_failure: ContextVar[Callable[[Failure], None]] = ContextVar("on_failure", default=_raise)
"""What to do with a failure; a handler that returns lets the run go on without the result."""


def _as_returned(result: Any, *_: Any) -> Any:
    return result


def truth(result: Any, *_: Any) -> bool:
    """Return whether a predicate holds; asking may fail, as the function may."""
    return bool(result)


@dataclass(frozen=True)
class Checked:
    """What a check made of a result."""

    value: Any


@dataclass(frozen=True)
class Raised:
    """What came instead of a result."""

    problem: Exception | SystemExit


@dataclass(frozen=True, eq=False)
class UserFunction:
    """A function of the user's, where it is used, and what its operator makes of its result."""

    function: Callable[..., Any]
    step: Step
    role: str
    check: Callable[..., Any] = _as_returned
    """`check(result, *arguments)` returns what the operator goes on with, or raises `Misfit`."""
    about: About = About.TUPLE
    """What it is called for, and so what is set aside when it fails."""

    def __call__(self, *arguments: Any) -> Any:
        """Call it; return what `check` makes of the result, or FAILED if that was set aside."""
        try:
            return self.check(self.function(*arguments), *arguments)
        except USERS_ERRORS as problem:
            self._report(problem, arguments)
            return FAILED

    def over(self, tuples: Iterable[Tuple]) -> Iterator[tuple[Tuple, Any]]:
        """Call it for each tuple; skip those that fail and are set aside."""
        function, check = self.function, self.check
        for t in tuples:
            try:
                result = check(function(t), t)
            except USERS_ERRORS as problem:
                self._report(problem, (t,))
                continue
            if result is not FAILED:
                yield t, result

    def results(self, tuples: Iterable[Tuple]) -> list[Any]:
        """Call it for each tuple; return what `settled` is to be asked about, in the same order.

        A list is kept as it is. Anything else may be gone when the function is called again, and is
        checked at once. Nothing is told of failures yet.
        """
        results: list[Any] = []
        function, check, add, rest = self.function, self.check, results.append, iter(tuples)
        while True:
            try:
                for t in rest:
                    result = function(t)
                    add(result if result.__class__ is list else Checked(check(result, t)))
            except USERS_ERRORS as problem:
                add(Raised(problem))
            else:
                return results

    def settled(self, result: Any, *arguments: Any) -> Any:
        """Return what `check` makes of one of the results, or FAILED if that was set aside."""
        match result:
            case Checked():
                return result.value
            case Raised():
                self._report(result.problem, arguments)
                return FAILED
        try:
            return self.check(result, *arguments)
        except USERS_ERRORS as problem:
            self._report(problem, arguments)
            return FAILED

    def checked(self, check: Callable[..., Any]) -> UserFunction:
        """Return the same function with another use of its result."""
        return replace(self, check=check)

    def _report(self, problem: Exception | SystemExit, arguments: tuple[Any, ...]) -> None:
        if isinstance(problem, RunError):
            raise problem
        failure = Failure(self.step, self.describe(), _reason(problem), arguments, self.about)
        try:
            on_failure.get()(failure)
        except FunctionFailed as stop:
            raise stop from problem

    def describe(self) -> str:
        """Write the function's name and where it stands."""
        return describe(self.function)

    def takes(self, count: int) -> UserFunction:
        """Raise an error unless the function can be called with `count` arguments."""
        if not callable(self.function):
            raise WrongArity(
                f"{self.step}: {self.role} must be a function",
                detail=f"got {self.function!r}",
            )
        try:
            signature = inspect.signature(self.function)
        except (TypeError, ValueError):  # some built-in functions don't tell
            return self
        try:
            signature.bind(*range(count))
        except TypeError:
            noun = "argument" if count == 1 else "arguments"
            raise WrongArity(
                f"{self.step}: {self.role} is called with {count} {noun}",
                detail=f"{self.describe()} is declared as {self._declared(signature)}",
            ) from None
        return self

    def _declared(self, signature: inspect.Signature) -> str:
        return f"{getattr(self.function, '__name__', 'function')}{signature}"


def describe(function: Any) -> str:
    """Write a function's name and where it stands."""
    if isinstance(function, partial):
        return f"partial of {describe(function.func)}"
    inner = inspect.unwrap(function)
    if not hasattr(inner, "__qualname__"):  # an object that can be called
        inner = type(inner).__call__
    name = inner.__qualname__
    code = getattr(inner, "__code__", None)
    if code is None:
        return str(name)
    name = name.replace("<locals>.", "").replace("<lambda>", "lambda")
    return f"{name} ({Path(code.co_filename).name}, line {code.co_firstlineno})"


def _reason(problem: Exception | SystemExit) -> str:
    if isinstance(problem, Misfit):
        return f"returned the wrong shape: {problem}"
    frames = traceback.extract_tb(problem.__traceback__)
    users = [frame for frame in frames if not frame.filename.startswith(_PACKAGE)]
    # The user's own last line, and not that of a library that the function calls.
    own = [frame for frame in users if frame.filename == users[0].filename]
    where = f" at {Path(own[-1].filename).name}, line {own[-1].lineno}" if own else ""
    text = problem.what if isinstance(problem, OnefoldError) else safely(str, problem)
    return f"raised {type(problem).__name__}{': ' if text else ''}{text}{where}"


def _shown(part: Any) -> str:
    text = shown(part)
    return text if len(text) <= 300 else text[:297] + "..."
