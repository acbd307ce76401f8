"""The session that a bench measures in: a JVM with room, on one machine."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

from pyspark.sql import SparkSession

from onefold.engines.spark.session import session

MOST_MEMORY = 8
"""How many gigabytes Java may take at the most; less where that is more than a third of all."""
ROOMY = {
    # G1 marks all the time where arrays are as long as parcels
    "spark.driver.extraJavaOptions": "-XX:+UseParallelGC",
    # what does not fit in a buffer that Java keeps is asked from the system anew each time
    "spark.sql.execution.arrow.maxBytesPerBatch": str(8 * 2**20),
    "spark.python.unix.domain.socket.enabled": "true",
}
"""A JVM with room for a batch on its way, on one machine."""


def start() -> SparkSession:
    """Return a session with room for a batch on its way, whose JVM says nothing on the screen."""
    config = {**ROOMY, "spark.driver.memory": f"{_memory()}g"}
    made = session(config=config, log=Path(os.devnull))
    if threading.current_thread() is threading.main_thread():
        # PySpark's own asks the JVM on the connection that is being read, and shows what that gives
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return made


def _memory() -> int:
    """Return how many gigabytes Java may take."""
    all_there: int = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limit = Path("/sys/fs/cgroup/memory.max")  # a container's
    if limit.exists() and (text := limit.read_text().strip()).isdigit():
        all_there = min(all_there, int(text))
    return max(1, min(MOST_MEMORY, all_there // 2**30 // 3))
