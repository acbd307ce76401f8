"""How much memory Spark's Python workers hold, looked at once a second."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from os import getpid, sysconf
from pathlib import Path
from threading import Event, Thread

WORKERS = (b"pyspark.daemon", b"pyspark.worker", b"pyspark/daemon", b"pyspark/worker")
PROC = Path("/proc")


class Peak:
    """The most megabytes seen so far; none where there is no /proc."""

    def __init__(self) -> None:
        self.megabytes = 0.0

    def look(self) -> None:
        """Look once."""
        self.megabytes = max(self.megabytes, worker_megabytes())


@contextmanager
def watching(every: float = 1.0) -> Iterator[Peak]:
    """Look at the workers of this process meanwhile."""
    peak, over = Peak(), Event()

    def watch() -> None:
        while not over.wait(every):
            peak.look()

    thread = Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield peak
    finally:
        over.set()
        thread.join()
        peak.look()


def worker_megabytes() -> float:
    """Return the resident memory of all Python workers below this process."""
    if not PROC.exists():
        return 0.0
    processes = {int(each.name): each for each in PROC.iterdir() if each.name.isdigit()}
    parents = {number: parent for number, each in processes.items() if (parent := _parent(each))}
    own = (number for number in parents if _descends(number, getpid(), parents))
    pages = sum(_pages(processes[number]) for number in own if _works(processes[number]))
    return pages * sysconf("SC_PAGE_SIZE") / 2**20


def _descends(number: int, ancestor: int, parents: dict[int, int]) -> bool:
    while number in parents:
        number = parents[number]
        if number == ancestor:
            return True
    return False


def _parent(process: Path) -> int:
    _, _, rest = _text(process / "stat").rpartition(b")")
    fields = rest.split()
    return int(fields[1]) if fields else 0


def _pages(process: Path) -> int:
    fields = _text(process / "statm").split()
    return int(fields[1]) if fields else 0


def _works(process: Path) -> bool:
    line = _text(process / "cmdline")
    return any(name in line for name in WORKERS)


def _text(file: Path) -> bytes:
    """Return what a process tells; nothing if it has gone."""
    try:
        return file.read_bytes()
    except OSError:
        return b""
