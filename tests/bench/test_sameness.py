"""Runs of the same experiment and data must have the same output, whatever runs them."""

from __future__ import annotations

from typing import Any

import pytest

from onefold.bench.sameness import OutputsDiffer, check


def run(label: str, outputs: int = 30, digest: str = "1f", **other: Any) -> dict[str, Any]:
    told = {"experiment": "HLF", "mode": "saturate", "tuples": 10, "rate": 5, "seed": 1}
    told |= {"implementation": label, "repetition": 1, "outputs": outputs, "digest": digest}
    return told | other


def test_equal_outputs_pass() -> None:
    check([run("D"), run("A+"), run("A"), run("D", repetition=2)])


def test_a_lost_output_is_told_with_both_counts() -> None:
    with pytest.raises(OutputsDiffer) as told:
        check([run("D"), run("A+"), run("A", outputs=29)])
    for part in ("HLF", "D and A ", "D, repetition 1: 30 outputs", "A, repetition 1: 29 outputs"):
        assert part in str(told.value)


def test_as_many_outputs_of_another_content_differ() -> None:
    with pytest.raises(OutputsDiffer):
        check([run("D"), run("A", digest="2e")])


def test_other_data_may_give_other_outputs() -> None:
    check([run("D"), run("A", outputs=9, tuples=3), run("A", outputs=8, seed=2)])
    check([run("D"), run("D", outputs=9, experiment="ALF"), run("D", outputs=1, mode="rate")])


def test_what_nobody_saw_or_did_not_end_is_left_out() -> None:
    check([run("D"), run("python", outputs=0, digest=""), run("A", outputs=7, complete=False)])
