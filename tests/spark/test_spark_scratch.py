"""A query's folder goes, whatever Spark still does with it."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

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
    until = time.monotonic() + 0.5
    with scratch() as folder:
        writer = threading.Thread(target=_still_write, args=(folder / "state", until))
        writer.start()
    writer.join()
    assert not folder.exists()


def _still_write(state: Path, until: float) -> None:
    """Write files until then; `state` may be made anew, the folder that it is in may not."""
    while time.monotonic() < until:
        with suppress(FileNotFoundError):
            state.mkdir(exist_ok=True)
            (state / f"{time.monotonic_ns()}.delta").touch()
