"""The examples do their jobs: against plain Python, in every implementation, as they say."""

from __future__ import annotations

import ast
import csv
import json
import math
import shlex
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from onefold.check.replay import replay_transcripts
from onefold.check.transcript import read_transcript
from onefold.cli import cli
from onefold.core.plan import Implementation

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
DATA = EXAMPLES / "data"
INPUTS = {
    "wordcount": {"edits": "edits.jsonl"},
    "sessions": {"edits": "editors.jsonl"},
    "fraud": {"payments": "payments.csv"},
    "sensors": {"warmth": "warmth.csv", "damp": "damp.csv"},
    "hot_items": {"views": "views.jsonl"},
    "reminders": {"orders": "orders.csv", "payments": "paid.csv"},
}
JOBS = [name for name in INPUTS if name != "wordcount"]  # whose oracle is in test_run.py
MINUTE = 60_000
Row = dict[str, Any]

jobs = pytest.mark.parametrize("name", JOBS)
all_examples = pytest.mark.parametrize("name", INPUTS)
everywhere = pytest.mark.parametrize("implementation", [each.value for each in Implementation])


def onefold(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments, catch_exceptions=False)


def run(name: str, *options: str) -> list[Row]:
    """The rows that an example gives over its data."""
    result = onefold("run", f"{EXAMPLES / name}.py:pipeline", *inputs(name), *options)
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def inputs(name: str) -> list[str]:
    named = INPUTS[name].items()
    return [part for source, file in named for part in ("--input", f"{source}={DATA / file}")]


def rows(file: str) -> list[Row]:
    """The rows of a file of data, times as milliseconds."""
    with (DATA / file).open(encoding="utf-8", newline="") as opened:
        if file.endswith(".csv"):
            found: list[Row] = list(csv.DictReader(opened))
        else:
            found = [json.loads(line) for line in opened]
    for row in found:
        row["time"] = round(datetime.fromisoformat(row["time"]).timestamp() * 1000)
    return found


def grouped(given: Iterable[Row], name: str) -> dict[str, list[Row]]:
    """Rows by the value of a column, by time."""
    groups = defaultdict(list)
    for row in sorted(given, key=lambda row: row["time"]):
        groups[row[name]].append(row)
    return groups


def multiset(given: Iterable[Row]) -> Counter[str]:
    return Counter(json.dumps(row, sort_keys=True) for row in given)


def after(time: int, step: int) -> int:
    """The first multiple of a step after a time."""
    return (time // step + 1) * step


# What the jobs mean, each told again without windows, watermarks or onefold.


def sessions() -> list[Row]:
    pause = 30 * MINUTE
    found = []
    for editor, edits in grouped(rows("editors.jsonl"), "editor").items():
        times = [edit["time"] for edit in edits]
        starts = [n for n, at in enumerate(times) if n == 0 or at - times[n - 1] >= pause]
        for first, end in zip(starts, [*starts[1:], len(times)], strict=True):
            one = times[first:end]
            told = after(one[-1], pause) + 2 * pause - 1
            found.append({"time": told, "editor": editor, "began": one[0], "last": one[-1],
                          "edits": len(one)})  # fmt: skip
    return found


def fraud() -> list[Row]:
    alarms = {}
    for card, payments in grouped(rows("payments.csv"), "card").items():
        for n, payment in enumerate(payments):
            at, cents = payment["time"], int(payment["cents"])
            past = payments[:n]
            tests = [p for p in past if int(p["cents"]) <= 200 and at - p["time"] < 10 * MINUTE]
            reason = None
            if cents >= 30_000 and len(tests) >= 3:
                reason = f"{cents // 100}.{cents % 100:02} after {len(tests)} small payments"
            elif past and past[-1]["country"] != payment["country"]:
                seconds = (at - past[-1]["time"]) // 1000
                if seconds < 300:
                    reason = f"{past[-1]['country']} and {payment['country']} in {seconds} s"
            if reason:
                told = after(at, MINUTE)
                alarms[told, card] = {"time": told, "card": card, "since": at, "reason": reason}
    return list(alarms.values())


def sensors() -> list[Row]:
    found = []
    damp = grouped(rows("damp.csv"), "room")
    for warm in rows("warmth.csv"):
        for other in damp[warm["room"]]:
            celsius, percent = float(warm["celsius"]), float(other["percent"])
            if abs(warm["time"] - other["time"]) > 5_000 or not percent:
                continue
            vapour = percent / 100 * math.exp(17.62 * celsius / (243.12 + celsius))
            dew = 243.12 * math.log(vapour) / (17.62 - math.log(vapour))
            if round(dew, 1) >= 12:
                at = min(warm["time"], other["time"])
                found.append({"time": at // 5_000 * 5_000 + 9_999, "room": warm["room"], "at": at,
                              "dew_point": round(dew, 1)})  # fmt: skip
    return found


def ranking(end: int, counted: Counter[str]) -> list[Row]:
    best = sorted(counted.items(), key=lambda each: (-each[1], each[0]))[:3]
    return [{"time": end - 1, "place": n + 1, "item": item, "views": views}
            for n, (item, views) in enumerate(best)]  # fmt: skip


def ends(view: Row) -> list[int]:
    """When the two windows of ten minutes that hold a view are over."""
    first = after(view["time"], 5 * MINUTE)
    return [first, first + 5 * MINUTE]


def hot_items() -> list[Row]:
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    for view in rows("views.jsonl"):
        for end in ends(view):
            counts[end][view["item"]] += 1
    return [row for end, counted in counts.items() for row in ranking(end, counted)]


def reminders() -> list[Row]:
    paid = {row["id"]: row["time"] for row in rows("paid.csv")}
    found = []
    for order in rows("orders.csv"):
        first = after(order["time"], MINUTE)
        for n, minutes in enumerate((0, 1, 3, 7)):
            at = first + minutes * MINUTE
            if paid.get(order["id"], math.inf) >= at:
                found.append({"time": at, "id": order["id"], "reminder": n + 1})
    return found


ORACLES: dict[str, Callable[[], list[Row]]] = {
    each.__name__: each for each in (sessions, fraud, sensors, hot_items, reminders)
}


@jobs
@everywhere
def test_it_answers_its_question(name: str, implementation: str) -> None:
    expected = ORACLES[name]()
    assert expected
    assert multiset(run(name, "--implementation", implementation)) == multiset(expected)


@everywhere
def test_a_late_view_changes_a_ranking_or_is_told(implementation: str, tmp_path: Path) -> None:
    late = tmp_path / "late.jsonl"
    told = run("hot_items", "--implementation", implementation, "--watermark-every", "10",
               "--late", str(late))  # fmt: skip
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    watermark, latest, dropped = -math.inf, -math.inf, []
    for n, view in enumerate(rows("views.jsonl"), start=1):
        open_ = [end for end in ends(view) if end + 2 * MINUTE > watermark]
        dropped += [] if open_ else [view]
        for end in open_:
            counts[end][view["item"]] += 1
        latest = max(latest, view["time"])
        watermark = latest if n % 10 == 0 else watermark
    assert dropped
    assert [json.loads(line)["tuple"] for line in late.read_text().splitlines()] == dropped
    last = {(row["time"], row["place"]): row for row in told}
    assert len(last) < len(told)  # some were told again
    expected = [row for end, counted in counts.items() for row in ranking(end, counted)]
    assert multiset(last.values()) == multiset(expected)


@all_examples
@everywhere
def test_its_transcript_holds(name: str, implementation: str) -> None:
    transcript = read_transcript(EXAMPLES / f"{name}.yaml")
    results = replay_transcripts([transcript], [Implementation(implementation)])
    assert results
    assert [str(each.problem) for each in results if not each.passed] == []


@all_examples
def test_all_implementations_say_the_same(name: str) -> None:
    pipeline = f"{EXAMPLES / name}.py:pipeline"
    result = onefold("check", pipeline, "--cases", "40", "--quiet", "--json")
    verdict = json.loads(result.stdout)
    assert verdict["same"], result.stdout
    assert verdict["tried"]["streams"] == 40
    if name in JOBS:
        assert verdict["failed"] == 0  # no function stumbles over a null or a NaN


@all_examples
@everywhere
def test_it_can_be_explained(name: str, implementation: str) -> None:
    told = onefold("explain", f"{EXAMPLES / name}.py:pipeline", "--implementation", implementation)
    assert told.exit_code == 0
    assert all(f"source {source} ({name}.py" in told.stdout for source in INPUTS[name])


def commands(text: str) -> list[str]:
    whole = text.replace("\\\n", " ")
    return [line.strip() for line in whole.splitlines() if line.strip().startswith("onefold ")]


@pytest.mark.parametrize("name", [*INPUTS, "README"])
def test_the_commands_that_it_names_work(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "examples").symlink_to(EXAMPLES)
    monkeypatch.chdir(tmp_path)  # as from the root, and what they write is gone afterwards
    if name == "README":
        named = commands((EXAMPLES / "README.md").read_text(encoding="utf-8"))
    else:
        source = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
        named = commands(ast.get_docstring(ast.parse(source)) or "")
    assert named
    for command in named:
        parts = shlex.split(command)[1:]
        found = [sorted(map(str, Path().glob(part))) if "*" in part else [part] for part in parts]
        result = onefold(*(each for several in found for each in several))
        assert result.exit_code == 0, (command, result.output)


def test_every_example_is_in_the_table() -> None:
    page = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert [file.name for file in EXAMPLES.glob("*.py") if f"({file.name})" not in page] == []
    assert {file.stem for file in EXAMPLES.glob("*.yaml")} == set(INPUTS)
