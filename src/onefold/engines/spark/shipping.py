"""Users' code on its way to the workers.

A worker on this machine finds what the driver finds: it gets the driver's import path, and reads
the file of a pipeline as the driver did. A worker elsewhere has what is installed there and what
Spark was told to send (`--py-files`); the pipeline's own file travels with its functions.
"""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark import cloudpickle
from pyspark.sql import SparkSession

_FILES = "pipeline_"
"""What the name of a module begins with that `onefold.pipelines` has read from a file."""
_opened: dict[bytes, Any] = {}


@dataclass(frozen=True)
class Shipment:
    """Something with users' functions in it, as bytes."""

    payload: bytes
    paths: tuple[str, ...]
    files: tuple[tuple[str, str], ...]

    def opened(self) -> Any:
        """Return what was shipped; a worker opens it once."""
        if self.payload not in _opened:
            sys.path += [each for each in self.paths if each not in sys.path]
            for name, file in self.files:
                if name not in sys.modules and Path(file).exists():
                    _read(name, file)
            if len(_opened) > 20:  # a worker may serve many queries
                _opened.clear()
            _opened[self.payload] = cloudpickle.loads(self.payload)
        return _opened[self.payload]


def shipped(value: Any, session: SparkSession) -> Shipment:
    """Return something in a form that workers can open."""
    local = (session.conf.get("spark.master", "") or "").startswith("local")
    files = [
        (name, str(module.__file__))
        for name, module in list(sys.modules.items())
        if name.startswith(_FILES) and getattr(module, "__file__", None)
    ]
    if not local:
        for name, _ in files:
            cloudpickle.register_pickle_by_value(sys.modules[name])  # type: ignore[no-untyped-call]
    payload = cloudpickle.dumps(value)  # type: ignore[no-untyped-call]
    return Shipment(payload, tuple(sys.path) if local else (), tuple(files) if local else ())


def _read(name: str, file: str) -> None:
    spec = importlib.util.spec_from_file_location(name, file)
    if spec and spec.loader:
        sys.modules[name] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
