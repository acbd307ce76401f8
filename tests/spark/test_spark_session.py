"""Settings of a session that fits its master."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from onefold.engines.spark.session import STAYS_HERE, TRIED_ONCE


@pytest.mark.parametrize(
    ("master", "once"),
    [
        ("local", True),
        ("local[2]", True),
        ("local[*]", True),
        ("local[4,3]", False),
        ("local-cluster[2,1,1024]", False),
        ("spark://here:7077", False),
    ],
)
def test_where_a_task_is_tried_once_and_stays_in_one_process(master: str, once: bool) -> None:
    assert bool(TRIED_ONCE.fullmatch(master)) == once


def test_what_never_leaves_the_process_is_shuffled_without_checksums(session: SparkSession) -> None:
    assert {name: session.conf.get(name) for name in STAYS_HERE} == STAYS_HERE
