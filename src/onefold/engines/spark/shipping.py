"""Users' code on its way to the workers.

The file of a pipeline travels with its functions, as text, and is read again in every worker under
the name that the driver gave it. A worker on this machine also gets the driver's import path; one
elsewhere has what is installed there, and what Spark was told to send (`spark.submit.pyFiles`).
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from pyspark import cloudpickle
from pyspark.sql import SparkSession

from onefold.engines.spark.session import on_one_machine

_opened: dict[bytes, Any] = {}


@dataclass(frozen=True)
class Shipment:
    """Something with users' functions in it, as bytes."""

    payload: bytes
    paths: tuple[str, ...]
    files: tuple[tuple[str, str, str], ...]
    """Modules by name, their files, and what stands in them."""

    def opened(self) -> Any:
        """Return what was shipped; a worker opens it once."""
        if self.payload not in _opened:
            sys.path += [each for each in self.paths if each not in sys.path]
            for name, file, text in self.files:
                if name not in sys.modules:
                    _read(name, file, text)
            if len(_opened) > 20:  # a worker may serve many queries
                _opened.clear()
            _opened[self.payload] = cloudpickle.loads(self.payload)
        return _opened[self.payload]


def shipped(value: Any, session: SparkSession) -> Shipment:
    """Return something in a form that workers can open."""
    payload: bytes = cloudpickle.dumps(value)  # type: ignore[no-untyped-call]
    files = tuple(
        (name, str(module.__file__), Path(str(module.__file__)).read_text(encoding="utf-8"))
        for name, module in list(sys.modules.items())
        if getattr(module, "__onefold_pipeline__", False)
        and name.encode() in payload  # a pickle names the modules that it needs
    )
    return Shipment(payload, tuple(sys.path) if on_one_machine(session) else (), files)


def _read(name: str, file: str, text: str) -> None:
    """Run the file of a pipeline as the driver did."""
    module = ModuleType(name)
    module.__file__ = file
    sys.modules[name] = module
    try:
        exec(compile(text, file, "exec"), module.__dict__)  # noqa: S102  the user's own file
    except BaseException:
        del sys.modules[name]
        raise
