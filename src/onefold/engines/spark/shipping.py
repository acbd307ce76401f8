"""Users' code on its way to the workers."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

from pyspark import cloudpickle

_INSTALLED = tuple(
    str(Path(sysconfig.get_path(name)).resolve())
    for name in ("stdlib", "platstdlib", "purelib", "platlib")
)
_OWN = __name__.partition(".")[0]


def ship_users_modules() -> None:
    """Send what stands in the user's own files along with the functions that use it.

    A worker imports what is installed where it runs; a pipeline's file and the files beside it are
    not, so their functions and classes travel by value.
    """
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if name == "__main__" or name.partition(".")[0] == _OWN or not file:
            continue
        path = str(Path(file).resolve())
        if path.endswith(".py") and not path.startswith(_INSTALLED):
            cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]
