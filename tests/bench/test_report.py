"""From results to a page: it holds what was measured, and needs nothing but itself."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from onefold.bench.ratios import Ratio, counted, experiments, ratios
from onefold.bench.report import write
from onefold.bench.report.measured import Point, points, throughput
from onefold.bench.report.page import page
from onefold.bench.report.rates import rate_figures
from onefold.bench.report.sameness import sameness, without_digest
from onefold.bench.work import works
from onefold.cli.bench_table import printed

VOID = {"br", "meta"}
ODD = "<script>alert(1)</script>$x"


def run(experiment: str, implementation: str, throughput: float, **more: Any) -> dict[str, Any]:
    """A saturated run, unless told otherwise."""
    base = {"mode": "saturate", "repetition": 0, "tuples": 800, "outputs": 2399, "seconds": 8.1}
    unit = "c/s" if experiment.upper().endswith("J") else "t/s"
    names = {"experiment": experiment, "implementation": implementation, "unit": unit}
    return base | names | {"throughput": throughput, "comparisons": None, "digest": "ab12"} | more


def rated(experiment: str, implementation: str, rate: float, p99: float, **more: Any) -> Any:
    """A run at a rate that it keeps up with, unless told otherwise."""
    keeps = {"mode": "rate", "rate": rate, "p50": p99 / 2, "p99": p99, "over": 0, "success": True}
    return run(experiment, implementation, rate) | keeps | {"per_second": []} | more


SATURATED = [
    run("HLF", "D", 100.0, repetition=0),
    run("HLF", "D", 200.0, repetition=1),
    run("HLF", "D", 100.0, repetition=2),
    run("HLF", "A", 10.0, repetition=0),
    run("HLF", "A", 30.0, repetition=1),
    run("HLF", "A", 12.0, repetition=2),
    run("HLF", "A+", 80.0, repetition=0),
    run("HLF", "python", 900.0, repetition=0, digest=None),
]
SEARCHED = [
    rated("AHF", "D", 100.0, 0.2),
    rated("AHF", "D", 200.0, 0.4),
    rated("AHF", "D", 300.0, 16.0, success=False, throughput=210.0, over=9),
    rated("AHF", "A", 100.0, 0.8),
    rated("AHF", "A", 200.0, 20.0, success=False, throughput=110.0, over=9),
    rated("AHF", "A+", 100.0, 0.3),
    rated("AHF", "A+", 160.0, 0.5),
]
RESULTS = {
    "made": {
        "command": "onefold bench HLF AHF --where 'a < b'",
        "onefold": "0.1.0",
        "spark": "4.3.0",
        "python": "3.11.7",
        "java": "17.0.15",
        "cpu": "Fast & <Good> CPU",
        "cores": 2,
        "memory_gb": 24.0,
        "system": "Linux 6",
        "seed": 1,
        "profile": "quick",
        "mode": "saturate",
        "rewrites": "off",
        "began": "2026-01-02T03:04:05+00:00",
        "ended": "2026-01-02T03:24:05+00:00",
    },
    "runs": [
        *SATURATED,
        *SEARCHED,
        run("hlf", "D", 50.0, tuples=400, worker_mb=100.5, state_mb=None),
        run("hlf", "D", 60.0, tuples=800, worker_mb=110.5, state_mb=1.5),
        run("llj", "D", 7e6, comparisons=123456789, digest="cd34"),
        run("llj", "A+", 6.5e6, comparisons=123456789, digest="ef56"),
        run("LLJ", "A", 5e6),
        run(ODD, "D", 5.0),
        run(ODD, "A", 4.0),
        run(ODD, "mine", 4.0),
    ],
}


class Checked(HTMLParser):
    """Every element ends where it should; what the page loads and says is kept."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.said: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.open += [] if tag in VOID else [tag]
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in {"href", "src", "xlink:href", "data", "srcset"}:
                self.links.append(value or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.open += [tag] if tag in VOID else []
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.said.append(data)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(RESULTS, tmp_path_factory.mktemp("report") / "deep")


@pytest.fixture(scope="module")
def checked(written: Path) -> Checked:
    parser = Checked()
    parser.feed(written.read_text(encoding="utf-8"))
    parser.close()
    return parser


def test_the_page_is_well_formed(checked: Checked) -> None:
    assert checked.open == []
    assert len(checked.ids) == len(set(checked.ids))


def test_the_page_needs_nothing_but_itself(written: Path, checked: Checked) -> None:
    text = written.read_text(encoding="utf-8")
    assert not re.search(r"https?://|@import", text)
    assert {link.removeprefix("#") for link in checked.links} <= set(checked.ids)
    assert all(link.startswith("#") for link in checked.links)
    assert set(re.findall(r"url\(#([^)]+)\)", text)) <= set(checked.ids)


def test_a_name_is_text_whatever_it_holds(written: Path, checked: Checked) -> None:
    assert "script" not in checked.seen
    assert ODD in checked.said
    text = written.read_text(encoding="utf-8")
    assert "<script" not in text
    assert "<Good>" not in text


@pytest.mark.parametrize(
    "value",
    [
        "Fast & <Good> CPU",
        "onefold bench HLF AHF --where 'a < b'",
        "0.12",  # A / D in HLF
        " (0.10–0.15)",
        "≥0.80",  # A+ / D in AHF: no rate was too high for A+
        "9.00",  # python / D
        "≈ 0.1",
        "≈ 0.84",
        "1 of 4 comparisons differ.",
        "ef56 A+, repetition 0",
        "Without a digest, so not compared: python.",
        "123,456,789",
        "110.5",
        "23 runs",
    ],
)
def test_the_page_says_what_was_measured(checked: Checked, value: str) -> None:
    assert value in checked.said


def test_each_figure_is_a_picture_in_two_formats(written: Path, checked: Checked) -> None:
    folder = written.parent / "figures"
    names = {
        "ratios",
        "throughput-fm",
        "throughput-j",
        "latency-fm",
        "rate-wikipedia-ahf",
        "work-scans-hlf",
    }
    assert {each.name for each in folder.iterdir()} == {
        f"{name}.{kind}" for name in names for kind in ("png", "svg")
    }
    for name in names:
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
        root = ET.fromstring((folder / f"{name}.svg").read_text(encoding="utf-8"))  # noqa: S314  ours
        assert root.tag.endswith("svg")
    assert written.read_text(encoding="utf-8").count("<svg ") == len(names)


def test_the_same_results_make_the_same_bytes(tmp_path: Path) -> None:
    results = RESULTS | {"runs": SATURATED}
    first, second = write(results, tmp_path / "a"), write(results, tmp_path / "b")
    files = [each.relative_to(tmp_path / "a") for each in first.parent.rglob("*.*")]
    assert len(files) == 5
    for each in files:
        assert (first.parent / each).read_bytes() == (second.parent / each).read_bytes()


def test_no_runs_make_a_page_too(tmp_path: Path) -> None:
    page = write(RESULTS | {"runs": []}, tmp_path)
    assert "nothing was compared" in page.read_text(encoding="utf-8")
    assert list((tmp_path / "figures").iterdir()) == []


def test_one_repetition_has_no_spread_and_is_no_measurement(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = "One run: not a measurement, the machine is noisy."
    one = [each for each in SATURATED if each["repetition"] == 0]
    printed(one, "saturate")
    told = capsys.readouterr().out
    assert "min–max" not in told
    assert "0.10" in told
    assert "0.10–0.10" not in told
    assert said in told
    shown = page({**RESULTS, "runs": one}, ratios(one), [])
    assert said in shown
    assert "with the least and the most in brackets" not in shown
    printed(SATURATED, "saturate")
    told = capsys.readouterr().out
    assert "min–max" in told
    assert "0.10–0.15" in told
    assert "0.80–0.80" not in told  # A+ ran once
    assert said not in told
    assert said not in page({**RESULTS, "runs": SATURATED}, ratios(SATURATED), [])


def test_the_table_says_why_there_is_no_ratio_and_what_was_cold(
    capsys: pytest.CaptureFixture[str],
) -> None:
    kept = [{**each, "mode": "rate", "success": True} for each in SATURATED]
    printed(kept, "rate")
    assert "--mode search finds the limits" in capsys.readouterr().out
    printed([{**each, "cold": True} for each in SATURATED], "saturate")
    told = capsys.readouterr().out
    assert "nothing was left after warming up" in told
    assert "--mode search" not in told


def test_captions_speak_of_whiskers_where_there_are_some(tmp_path: Path) -> None:
    one = [each for each in SATURATED if each["repetition"] == 0]
    for runs, some in ((one, False), (SATURATED, True)):
        shown = write(RESULTS | {"runs": runs}, tmp_path / str(some)).read_text(encoding="utf-8")
        assert ("hiskers" in shown) is some
        assert "D is the line at 1." in shown


def test_without_d_the_page_says_why_there_are_no_ratios(tmp_path: Path) -> None:
    runs = [each for each in SATURATED if each["implementation"] != "D"]
    shown = write(RESULTS | {"runs": runs}, tmp_path).read_text(encoding="utf-8")
    assert "There are none: they are ratios to D" in shown
    assert "throughput of D" not in shown


def test_ratios_are_of_pairs_of_repetitions() -> None:
    # 10/100, 30/200, 12/100; the ratio of the means would be 0.13
    assert ratios(SATURATED) == (
        Ratio("HLF", "saturate", "A+", 0.8, 0.8, 0.8, 1),
        Ratio("HLF", "saturate", "A", 0.12, 0.1, 0.15, 3),
        Ratio("HLF", "saturate", "python", 9.0, 9.0, 9.0, 1),
    )


def test_of_rates_the_highest_that_is_successful_counts() -> None:
    assert counted(SEARCHED[:3]) == {0: SEARCHED[1]}
    assert ratios(SEARCHED) == (
        Ratio("AHF", "rate", "A+", 0.8, 0.8, 0.8, 1, "≥"),  # it failed at no rate: at least 0.8
        Ratio("AHF", "rate", "A", 0.5, 0.5, 0.5, 1),
    )


def test_a_limit_of_d_that_was_not_found_bounds_the_ratio() -> None:
    (found,) = ratios([*SEARCHED[:2], *SEARCHED[3:5]])
    assert str(found) == "≤0.50"


def test_rates_without_any_limit_give_no_ratio() -> None:
    assert ratios([rated("AHF", "D", 100.0, 0.2), rated("AHF", "A", 100.0, 0.2)]) == ()


def test_of_several_sizes_the_largest_of_both_counts() -> None:
    sizes = [run("HLF", "D", 10.0 * n, tuples=n) for n in (1, 2, 3)]
    assert [each.median for each in ratios([*sizes, run("HLF", "A", 10.0, tuples=2)])] == [0.5]
    assert ratios([*sizes, run("HLF", "A", 15.0, tuples=9)]) == ()


@pytest.mark.parametrize("name", ["rate", "batch", "profile"])
def test_what_more_work_costs_is_of_runs_under_the_same_conditions(name: str) -> None:
    small, large = ("a", "b") if name == "profile" else (1, 2)
    same = [run("HLF", "D", 10.0, tuples=n, **{name: small}) for n in (1, 9)]
    (found,) = works([*same, run("HLF", "D", 90.0, tuples=9, **{name: large})])
    assert [each.mean for each in found.throughput.values()] == [10.0, 10.0]


@pytest.mark.parametrize("name", ["rate", "batch", "profile"])
def test_runs_under_other_conditions_are_no_pair(name: str) -> None:
    def pair(throughput: float, value: Any) -> list[dict[str, Any]]:
        d, a = run("HLF", "D", 2 * throughput), run("HLF", "A", throughput)
        return [{**d, name: value}, {**a, name: value}]

    first, other = ("quick", "zzz") if name == "profile" else (50, 500)
    both = pair(1.0, first)
    alone = pair(9.0, other)[0]
    runs = [*both, alone]
    assert [each.median for each in ratios(runs)] == [0.5]
    found = throughput(runs, "HLF", "D")
    assert found is not None
    assert found.mean == 2.0  # what the ratio is of
    assert ratios([alone, both[1]]) == ()


def test_without_d_or_without_a_pair_there_is_no_ratio() -> None:
    assert ratios([run("HLF", "A", 1.0)]) == ()
    assert ratios([run("HLF", "A", 1.0), run("HLF", "D", 1.0, repetition=1)]) == ()
    assert ratios([run("HLF", "A", 1.0), run("HLF", "D", 0.0)]) == ()


def test_experiments_stand_in_the_papers_order() -> None:
    given = ["hhj", "LLJ", "HHF", "LHF", "HLF", "llf", "LLF"]
    ordered = ["LLF", "HLF", "LHF", "HHF", "llf", "LLJ", "hhj"]
    assert experiments({"experiment": each} for each in given) == ordered


def test_repetitions_are_averaged_and_one_failure_fails_a_rate() -> None:
    runs = [
        rated("AHF", "D", 20.0, 1.0, throughput=19.0),
        rated("AHF", "D", 20.0, 3.0, throughput=17.0, success=False, repetition=1),
        rated("AHF", "D", 10.0, 1.0) | {"p99": None},
    ]
    assert points(runs) == [Point(10.0, 10.0, None, True), Point(20.0, 18.0, 2.0, False)]


def test_one_rate_is_not_called_the_highest(tmp_path: Path) -> None:
    one = [rated("AHF", label, 2000.0, 1.0) for label in ("D", "A")]
    shown = write(RESULTS | {"runs": one}, tmp_path / "one").read_text(encoding="utf-8")
    assert "at the rate that was given" in shown
    assert "highest" not in shown
    assert "No ratio where all keep up" in shown
    assert "A+ (composed" not in shown
    two = [*one, *(rated("AHF", label, 4000.0, 1.0, success=False) for label in ("D", "A"))]
    shown = write(RESULTS | {"runs": two}, tmp_path / "two").read_text(encoding="utf-8")
    assert "at the highest rate that each implementation sustains" in shown
    assert "No ratio" not in shown


@pytest.mark.filterwarnings("error")
def test_a_rate_without_outputs_is_drawn(tmp_path: Path) -> None:
    none = [{**rated("LLF", "D", 1.0, 0.0), "p99": None, "throughput": 0.0}]
    assert (write(RESULTS | {"runs": none}, tmp_path).parent / "figures").exists()


def test_marks_stand_clear_of_the_edges() -> None:
    (drawn,) = rate_figures([rated("ALJ", "A+", 5000.0, 3.38), rated("ALJ", "A", 5000.0, 3.47)])
    top, bottom = drawn.figure.axes
    assert top.get_ylim()[1] > 5000
    assert top.get_xlim()[1] > 5000
    low, high = bottom.get_ylim()
    assert low < 3.38 / 1.5
    assert high > 3.47 * 1.5


def test_sameness_compares_those_that_got_the_same_tuples() -> None:
    other = run("HLF", "A", 1.0, digest="cd34", tuples=9)
    found = sameness([*SATURATED, other])
    assert [(each.tuples, each.compared, each.same) for each in found] == [
        (800, True, True),
        (9, False, True),
    ]
    (found_other,) = sameness([run("HLF", "D", 1.0), run("HLF", "A", 1.0, outputs=1)])
    assert not found_other.same
    assert without_digest(SATURATED) == ["python"]
    assert sameness([rated("AHF", "D", 1.0, 1.0, success=False)]) == []
