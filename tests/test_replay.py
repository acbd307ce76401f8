"""onefold replay: what it says, what it refuses, what it takes."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

import pytest
from click.testing import CliRunner, Result

from onefold import Implementation, Plan, Tuple
from onefold.check.located import BadTranscript
from onefold.check.replay import CaseResult, Problem, replay, replay_transcripts
from onefold.check.transcript import read_transcript
from onefold.cli.replay import command
from onefold.engines.reference import Engine

PIPELINE = """
import onefold as of

words = of.source("words", "word string, n int")
counts = words.aggregate(
    lambda w: (w.key.word, len(w.tuples)), "word string, n int", key=["word"], size=10
)
long = words.filter(lambda t: len(t.word) > 1)
both = of.source("a", "n int").union(of.source("b", "n int"))


def made():
    return counts


def broken():
    raise RuntimeError("not today")


def leave():
    raise SystemExit(0)
"""
ROOT = Path(__file__).resolve().parents[1]
HEAD = "pipeline: mine.py:counts\ncases:\n"

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes somebody's transcript, with somebody's pipeline beside it."""
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(PIPELINE, encoding="utf-8")
    Path("gone.py").write_text("import sys\nsys.exit(0)\n", encoding="utf-8")

    def written(content: str) -> Path:
        Path("t.yaml").write_text(content, encoding="utf-8")
        return Path("t.yaml")

    return written


def steps(content: str, head: str = HEAD) -> str:
    return f"{head}- steps:\n" + indent(dedent(content).strip("\n"), "  ") + "\n"


def ran(*arguments: Any) -> Result:
    return CliRunner().invoke(command, [str(each) for each in arguments])


RIGHT = """
- input: {words: [[5, "a", 1], [7, "a", 2]]}
- watermark: {words: 10}
- expect: [[9, "a", 2]]
"""
WRONG = """
- input: {words: [[5, "a", 1], [7, "b", 2], [8, "b", 2]]}
- watermark: {words: 10}
- expect: [[9, "a", 1], [9, "b", 1], [9, "b", 1]]
"""


def test_right(write: Write) -> None:
    result = ran(write(steps(RIGHT)))
    assert result.output == (
        "t.yaml\n"
        "  ok    case 1\n"
        "3 passed (1 case on reference: dedicated, aggregate and aggregate-plus)\n"
    )
    assert result.exit_code == 0


def test_wrong(write: Write) -> None:
    result = ran(write(steps(RIGHT) + steps(WRONG, head="")))
    assert result.output == (
        "t.yaml\n"
        "  ok    case 1\n"
        "  FAIL  case 2: dedicated, aggregate and aggregate-plus\n"
        "        t.yaml:10: expect differs\n"
        '          missing    [9, "b", 1] (2 times)\n'
        '          unexpected [9, "b", 2]\n'
        "3 passed, 3 failed (2 cases on reference: dedicated, aggregate and aggregate-plus)\n"
    )
    assert result.exit_code == 1


@pytest.mark.parametrize("implementation", [each.value for each in Implementation])
def test_one_implementation(write: Write, implementation: str) -> None:
    right, wrong = write(steps(RIGHT)), Path("wrong.yaml")
    wrong.write_text(steps(WRONG), encoding="utf-8")
    options = ("--engine", "reference", "--implementation", implementation)
    good, bad = ran(right, *options), ran(right, wrong, *options)
    assert good.exit_code == 0
    assert f"1 passed (1 case on reference: {implementation})" in good.output
    assert bad.exit_code == 1
    assert f"FAIL  case 1: {implementation}\n" in bad.output
    assert f"1 passed, 1 failed (2 cases on reference: {implementation})" in bad.output


def test_a_bad_transcript_does_not_hide_the_others(write: Write) -> None:
    result = ran("nothing.yaml", write(steps(RIGHT)))
    assert result.exit_code == 1
    assert "error: nothing.yaml: No such file or directory" in result.output
    assert "3 passed, 1 unreadable" in result.output


def test_text_that_is_no_unicode_is_shown_escaped(write: Write) -> None:
    file = write(steps('- input: [[5, "a\\ud800", 1]]\n- end\n- expect: []'))
    called = [sys.executable, "-m", "onefold", "replay", str(file)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONIOENCODING": "utf-8"}
    result = subprocess.run(called, env=environment, capture_output=True, check=False)
    assert (result.returncode, result.stderr) == (1, b"")
    assert b'unexpected [9, "a\\ud800", 1]' in result.stdout


def test_differences_that_are_many_are_cut_short(write: Write) -> None:
    rows = ", ".join(f'[{n}, "aa", {n}]' for n in range(30))
    head = "pipeline: mine.py:long\ncases:\n"
    result = ran(write(steps(f"- input: {{words: [{rows}]}}\n- end\n- expect: []", head)))
    assert '          unexpected [19, "aa", 19]\n          unexpected 10 more\n' in result.output


@pytest.mark.parametrize("watermark", ["", "- watermark: 6\n"])
def test_what_came_instead_is_shown_before_the_watermark_too(write: Write, watermark: str) -> None:
    content = '- input: [[5, "aa", 1]]\n' + watermark + '- expect: [[5, "bb", 1]]'
    results = replay(write(steps(content, "pipeline: mine.py:long\ncases:\n")))
    text = 'expect differs\n  missing    [5, "bb", 1]\n  unexpected [5, "aa", 1]'
    assert problems(results) == [text, text, text]


def problems(results: list[CaseResult]) -> list[str]:
    return [each.problem.what if each.problem else "" for each in results]


FAILS = """{}- fails: "{}"
  steps:
  - input: {{words: [[5, "a", 1]]}}
  - end
  - expect: {}
"""


def test_a_case_that_must_fail(write: Write) -> None:
    missing = FAILS.format(HEAD, 'MISSING\\n [9, \\"b\\", 1]', '[[9, "a", 1], [9, "b", 1]]')
    assert problems(replay(write(missing))) == ["", "", ""]


def test_a_case_that_must_fail_and_does_not(write: Write) -> None:
    right = FAILS.format(HEAD, "missing", '[[9, "a", 1]]')
    assert problems(replay(write(right), ["dedicated"])) == [
        "did not fail, and must fail with 'missing'"
    ]


def test_a_case_that_must_fail_and_does_so_otherwise(write: Write) -> None:
    # The name of the file is not part of the text.
    assert problems(replay(write(FAILS.format(HEAD, "t.yaml", "[]")), ["aggregate"])) == [
        "failed without 't.yaml', but with\nt.yaml:7: expect differs\n  unexpected [9, \"a\", 1]"
    ]


MISTAKES = [
    ("", "t.yaml:1: a transcript is a mapping with pipeline and cases"),
    ("- 5", "t.yaml:1: a transcript is a mapping with pipeline and cases"),
    ("cases: [", "t.yaml:1: not YAML: expected the node content, but found '<stream end>'"),
    ("a: 1\nb: \t- @", "t.yaml:2: not YAML: found character '\\t' that cannot start any token"),
    ("a: \x07", "t.yaml:1: not YAML: special characters are not allowed"),
    ("a: 1\n---\nb: 2", "t.yaml:2: not YAML: but found another document"),
    ("cases: 1\ncases: 2", "t.yaml:2: not YAML: 'cases' stands here twice"),
    ("cases: &a [*a]", "t.yaml:1: not YAML: a value holds itself"),
    ("cases: !!int x", "t.yaml:1: not YAML: 'x' does not fit tag:yaml.org,2002:int"),
    ("cases: !mine {}", "t.yaml:1: not YAML: !mine is not known here"),
    ("? [1]\n: 2", "t.yaml:1: not YAML: a name is a word, not a list or a mapping"),
    ("cases: []", "t.yaml:1: pipeline: write file.py:name or package.module:name"),
    ("\npipeline: 5", "t.yaml:2: pipeline: write file.py:name or package.module:name"),
    ("pipeline: mine.py:count", "t.yaml:1: pipeline: mine.py:count: there is no 'count'"),
    ("pipeline: mine.py:broken", "t.yaml:1: pipeline: mine.py:broken failed: RuntimeError"),
    ("pipeline: other.py:counts", "t.yaml:1: pipeline: there is no file other.py"),
    ("pipeline: no.module:counts", "t.yaml:1: pipeline: there is no module 'no.module'"),
    ("pipeline: mine.py:counts", "t.yaml:1: cases: write a list of at least one case"),
    ("pipeline: mine.py:counts\ncases:", "t.yaml:2: cases: write a list of at least one case"),
    (HEAD + "- 5", "t.yaml:3: case 1 is a mapping with name and steps"),
    (HEAD + "- name: x", "t.yaml:3: steps: write a list of at least one step"),
    (
        HEAD + "- steps: [{end: }]",
        "t.yaml:3: case 1 tests nothing: it has no expect, late or fails",
    ),
    (HEAD + "- step: [end]", "t.yaml:3: case 1 has no 'step': did you mean 'steps'?"),
    (
        HEAD + "- fails: 5\n  steps: [end]",
        "t.yaml:3: fails: write the text that the case must fail",
    ),
    (HEAD + "- steps: [5]", "t.yaml:3: a step is one of input, watermark, expect, late and end"),
    (steps("- watermrk: 5"), "t.yaml:4: there is no step 'watermrk': did you mean 'watermark'?"),
    (steps("- finish"), "t.yaml:4: there is no step 'finish'\n"),
    (steps("- input: [[5]]"), "t.yaml:4: input words: [5] has 1 values, not time, word, n"),
    (steps("- input: 5"), "t.yaml:4: input is a mapping of sources to rows"),
    (steps("- input: {words: 5}"), "t.yaml:4: input words: a list of rows was expected"),
    (steps("- input: {word: []}"), "t.yaml:4: there is no source 'word': did you mean 'words'?"),
    (steps("- input: {x: []}"), "t.yaml:4: there is no source 'x': there is words\n"),
    (steps("- input:\n    words:\n    - [1, a, 1]\n    - [2, a]"), "t.yaml:7: input words: [2, "),
    (steps("- input: {words: [5]}"), "t.yaml:4: input words: 5 is no row: write [time, word, n]"),
    (steps("- input: {words: [[]]}"), "t.yaml:4: input words: [] is no row"),
    (steps("- input: {words: [[null, a, 1]]}"), "t.yaml:4: input words: time: None is a NoneType"),
    (steps("- input: {words: [[x, a, 1]]}"), "t.yaml:4: input words: time: 'x' is not a timestamp"),
    (
        steps("- input: {words: [[1, 5, 1]]}"),
        "t.yaml:4: input words: attribute word: 5 is no string: write it in quotes",
    ),
    (
        steps("- input: {words: [[1, true, 1]]}"),
        "input words: attribute word: true is no string: write it in quotes",
    ),
    (steps("- input: {words: [[1, a, b]]}"), "attribute n: 'b' is a str, not a whole number"),
    (steps("- input: {words: [[1, a, 1.5]]}"), "attribute n: 1.5 is a float, not a whole number"),
    (steps("- input: {words: [{time: 1, word: a}]}"), "input words: attribute n is missing"),
    (steps("- input: {words: [{word: a, n: 1}]}"), "is no row: write [time, word, n]"),
    (steps("- input: {words: [{time: 1, word: a, n: 1, m: 2}]}"), "input words: m in {"),
    (steps("- watermark: {words: soon}"), "t.yaml:4: watermark of words: time: 'soon' is not"),
    (steps("- watermark: {x: 5}"), "t.yaml:4: there is no source 'x'"),
    (steps("- expect: 5"), "t.yaml:4: expect: a list of rows was expected"),
    (steps("- expect: [[9, a, x]]"), "t.yaml:4: expect: attribute n: 'x' is a str, not a whole"),
    (steps("- expect: [[9, a]]"), 't.yaml:4: expect: [9, "a"] has 2 values, not time, word, n'),
    (steps("- late: [[9, a]]"), 't.yaml:4: late: [9, "a"] has 2 values, not time, word, n'),
    (steps("- end: 5"), "t.yaml:4: end stands alone, or with a list of sources"),
    (steps("- end: [x]"), "t.yaml:4: there is no source 'x'"),
    (steps("- end: x"), "t.yaml:4: there is no source 'x'"),
    (steps("- end: []"), "t.yaml:4: end: an empty list names no source; end alone ends all"),
    ('cases: !!int ""', "t.yaml:1: not YAML: '' does not fit tag:yaml.org,2002:int"),
    ('cases: !!float ""', "t.yaml:1: not YAML: '' does not fit tag:yaml.org,2002:float"),
    (HEAD + "- name: [1]\n  steps: [{expect: []}]", "t.yaml:3: the name of case 1 is no text"),
    ('pipeline: "a\\0b.py:x"', "t.yaml:1: pipeline: there is no file 'a\\x00b.py'"),
    ("pipeline: .p:x", "t.yaml:1: pipeline: '.p' names no module"),
    ("pipeline: gone.py:x", "t.yaml:1: pipeline: gone.py failed: SystemExit: 0"),
    ("pipeline: mine.py:leave", "t.yaml:1: pipeline: mine.py:leave failed: SystemExit: 0"),
    (
        "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
        + "".join(f"a{n + 1}: &a{n + 1} [{', '.join([f'*a{n}'] * 10)}]\n" for n in range(9)),
        "t.yaml:4: not YAML: repeated values are more than 100,000 in all",
    ),
    (
        "a0: &a0 {x: 1}\n"
        + "".join(
            f"a{n + 1}: &a{n + 1} {{<<: [{', '.join([f'*a{n}'] * 10)}]}}\n" for n in range(9)
        ),
        "t.yaml:1: a transcript has no 'a0'",
    ),
    (
        steps("- late: [[9, 1]]", "pipeline: mine.py:both\ncases:\n"),
        "t.yaml:4: late: no operator of the pipeline has a late stream",
    ),
    (
        steps("- input: [[9, 1]]", "pipeline: mine.py:both\ncases:\n"),
        "t.yaml:4: input is a mapping of sources to rows",
    ),
]


@pytest.mark.parametrize(("content", "message"), MISTAKES, ids=[m for _, m in MISTAKES])
def test_a_mistake_has_its_file_and_line(write: Write, content: str, message: str) -> None:
    result = ran(write(content))
    assert result.exit_code == 1
    assert "error: t.yaml:" in result.output
    assert message in result.output


def test_all_mistakes_are_told_at_once(write: Write) -> None:
    mistakes = steps("- inpt: 5\n- expect: [[9, a]]") + "- name: x\n"
    with pytest.raises(BadTranscript) as caught:
        read_transcript(write(mistakes))
    assert str(caught.value).splitlines() == [
        "t.yaml:4: there is no step 'inpt': did you mean 'input'?",
        't.yaml:5: expect: [9, "a"] has 2 values, not time, word, n',
        "t.yaml:6: steps: write a list of at least one step",
    ]


def test_no_utf_8(write: Write) -> None:
    file = write("")
    file.write_bytes(b"pipeline: mine.py:counts\ncases: \xff")
    assert "error: t.yaml:2: not UTF-8" in ran(file).output


ONE = "- input: {words: [[5, a, 1]]}\n"
LIBERTIES = {
    "end as a name without a value": ONE + "- end:\n- expect: [[9, a, 1]]",
    "end of all": ONE + "- end: true\n- expect: [[9, a, 1]]",
    "end of one": ONE + "- end: words\n- expect: [[9, a, 1]]",
    "end as a watermark": ONE + "- watermark: .inf\n- expect: [[9, a, 1]]",
    "a watermark for all": ONE + "- watermark: 10\n- expect: [[9, a, 1]]",
    "rows for the only source": "- input: [[5, a, 1]]\n- end\n- expect: [[9, a, 1]]",
    "several steps in one": ONE + "  watermark: 10\n  expect: [[9, a, 1]]",
    "nothing for a source": "- input: {words: []}\n- input: {words: }\n- end\n- expect:\n- late:",
    "rows by name": ONE + "- input: [{n: 1, word: a, time: 5}]\n- end\n"
    "- expect: [{time: 9, n: 2, word: a}]",
    "no is a word": "- input: [[5, no, 1]]\n- end\n- expect: [[9, 'no', 1]]",
    "a date is a word": "- input: [[5, 2024-01-01, 1]]\n- end\n- expect: [[9, '2024-01-01', 1]]",
    "a time of day is a word": "- input: [[5, 1:30, 1]]\n- end\n- expect: [[9, '1:30', 1]]",
    "moments as times": "- input: [[1970-01-01, a, 1]]\n- watermark: 1970-01-01 00:00:00.01Z\n"
    "- expect: [[1970-01-01T01:00:00.009+01:00, a, 1]]",
    "repeated values": "- input: &r {words: [[5, a, 1]]}\n- input: *r\n- end\n"
    "- expect: [[9, a, 2]]",
    "Python's tuples": "- input: [!!python/tuple [5, a, 1]]\n- end\n- expect: [[9, a, 1]]",
    "output that nobody asks about": ONE + "- expect: []\n- end",
}


@pytest.mark.parametrize("content", LIBERTIES.values(), ids=LIBERTIES)
def test_liberties(write: Write, content: str) -> None:
    assert problems(replay(write(steps(content)))) == ["", "", ""]


@pytest.mark.parametrize("pipeline", ["mine.py:made", "mine:counts"])
def test_pipelines_by_function_and_by_module(
    write: Write, pipeline: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(__import__("sys").modules, "mine", raising=False)
    file = write(steps(RIGHT, f"pipeline: {pipeline}\ncases:\n"))
    assert problems(replay(file)) == ["", "", ""]


def test_a_pipeline_beside_the_transcript(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(steps(RIGHT)).absolute()
    monkeypatch.chdir("/")
    assert problems(replay(file)) == ["", "", ""]


def test_names_and_descriptions(write: Write) -> None:
    frame = "name: all\ndescription: d\npipeline: mine.py:counts\ncases:\n"
    case = "- description: d\n  name: {}\n  steps: [{{expect: []}}]\n"
    names = [
        each.name for each in replay(write(frame + case.format(5) + case.format("")), ["aggregate"])
    ]
    assert names == ["5", "case 2"]


LATE_OF_TWO_TYPES = """
import onefold as of

words = of.source("words", "word string")
times = of.source("times", "at timestamp")
count = lambda w: (len(w.tuples),)
both = words.aggregate(count, "n int", size=10).union(times.aggregate(count, "n int", size=10))
"""


def test_late_tuples_of_different_types(write: Write) -> None:
    file = write(
        steps(
            """
            - watermark: 10
            - input: {words: [[5, "2024-01-01"]], times: [[5, 2024-01-01], [6, null]]}
            - late: [[6, null], [5, 2024-01-01], [5, 2024-01-01]]
            - input: {words: [[5, "a"]]}
            - late: [[5, "b"]]
            """,
            "pipeline: two.py:both\ncases:\n",
        )
    )
    Path("two.py").write_text(LATE_OF_TWO_TYPES, encoding="utf-8")
    text = 'late differs\n  missing    [5, "b"]\n  unexpected [5, "a"]'
    assert problems(replay(file)) == [text, text, text]


class Forgetful(Engine):
    """An engine that loses every second tuple of its output."""

    def take_output(self) -> list[Tuple]:
        return super().take_output()[::2]


class Crashing(Engine):
    """An engine with a mistake of its own."""

    def end(self, *sources: str) -> None:
        raise ZeroDivisionError("division by zero")


class Leaving(Engine):
    """An engine that lets a user's sys.exit through."""

    def end(self, *sources: str) -> None:
        raise SystemExit(0)


class Shy(Exception):
    """An error that can't be shown."""

    def __str__(self) -> str:
        raise ValueError("no")


class CrashingShyly(Engine):
    """An engine whose mistake can't be shown."""

    def end(self, *sources: str) -> None:
        raise Shy


@pytest.mark.parametrize(
    ("engine", "text"),
    [
        (Leaving, "failed: SystemExit: 0"),
        (CrashingShyly, "failed: Shy: a Shy that can't be shown"),
        (Forgetful, 'expect differs\n  missing    [9, "b", 1]'),
        (Crashing, "failed: ZeroDivisionError: division by zero"),
    ],
)
def test_another_engine(write: Write, engine: Callable[[Plan], Engine], text: str) -> None:
    file = write(steps("- input: [[5, a, 1], [5, b, 1]]\n- end\n- expect: [[9, a, 1], [9, b, 1]]"))
    results = replay_transcripts(
        [read_transcript(file)], Implementation, lambda runs: [engine(plan) for plan, _ in runs]
    )
    assert problems(results) == [text] * 3


def test_a_problem_says_what_is_missing_and_what_came(write: Write) -> None:
    (result,) = replay(write(steps(WRONG)), ["aggregate"])
    assert isinstance(result.problem, Problem)
    assert (result.problem.line, result.name, result.passed) == (6, "case 1", False)
    assert list(result.problem.missing) == [(9, "b", 1), (9, "b", 1)]
    assert list(result.problem.unexpected) == [(9, "b", 2)]
