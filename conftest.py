"""What every doctest may use without importing it."""

from __future__ import annotations

from typing import Any

import pytest

import onefold


@pytest.fixture(autouse=True)
def _onefold_in_doctests(doctest_namespace: dict[str, Any]) -> None:
    doctest_namespace["of"] = onefold
