"""The demo without Spark: what arrives, what its numbers are, what it shows, and when it fails."""

from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

import onefold as of
from onefold import cli as command_line
from onefold.bench.demo import page as demo_page
from onefold.bench.demo.answers import Answer, about, difference
from onefold.bench.demo.arrivals import Arrivals
from onefold.bench.demo.edits import DELAY, FILES_A_BATCH, Edits, Part, late, split, times, write
from onefold.bench.demo.runs import Kept, Ran, told
from onefold.bench.demo.shown import Demo
from onefold.bench.prepared import BEGIN
from onefold.cli import cli, demo
from onefold.cli.demo import pipeline_place
from onefold.engines.ledger import Balance
from onefold.pipelines import load_pipeline

EDITS = Edits(tuples=560, seconds=8)
STREAM = load_pipeline(f"{pipeline_place()}:pipeline")
LONGEST = 6_000
LABELS = {"D": "dedicated", "A+": "aggregate-plus", "A": "aggregate"}


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> list[Part]:
    return write(EDITS, tmp_path_factory.mktemp("made"))


def in_time(parts: list[Part]) -> list[tuple[Any, ...]]:
    """The edits that no run may drop, as the in-process engine reads them, by event time."""
    table = pa.concat_tables([pq.read_table(part.file) for part in parts])
    columns = [table.column("time").cast(pa.int64()).to_pylist()]
    columns += [table.column(name).to_pylist() for name in ("orig", "change", "updated")]
    old = {happened for _, happened in late(EDITS)}
    rows = ((at // 1000, *values) for at, *values in zip(*columns))
    return sorted(row for row in rows if row[0] not in old)


@pytest.fixture(scope="module")
def answer(parts: list[Part]) -> Answer:
    made = of.run(STREAM, {"edits": in_time(parts)})
    return Counter((t.time, t.question, t.about, t.n) for t in made)


def ran(label: str, answer: Answer, dropped: int = 40) -> Ran:
    step = of.lower(STREAM, LABELS[label]).nodes[1].step
    written = answer.total()
    balance = Balance(
        read=560,
        written=written,
        filtered=560 - written - dropped,
        late=dropped,
        late_at=((step, dropped),),
    )
    marks = [(-1.0, EDITS.live - 2000.0), (2.5, EDITS.live + 100.0), (8.0, EDITS.end - 2000.0)]
    return Ran(label, answer, balance, (), 812.5, 2.25, 3.5, (), marks, 21.0)


def shown(*answers: Answer) -> Demo:
    runs = [ran(label, each) for label, each in zip(LABELS, answers)]
    plans = {label: of.lower(STREAM, name) for label, name in LABELS.items()}
    return Demo(EDITS, runs, plans, "edits = '<source>'", "onefold demo", {"spark": "4.3.0"})


# What arrives


@pytest.mark.parametrize("edits", [EDITS, Edits(300, 1), Edits(20_000, 12), Edits(300, 30)])
def test_an_edit_is_late_wherever_batches_are_cut_or_it_is_never(edits: Edits) -> None:
    arrived, happened = (each.tolist() for each in times(edits))
    old = dict(late(edits))
    assert len(old) >= 3
    span = FILES_A_BATCH * 500
    latest, before = 0, 0
    for at, was in zip(arrived, happened):
        if at in old and old[at] == was:
            first = at - at % 500 - span  # where its batch may begin at the earliest
            while arrived[before] < first:
                latest = max(latest, happened[before])
                before += 1
            assert was + LONGEST <= latest - DELAY
        else:
            assert was > at - DELAY
            assert was <= at


def test_the_longest_window_of_the_pipeline_is_what_late_edits_are_measured_by() -> None:
    nodes = of.lower(STREAM, "dedicated").nodes
    sizes = [re.findall(r"(\d+) s\b", node.details().get("window", "")) for node in nodes]
    assert max(int(each[0]) for each in sizes if each) * 1000 == LONGEST


def test_files_hold_all_edits_in_the_order_of_their_arrival(parts: list[Part]) -> None:
    assert sum(part.tuples for part in parts) == EDITS.tuples
    read = pa.concat_tables([pq.read_table(part.file) for part in parts])
    happened = times(EDITS)[1]
    assert (read.column("time").cast(pa.int64()).to_numpy() // 1000 == happened).all()
    waiting, coming = split(EDITS, parts)
    assert sum(part.tuples for part in waiting) == EDITS.waiting
    assert {part.arrived for part in waiting} < set(range(BEGIN, EDITS.live + 1))
    assert coming[-1].arrived >= EDITS.end
    changed = [part.file.stat().st_mtime for part in parts]
    assert changed == sorted(set(changed))


def test_live_edits_come_when_somebody_says_so(tmp_path: Path) -> None:
    edits = Edits(300, 1)
    made = tmp_path / "made"
    made.mkdir()
    files = write(edits, made)
    arrivals = Arrivals(edits, files, tmp_path / "edits")
    assert len(list(arrivals.folder.iterdir())) == len(arrivals.waiting) == 40
    assert not arrivals.all_there()
    arrivals.go_live()
    begun = arrivals.begin
    arrivals.go_live()
    assert arrivals.begin == begun
    while not arrivals.all_there():
        time.sleep(0.05)
    assert sorted(each.name for each in arrivals.folder.iterdir()) == [p.file.name for p in files]


# The numbers


def batch(number: int, begin: int, millis: int, rows: int, latest: int) -> dict[str, Any]:
    """What Spark tells of a batch: `begin` and `latest` in ms since the first edit."""
    return {
        "batchId": number,
        "timestamp": _iso(begin),
        "durationMs": {"triggerExecution": millis},
        "numInputRows": rows,
        "sources": [],
        "stateOperators": [],
        "observedMetrics": {},
        "eventTime": {"max": _iso(latest)},
    }


def _iso(moment: int) -> str:
    seconds, millis = divmod(BEGIN + moment, 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{millis:03}Z"


def test_speed_is_of_what_waited_and_latency_of_what_came_live(
    parts: list[Part], tmp_path: Path
) -> None:
    arrivals = Arrivals(EDITS, parts, tmp_path / "edits")
    arrivals.begin = EDITS.live  # event time and the clock are one
    progress = [
        batch(0, 0, 9000, 100, 4000),
        batch(1, 9000, 5000, 100, 8000),
        batch(2, 14_000, 500, 100, 12_000),
        batch(3, 14_500, 500, 100, 16_000),
        batch(4, 21_000, 1500, 60, 22_000),
        batch(5, 23_000, 2000, 100, 24_000),
    ]
    kept = Kept()
    ends = {3: [14_000], 4: [20_000, 20_000], 5: [22_000], 6: [27_900]}
    for number, moments in ends.items():
        kept.outputs[number] = [(BEGIN + end - 1, "edits", "one word", 1) for end in moments]
    kept.outputs[4].append((BEGIN + 23_999, "clash", "one | other", 2))  # before its window ended
    kept.moments = {3: BEGIN + 15_000, 4: BEGIN + 22_500, 5: BEGIN + 24_500, 6: BEGIN + 30_000}
    found = told("A", kept, Balance(), progress, arrivals, BEGIN)
    assert found.tuples_per_second == 200
    assert (found.p50, found.p99) == (2.5, 2.5)
    assert found.answer.total() == 6
    assert found.seconds == 30
    assert found.watermarks[-1] == (4.5, BEGIN + 22_000)


def test_nothing_is_told_of_a_run_without_outputs(parts: list[Part], tmp_path: Path) -> None:
    arrivals = Arrivals(EDITS, parts, tmp_path / "edits")
    arrivals.begin = EDITS.live
    kept = Kept(moments={0: BEGIN})
    found = told("A", kept, Balance(), [], arrivals, BEGIN)
    assert (found.tuples_per_second, found.p50, found.p99) == (None, None, None)


# The answers


@pytest.mark.parametrize("label", ["A+", "A"])
def test_the_pipeline_means_the_same_in_every_implementation(
    label: str, parts: list[Part], answer: Answer
) -> None:
    made = of.run(STREAM, {"edits": in_time(parts)}, LABELS[label])
    other = Counter((t.time, t.question, t.about, t.n) for t in made)
    assert difference(answer, other).same
    assert {row[1].split()[0] for row in answer} == {"top", "edits", "clash"}
    assert sum(row[3] for row in about(answer, "edits")) == len(in_time(parts))


def test_a_row_that_comes_once_more_is_a_difference() -> None:
    row = (1, "edits", "one word", 7)
    found = difference(Counter([row]), Counter([row, row]))
    assert (found.same, found.rows, found.extra) == (False, 1, ((row, 1),))


# What is shown


def text_of(html: str) -> str:
    return re.sub(r"<[^>]+>", " ", re.sub(r"<style.*?</style>", "", html, flags=re.DOTALL))


def test_the_page_holds_the_answer_the_plans_and_the_ledger(answer: Answer, tmp_path: Path) -> None:
    path = demo_page.write(shown(answer, answer, answer), tmp_path / "out")
    html = path.read_text(encoding="utf-8")
    text = " ".join(text_of(html).split())
    assert f"D, A+ and A gave the same {answer.total()} results, each as often." in text
    assert "Where they differ" not in text
    assert html.count('class="onefold-drawing"') == 3
    assert html.count("<figure>") == 3
    assert f"D 560 0 0 {answer.total()} {520 - answer.total()} 0 40 0 yes" in text
    assert "edits = &#x27;&lt;source&gt;&#x27;" in html
    first = next(row for row in sorted(answer) if row[1] == "top 1")
    assert f"{first[2]} {first[3]}" in text
    assert "http" not in re.sub(r'xmlns(:\w+)?="[^"]*"', "", html)
    assert {each.name for each in (tmp_path / "out" / "figures").glob("*.svg")} == {
        "counted.svg",
        "watermarks.svg",
        "speed.svg",
    }


def test_the_page_shows_where_answers_differ(answer: Answer, tmp_path: Path) -> None:
    lost = next(row for row in sorted(answer) if row[1] == "edits")
    made_up = (*lost[:3], lost[3] + 1)
    wrong = answer - Counter([lost]) + Counter([made_up])
    text = " ".join(
        text_of(demo_page.write(shown(answer, answer, wrong), tmp_path).read_text()).split()
    )
    assert "A gave another answer than D." in text
    assert "no: 2 rows differ" in text
    assert "D and A: 2 rows differ" in text
    assert f"edits {lost[2]} {lost[3]} 1 0" in text
    assert f"edits {lost[2]} {lost[3] + 1} 0 1" in text


def test_a_run_that_has_nothing_to_tell_is_shown_too(answer: Answer, tmp_path: Path) -> None:
    whole = shown(answer, answer)
    silent = replace(whole.runs[1], tuples_per_second=None, p50=None, p99=None, watermarks=())
    demo_page.write(replace(whole, runs=[whole.runs[0], silent]), tmp_path)
    empty = shown(Counter(), Counter())
    html = demo_page.write(empty, tmp_path).read_text()
    assert "gave the same 0 results" in html


# The command


def ask(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["demo", *arguments], env={"COLUMNS": "140"})


@pytest.fixture
def playing(monkeypatch: pytest.MonkeyPatch) -> list[Demo]:
    """What the command finds in place of Spark."""
    found: list[Demo] = []
    monkeypatch.setattr(demo, "_played", lambda *_, **__: found[0])
    return found


def test_the_same_answers_make_a_table_and_a_page(
    playing: list[Demo], answer: Answer, tmp_path: Path
) -> None:
    playing.append(shown(answer, answer, answer))
    done = ask("--out", str(tmp_path / "out"))
    assert done.exit_code == 0, done.output
    assert f"page: {tmp_path / 'out' / 'index.html'}" in done.output
    assert re.search(r"A\+ +│ yes +│ +\d+ │ +812 │ +2\.2 s │ +3\.5 s │ +40 │ +even │", done.output)
    assert "D: read 560 = written" in done.output
    assert (tmp_path / "out" / "index.html").exists()


def test_other_answers_are_exit_code_1(playing: list[Demo], answer: Answer, tmp_path: Path) -> None:
    wrong = answer - Counter([min(answer)])
    playing.append(shown(answer, answer, wrong))
    done = ask("--out", str(tmp_path))
    assert done.exit_code == 1
    assert "no: 1 row differs" in done.output
    assert "A gave another answer than D." in done.output
    assert f"page: {tmp_path / 'index.html'}" in done.output


def test_an_interrupt_ends_it_without_a_trace(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def interrupted(*_: Any, **__: Any) -> Demo:
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "_played", interrupted)
    done = ask("--out", str(tmp_path / "out"))
    assert (done.exit_code, done.output) == (130, "interrupted\n")
    assert not (tmp_path / "out").exists()


def test_without_java_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr("sys.argv", ["onefold", "demo"])
    with pytest.raises(SystemExit) as ended:
        command_line.main()
    assert ended.value.code == 1
    said = capsys.readouterr().err
    assert "install Java 17 or 21" in said
    assert "--engine" not in said
