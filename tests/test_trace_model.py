"""Traces as data: every step in words, whatever the pipeline, and nothing cut in silence."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import onefold as of
import onefold.testing as ot
from onefold.check.located import BadTranscript
from onefold.check.transcript import Case, Transcript, read_transcript
from onefold.cli import cli
from onefold.core.errors import BadCount, FunctionFailed, OnefoldError, UnknownSource
from onefold.core.lower import lower
from onefold.core.plan import Implementation
from onefold.engines.trace import Event
from onefold.pages.trace import Trace, trace, trace_case
from onefold.pages.trace.model import model
from onefold.pages.trace.recording import recorded
from onefold.pages.trace.transcripts import from_case

TRANSCRIPTS = Path(__file__).with_name("transcripts")
ALL = [each.value for each in Implementation]


def count(window: of.Window) -> tuple[str, int]:
    return window.key.word, len(window.tuples)


def counts() -> of.Stream:
    words = of.source("s", "word string")
    return words.aggregate(count, "word string, n int", key=["word"], size=10, lateness=5)


def lateness() -> ot.Script:
    script = ot.Script(s="word string").input(s=[(5, "a")]).watermark(10).input(s=[(7, "a")])
    return script.watermark(15).input(s=[(8, "a")]).end()


def test_every_step_has_its_sentence() -> None:
    golden = Path(__file__).with_name("trace_lateness.text").read_text(encoding="utf-8")
    assert trace(counts(), lateness()).words == golden.splitlines()


def test_the_data_names_what_a_step_is_about() -> None:
    data = trace(counts(), lateness()).data
    source, aggregate = data["operators"]
    assert (source["name"], source["source"]) == ("source s", True)
    assert aggregate["window"] == {"size": 10, "advance": 10, "lateness": 5}
    assert (aggregate["inputs"], aggregate["output"]) == ([0], True)
    assert data["windows"] == [
        {"operator": 1, "left": 0, "right": 10, "key": "word='a'", "span": "[0, 10)"}
    ]
    again = next(step for step in data["steps"] if step["kind"] == "fired again")
    assert (again["operator"], again["window"]) == (1, 0)
    assert [data["tuples"][each]["text"] for each in again["emitted"]] == [
        "(time=9, word='a', n=2)"
    ]
    assert data["causes"][again["cause"]] == {"source": "s", "text": "(time=7, word='a')"}
    ended = [step for step in data["steps"] if step.get("watermark") == "end"]
    assert len(ended) == 3
    assert data["stopped"] is None


def cases() -> list[tuple[Transcript, Case]]:
    read = [read_transcript(file) for file in sorted(TRANSCRIPTS.glob("*.yaml"))]
    return [(each, case) for each in read for case in each.cases if not case.mistakes]


@pytest.mark.parametrize("implementation", list(Implementation))
def test_every_case_of_every_transcript_can_be_traced(implementation: Implementation) -> None:
    for transcript, case in cases():
        plan = lower(transcript.plan, implementation)
        engine, whole = of.Engine(plan), True
        try:
            from_case(case)(engine)
        except OnefoldError:
            whole = False
        recording = recorded(plan, from_case(case))
        assert (recording.stopped is None) == whole, case.name
        data = json.loads(json.dumps(model(recording, case.name)))
        check(data)
        if whole:
            check_arrivals(data)
            # A trace says what a run says, though it takes one tuple at a time.
            output = next(n for n, each in enumerate(data["operators"]) if each["output"])
            emitted = [
                step["tuple"]
                for step in data["steps"]
                if step["kind"] == "tuple" and step["operator"] == output
            ]
            shown = [each["text"] for each in data["tuples"]]
            told = Counter(shown[each] for each in emitted)
            assert told.keys() == {text(t) for t in engine.take_output()}, case.name
            late = sum(step["kind"] == "late" for step in data["steps"])
            assert late == len(engine.take_late()), case.name


def text(t: Any) -> str:
    from onefold.pages.trace.showing import Clock

    return Clock().tuple(t)


def check(data: dict[str, Any]) -> None:
    """Every name leads somewhere, and windows live in order."""
    life: dict[int, str] = {}
    for step in data["steps"]:
        operator = data["operators"][step["operator"]]
        assert 0 <= step["cause"] < len(data["causes"])
        assert step["words"].endswith(".")
        assert operator["name"].casefold() in step["words"].casefold() or operator["late_of"]
        for t in [step["tuple"]] if "tuple" in step else step.get("emitted", []):
            assert data["tuples"][t]["text"]
        if "window" in step:
            window = data["windows"][step["window"]]
            assert window["operator"] == step["operator"]
            assert window["span"] in step["words"]
            before = life.get(step["window"], "")
            match step["kind"]:
                case "opened":
                    assert before == ""
                case "added":
                    assert before in ("opened", "fired")
                case "fired again":
                    assert before == "fired"
                case "purged":
                    assert before in ("opened", "fired")
            if step["kind"] != "added":
                life[step["window"]] = step["kind"].removesuffix(" again")


Steps = list[dict[str, Any]]


def check_arrivals(data: dict[str, Any]) -> None:
    """A tuple that arrives is called late if it is dropped, and misses windows that are gone."""
    for arrival, after in arrivals(data):
        told, dropped = arrival["words"], any(step["kind"] == "late" for step in after)
        assert ("it is late." in told) == dropped, told
        if arrival["kind"] == "arrived":
            own = windows_around(data, arrival)
            into = {data["windows"][step["window"]]["span"] for step in after if "window" in step}
            missed = [span for span in own if span not in into]
            assert ("it is not late." in told) <= (not missed), told
            assert ("It misses" in told) == (0 < len(missed) < len(own)), told
            assert dropped or all(span in told for span in missed), told


def windows_around(data: dict[str, Any], arrival: dict[str, Any]) -> list[str]:
    """Return the windows that a tuple belongs to, found by trying them all."""
    operator, time = (
        data["operators"][arrival["operator"]],
        data["tuples"][arrival["tuple"]]["time"],
    )
    size, advance = operator["window"]["size"], operator["window"]["advance"]
    lefts = [left for left in range(time - size + 1, time + 1) if left % advance == 0]
    if "period" in operator["details"]:  # what lies in two periods counts for the later one
        lefts = lefts[-1:]
    return [f"[{left}, {left + size})" for left in lefts]


def arrivals(data: dict[str, Any]) -> list[tuple[dict[str, Any], Steps]]:
    """Return how each tuple arrives at an operator with windows, and its steps from there."""
    found: list[tuple[dict[str, Any], Steps]] = []
    last: dict[tuple[int, int], Steps] = {}
    for step in data["steps"]:
        if "tuple" not in step or "window" not in data["operators"][step["operator"]]:
            continue
        where = step["operator"], step["tuple"]
        if step["kind"] in ("arrived", "turned"):
            found.append((step, last.setdefault(where, [])))
        elif where in last:
            last[where].append(step)
    return found


def test_equal_tuples_are_told_apart() -> None:
    data = trace(counts(), {"s": [(5, "a"), (5, "a")]}).data
    came = [s["tuple"] for s in data["steps"] if s["operator"] == 0 and s["kind"] == "tuple"]
    assert len(set(came)) == 2
    added = [s["tuple"] for s in data["steps"] if s["kind"] == "added"]
    assert added == came


def test_rows_have_the_watermarks_of_files() -> None:
    told = trace(counts(), {"s": [(5, "a"), (30, "b")]}, delay="10 ms").words
    assert (
        "The watermark of source s goes to 20: it promises no tuple before that any more. It is "
        "the latest time so far, 30, less the delay of 10 ms." in told
    )
    assert (
        "a watermark after every row, 10 ms behind"
        in trace(counts(), {"s": []}, delay="10 ms").subtitle
    )


def test_a_filter_says_whom_it_lets_by() -> None:
    words = of.source("s", "word string").filter(lambda t: t.word != "no")
    told = trace(words, {"s": [(1, "no"), (2, "yes")]}).words
    assert (
        "(time=1, word='no') arrives at filter. The predicate does not hold, and it goes no "
        "further." in told
    )
    assert "(time=2, word='yes') arrives at filter." in told
    passes = "(time=2, word='yes') passes filter: the predicate holds."
    assert any(each.startswith(passes) for each in told)


def test_a_watermark_that_waits_for_another_input_says_for_which() -> None:
    both = of.source("a", "n int").union(of.source("b", "n int"))
    script = ot.Script(a="n int", b="n int").watermark(a=20).watermark(b=5).end()
    told = trace(both, script).words
    assert (
        "The watermark 20 comes to union from source a, but its own is the least of its inputs, "
        "and has none yet. It waits for source b." in told
    )
    assert (
        "The watermark of union goes to 5: it expects no tuple before that any more. It is the "
        "least of its inputs." in told
    )


def test_a_loop_tells_what_comes_round_and_how_far_its_watermark_may_go() -> None:
    told = trace_case(TRANSCRIPTS / "loop.yaml").words
    assert "(time=1, n=4) comes round the loop, back into loop." in told
    assert "(time=1, n=9) comes in at source s." in told
    assert "loop lets its own watermark go to 2." in told
    cut = trace(
        of.source("s", "n int").loop(
            lambda s: s.aggregate(
                lambda w: (w.key.n // 2,) if w.key.n > 1 else None,
                "n int", key=["n"], size=1, lateness=1,
            )
        ),
        ot.Script(s="n int").input(s=[(1, 4)]).watermark(9),
    )  # fmt: skip
    assert (
        "loop lets its own watermark go to 2 first, not to 9: a tuple that is still "
        "to come round must not be late." in cut.words
    )


def test_operators_of_one_name_have_numbers_and_frames_say_what_they_are_for() -> None:
    words = of.source("s", "word string").map(lambda t: t, "word string")
    twice = words.map(lambda t: t, "word string")
    assert [each["name"] for each in trace(twice, {"s": []}).data["operators"]] == [
        "source s",
        "map 2",
        "map 3",
    ]
    parts = trace(words, {"s": []}, "aggregate").data["operators"]
    assert all("map (test_trace_model.py" in each["frames"][0] for each in parts[1:])
    assert any(each["loops"] for each in parts)


def test_moments_are_shown_as_a_clock_shows_them() -> None:
    told = trace(counts(), {"s": [(1714550400130, "a")]}).words
    assert told[0] == "(time=08:00:00.130, word='a') comes in at source s."
    assert told[2] == "aggregate opens the window [08:00:00.130, 08:00:00.140) for word='a'."


@pytest.mark.parametrize(
    ("time", "said"),
    [
        (15, "It misses [6, 16), which is gone, and goes into its 4 other windows."),
        (12, "It misses [4, 14) and [6, 16), which are gone, and goes into its 3 other windows."),
        (9, "It misses 4 windows that are gone, the last of them [6, 16), and goes into its other"),
        (6, "and no window of it is open any more: it is late."),
    ],
)
def test_a_tuple_that_misses_some_of_its_windows_says_which(time: int, said: str) -> None:
    words = of.source("s", "word string")
    counted = words.aggregate(count, "word string, n int", key=["word"], size=10, advance=2)
    script = ot.Script(s="word string").watermark(16).input(s=[(time, "a")])
    (arrives,) = [each for each in trace(counted, script).words if "arrives at" in each]
    assert f"It is {16 - time} ms behind the watermark 16" in arrives
    assert said in arrives


def test_what_can_not_be_shown_does_not_stop_a_trace() -> None:
    long = trace(counts(), {"s": [(5, "x" * 500)]})
    (first, *_) = long.data["tuples"]
    assert len(first["text"]) < 120
    assert "x" * 500 in first["whole"]


def test_a_trace_that_is_too_long_says_so() -> None:
    short = trace(counts(), lateness(), limit=6)
    assert len(short.words) == 6
    assert short.recording.stopped
    assert short.data["stopped"].startswith("The recording stopped after 6 steps, at input 2.")
    assert trace(counts(), lateness(), limit=24).recording.stopped is None
    assert trace(counts(), lateness(), limit=23).recording.stopped is not None


def test_an_error_ends_a_trace_and_is_kept() -> None:
    bad = of.source("s", "n int").map(lambda t: (1 // t.n,), "n int")
    traced = trace(bad, {"s": [(1, 1), (2, 0)]})
    assert isinstance(traced.recording.stopped.error, FunctionFailed)  # type: ignore[union-attr]
    assert "raised ZeroDivisionError" in traced.data["stopped"]
    assert traced.words[-1] == "(time=2, n=0) arrives at map."
    with pytest.raises(OnefoldError, match="source s, row 1: "):
        trace(bad, {"s": [(1, "no number")]})


def test_inputs_are_those_of_the_pipeline() -> None:
    with pytest.raises(UnknownSource, match="no input for source s"):
        trace(counts(), {})
    with pytest.raises(UnknownSource, match="the pipeline has no source 'q'"):
        trace(counts(), {"s": [], "q": []})


@pytest.mark.parametrize("given", [{"every": 0}, {"every": 1.5}, {"limit": 0}])
def test_counts_are_whole_numbers_from_1_on(given: dict[str, Any]) -> None:
    (name,) = given
    with pytest.raises(BadCount, match=f"{name} is .*, and must be a whole number from 1 on"):
        trace(of.source("words", "word string"), {"words": [(1, "a")]}, **given)


def test_a_case_is_found_by_name_or_number() -> None:
    file = TRANSCRIPTS / "aggregate_lateness.yaml"
    by_name = trace_case(file, "no longer than the lateness")
    assert by_name.words == trace_case(file, "2").words
    assert trace_case(file).title.endswith(
        "a late tuple re-fires its window at once, with all its tuples"
    )
    with pytest.raises(BadTranscript, match="there is no case 'nine'"):
        trace_case(file, "nine")
    with pytest.raises(BadTranscript, match="can't be read"):
        trace_case(TRANSCRIPTS / "harness.yaml", "a tuple with too many values")


def test_the_front_door_and_the_notebook() -> None:
    traced = ot.trace(counts(), lateness())
    assert isinstance(traced, Trace)
    shown = traced._repr_html_()
    assert shown.startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    assert 'sandbox="allow-scripts"' in shown
    assert str(traced).splitlines() == [str(event) for event in traced.events]


def test_a_page_takes_nothing_in_the_data_for_its_own() -> None:
    evil = "</script><script>{{script}}{{data}}<!--"
    page = trace(counts(), {"s": [(5, evil)]}).html()
    assert page.count("<script") == 2
    assert page.count("</script>") == 2
    assert "{{" not in page.split('id="trace">')[0]
    assert "src=" not in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")


# The command line.


def onefold(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["trace", *arguments])


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    file = tmp_path / "words.jsonl"
    written = [{"time": time, "word": word} for time, word in [(5, "a"), (12, "a"), (7, "a")]]
    file.write_text("\n".join(map(json.dumps, written)), encoding="utf-8")
    return file


PIPELINE = f"{TRANSCRIPTS / 'pipelines.py'}:lateness"


@pytest.mark.parametrize("implementation", ALL)
def test_without_a_file_every_event_is_a_line(rows: Path, implementation: str) -> None:
    done = onefold(PIPELINE, "--input", f"s={rows}", "--implementation", implementation)
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0] == "source s: tuple (time=5, word='a')"
    label = "aggregate: A every 10 ms by word, lateness 5 ms"
    assert f"{label}: added (time=7, word='a') to [0, 10) of (word='a')" in lines
    assert f"{label}: fired again [0, 10) of (word='a') -> (time=9, word='a', n=2)" in lines
    assert f"{label}: reached ∞" in lines


def test_the_command_writes_a_page_and_data(rows: Path, tmp_path: Path) -> None:
    page, data = tmp_path / "trace.html", tmp_path / "trace.json"
    done = onefold(PIPELINE, "--input", f"s={rows}", "--html", str(page), "--json", str(data))
    assert (done.exit_code, done.stdout) == (0, "")
    read = json.loads(data.read_text(encoding="utf-8"))
    assert read["title"] == PIPELINE
    assert read["subtitle"] == "dedicated · a watermark after every row, the latest time"
    assert "<!doctype html>" in page.read_text(encoding="utf-8")


def test_the_command_takes_the_watermarks_of_run(rows: Path) -> None:
    done = onefold(PIPELINE, "--input", f"s={rows}", "--delay", "10", "--watermark-every", "2")
    assert [each for each in done.stdout.splitlines() if "source s: watermark" in each] == [
        "source s: watermark 2",
        "source s: watermark ∞",
    ]


def test_the_command_traces_a_case(tmp_path: Path) -> None:
    file = TRANSCRIPTS / "aggregate_lateness.yaml"
    done = onefold("--transcript", str(file), "--case", "2")
    assert "late (time=9, word='a')" in done.stdout.splitlines()[-1]


def test_a_limit_is_told_on_the_terminal(rows: Path) -> None:
    done = onefold(PIPELINE, "--input", f"s={rows}", "--limit", "4")
    assert len(done.stdout.splitlines()) == 4
    assert "The recording stopped after 4 steps" in done.stderr
    assert "--limit" in done.stderr


def test_an_error_comes_after_the_page(tmp_path: Path) -> None:
    page = tmp_path / "trace.html"
    case = ("--case", "a function that raises")
    done = onefold("--transcript", str(TRANSCRIPTS / "harness.yaml"), *case, "--html", str(page))
    assert isinstance(done.exception, FunctionFailed)
    assert "The run stopped here" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "Name a PIPELINE and its --input, or a --transcript"),
        ((PIPELINE,), "no input for source s"),
        ((PIPELINE, "--case", "1"), "--case is for --transcript"),
        ((PIPELINE, "--transcript", "x.yaml"), "a transcript names its own pipeline"),
        ((PIPELINE, "--html", "nowhere/x.html"), "there is no folder nowhere"),
        ((PIPELINE, "--html", "-", "--json", "-"), "can't be written to one place"),
    ],
)
def test_a_mistake_on_the_command_line_is_told(arguments: tuple[str, ...], said: str) -> None:
    done = onefold(*arguments)
    assert done.exit_code == 2
    assert said in done.stderr


def test_a_join_by_attributes_and_by_a_function_shows_one_key() -> None:
    left, right = of.source("l", "a string, b string"), of.source("r", "c string")
    pairs = left.join(right, "a string, b string, c string", key=(["a", "b"], lambda t: 1), size=5)
    events: list[Event] = []
    engine = of.Engine(of.lower(pairs, "dedicated"), record=events.append)
    engine.input("r", [(1, "x")])
    assert {each.key for each in events if each.left is not None} == {1}
