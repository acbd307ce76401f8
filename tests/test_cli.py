"""The command line's manners: help, exit codes, questions back, and what machines read."""

from __future__ import annotations

import json
import logging
import os
import re
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from unittest.mock import patch

import click
import pytest
from click.testing import CliRunner, Result

from onefold import __version__
from onefold.cli import COMMANDS, LONGEST_ERROR, _tells_more, cli

ROOT = Path(__file__).resolve().parents[1]
WORDCOUNT = str(ROOT / "examples" / "wordcount.py") + ":pipeline"
EDITS = f"edits={ROOT / 'examples' / 'data' / 'edits.jsonl'}"
TRANSCRIPT = str(ROOT / "tests" / "transcripts" / "filter.yaml")
HARNESS = str(ROOT / "examples" / "fraud.yaml")
commands = pytest.mark.parametrize("name", COMMANDS)


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments)


def onefold(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """The program itself, for what happens around a command."""
    return subprocess.run(
        [sys.executable, "-m", "onefold", *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), **settings},
        capture_output=True,
        text=True,
        check=False,
    )


# Help


@commands
def test_the_help_of_a_command_has_examples_and_says_what_every_option_is_for(name: str) -> None:
    told = invoke(name, "--help")
    assert told.exit_code == 0
    assert f"  onefold {name}" in told.stdout
    assert isinstance(cli, click.Group)
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    silent = [p.name for p in command.params if isinstance(p, click.Option) and not p.help]
    assert silent == []


def test_every_command_is_listed_and_every_module_that_has_one() -> None:
    folder = ROOT / "src" / "onefold" / "cli"
    found = {
        file.stem for file in folder.glob("*.py") if "\ndef command(" in file.read_text("utf-8")
    }
    assert found == set(COMMANDS)
    told = invoke("--help").stdout
    assert all(f"  {name}" in told and line in told for name, line in COMMANDS.items())


def test_help_imports_no_command() -> None:
    program = (
        "import sys; from onefold.cli import cli; cli(['--help'], standalone_mode=False); "
        "print(*sorted(m for m in sys.modules if m.startswith('onefold.')), file=sys.stderr); "
        "print(*sorted({m.partition('.')[0] for m in sys.modules}), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=True,
    )
    ours, all_of_them = (set(line.split()) for line in done.stderr.splitlines())
    assert {
        m for m in ours if m.startswith(("onefold.cli.", "onefold.check", "onefold.bench"))
    } == set()
    assert all_of_them.isdisjoint({"pyspark", "pandas", "pyarrow", "numpy", "rich", "yaml"})


def test_the_version() -> None:
    assert invoke("--version").stdout == f"onefold, version {__version__}\n"


# Exit codes


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        (0, ["replay", TRANSCRIPT]),
        (0, ["check", WORDCOUNT, "--cases", "3"]),
        (1, ["run", "nowhere.py:pipeline"]),
        (1, ["replay", "nowhere.yaml"]),
        (1, ["explain", "no_name"]),
        (1, ["conformance", "--operators", "filter", "--markdown", "/nowhere/x.md", "--quiet"]),
        (2, ["run"]),
        (2, ["run", WORDCOUNT]),
        (2, ["rnu"]),
        (2, ["check", WORDCOUNT, "--cases", "none"]),
        (2, ["check", "nowhere.py:pipeline"]),  # 1 is for a difference
        (2, ["conformance", "--engines", "nobody"]),
    ],
)
def test_exit_codes(code: int, arguments: list[str]) -> None:
    done = onefold(*arguments)
    assert done.returncode == code, done.stderr
    assert bool(done.stderr) == (code != 0)
    assert "Traceback" not in done.stderr


def test_a_case_that_fails_is_a_no(tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text("import onefold as of\np = of.source('s', 'n int')\n")
    text = "pipeline: p.py:p\ncases:\n- name: one\n  steps:\n  - end\n  - expect: [[1, 1]]\n"
    (tmp_path / "t.yaml").write_text(text)
    assert invoke("replay", str(tmp_path / "t.yaml")).exit_code == 1


def test_ctrl_c_ends_any_command_with_130(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(
        "import time\nfrom pathlib import Path\nimport onefold as of\n"
        "def slow(t):\n    Path('begun').touch()\n    time.sleep(0.05)\n    return True\n"
        "p = of.source('s', 'n int').filter(slow)\n"
    )
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # a job in the background is deaf
    running = subprocess.Popen(
        [sys.executable, "-m", "onefold", "check", "slow.py:p"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heard,  # noqa: PLW1509  nothing else runs here
    )
    while not (tmp_path / "begun").exists() and running.poll() is None:
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    _, told = running.communicate(timeout=60)
    assert running.returncode == 130
    assert told == "interrupted\n"


# Questions back


@pytest.mark.parametrize(
    ("arguments", "question"),
    [
        (["rn"], "there is no command 'rn': did you mean 'run'?"),
        (["xyz"], f"there is no command 'xyz': there are {', '.join(COMMANDS)}"),
        (["run", WORDCOUNT, "--implementaton", "x"], "'--implementation'?"),
        (["run", WORDCOUNT, "--implementation", "agregate"], "Did you mean 'aggregate'?"),
        (["explain", WORDCOUNT, "--format", "mermade"], "Did you mean 'mermaid'?"),
        (["run", WORDCOUNT, "--engine", "Spark"], "Did you mean 'spark'?"),
        (["run", WORDCOUNT, "--input", "edit=x"], "did you mean 'edits'?"),
        (["check", WORDCOUNT, "--engines", "referense"], "did you mean 'reference'?"),
        (["check", WORDCOUNT, "--implementations", "agregate"], "did you mean 'aggregate'?"),
        (["conformance", "--operators", "joins"], "did you mean 'join'?"),
        (["replay", HARNESS, "--case", "two countries within 5 minutes"],
         "did you mean 'two countries within five minutes'?"),
        (["data", "wikipdia"], "Did you mean 'wikipedia'?"),
        (["bench", "HLFF"], "did you mean 'HLF'?"),
    ],
)  # fmt: skip
def test_a_name_that_is_nearly_right(arguments: list[str], question: str) -> None:
    done = invoke(*arguments)
    assert done.exit_code != 0
    assert question in done.output + str(done.exception)


@pytest.mark.parametrize(
    ("name", "question"),
    [
        (WORDCOUNT.replace("pipeline", "pipline"), "did you mean 'pipeline'?"),
        (WORDCOUNT.replace("wordcount", "wordcuont"), "did you mean 'wordcount.py'?"),
    ],
)
def test_a_pipeline_that_is_nearly_right(name: str, question: str) -> None:
    assert question in onefold("explain", name).stderr


def test_a_column_that_is_nearly_right(tmp_path: Path) -> None:
    file = tmp_path / "edits.csv"
    file.write_text("time,orig,chnage,updated\n1,a,b,c\n")
    told = onefold("run", WORDCOUNT, "--input", f"edits={file}").stderr
    assert "there is no column change" in told
    assert "Hint: did you mean 'chnage'?" in told


@pytest.mark.parametrize("engine", ["reference", "spark"])
def test_an_input_that_is_nearly_right(engine: str, tmp_path: Path) -> None:
    (tmp_path / "edits.csv").write_text("time,orig,change,updated\n")
    wrong = tmp_path / "edist.csv"
    done = onefold("run", WORDCOUNT, "--engine", engine, "--input", f"edits={wrong}")
    assert done.returncode == 2
    assert f"did you mean '{tmp_path / 'edits.csv'}'?" in done.stderr
    far = onefold("run", WORDCOUNT, "--engine", engine, "--input", f"edits={tmp_path / 'x.jsonl'}")
    assert far.returncode == 2
    assert "did you mean" not in far.stderr
    nowhere = onefold("run", WORDCOUNT, "--engine", engine, "--input", "edits=no/where/edits.csv")
    assert nowhere.returncode == 2
    assert "did you mean" not in nowhere.stderr


def test_help_says_whether_spark_rewrites_by_default() -> None:
    told = " ".join(onefold("run", "--help").stdout.split())
    assert "--rewrites / --no-rewrites Spark: shorten compositions" in told
    assert "where the answer is the same (default), or run them as they stand" in told


# Options without effect


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["run", WORDCOUNT, "--checkpoint", "x"], "--checkpoint is for --engine spark"),
        (["run", WORDCOUNT, "--no-rewrites"], "--rewrites is for --engine spark"),
        (["run", WORDCOUNT, "--trigger", "1 s"], "--trigger is for --engine spark"),
        (["run", WORDCOUNT, "--engine", "spark", "--watermark-every", "5"], "--engine reference"),
        (["run", WORDCOUNT, "--engine", "spark", "--input", EDITS, "--trigger", "1 s"],
         "--trigger is for --follow"),
        (["check", WORDCOUNT, "--delay", "1 s"], "--delay is for --input"),
        (["check", WORDCOUNT, "--no-times"], "--times is for --against"),
        (["check", WORDCOUNT, "--time", "ts"], "--time is for --input and --against"),
        (["check", WORDCOUNT, "--input", EDITS, "--cases", "3"], "--cases is for generated"),
        (["check", WORDCOUNT, "--exhaustive", "1", "--seed", "3"], "--seed is for generated"),
        (["check", WORDCOUNT, "--exhaustive", "1", "--generate"], "exclude each other"),
        (["replay", TRANSCRIPT, "--time", "at"], "--time is for --against"),
        (["replay", TRANSCRIPT, "--no-times"], "--times is for --against"),
        (["replay", TRANSCRIPT, "--engine", "spark", "--against", "x.py:f"], "--engine and"),
        (["data", "wikipedia", "--from", "x", "--seed", "2", "--out", "y"], "--seed is for"),
        (["bench", "HLF", "--seconds", "9"], "--seconds is for --mode rate and search"),
        (["bench", "HLF", "--mode", "rate", "--rate", "9", "--tuples", "9"], "--tuples is for"),
        (["bench", "HLF", "--flink-python", sys.executable], "--flink-python is for --peers"),
        (["bench", "reference", "--mode", "rate"], "--mode is for experiments on Spark"),
    ],
)  # fmt: skip
def test_an_option_without_effect_is_refused(arguments: list[str], why: str) -> None:
    done = invoke(*arguments)
    assert done.exit_code == 2, done.output
    assert why in done.stderr


def test_no_hint_names_an_option_that_the_command_has_not(tmp_path: Path) -> None:
    file = tmp_path / "edits.jsonl"
    file.write_text('{"time": "no", "orig": "", "change": "", "updated": ""}\n')
    for command in ("run", "check"):
        told = onefold(command, WORDCOUNT, "--input", f"edits={file}")
        assert "Hint: mend the row" in told.stderr
        options = set(re.findall(r"--[a-z-]+", told.stderr))
        assert options == ({"--on-error"} if command == "run" else set())


# Machines, terminals, screens


def test_the_balance_for_machines() -> None:
    done = invoke("run", WORDCOUNT, "--input", EDITS, "--quiet", "--json")
    balance = json.loads(done.stderr)
    assert balance["read"] == 200
    assert balance["written"] == len(done.stdout.splitlines())
    assert balance["calls"] == balance["late_at"] == {}
    made = balance["read"] + balance["produced"] + balance["copied"]
    gone = ("written", "filtered", "quarantined", "late", "consumed")
    assert made == sum(balance[each] for each in gone)
    assert invoke("run", WORDCOUNT, "--input", EDITS, "--quiet").stderr == ""


@pytest.mark.parametrize(
    ("command", "option"),
    [
        (["explain", WORDCOUNT], "--output"),
        (["explain", WORDCOUNT, "--format", "html"], "--output"),
        (["trace", WORDCOUNT, "--input", EDITS, "--limit", "9"], "--html"),
        (["trace", WORDCOUNT, "--input", EDITS, "--limit", "9"], "--json"),
    ],
)
def test_what_was_written_is_said_in_a_line(
    command: list[str], option: str, tmp_path: Path
) -> None:
    file = tmp_path / "written"
    done = invoke(*command, option, str(file))
    assert (done.exit_code, done.stdout) == (0, "")
    assert f"wrote {file}\n" in done.stderr.splitlines(keepends=True)
    assert file.stat().st_size
    assert "wrote" not in invoke(*command, option, str(file), "--quiet").stderr
    assert "wrote" not in invoke(*command, option, "-").stderr


def test_replay_for_machines_and_in_quiet(tmp_path: Path) -> None:
    told = json.loads(invoke("replay", TRANSCRIPT, "--json").stdout)
    assert told["passed"]
    assert {each["implementation"] for each in told["cases"]} >= {"dedicated", "aggregate"}
    assert all(each["passed"] and each["problem"] is None for each in told["cases"])
    quiet = invoke("replay", TRANSCRIPT, "--quiet").stdout
    assert re.fullmatch(r"\d+ passed \(.*\)\n", quiet)


def test_replay_of_one_case() -> None:
    done = invoke("replay", HARNESS, "--case", "two countries within five minutes")
    assert done.exit_code == 0
    assert "3 passed (1 case on reference" in done.stdout


def test_colours_are_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = CliRunner().invoke(cli, ["replay", TRANSCRIPT], color=True)
    assert "\x1b[" in shown.stdout
    assert "\x1b[" not in invoke("replay", TRANSCRIPT).stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in CliRunner().invoke(cli, ["replay", TRANSCRIPT], color=True).stdout


def test_an_error_fits_on_a_screen(tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text("import onefold as of\np = of.source('s', 'n int')\n")
    wrong = "".join("  - inpt: {}\n" for _ in range(100))
    file = tmp_path / "t.yaml"
    file.write_text(f"pipeline: p.py:p\ncases:\n- name: one\n  steps:\n{wrong}")
    told = onefold("replay", str(file)).stderr.splitlines()
    assert len(told) <= LONGEST_ERROR + 1
    assert "more lines" in told[-1]


def test_the_page_on_the_command_line_has_every_command_and_exit_code() -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f"\n| `{name}` |" not in page] == []
    assert re.findall(r"^\| (\d+) \|", page, re.MULTILINE) == ["0", "1", "2", "130"]


def test_what_ctrl_c_leaves_in_the_log_is_no_traceback_for_the_user(
    caplog: pytest.LogCaptureFixture,
) -> None:
    logger = logging.getLogger("py4j.clientserver")
    with patch.object(logger, "filters", [_tells_more]):
        try:
            try:
                raise KeyboardInterrupt
            except KeyboardInterrupt:
                raise BrokenPipeError from None
        except BrokenPipeError:
            logger.exception("of Ctrl-C")
        try:
            raise OSError("of its own")
        except OSError:
            logger.exception("a failure")
    assert [record.message for record in caplog.records] == ["a failure"]
