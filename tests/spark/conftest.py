"""One Spark for all tests of this folder: two cores, two partitions."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from onefold import spark

TESTS = Path(__file__).parents[1]
# the oracle and what draws pipelines, faults, small experiments
sys.path[:0] = [str(TESTS), str(TESTS / "check"), str(TESTS / "bench")]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Queries take their time: what would hang a unit test may be a slow machine here."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.timeout(900))


@pytest.fixture(scope="session")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    log = tmp_path_factory.mktemp("spark") / "spark.log"
    running = spark.session("local[2]", config={"spark.sql.shuffle.partitions": "2"}, log=log)
    yield running
    running.stop()


@pytest.fixture
def partitions(session: SparkSession) -> Iterator[None]:
    """Let a test change the number of partitions."""
    yield
    session.conf.set("spark.sql.shuffle.partitions", "2")
