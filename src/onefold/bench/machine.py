"""The machine and the versions that results were made with."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from onefold import __version__


def facts() -> dict[str, Any]:
    """Return what a reader of figures wants to know."""
    return {
        "onefold": __version__,
        "spark": _version("pyspark"),
        "python": platform.python_version(),
        "java": _java(),
        "cpu": _cpu(),
        "cores": os.cpu_count() or 1,
        "memory_gb": _memory(),
        "system": platform.platform(),
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _java() -> str:
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if java is None:
        return ""
    done = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)  # noqa: S603  the Java that Spark runs on
    found = re.search(r'version "([^"]+)"', done.stderr)
    return found.group(1) if found else ""


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    text = info.read_text() if info.exists() else ""
    found = re.search(r"model name\s*:\s*(.+)", text)
    return found.group(1) if found else platform.processor() or platform.machine()


def _memory() -> float:
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return round(pages / 2**30, 1)
