"""A folder for the time of a query, in which Spark may still write when it ends.

The state stores of a stopped query are looked after by threads of Spark's own, which may
put a file into the checkpoint while it is being removed.
"""

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

TRIES, PAUSE = 20, 0.1
"""How often it is tried to remove a folder, and the seconds between."""


@contextmanager
def scratch(prefix: str = "onefold-") -> Iterator[Path]:
    """Give a new folder, and remove it at the end, though Spark may write into it for a moment.

    What is still there after two seconds stays among the system's temporary files: no answer
    depends on it.
    """
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    try:
        yield folder
    finally:
        for _ in range(TRIES):
            shutil.rmtree(folder, ignore_errors=True)
            if not folder.exists():
                break
            time.sleep(PAUSE)
