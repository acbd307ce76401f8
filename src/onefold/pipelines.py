"""Finds the pipeline that is named: `file.py:name` or `package.module:name`."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import traceback
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from types import ModuleType

from onefold.core.errors import OnefoldError
from onefold.stream import Stream


class PipelineNotFound(OnefoldError):
    """A name that leads to no pipeline."""


class PipelineBroken(OnefoldError):
    """A pipeline whose file fails while it is read."""


def load_pipeline(name: str, beside: Path | None = None) -> Stream:
    """Return the stream that `name` names; a function there is called.

    A file is looked for from `beside`, the folder of a transcript, or from the current folder.
    """
    where, colon, attribute = name.rpartition(":")
    if not colon or not where or not attribute:
        raise PipelineNotFound(
            f"{name!r} names no pipeline",
            hint="write file.py:name or package.module:name",
        )
    module = _from_file(where, beside) if where.endswith(".py") else _from_package(where)
    return _stream(module, attribute, name)


def _from_file(where: str, beside: Path | None) -> ModuleType:
    path = ((beside or Path()) / where).resolve()
    if not path.is_file():
        raise PipelineNotFound(f"there is no file {where}", detail=f"looked for {path}")
    # A name of its own, so that no file hides a library; registered, so that states pickle.
    unique = f"pipeline_{path.stem}_{sha256(str(path).encode()).hexdigest()[:8]}"
    spec = importlib.util.spec_from_file_location(unique, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    sys.modules[unique] = module
    try:
        spec.loader.exec_module(module)
    except Exception as problem:
        raise _broken(where, problem) from problem
    return module


def _from_package(where: str) -> ModuleType:
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
    except Exception as problem:
        raise _broken(where, problem) from problem


def _broken(where: str, problem: Exception) -> OnefoldError:
    if isinstance(problem, OnefoldError):
        return problem
    if isinstance(problem, SyntaxError):
        return PipelineBroken(
            f"{where}, line {problem.lineno}: {problem.msg}", detail=(problem.text or "").strip()
        )
    last = traceback.extract_tb(problem.__traceback__)[-1]
    return PipelineBroken(
        f"{where} can't be read: {type(problem).__name__}: {problem}",
        detail=f"{Path(last.filename).name}, line {last.lineno}: {last.line}",
    )


def _stream(module: ModuleType, attribute: str, name: str) -> Stream:
    found = getattr(module, attribute, None)
    if callable(found) and not isinstance(found, Stream):
        try:
            found = found()
        except Exception as problem:
            raise _broken(name, problem) from problem
    if isinstance(found, Stream):
        return found
    streams = [key for key, value in vars(module).items() if isinstance(value, Stream)]
    if not hasattr(module, attribute):
        near = get_close_matches(attribute, vars(module), n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"its streams are {', '.join(streams)}"
        raise PipelineNotFound(f"{name}: there is no {attribute!r}", hint=hint)
    raise PipelineNotFound(
        f"{name} is a {type(found).__name__}, not a stream",
        hint="name a stream, or a function without arguments that returns one",
    )
