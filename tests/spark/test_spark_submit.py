"""The page on clusters: its script by spark-submit, with a module in a zip, on another process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from typed_in import ROOT, File, parts

ROWS = [(1, " Zeno"), (2, "Elea"), (3, "zeno "), (25, "Elea")]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with the files of the page; the module is in the zip alone."""
    page = (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")
    files = {part.name: part.text for part in parts(page) if isinstance(part, File)}
    assert set(files) == {"shop.py", "job.py"}
    (tmp_path / "job.py").write_text(files["job.py"], encoding="utf-8")
    with zipfile.ZipFile(tmp_path / "shop.zip", "w") as packed:
        packed.writestr("shop.py", files["shop.py"])
    (tmp_path / "incoming").mkdir()
    lines = [json.dumps({"ts": f"2026-05-01T12:00:{at:02}Z", "word": word}) for at, word in ROWS]
    (tmp_path / "incoming" / "words.json").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path


def test_a_script_with_a_module_of_its_own_runs_on_a_cluster(home: Path) -> None:
    (home / "events").mkdir()
    settings = {
        "spark.driver.host": "localhost",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": (home / "events").as_uri(),
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
    }
    command = [
        str(Path(sys.executable).parent / "spark-submit"),
        *("--master", "local-cluster[1,1,1024]", "--py-files", "shop.zip"),
        *(word for name, value in settings.items() for word in ("--conf", f"{name}={value}")),
        *("job.py", "incoming", "outgoing", "kept"),
    ]
    paths = {"PYTHONPATH": str(ROOT / "src"), "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run(
        command, cwd=home, env={**os.environ, **paths}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    written = [
        json.loads(line)
        for file in (home / "outgoing").glob("*.json")
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    # The row of second 25 moves the watermark to 15, and waits in the state itself.
    assert sorted((row["word"], row["n"]) for row in written) == [("elea", 1), ("zeno", 2)]
    (log,) = (home / "events").iterdir()
    told = log.read_text(encoding="utf-8")
    assert '"spark.driver.host":"localhost"' in told  # what spark-submit was told stays
    assert '"spark.master":"local-cluster[1,1,1024]"' in told
