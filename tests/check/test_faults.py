"""Every seeded fault is found by `onefold check` as it stands, and shown in a few tuples."""

from __future__ import annotations

from pathlib import Path

import pytest
from faults import FAULTS, Fault, found_shrunk_and_replayed


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_is_found_shrunk_and_replayed(fault: Fault, tmp_path: Path) -> None:
    found_shrunk_and_replayed(fault, tmp_path)
