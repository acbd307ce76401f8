"""Finds the pipeline that is named: `file.py:name` or `package.module:name`."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import sys
import traceback
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

from onefold.core.errors import OnefoldError
from onefold.core.near import did_you_mean
from onefold.core.showing import USERS_ERRORS, a_kind_of, told
from onefold.stream import Stream


class PipelineNotFound(OnefoldError):
    """A name that leads to no pipeline."""


class PipelineBroken(OnefoldError):
    """A pipeline whose file fails while it is read."""


def load_pipeline(name: str, beside: Path | None = None) -> Stream:
    """Return the stream that `name` names; a function there is called.

    A file is looked for from `beside`, the folder of a transcript, or from the current folder.
    """
    return _stream(*_found(name, beside, "pipeline"), name)


def load_object(name: str, what: str, beside: Path | None = None) -> Any:
    """Return what `name` names, as it is: an engine, or a function of the user's."""
    module, attribute = _found(name, beside, what)
    if not hasattr(module, attribute):
        hint = did_you_mean(attribute, vars(module), f"name the {what} as file.py:name")
        raise PipelineNotFound(f"{name}: there is no {attribute!r}", hint=hint)
    return getattr(module, attribute)


def _found(name: str, beside: Path | None, what: str) -> tuple[ModuleType, str]:
    where, colon, attribute = name.rpartition(":")
    if not colon or not where or not attribute:
        raise PipelineNotFound(
            f"{name!r} names no {what}",
            hint="write file.py:name or package.module:name",
        )
    module = _from_file(where, beside) if where.endswith(".py") else _from_package(where)
    return module, attribute


def pipeline_file(name: str) -> Path | None:
    """Return the file of a pipeline that was loaded, if it has one."""
    where = name.rpartition(":")[0]
    if where.endswith(".py"):
        return Path(where).resolve()
    file = getattr(sys.modules.get(where), "__file__", None)
    return Path(file).resolve() if file else None


def _from_file(where: str, beside: Path | None) -> ModuleType:
    path = _path(where, beside)
    # A name of its own, so that no file hides a library; registered, so that states pickle.
    unique = f"pipeline_{path.stem}_{sha256(os.fsencode(path)).hexdigest()[:8]}"
    spec = importlib.util.spec_from_file_location(unique, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    module.__onefold_pipeline__ = True  # type: ignore[attr-defined]  # an engine may send it on
    sys.modules[unique] = module
    try:
        spec.loader.exec_module(module)
    except USERS_ERRORS as problem:
        del sys.modules[unique]
        raise _broken(where, problem, path) from problem
    return module


def _path(where: str, beside: Path | None) -> Path:
    try:
        path = ((beside or Path()) / where).resolve()
        found = path.is_file()
    except (OSError, RuntimeError, ValueError) as problem:  # too long, a loop of links, a NUL
        raise PipelineNotFound(f"there is no file {where!r}", detail=str(problem)) from None
    if not found:
        there = (each.name for each in path.parent.glob("*.py"))
        hint = did_you_mean(path.name, there)
        raise PipelineNotFound(f"there is no file {where}", detail=f"looked for {path}", hint=hint)
    return path


def _from_package(where: str) -> ModuleType:
    if where.startswith(".") or not where.isprintable():
        raise PipelineNotFound(
            f"{where!r} names no module", hint="write file.py:name or package.module:name"
        )
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        return importlib.import_module(where)
    except ModuleNotFoundError as problem:
        if problem.name and (where == problem.name or where.startswith(problem.name + ".")):
            raise PipelineNotFound(
                f"there is no module {where!r}", hint="a file is written with its .py: file.py:name"
            ) from None
        raise _broken(where, problem) from problem
    except USERS_ERRORS as problem:
        raise _broken(where, problem) from problem


def _broken(where: str, problem: Exception | SystemExit, path: Path | None = None) -> OnefoldError:
    if isinstance(problem, OnefoldError):
        return problem
    if isinstance(problem, SyntaxError):
        line = "" if problem.lineno is None else f", line {problem.lineno}"
        own = path is not None and problem.filename in {str(path), None}
        place = where if own else f"{where} can't be read: {problem.filename or 'its source'}"
        return PipelineBroken(f"{place}{line}: {problem.msg}", detail=(problem.text or "").strip())
    last = traceback.extract_tb(problem.__traceback__)[-1]
    users = last.filename != __file__ and not last.filename.startswith("<frozen ")
    return PipelineBroken(
        f"{where} failed: {told(problem)}",
        detail=f"{Path(last.filename).name}, line {last.lineno}: {last.line}" if users else "",
        hint=_operator_meant(problem),
    )


def _operator_meant(problem: BaseException) -> str:
    """Return a question where an operator's name is nearly right."""
    if isinstance(problem, AttributeError) and isinstance(problem.obj, Stream):
        operators = [each for each in dir(problem.obj) if not each.startswith("_")]
        return did_you_mean(problem.name or "", operators)
    return ""


def _stream(module: ModuleType, attribute: str, name: str) -> Stream:
    if not hasattr(module, attribute):
        raise PipelineNotFound(f"{name}: there is no {attribute!r}", hint=_hint(module, attribute))
    found = getattr(module, attribute)
    if callable(found) and not isinstance(found, Stream):
        if _takes_arguments(found):
            raise PipelineNotFound(
                f"{name} takes arguments",
                hint="name a stream, or a function without arguments that returns one",
            )
        try:
            found = found()
        except USERS_ERRORS as problem:
            raise _broken(name, problem) from problem
    if isinstance(found, Stream):
        return found
    raise PipelineNotFound(
        f"{name} is {a_kind_of(found)}, not a stream",
        hint="name a stream, or a function without arguments that returns one",
    )


def _takes_arguments(function: Callable[..., object]) -> bool:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some built-in functions don't tell
        return False
    try:
        signature.bind()
    except TypeError:
        return True
    return False


def _hint(module: ModuleType, attribute: str) -> str:
    streams = [key for key, value in vars(module).items() if isinstance(value, Stream)]
    known = f"its streams are {', '.join(streams)}" if streams else "it has no streams"
    return did_you_mean(attribute, streams) or did_you_mean(attribute, vars(module), known)
