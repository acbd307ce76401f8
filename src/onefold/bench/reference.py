"""How fast the reference engine is, and how much memory it takes.

    filter → map → tumbling count → output

One process for each measurement, so that peak memory is that of one run. Tuples are made on the way
and results are counted and dropped, so what stays in memory is what the engine keeps.
"""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from onefold.core.aggregate import Window
from onefold.core.plan import Implementation
from onefold.core.records import Tuple
from onefold.core.types import TupleType
from onefold.engines.reference import Engine
from onefold.local import lower
from onefold.stream import Stream, source

CHUNK = 1000
"""How many tuples come between two watermarks: one millisecond apart, so one second of events."""

WORDS = [f"Word{n}" for n in range(100)]


@dataclass(frozen=True)
class Measurement:
    """One run: what went through, how long it took, what it needed."""

    implementation: str
    tuples: int
    outputs: int
    seconds: float
    memory_mb: float
    most_open_tuples: int

    @property
    def rate(self) -> float:
        """Tuples in a second."""
        return self.tuples / self.seconds


def pipeline() -> Stream:
    """Return filter → map → tumbling count."""
    events = source("events", "word string, n bigint")
    kept = events.filter(lambda t: t.n % 10 != 0)
    lowered = kept.map(lambda t: (t.word.lower(), t.n), "word string, n bigint")
    return lowered.aggregate(_count, "word string, n int", key=["word"], size="1 s")


def _count(window: Window) -> tuple[str, int]:
    return window.key.word, len(window.tuples)


def chunks(type: TupleType, count: int) -> Iterator[list[Tuple]]:
    """Return tuples a millisecond apart, in chunks."""
    make = type.tuple_class
    for start in range(0, count, CHUNK):
        times = range(start, min(start + CHUNK, count))
        yield [make((time, WORDS[time % len(WORDS)], time)) for time in times]


def measure(implementation: Implementation, count: int) -> Measurement:
    """Run `count` tuples through the pipeline in this process."""
    outputs = most_open = 0

    def drop(tuples: Sequence[Tuple]) -> None:
        nonlocal outputs
        outputs += len(tuples)

    engine = Engine(lower(pipeline(), implementation), on_output=drop)
    begun = time.perf_counter()
    for chunk in chunks(engine.plan.sources["events"].type, count):
        engine.process("events", chunk)
        most_open = max(most_open, engine.open_tuples())
        engine.watermark("events", chunk[-1].time + 1)
    engine.end()
    seconds = time.perf_counter() - begun
    return Measurement(implementation.value, count, outputs, seconds, _peak_memory(), most_open)


def _peak_memory() -> float:
    """Return the most megabytes that this process has held."""
    status = Path("/proc/self/status")
    if status.exists():  # on Linux ru_maxrss may be that of the process that started this one
        (peak,) = re.findall(r"VmHWM:\s+(\d+) kB", status.read_text())
        return int(peak) / 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def measure_apart(implementation: Implementation, count: int) -> Measurement:
    """Run a measurement in a process of its own."""
    command = [sys.executable, "-m", "onefold.bench.reference", implementation.value, str(count)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603  our own module
    return Measurement(**json.loads(done.stdout))


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asdict(measure(Implementation(sys.argv[1]), int(sys.argv[2])))))
