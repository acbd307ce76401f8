"""A Spark session that fits: this Python, UTC, a state store that holds what memory does not."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pyspark.errors import PySparkRuntimeError
from pyspark.sql import SparkSession

from onefold.core.errors import OnefoldError

ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
STATE_STORE = "spark.sql.streaming.stateStore.providerClass"
CHANGELOG = "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled"
"""Whether a batch writes what it changed, and not all files of the store."""
FILE_MANAGER = "spark.sql.streaming.checkpointFileManagerClass"
PLAIN_FILES = (
    "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
)
"""Renames the files of a checkpoint by itself. Spark's default asks about links before, and starts
a process for that, on a local disk some 40 times in a batch with state. Where a Hadoop is set up a
checkpoint may lie on HDFS, and there the default is the right one."""

STAYS_HERE = {
    "spark.shuffle.compress": "false",
    # Checksums find what a network or a second try of a task changed; here is neither.
    "spark.shuffle.checksum.enabled": "false",
    "spark.sql.shuffle.orderIndependentChecksum.enabled": "false",
    # Parcels are long rows: with a file for each partition, they would be written twice.
    "spark.shuffle.sort.bypassMergeThreshold": "1",
    "spark.shuffle.file.buffer": "1m",
    "spark.shuffle.localDisk.file.output.buffer": "1m",
}
"""How to shuffle what never leaves this process."""

KEPT_BYTES = str(2**31)
WORKERS_KEEP = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_MMAP_THRESHOLD_": KEPT_BYTES,
    "MALLOC_TRIM_THRESHOLD_": KEPT_BYTES,
}
"""Python workers keep the memory of a batch for the next one, and give back only what is beyond two
gigabytes free at the heap's end. They would give back all of it, and the system would hand it out
again page by page: a third of what a join with much output took."""
ANY_THRESHOLD = (2, 35)
"""The glibc that takes such a threshold; an earlier one would go by a small one, and be slower."""

TRIED_ONCE = re.compile(r"local(\[[^,]*\])?")
"""Masters of one process that try a task once: not `local[4,3]`, nor `local-cluster[…]`."""

INSTALL = (
    "install Java 17 or 21 (Debian: apt install openjdk-17-jre-headless; macOS: "
    "brew install openjdk@17), or set JAVA_HOME"
)


class NoJava(OnefoldError):
    """Spark needs Java, and there is none."""


def session(
    master: str | None = None,
    *,
    name: str = "onefold",
    config: Mapping[str, str] | None = None,
    log: Path | None = None,
) -> SparkSession:
    """Return the session of this process, or make one that fits: by default on all local cores.

    With `log`, what the JVM has to say goes to that file, and not to standard error.
    """
    running = active()
    if running is not None and master is None:
        return with_state_store(running)
    use_this_python()
    check_java()
    cores = os.cpu_count() or 1
    settings = {
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": str(cores),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.streaming.metricsEnabled": "false",
        STATE_STORE: ROCKSDB,
        CHANGELOG: "true",
        **(config or {}),
    }
    builder = SparkSession.builder.appName(name)
    if master is None and "PYSPARK_GATEWAY_PORT" not in os.environ:  # else spark-submit's
        master = f"local[{cores}]"
    if master is not None:
        builder = builder.master(master)
    if master is not None and master.startswith("local"):
        settings = {
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            **({} if master.startswith("local-cluster") else workers_keep(platform.libc_ver())),
            **(STAYS_HERE if TRIED_ONCE.fullmatch(master) else {}),
            **({} if "HADOOP_CONF_DIR" in os.environ else {FILE_MANAGER: PLAIN_FILES}),
            **settings,
        }
    for key, value in settings.items():
        builder = builder.config(key, value)
    try:
        with _stderr_to(log):
            return builder.getOrCreate()
    except PySparkRuntimeError as problem:
        if problem.getCondition() == "JAVA_GATEWAY_EXITED":
            raise _no_java("Java did not start") from None
        raise


def workers_keep(libc: tuple[str, str]) -> dict[str, str]:
    """Return the settings by which Python workers keep memory; what the user has set stays.

    >>> workers_keep(("glibc", "2.31")), workers_keep(("", ""))
    ({}, {})
    """
    name, version = libc
    if name != "glibc" or tuple(map(int, version.split(".")[:2])) < ANY_THRESHOLD:
        return {}
    unset = {key: value for key, value in WORKERS_KEEP.items() if key not in os.environ}
    return {f"spark.executorEnv.{key}": value for key, value in unset.items()}


def active() -> SparkSession | None:
    """Return the session that this process has already, if it has one."""
    return SparkSession.getActiveSession()


def quiet_session() -> SparkSession:
    """Return the session of this process, or one whose JVM says nothing on the screen."""
    return session(log=Path(os.devnull))


@contextmanager
def _stderr_to(log: Path | None) -> Iterator[None]:
    """Give the processes that start meanwhile a file as their standard error."""
    if log is None:
        yield
        return
    sys.stderr.flush()
    kept = os.dup(2)
    try:
        with log.open("ab") as file:
            os.dup2(file.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def with_state_store(running: SparkSession) -> SparkSession:
    """Let the session keep state in RocksDB, as `transformWithState` needs it."""
    if running.conf.get(STATE_STORE, "") != ROCKSDB:
        running.conf.set(STATE_STORE, ROCKSDB)
    return running


def on_one_machine(running: SparkSession) -> bool:
    """Say whether all tasks of a session run in the driver's process."""
    master = running.conf.get("spark.master", "") or ""
    return master == "local" or master.startswith("local[")


def use_this_python() -> None:
    """Let workers run the Python that runs the driver; another one dies without a word."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)


def check_java() -> None:
    """Raise an error if there is no Java to run Spark."""
    home = os.environ.get("JAVA_HOME")
    if home and os.access(os.path.join(home, "bin", "java"), os.X_OK):  # noqa: PTH118
        return
    if not shutil.which("java"):
        raise _no_java("there is no Java on this machine")


def _no_java(what: str) -> NoJava:
    return NoJava(
        f"Spark can't start: {what}",
        hint=f"{INSTALL}; --engine reference needs none",
    )
