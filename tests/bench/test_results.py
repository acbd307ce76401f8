"""Results go into a file after every run, and come out of it when the bench goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from onefold.bench.machine import facts
from onefold.bench.results import BadResults, Results
from onefold.bench.summary import summary

RUN: dict[str, Any] = {
    "experiment": "HLF", "implementation": "D", "mode": "saturate", "repetition": 1,
    "tuples": 1000, "rate": 100, "seed": 1, "profile": "quick", "rewrites": True,
    "vectorized": False, "throughput": 5.0, "unit": "t/s",
}  # fmt: skip


def test_what_was_added_is_found_again(tmp_path: Path) -> None:
    file = tmp_path / "made" / "results.json"
    Results.opened(file, {"seed": 1}).add(RUN)
    again = Results.opened(file, {"seed": 2})
    assert again.find(RUN) == RUN
    assert again.made["seed"] == 2


def test_going_on_does_not_change_when_it_began(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    began = {"began": "2020-01-01T00:00:00+00:00", "ended": "2020-01-01T00:01:00+00:00"}
    file.write_text(json.dumps({"made": began, "runs": [RUN]}))
    again = Results.opened(file, {"seed": 1})
    assert again.made == {"seed": 1, **began}
    again.add({**RUN, "repetition": 2})
    assert again.made["began"] == began["began"]
    assert again.made["ended"] > began["ended"]


def test_two_that_write_one_file_keep_both_runs(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    one, other = Results.opened(file, {}), Results.opened(file, {})
    one.add(RUN)
    other.add({**RUN, "repetition": 2})
    one.add({**RUN, "repetition": 3})
    held = json.loads(file.read_text())["runs"]
    assert sorted(run["repetition"] for run in held) == [1, 2, 3]
    assert [each.name for each in tmp_path.iterdir()] == ["results.json"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("experiment", "ALF"), ("implementation", "A"), ("repetition", 2), ("tuples", 10),
     ("rate", 5), ("seed", 2), ("profile", "paper"), ("rewrites", False), ("mode", "rate"),
     ("vectorized", True), ("batch", 50), ("real", "ab12")],
)  # fmt: skip
def test_another_condition_is_another_run(name: str, value: Any) -> None:
    results = Results({}, [RUN])
    assert results.find({**RUN, name: value}) is None


def test_runs_under_other_conditions_are_left_out_of_a_report() -> None:
    results = Results({}, [RUN, {**RUN, "rewrites": False}])
    assert results.alike(rewrites=True, seed=1)["runs"] == [RUN]
    assert results.alike(seed=2)["runs"] == []


def test_the_file_says_what_made_it(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    Results.opened(file, {"command": "onefold bench", **facts()}).add(RUN)
    made = json.loads(file.read_text())["made"]
    expected = {"command", "onefold", "spark", "python", "java", "cpu", "cores", "memory_gb"}
    assert expected | {"system", "began", "ended"} == set(made)
    assert made["cores"] >= 1
    assert made["began"] <= made["ended"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"made": 1, "runs": []}',
        '{"runs": {}}',
        '{"runs": ""}',
        '{"runs": [1]}',
        '{"runs": [{}]}',
        '{"runs": [{"experiment": "HLF"}]}',
        "[" * 100_000,
        json.dumps({"runs": [{**RUN, "mode": "rate"}]}),
    ],
)
def test_a_file_of_something_else_is_refused_and_stays(tmp_path: Path, text: str) -> None:
    file = tmp_path / "mine.json"
    file.write_text(text)
    with pytest.raises(BadResults, match="holds no results"):
        Results.opened(file, {})
    assert file.read_text() == text


def test_ratios_are_of_the_same_repetition() -> None:
    def run(label: str, repetition: int, throughput: float) -> dict[str, Any]:
        told = {"implementation": label, "repetition": repetition, "throughput": throughput}
        return {**RUN, **told}

    runs = [run("D", 1, 100), run("A", 1, 50), run("D", 2, 10), run("A", 2, 8)]
    dedicated, aggregate = summary(runs)
    assert (dedicated.implementation, dedicated.to_dedicated) == ("D", None)
    assert aggregate.to_dedicated is not None
    assert (aggregate.to_dedicated.least, aggregate.to_dedicated.most) == (0.5, 0.8)
    assert aggregate.throughput == 29
