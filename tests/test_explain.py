"""onefold explain: the texts beside `explain/explained.py` are what it prints.

To renew one: onefold explain tests/explain/explained.py:counts --implementation aggregate
--format text > tests/explain/counts.aggregate.text
"""

import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import onefold as of
from onefold import Implementation, Stream
from onefold.cli.explain import FORMATS, command
from onefold.core.explain import Composed, arranged, mermaid, text
from onefold.core.plan import Node

HERE = Path(__file__).parent / "explain"
GOLDEN = sorted(each for each in HERE.iterdir() if each.suffix in {".text", ".mermaid"})
PIPELINES = ("counts", "shared", "late", "pairs", "down", "names", "nothing")

implementations = pytest.mark.parametrize("implementation", [each.value for each in Implementation])
pipelines = pytest.mark.parametrize("pipeline", PIPELINES)


def explained(pipeline: str, implementation: str, format_: str) -> str:
    options = ["--implementation", implementation, "--format", format_]
    result = CliRunner().invoke(command, [f"{HERE}/explained.py:{pipeline}", *options])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda file: file.name)
def test_golden(golden: Path) -> None:
    assert explained(*golden.name.split(".")) == golden.read_text(encoding="utf-8")


def test_the_pipeline_as_it_was_written_is_the_default() -> None:
    result = CliRunner().invoke(command, [f"{HERE}/explained.py:counts"])
    assert result.output == (HERE / "counts.dedicated.text").read_text(encoding="utf-8")


@pipelines
@implementations
def test_every_node_stands_once_behind_its_inputs(pipeline: str, implementation: str) -> None:
    seen: list[str] = []
    for line in explained(pipeline, implementation, "text").splitlines():
        if found := re.match(r" *\[(\d+)\] ", line):
            number = found[1]
            seen.append(number)
            inputs = re.findall(r"\[(\d+)\](?! \(loop\))", line[found.end() :])
            assert set(inputs) <= set(seen)
            assert re.findall(r"\[(\d+)\] \(loop\)", line) in ([], [number])
    assert seen == [str(number) for number in range(1, len(seen) + 1)]
    assert seen


@pipelines
@implementations
def test_mermaid_is_made_of_known_lines(pipeline: str, implementation: str) -> None:
    label = r'"(?:[\w .,()+\-/=]|#\d+;|<br/>)+"'
    kinds = [
        r"flowchart TD",
        rf" +n\d+(?:\[{label}\]|\[\({label}\)\])",
        rf" +subgraph g\d+_\d+\[{label}\]| +end",
        rf" +n\d+ (?:---?>|-\.->)(?:\|{label}\|)? (?:n\d+|output)",
        r' +output\(\["output"\]\)',
    ]
    lines = explained(pipeline, implementation, "mermaid").splitlines()
    assert not [line for line in lines if not re.fullmatch("|".join(kinds), line)]
    starts = [line.split()[0] for line in lines]
    assert starts.count("subgraph") == starts.count("end")


def test_nothing_but_aggregates_and_unions_is_left_of_a_composition() -> None:
    composed = explained("down", "aggregate", "text") + explained("pairs", "aggregate", "text")
    parts = re.findall(r"^ +\[\d+\] (.*?) <-", composed, re.MULTILINE)
    assert {part.rpartition(": ")[2] for part in parts} == {"aggregate", "union"}
    assert "any number of tuples" not in composed


def test_a_composition_of_one_composition_is_one_line() -> None:
    words = of.source("words", "word string").filter(lambda t: t.word)
    _, filtered = arranged(of.lower(words, "aggregate"))
    assert isinstance(filtered, Composed)
    (flat_map,) = filtered.parts
    assert isinstance(flat_map, Composed)
    assert text(of.lower(words, "aggregate")).count(") = flat_map = aggregate_plus\n") == 1


def test_a_late_stream_stands_behind_its_operator_and_before_its_readers() -> None:
    words = of.source("words", "word string")
    counts = words.aggregate(lambda w: (len(w.tuples),), "n int", size=10)
    late = counts.late.map(lambda t: (1,), "n int")
    parts = arranged(of.lower(late.union(counts.map(lambda t: t, "n int")), "dedicated"))
    titles = [part.title() for part in parts if isinstance(part, Node)]
    assert titles == ["source words", "aggregate", "late", "map", "map", "union"]


def test_a_side_of_a_join_that_is_not_needed_is_shown() -> None:
    left, right = of.source("left", "n int"), of.source("right", "n int")
    late = left.join(right, "n int, m int", size=10).late_left
    shown = text(of.lower(late, "aggregate"))
    assert "source left" in shown
    assert "source right" in shown
    assert "late_left" in text(of.lower(late, "dedicated"))


def test_long_pipelines() -> None:
    stream: Stream = of.source("numbers", "n int")
    for _ in range(1500):
        stream = stream.filter(lambda t: t.n)
    plan = of.lower(stream, "aggregate")
    assert text(plan).endswith("\noutput: [4501]\n")
    assert mermaid(plan).endswith("\n  n4501 --> output\n")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--rewrites"], "--rewrites: a plan is rewritten for Spark; add --engine spark"),
        (["--no-rewrites", "--format", "svg"], "--no-rewrites: a plan is rewritten for Spark"),
        (["--engine", "spark", "--format", "mermaid"], "take --format text, svg or html"),
        (["--engine", "spark", "--format", "html"], "a page shows the plan and what Spark runs"),
        (["--engine", "reference", "--format", "html"], "--engine reference: a page shows"),
        (["--output", "/nowhere/at/all.txt"], "--output /nowhere/at/all.txt: No such file"),
    ],
)
def test_options_that_do_nothing_together_are_refused(options: list[str], said: str) -> None:
    result = CliRunner().invoke(command, [f"{HERE}/explained.py:counts", *options])
    assert result.exit_code == 2
    assert said in result.output


@pytest.mark.parametrize("format_", ["svg", "html"])
def test_without_the_extra_it_is_named(format_: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fast_sugiyama", None)
    arguments = [f"{HERE}/explained.py:counts", "--format", format_]
    result = CliRunner().invoke(command, arguments)
    assert isinstance(result.exception, of.OnefoldError)
    assert str(result.exception) == (
        "a drawing needs the extra `pages`\n  Hint: pip install 'onefold[pages]'"
    )


def test_any_format_goes_to_a_file(tmp_path: Path) -> None:
    for format_ in FORMATS:
        file = tmp_path / f"counts.{format_}"
        arguments = [f"{HERE}/explained.py:counts", "--format", format_]
        assert CliRunner().invoke(command, [*arguments, "--output", str(file)]).stdout == ""
        printed = CliRunner().invoke(command, arguments).output
        assert file.read_text(encoding="utf-8") == printed
        assert printed


def test_a_drawing_shows_what_spark_runs() -> None:
    spark = ["--format", "svg", "--engine", "spark", "--implementation", "aggregate"]
    arguments = [f"{HERE}/explained.py:counts", *spark]
    rewritten = CliRunner().invoke(command, arguments).output
    literal = CliRunner().invoke(command, [*arguments, "--no-rewrites"]).output
    assert "stage 1" in rewritten
    assert "stage 2" not in rewritten
    assert "stage 2" in literal
    words = " ".join(re.sub(r"<[^>]*>", " ", literal).split())
    assert "stage 1 in the task, its loop turn by turn" in words
