"""Runs `mutant_suite` against mutated modules, each in a process of its own.

Reads a list of [module, source] from standard input, and writes one line for each: what noticed it,
or nothing. A mutant that never ends is stopped after some seconds of its own processor time.
"""

from __future__ import annotations

import gc
import importlib
import importlib.abc
import importlib.util
import json
import os
import resource
import signal
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120  pathlib is slow to import
SECONDS, MEMORY = 1.0, 2**27


class Mutated(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives the mutated source for one module, and leaves all others to the rest."""

    def __init__(self, module: str, source: str) -> None:
        self.module, self.source = module, source

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        return importlib.util.spec_from_loader(name, self) if name == self.module else None

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.source, f"{self.module}.py", "exec"), module.__dict__)  # noqa: S102


def forget(module: str) -> None:
    """Unload the module and all that may import it: the core imports nothing above the core."""
    keep = "onefold.core" if not module.startswith("onefold.core") else "nothing"
    for name in [name for name in sys.modules if name.partition(".")[0] == "onefold"]:
        if not name.startswith(keep):
            del sys.modules[name]


def verdict(module: str, source: str) -> str:
    """What the suite says: the check that failed, or nothing."""
    forget(module)
    sys.meta_path.insert(0, Mutated(module, source))
    check = "import"
    try:
        for each in importlib.import_module("mutant_suite").CHECKS:
            check = each.__name__
            each()
    except Exception as problem:  # noqa: BLE001  whatever it raises, it was noticed
        return f"{check}: {type(problem).__name__}"
    return ""


def in_a_process_of_its_own(module: str, source: str) -> str:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
            signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
            os.write(writing, verdict(module, source).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        said = answer.read()
    _, status = os.waitpid(child, 0)
    return said or ("it never ended" if status else "")


def main() -> None:
    sys.path[:0] = [HERE, sys.argv[1]]
    importlib.import_module("onefold")  # so that no mutant pays for what it shares with all others
    gc.disable()  # a mutant lives too briefly to collect, and looking would copy all of memory
    for module, source in json.load(sys.stdin):
        print(in_a_process_of_its_own(module, source), flush=True)  # noqa: T201  that is its job


if __name__ == "__main__":
    main()
