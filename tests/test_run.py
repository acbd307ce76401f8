"""onefold run: from files to files, with every mistake named and every tuple accounted for."""

import io
import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from onefold.cli import main
from onefold.core.plan import Implementation
from onefold.engines.ledger import Ledger

ROOT = Path(__file__).resolve().parents[1]
IMPLEMENTATIONS = [each.value for each in Implementation]
everywhere = pytest.mark.parametrize("implementation", IMPLEMENTATIONS)

PIPELINES = """\
import onefold as of

def strict(t):
    if t.n == 13:
        raise ValueError("unlucky")
    return True

def two_for_one(t):
    return (t.word, t.word) if t.n == 13 else (t.word,)

def no_list(t):
    return None if t.n == 13 else [(t.word,)]

def sized(w):
    if any(t.n == 13 for t in w.tuples):
        return "x"
    return (len(w.tuples),)

s = of.source("s", "n int, word string")
r = of.source("r", "n int, word string")
plain = s.filter(lambda t: t.n > 0).map(lambda t: (t.word.upper(),), "word string")
raises = s.filter(strict)
wrong_map = s.map(two_for_one, "word string")
wrong_flat_map = s.flat_map(no_list, "word string")
windows = s.aggregate(sized, "n int", key=["word"], size="10 ms")
keyed = s.aggregate(sized, "n int", key=lambda t: (t.n, 1 // (t.n - 13)), size="10 ms")
pairs = s.join(r, "a int, b int", size=10, where=lambda x, y: strict(y), select=lambda x, y: (x.n, y.n))
states = s.stateful("n int", period="10 ms", create=lambda t: t.n, add=lambda n, t: strict(t) and n + t.n,
                    merge=lambda a, b: a + b, output=lambda n: (n,) if n < 100 else 1)
both = s.union(r)

def made():
    return plain

number = 5
broken = lambda: 1 / 0
"""  # noqa: E501
GOOD = [{"time": 1, "n": 1, "word": "a"}, {"time": 2, "n": 2, "word": "b"}]
UNLUCKY = {"time": 3, "n": 13, "word": "a"}
HINT = "  Hint: mend the function, or set such tuples aside: --on-error quarantine=FILE\n"


@dataclass
class Result:
    code: int
    out: str
    err: str

    def rows(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


Run = Callable[..., Result]


def line(start: str) -> str:
    """Write where in the pipelines' file a line that begins so stands."""
    numbers = [n for n, text in enumerate(PIPELINES.splitlines(), 1) if text.startswith(start)]
    return f"(p.py, line {numbers[0]})"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return the command, run in this process, in a folder with a file of pipelines."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.py").write_text(PIPELINES)

    def call(*arguments: str, stdin: str = "") -> Result:
        monkeypatch.setattr(sys, "argv", ["onefold", "run", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        with pytest.raises(SystemExit) as exit_:
            main()
        captured = capsys.readouterr()
        code = exit_.value.code
        return Result(code if isinstance(code, int) else 0, captured.out, captured.err)

    return call


def lines(path: str, *rows: Any) -> str:
    """Write rows as JSON lines, texts as they are; return the path."""
    texts = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    Path(path).write_text("".join(text + "\n" for text in texts))
    return path


def entries(path: str = "bad.jsonl") -> list[Any]:
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


# What comes out.


@everywhere
def test_files_in_a_file_out_and_the_balance_on_standard_error(
    run: Run, implementation: str
) -> None:
    lines("s.jsonl", *GOOD, {"time": 3, "n": 0, "word": "c"})
    found = run("p.py:plain", "--implementation", implementation, "--input", "s=s.jsonl",
                "--output", "out.csv", "--engine", "reference")  # fmt: skip
    assert found == Result(0, "", "read 3 = written 2 + filtered 1 + quarantined 0 + late 0\n")
    assert Path("out.csv").read_text() == "time,word\n1,A\n2,B\n"


def test_standard_input_to_standard_output(run: Run) -> None:
    found = run("p.py:made", "--input", "s=-", "--quiet", stdin=json.dumps(GOOD[0]) + "\n")
    assert found == Result(0, '{"time": 1, "word": "A"}\n', "")


def test_every_format_gives_the_same_answer(run: Run) -> None:
    lines("s.jsonl", *GOOD)
    for last, name in (("s.jsonl", "a.csv"), ("a.csv", "b.parquet"), ("b.parquet", "c.ndjson.gz")):
        assert run("p.py:s", "--input", f"s={last}", "--output", name).code == 0
    assert run("p.py:s", "--input", "s=c.ndjson.gz").rows() == GOOD


def test_another_column_of_times_and_rows_that_come_late(run: Run) -> None:
    rows = [{"at": 20 * i, "n": 1, "word": "a"} for i in range(1000)]
    rows += [{"at": at, "n": 1, "word": "late"} for at in (19_955, 19_965, 19_975)]
    lines("s.jsonl", *rows)
    base = ("p.py:windows", "--input", "s=s.jsonl", "--time", "at", "--output", "o.jsonl")
    found = run(*base, "--late", "late.jsonl")
    step = f"aggregate {line('windows =')}"
    assert found.err == (
        "read 1003 + produced 1000 + copied 0"
        " = written 1000 + filtered 0 + quarantined 0 + late 3 + consumed 1000\n"
        f"late at {step}: 3\n"
    )
    first, *_ = entries("late.jsonl")
    assert first == {"operator": step, "tuple": {"time": 19955, "n": 1, "word": "late"}}
    assert len(entries("late.jsonl")) == 3
    assert "+ late 1 + consumed 1002\n" in run(*base, "--delay", "15 ms").err
    assert "+ late 1 + consumed 1002\n" in run(*base, "--delay", "15").err


def test_how_often_a_watermark_comes_can_be_chosen(run: Run) -> None:
    lines("s.jsonl", *({"time": time, "n": 1, "word": "a"} for time in (5, 95, 7, 99)))
    base = ("p.py:windows", "--input", "s=s.jsonl", "--output", "o.jsonl")
    assert "+ late 0 +" in run(*base).err
    assert "+ late 1 +" in run(*base, "--watermark-every", "1").err
    assert "+ late 1 +" in run(*base, "--watermark-every", "2").err
    assert run(*base, "--watermark-every", "0").code == 2


@everywhere
def test_what_operators_drop_is_named_after_the_operator_that_the_user_wrote(
    run: Run, implementation: str
) -> None:
    rows = [{"time": 20 * i, "n": 0, "word": "a"} for i in range(1000)]
    lines("s.jsonl", *rows, {"time": 5, "n": 1, "word": "late"})
    found = run("p.py:states", "--implementation", implementation, "--input", "s=s.jsonl",
                "--late", "late.jsonl", "--output", "o.jsonl")  # fmt: skip
    step = f"stateful {line('states =')}"
    assert found.err.splitlines()[1:] == [f"late at {step}: 1"]
    assert [entry["operator"] for entry in entries("late.jsonl")] == [step]


# Bad rows.

ROWS = {
    "a missing attribute": ({"time": 3, "n": 1}, "attribute word is missing"),
    "a mistyped attribute": (
        {"time": 3, "n": "1", "word": "a"},
        "attribute n: '1' is a str, not a whole number (int)",
    ),
    "a null time": ({"time": None, "n": 1, "word": "a"}, "the event time, time, is null"),
    "a malformed line": (
        '{"time": 3, "n": 1, "word": }',
        "malformed JSON at column 29: Expecting value",
    ),
}


@everywhere
@pytest.mark.parametrize("case", ROWS)
def test_a_bad_row_stops_the_run_and_is_named(run: Run, case: str, implementation: str) -> None:
    row, reason = ROWS[case]
    lines("s.jsonl", *GOOD, row, GOOD[0])
    found = run("p.py:plain", "--implementation", implementation, "--input", "s=s.jsonl",
                "--output", "out.jsonl")  # fmt: skip
    shown = row if isinstance(row, str) else repr(row)
    assert found == Result(
        1,
        "",
        f"error: s.jsonl:3: {reason}\n"
        f"  Detail: {shown}\n"
        f"  Hint: mend the row, or set such rows aside: --on-error quarantine=FILE\n",
    )
    assert not list(Path().glob("out*"))


@everywhere
@pytest.mark.parametrize("case", ROWS)
def test_a_bad_row_is_set_aside(run: Run, case: str, implementation: str) -> None:
    row, reason = ROWS[case]
    lines("s.jsonl", *GOOD, row, {"time": 3, "n": 3, "word": "c"})
    found = run("p.py:plain", "--implementation", implementation, "--input", "s=s.jsonl",
                "--on-error", "quarantine=bad.jsonl")  # fmt: skip
    assert found.code == 0
    assert [each["word"] for each in found.rows()] == ["A", "B", "C"]
    assert found.err == "read 4 = written 3 + filtered 0 + quarantined 1 + late 0\n"
    assert entries() == [{"reason": reason, "file": "s.jsonl", "line": 3, "row": row}]


# Failing functions.

CALLS = {
    "raises": (
        f"filter {line('raises =')}",
        f"strict {line('def strict')}",
        "raised ValueError: unlucky at p.py, line 5",
    ),
    "wrong_map": (
        f"map {line('wrong_map =')}",
        f"two_for_one {line('def two')}",
        "returned the wrong shape: ('a', 'a') has 2 values, and the type has 1: word",
    ),
    "wrong_flat_map": (
        f"flat_map {line('wrong_flat')}",
        f"no_list {line('def no_')}",
        "returned the wrong shape: None is not a list of tuples (an empty list for none)",
    ),
    "keyed": (
        f"aggregate {line('keyed =')}",
        f"lambda {line('keyed =')}",
        f"raised ZeroDivisionError: integer division or modulo by zero at {line('keyed =')[1:-1]}",
    ),
}


@everywhere
@pytest.mark.parametrize("name", CALLS)
def test_a_failing_function_stops_the_run_and_is_named(
    run: Run, name: str, implementation: str
) -> None:
    operator, function, reason = CALLS[name]
    lines("s.jsonl", *GOOD, UNLUCKY)
    found = run(f"p.py:{name}", "--implementation", implementation, "--input", "s=s.jsonl",
                "--output", "out.jsonl")  # fmt: skip
    assert found == Result(
        1,
        "",
        f"error: {operator} failed: {function} {reason}\n"
        f"  Detail: called with (time=3, n=13, word='a')\n{HINT}",
    )
    assert not list(Path().glob("out*"))


@everywhere
@pytest.mark.parametrize("name", CALLS)
def test_a_tuple_that_a_function_fails_on_is_set_aside(
    run: Run, name: str, implementation: str
) -> None:
    operator, function, reason = CALLS[name]
    lines("s.jsonl", GOOD[0], UNLUCKY, UNLUCKY, GOOD[1])
    found = run(f"p.py:{name}", "--implementation", implementation, "--input", "s=s.jsonl",
                "--on-error", "quarantine=bad.jsonl")  # fmt: skip
    assert found.code == 0
    assert len(found.rows()) == 2
    assert "= written 2 + filtered 0 + quarantined 2 + late 0" in found.err
    entry = {"reason": reason, "operator": operator, "function": function, "tuples": [UNLUCKY]}
    assert entries() == [entry, entry]


@everywhere
def test_a_window_whose_function_fails_is_set_aside(run: Run, implementation: str) -> None:
    lines("s.jsonl", *GOOD, UNLUCKY)
    base = ("p.py:windows", "--implementation", implementation, "--input", "s=s.jsonl")
    reason = "returned the wrong shape: 'x' is a str, not a tuple or a mapping of n"
    stopped = run(*base)
    assert stopped.code == 1
    assert stopped.err.startswith(
        f"error: aggregate {line('windows =')} failed: sized {line('def sized')} {reason}\n"
        "  Detail: called with Window(left=0, right=10, key=(word='a'), tuples=((time=1, "
    )
    found = run(*base, "--on-error", "quarantine=bad.jsonl")
    assert found.rows() == [{"time": 9, "n": 1}]
    assert found.err == (
        "read 3 + produced 1 + copied 0"
        " = written 1 + filtered 0 + quarantined 0 + late 0 + consumed 3\n"
        "quarantined windows: 1\n"
    )
    assert entries() == [
        {
            "reason": reason,
            "operator": f"aggregate {line('windows =')}",
            "function": f"sized {line('def sized')}",
            "tuples": [GOOD[0], UNLUCKY],
            "window": {"left": 0, "right": 10, "key": {"word": "a"}},
        }
    ]


@everywhere
def test_a_pair_that_a_function_fails_on_is_set_aside(run: Run, implementation: str) -> None:
    lines("s.jsonl", GOOD[0])
    lines("r.jsonl", GOOD[1], UNLUCKY)
    found = run("p.py:pairs", "--implementation", implementation, "--input", "s=s.jsonl",
                "--input", "r=r.jsonl", "--on-error", "quarantine=bad.jsonl")  # fmt: skip
    assert found.rows() == [{"time": 9, "a": 1, "b": 2}]
    assert found.err.splitlines()[1:] == ["quarantined pairs: 1"]
    (entry,) = entries()
    assert entry["tuples"] == [GOOD[0], UNLUCKY]


@everywhere
def test_states_that_functions_fail_on_are_set_aside(run: Run, implementation: str) -> None:
    lines("s.jsonl", *GOOD, UNLUCKY, {"time": 12, "n": 100, "word": "a"})
    found = run("p.py:states", "--implementation", implementation, "--input", "s=s.jsonl",
                "--on-error", "quarantine=bad.jsonl")  # fmt: skip
    assert found.rows() == [{"time": 10, "n": 3}]
    assert found.err == (
        "read 4 + produced 1 + copied 0"
        " = written 1 + filtered 0 + quarantined 1 + late 0 + consumed 3\n"
        "quarantined states: 1\n"
    )
    of_tuple, of_state = entries()
    assert (of_tuple["tuples"], of_tuple["states"]) == ([UNLUCKY], ["3"])
    assert (of_state["tuples"], of_state["states"]) == ([], ["103"])


def test_the_first_mistake_in_the_file_is_the_one_that_is_told(run: Run) -> None:
    lines("s.jsonl", UNLUCKY, {"time": None}, UNLUCKY)
    assert "error: filter (p.py, line " in run("p.py:raises", "--input", "s=s.jsonl").err
    lines("s.jsonl", GOOD[0], {"time": None}, UNLUCKY)
    assert "error: s.jsonl:2: " in run("p.py:raises", "--input", "s=s.jsonl").err


def test_a_run_that_stops_keeps_what_was_set_aside_under_another_name(run: Run) -> None:
    lines("s.jsonl", GOOD[0], "{")
    null = {"time": 1, "n": 1, "word": None}
    lines("r.jsonl", *[GOOD[0]] * 999, null)
    found = run("p.py:both", "--input", "s=s.jsonl", "--input", "r=r.jsonl", "--output", "o.csv",
                "--on-error", "quarantine=bad.jsonl")  # fmt: skip
    assert found.code == 1
    assert "CSV can't tell a null string from an empty one" in found.err
    assert sorted(path.name for path in Path().glob("*.*")) == [
        "bad.jsonl.part", "p.py", "r.jsonl", "s.jsonl"
    ]  # fmt: skip


# The command line.

USAGE = {
    "no input": ([], "no input for source s: write --input s=FILE"),
    "no name": (["--input", "s.jsonl"], "write --input NAME=FILE, as s=FILE"),
    "an unknown name": (
        ["--input", "x=s.jsonl"],
        "the pipeline has no source 'x'; its sources are s",
    ),
    "a name nearly right": (
        ["--input", "ss=s.jsonl"],
        "the pipeline has no source 'ss'; did you mean 's'?",
    ),
    "two inputs": (
        ["--input", "s=s.jsonl", "--input", "s=-"],
        "source 's' has an input already",
    ),
    "a missing file": (["--input", "s=none.jsonl"], "there is no file none.jsonl"),
    "a folder": (["--input", "s=."], ". is a folder, not a file"),
    "an output in no folder": (
        ["--input", "s=-", "--output", "no/out.csv"],
        "--output: there is no folder no",
    ),
    "an output that is a folder": (
        ["--input", "s=-", "--output", "."],
        "--output: . is a folder, not a file",
    ),
    "an output that is the input": (
        ["--input", "s=s.jsonl", "--output", "./s.jsonl"],
        "--output: ./s.jsonl is the file of --input s too",
    ),
    "two files of one name": (
        ["--input", "s=-", "--output", "a.jsonl", "--late", "a.jsonl"],
        "--late: a.jsonl is the file of --output too",
    ),
    "standard output twice": (
        ["--input", "s=-", "--late", "-"],
        "--late: - is the file of --output too",
    ),
    "bad rows into the pipeline": (
        ["--input", "s=-", "--on-error", "quarantine=p.py"],
        "--on-error quarantine: p.py is the file of the pipeline too",
    ),
    "late tuples into the pipeline": (
        ["--input", "s=-", "--late", "./p.py"],
        "--late: ./p.py is the file of the pipeline too",
    ),
    "the part of another file": (
        ["--input", "s=-", "--output", "o.jsonl", "--late", "o.jsonl.part"],
        "--late: o.jsonl.part is the file of --output too",
    ),
    "a file whose part is another's": (
        ["--input", "s=-", "--on-error", "quarantine=l.part", "--late", "l"],
        "--late: l is the file of --on-error quarantine too",
    ),
    "late tuples as CSV": (
        ["--input", "s=-", "--late", "late.csv"],
        "--late writes JSON lines: name the file .jsonl, not late.csv",
    ),
    "an unknown engine": (["--engine", "flink"], "'flink' is not one of"),
    "an unknown implementation": (["--implementation", "fast"], "'fast' is not one of"),
    "another way with errors": (
        ["--input", "s=-", "--on-error", "ignore"],
        "--on-error ignore: write fail or quarantine=FILE",
    ),
    "a quarantine without a file": (
        ["--input", "s=-", "--on-error", "quarantine"],
        "--on-error quarantine: write fail or quarantine=FILE",
    ),
}


@pytest.mark.parametrize("case", USAGE)
def test_a_mistake_on_the_command_line_is_a_usage_error(run: Run, case: str) -> None:
    options, message = USAGE[case]
    lines("s.jsonl", *GOOD)
    found = run("p.py:plain", *options)
    assert (found.code, found.out) == (2, "")
    assert message in found.err
    assert sorted(path.name for path in Path().glob("*.*")) == ["p.py", "s.jsonl"]


def test_two_inputs_can_not_both_read_standard_input(run: Run) -> None:
    found = run("p.py:both", "--input", "s=-", "--input", "r=-")
    assert (found.code, "two inputs can't both read standard input" in found.err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["p.py:none"], "error: p.py:none: there is no 'none'"),
        (["p.py:number"], "error: p.py:number is an int, not a stream"),
        (["p.py:broken"], "error: p.py:broken failed: ZeroDivisionError: division by zero"),
        (["q.py:plain"], "error: there is no file q.py"),
        (["p.py:plain", "--input", "s=p.py"], "error: the name of p.py does not tell its format"),
        (["p.py:plain", "--input", "s=-", "--output", "o"], "error: the name of o does not tell"),
        (["p.py:plain", "--input", "s=-", "--delay", "soon"], "error: --delay is 'soon', which"),
        (["p.py:plain", "--input", "s=-", "--delay", "soon"], "Hint: write milliseconds or a unit"),
        (["p.py:plain", "--input", "s=-", "--delay", "-5"], "error: --delay is -5 ms, and must"),
        (["p.py:plain", "--input", "s=-", "--delay", "9" * 5000], "error: --delay is longer than"),
        (["p.py:plain", "--input", "s=-", "--delay", "9" * 5000 + "s"], "error: --delay is longer"),
        (["p.py:plain", "--input", "s=-", "--delay", "-1 s"], "error: --delay is -1 s, and must"),
    ],
)
def test_a_mistake_elsewhere_has_exit_code_1(run: Run, arguments: list[str], message: str) -> None:
    found = run(*arguments)
    assert (found.code, found.out) == (1, "")
    assert message in found.err


def test_a_file_that_can_not_be_written_is_an_error(run: Run) -> None:
    Path("o.jsonl.part").mkdir()
    found = run("p.py:plain", "--input", "s=-", "--output", "o.jsonl")
    assert found.code == 1
    assert "o.jsonl.part: Is a directory" in found.err


def test_a_ledger_that_does_not_balance_is_told_and_nothing_is_written(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Ledger, "dropped", lambda *_: None)
    rows = [{"time": 20 * i, "n": 1, "word": "a"} for i in range(1000)]
    lines("s.jsonl", *rows, GOOD[0])
    found = run("p.py:windows", "--input", "s=s.jsonl", "--output", "o.jsonl")
    assert found.code == 1
    assert found.err.startswith("error: internal error: the ledger does not balance: read 1001 ")
    assert not list(Path().glob("o.*"))


def test_the_file_of_a_module_is_no_target(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path.cwd()))
    Path("as_module.py").write_text(PIPELINES)
    found = run("as_module:plain", "--input", "s=-", "--late", "as_module.py")
    assert (found.code, "is the file of the pipeline too" in found.err) == (2, True)
    assert Path("as_module.py").read_text() == PIPELINES


def test_what_users_print_does_not_mix_with_rows(run: Run) -> None:
    Path("prints.py").write_text(
        "import onefold as of\nprint('read')\n"
        "s = of.source('s', 'n int').filter(lambda t: print('called') is None)\n"
    )
    found = run("prints.py:s", "--input", "s=-", "--quiet", stdin='{"time": 1, "n": 1}\n')
    assert found == Result(0, '{"time": 1, "n": 1}\n', "read\ncalled\n")


def test_a_row_nested_deep_is_set_aside(run: Run) -> None:
    deep = '{"time": 1, "more": ' + "[" * 900 + "]" * 900 + "}"
    lines("s.jsonl", deep)
    found = run("p.py:s", "--input", "s=s.jsonl", "--on-error", "quarantine=bad.jsonl")
    assert (found.code, entries()[0]["row"]) == (0, deep)


# As a process.


@pytest.mark.parametrize(
    ("closed", "message"),
    [
        ("<&-", "error: standard input is closed\n  Hint: name a file, or give it an input\n"),
        (">&-", "error: standard output is closed\n  Hint: name a file: --output FILE\n"),
        ("2>&-", ""),
    ],
)
def test_closed_standard_streams(closed: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text(PIPELINES)
    command = f"exec {sys.executable} -m onefold run p.py:plain --input s=- {closed}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    found = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=tmp_path,
        env=environment,
        input=None if closed == "<&-" else b"",
        capture_output=True,
        check=False,
    )
    assert (found.returncode, found.stdout, found.stderr.decode()) == (bool(message), b"", message)


def test_standard_input_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text(PIPELINES)
    (tmp_path / "s.jsonl").write_text(json.dumps(GOOD[0]))
    with (tmp_path / "s.jsonl").open("rb") as stdin:
        running = process(["p.py:plain", "--input", "s=/dev/stdin"], tmp_path, stdin=stdin)
        out, _ = running.communicate()
    assert (running.returncode, out) == (0, b'{"time": 1, "word": "A"}\n')


def process(arguments: list[str], folder: Path, **options: Any) -> "subprocess.Popen[bytes]":
    """Start the command in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "TERM": "xterm"}
    return subprocess.Popen(
        [sys.executable, "-m", "onefold", "run", *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        **{"stderr": subprocess.PIPE, **options},
    )


def long_top_words(text: str) -> list[str]:
    words = re.findall(r"[^\W\d]+", text)
    top = sorted(set(words), key=lambda word: (-words.count(word), word))[:3]
    return [word.lower() for word in top if len(word) >= 10]


@everywhere
def test_the_example_as_a_process_gives_what_plain_python_gives(implementation: str) -> None:
    arguments = ["examples/wordcount.py:pipeline", "--implementation", implementation,
                 "--input", "edits=examples/data/edits.jsonl"]  # fmt: skip
    out, err = process(arguments, ROOT).communicate()
    counts: Counter[tuple[int, str]] = Counter()
    edits = entries(str(ROOT / "examples/data/edits.jsonl"))
    for edit in edits:
        last = edit["time"] // 2000 * 2000
        for left in range(last - 8000, last + 1, 2000):
            counts.update((left + 9999, word) for word in long_top_words(edit["orig"]))
    rows = [json.loads(line) for line in out.splitlines()]
    assert {(row["time"], row["word"]): row["n"] for row in rows} == counts
    assert [tuple(row) for row in rows] == [("time", "word", "n")] * len(counts)
    assert err.startswith(b"read 200 + produced ")
    assert f"= written {len(counts)} + ".encode() in err


def test_ctrl_c_ends_a_run_with_a_word_and_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text(PIPELINES)
    arguments = ["p.py:plain", "--input", "s=-", "--on-error", "quarantine=bad.jsonl"]
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # a job in the background is deaf
    running = process(arguments, tmp_path, stdin=subprocess.PIPE, preexec_fn=heard)
    assert running.stdin
    assert running.stdout
    running.stdin.write(b'{"time": 1, "n": 1, "word": "a"}\n' * 1000)
    running.stdin.flush()
    assert running.stdout.readline() == b'{"time": 1, "word": "A"}\n'  # it is at work
    running.send_signal(signal.SIGINT)
    _, err = running.communicate()
    assert (running.returncode, err) == (130, b"interrupted\n")
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["p.py"]


def test_a_terminal_shows_progress_and_a_pipe_does_not(tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text(PIPELINES)
    (tmp_path / "s.jsonl").write_text('{"time": 1, "n": 1, "word": "a"}\n')
    terminal, end = os.openpty()
    with os.fdopen(terminal, "rb", buffering=0) as screen, os.fdopen(end, "wb") as stderr:
        arguments = ["p.py:plain", "--input", "s=s.jsonl", "--output", "o.jsonl"]
        running = process(arguments, tmp_path, stderr=stderr)
        out, _ = running.communicate()
        shown = screen.read(10_000)
    assert (running.returncode, out) == (0, b"")
    assert b"tuples read" in shown
    assert b"read 1 = written 1 + filtered 0 + quarantined 0 + late 0" in shown


def test_a_reader_that_goes_away_ends_a_run_quietly(tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text(PIPELINES)
    row = '{"time": 1, "n": 1, "word": "a"}\n'
    (tmp_path / "s.jsonl").write_text(row * 20_000)
    running = process(["p.py:plain", "--input", "s=s.jsonl"], tmp_path)
    assert running.stdout
    assert running.stderr
    running.stdout.readline()
    running.stdout.close()
    assert running.stderr.read() == b""
    running.stderr.close()
    assert running.wait() == 1
