"""onefold bench: what it runs, what it writes, how it goes on, and when it fails."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import standins
from click.testing import CliRunner, Result

from onefold import cli as command_line
from onefold.bench import prepared, room, series
from onefold.bench.experiments import EXPERIMENTS
from onefold.bench.rate import Sustained
from onefold.bench.saturate import Saturated, Steady
from onefold.cli import cli

IS_COLD = series.Series._is_cold


@dataclass
class Measuring:
    """Stands for Spark: tells each run what it is told to."""

    taken: list[str] = field(default_factory=list)
    on_run: Callable[[str], None] = lambda _: None
    lost: str = ""
    limit: int = 1000

    def saturate(self, session: Any, experiment: Any, subject: Any, files: Any) -> Saturated:
        self._take(experiment, subject)
        lost = 1 if subject.label == self.lost else 0
        half = Steady(files.tuples // 2, files.tuples, 2.0)
        return Saturated(30 - lost, f"1f{lost}", half, 100.0, 1.0)

    def sustain(
        self, session: Any, experiment: Any, subject: Any, file: Any, **at: Any
    ) -> Sustained:
        self._take(experiment, subject)
        rate = float(at["rate"])
        done = rate <= self.limit
        return Sustained(30, "1f", rate, 16.0, 7.0, 9.0, 0, done, done, ())

    def _take(self, experiment: Any, subject: Any) -> None:
        name = f"{experiment.id} {subject.label}"
        self.on_run(name)
        self.taken.append(name)


@pytest.fixture
def measuring(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Measuring:
    stands = Measuring()
    monkeypatch.setattr(series, "saturate", stands.saturate)
    monkeypatch.setattr(series, "sustain", stands.sustain)
    monkeypatch.setattr(series.Series, "_is_cold", lambda *_: False)
    monkeypatch.setattr(room, "start", lambda: None)
    monkeypatch.setattr(prepared, "GENERATORS", {"wikipedia": standins.chunks})
    monkeypatch.setattr(prepared, "default_folder", lambda: tmp_path / "data")
    for each in (standins.HLF, standins.ALF, standins.ALJ):
        monkeypatch.setitem(EXPERIMENTS, each.id, each)
    return stands


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["bench", *arguments])


def test_implementations_take_turns_repetition_by_repetition(measuring: Measuring) -> None:
    done = run("HLF", "ALJ", "--tuples", "500", "--repetitions", "2", "--peers", "pyspark")
    assert done.exit_code == 0, done.output
    turns = ["D", "A+", "A", "pyspark", "A+", "A", "pyspark", "D"]  # nobody is always the first
    assert measuring.taken == [f"{each} {label}" for each in ("HLF", "ALJ") for label in turns]
    assert "t/s" in done.output
    assert "c/s" in done.output


def test_several_numbers_of_tuples_take_turns_and_show_what_more_work_costs(
    measuring: Measuring, tmp_path: Path
) -> None:
    file = tmp_path / "results.json"
    arguments = ["HLF", "--tuples", "1000,500", "--repetitions", "2", "--json", str(file)]
    done = run(*arguments, "--implementations", "D,A")
    assert done.exit_code == 0, done.output
    runs = json.loads(file.read_text())["runs"]
    assert [(each["tuples"], each["implementation"]) for each in runs] == [
        *((500, "D"), (500, "A"), (1000, "D"), (1000, "A")),
        *((1000, "A"), (1000, "D"), (500, "A"), (500, "D")),
    ]
    assert {each["batch"] for each in runs} == {100}  # that of the fewest tuples
    rows = [line for line in done.output.splitlines() if "HLF" in line and "50 %" in line]
    assert len(rows) == 2
    assert all("125" in row and "250" in row for row in rows)  # half of them in two seconds
    alone = run("HLF", "--tuples", "500", "--implementations", "D,A")
    assert "by the number of tuples" not in alone.output


def test_results_are_complete(measuring: Measuring, tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    done = run("ALJ", "--tuples", "500", "--implementations", "D", "--json", str(file))
    assert done.exit_code == 0, done.output
    results = json.loads(file.read_text())
    (told,) = results["runs"]
    run("ALJ", "--tuples", "250", "--implementations", "D", "--json", str(file))
    before = json.loads(file.read_text())["runs"][1]  # what comes before the half that counts
    assert told["comparisons"] > before["comparisons"] > 500
    assert told["throughput"] == (told["comparisons"] - before["comparisons"]) / 2.0
    assert (told["unit"], told["outputs"], told["digest"]) == ("c/s", 30, "1f0")
    assert results["made"]["mode"] == "saturate"


def test_what_is_in_the_file_is_not_run_again(measuring: Measuring, tmp_path: Path) -> None:
    arguments = ["HLF", "--tuples", "500", "--json", str(tmp_path / "results.json")]
    first, again = run(*arguments), run(*arguments)
    assert len(measuring.taken) == 3
    assert first.stdout == again.stdout
    run(*arguments, "--seed", "2")
    assert len(measuring.taken) == 6


def test_ctrl_c_says_how_to_go_on_and_the_same_command_does(
    measuring: Measuring, tmp_path: Path
) -> None:
    def interrupt(name: str) -> None:
        if name == "HLF A":
            raise KeyboardInterrupt

    measuring.on_run = interrupt
    file = tmp_path / "results.json"
    arguments = ["HLF", "--tuples", "500", "--json", str(file)]
    stopped = run(*arguments)
    assert stopped.exit_code == 130
    assert f"the same command goes on from {file}" in stopped.stderr
    measuring.on_run = lambda _: None
    assert run(*arguments).exit_code == 0
    assert measuring.taken == ["HLF D", "HLF A+", "HLF A"]


def test_a_lost_output_exits_1_and_is_not_kept(
    measuring: Measuring,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    measuring.lost = "A"
    file = tmp_path / "results.json"
    arguments = ["onefold", "bench", "HLF", "--tuples", "500", "--json", str(file)]
    monkeypatch.setattr(sys, "argv", arguments)
    with pytest.raises(SystemExit) as ended:
        command_line.main()
    assert ended.value.code == 1
    assert "HLF: D and A gave different outputs" in capsys.readouterr().err
    labels = [each["implementation"] for each in json.loads(file.read_text())["runs"]]
    assert labels == ["D", "A+"]


def test_a_search_ends_at_the_highest_rate_and_resumes(
    measuring: Measuring, tmp_path: Path
) -> None:
    arguments = ["HLF", "--mode", "search", "--tuples", "5000", "--implementations", "D"]
    arguments += ["--json", str(tmp_path / "results.json")]
    done = run(*arguments)
    assert done.exit_code == 0, done.output
    runs = json.loads((tmp_path / "results.json").read_text())["runs"]
    tried = [(each["rate"], each["success"]) for each in runs if each["mode"] == "rate"]
    assert tried == [(620, True), (1200, False), (860, True)]
    assert "860" in done.output
    before = len(measuring.taken)
    assert run(*arguments).stdout == done.stdout
    assert len(measuring.taken) == before


def test_a_search_that_finds_no_rate_says_so(measuring: Measuring) -> None:
    measuring.limit = 0
    done = run("HLF", "--mode", "search", "--tuples", "5000", "--implementations", "D")
    assert done.exit_code == 0
    assert "no rate that was tried could be sustained" in done.output


def test_runs_in_the_file_are_compared_too(measuring: Measuring, tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    arguments = ["HLF", "--tuples", "500", "--json", str(file)]
    assert run(*arguments).exit_code == 0
    held = json.loads(file.read_text())
    held["runs"][2]["outputs"] -= 1
    file.write_text(json.dumps(held))
    assert "gave different outputs" in str(run(*arguments).exception)


def test_each_way_to_measure_warms_up_once_by_itself(
    measuring: Measuring, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[Any] = []

    def saturate(*given: Any) -> Saturated:
        ran.append("all at once")
        return measuring.saturate(*given)

    def sustain(*given: Any, **at: Any) -> Sustained:
        ran.append((at["rate"], at["seconds"]))
        return measuring.sustain(*given, **at)

    monkeypatch.setattr(series.Series, "_is_cold", IS_COLD)
    monkeypatch.setattr(series, "saturate", saturate)
    monkeypatch.setattr(series, "sustain", sustain)
    monkeypatch.setattr(series, "monotonic", iter([0, 40, 80]).__next__)
    done = run("HLF", "--mode", "search", "--tuples", "5000", "--implementations", "D")
    assert done.exit_code == 0, done.output
    assert ran[:3] == ["all at once"] * 3  # until a minute is over, and then what counts
    assert ran[3:] == [(620, series.WARM_UP), (620, 20), (1200, 20), (860, 20)]


def test_the_real_set_is_measured_and_kept_apart(measuring: Measuring, tmp_path: Path) -> None:
    real, file = tmp_path / "edits.tsv", tmp_path / "results.json"
    real.write_text("a b\tc\ta b c\n")
    arguments = ["HLF", "--tuples", "500", "--implementations", "D", "--json", str(file)]
    for extra in ([], ["--from", str(real)], ["--from", str(real)]):
        assert run(*arguments, *extra).exit_code == 0
    told = json.loads(file.read_text())
    assert [bool(each["real"]) for each in told["runs"]] == [False, True]
    assert told["made"]["data"] == str(real)


def test_what_counts_is_told(measuring: Measuring, tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    done = run("HLF", "--tuples", "500", "--implementations", "D", "--json", str(file))
    (told,) = json.loads(file.read_text())["runs"]
    assert told["counted"] / told["seconds"] == told["throughput"]
    assert told["batch"] == 100
    assert "warming up" in done.stderr


def test_a_report_is_written(
    measuring: Measuring, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from onefold.bench import report

    def write(results: dict[str, Any], out: Path) -> Path:
        return out / f"{len(results['runs'])}.html"

    monkeypatch.setattr(report, "write", write)
    done = run("HLF", "--tuples", "500", "--report", str(tmp_path))
    assert f"report: {tmp_path / '3.html'}" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["HLFF"], "did you mean 'HLF'?"),
        (["all", "LLX"], "there is no experiment 'LLX'"),
        (["HLF", "--seed", "-1"], "--seed"),
        (["HLF", "--tuples", "500,0"], "'0' is no whole number from 1 on"),
        (["HLF", "--tuples", "5e5"], "'5e5' is no whole number from 1 on"),
        (["HLF", "--mode", "search", "--tuples", "9,8"], "--tuples takes one number here"),
        (["reference", "--tuples", "9,8"], "--tuples takes one number here"),
        (["HLF", "--json", f"{__file__}/x.json"], "test_cli_bench.py"),
        (["HLF", "--report", f"{__file__}/x"], "test_cli_bench.py"),
        (
            ["ALJ", "--implementations", "", "--peers", "pyflink", "--flink-python", __file__],
            "pyflink is a peer of flat_maps",
        ),
        (["HLF", "--vectorized"], "--vectorized is for joins"),
        (["HLF", "--from", "nowhere.tsv"], "there is no nowhere.tsv"),
        (["HLF", "--from", __file__, "--seed", "2"], "--seed is for data that is made up"),
        (["HLF", "llf", "--from", __file__], "HLF is of wikipedia and llf is of scans"),
        (["HLF", "--implementations", "D,B"], "there is no B"),
        (["HLF", "--implementations", "D,a+"], "did you mean 'A+'?"),
        (["HLF", "--peers", "java"], "there are python, pyspark, pyflink"),
        (["HLF", "--mode", "rate"], "--mode rate needs --rate"),
        (["HLF", "--peers", "pyflink"], "then --flink-python flink/bin/python"),
        (["reference", "HLF"], "reference is measured alone"),
    ],
)
def test_mistakes_are_told_before_anything_runs(
    measuring: Measuring, arguments: list[str], message: str
) -> None:
    done = run(*arguments)
    assert done.exit_code != 0
    assert message in done.output + str(done.exception)
    assert not measuring.taken
