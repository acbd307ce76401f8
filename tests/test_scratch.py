import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

pytest.importorskip("pyspark")

from onefold.engines.spark.scratch import scratch


def test_a_folder_is_removed_with_all_that_is_in_it() -> None:
    with scratch("onefold-test-") as folder:
        (folder / "state" / "0").mkdir(parents=True)
        (folder / "state" / "0" / "1.delta").write_text("x")
    assert not folder.exists()


def test_a_folder_goes_too_when_its_user_fails() -> None:
    with pytest.raises(ValueError, match="of the query"), scratch() as folder:
        raise ValueError("of the query")
    assert not folder.exists()


def test_files_written_while_it_is_removed_do_not_matter() -> None:
    """As Spark's state stores do for a moment after their query has stopped."""
    with scratch() as folder:
        writer = threading.Thread(target=_still_write, args=(folder / "state" / "0",))
        writer.start()
    writer.join()
    assert not folder.exists()


def _still_write(state: Path) -> None:
    until = time.monotonic() + 0.5
    while time.monotonic() < until:
        with suppress(FileNotFoundError):
            state.mkdir(parents=True, exist_ok=True)
            (state / f"{time.monotonic_ns()}.delta").touch()
