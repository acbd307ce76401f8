"""The picture in the page of a trace: nothing in it covers anything else, nothing is cut off."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, Page

import onefold as of
import onefold.testing as ot
from onefold.cli import cli
from onefold.pages.trace import trace

BOXES = """(what) => [...document.querySelectorAll(what)].map((element) => {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return { left, right, top, bottom, text: element.textContent };
})"""


@pytest.fixture(params=[(1280, 800), (1920, 1080)], ids=["1280", "1920"])
def page(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    width, height = request.param
    context = browser.new_context(viewport={"width": width, "height": height})
    yield context.new_page()
    context.close()


EXAMPLES = Path(__file__).parents[2] / "examples"
INPUTS = {
    "sensors": {"warmth": "warmth.csv", "damp": "damp.csv"},
    "reminders": {"orders": "orders.csv", "payments": "paid.csv"},
    "wordcount": {"edits": "edits.jsonl"},
}


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Traces of the examples, by name."""
    folder = tmp_path_factory.mktemp("examples")
    made = {}
    for name, inputs in INPUTS.items():
        html = folder / f"{name}.html"
        given = [f"--input={each}={EXAMPLES / 'data' / file}" for each, file in inputs.items()]
        pipeline = f"{EXAMPLES / name}.py:pipeline"
        done = CliRunner().invoke(cli, ["trace", pipeline, *given, "--html", str(html)])
        assert done.exit_code == 0, done.output
        made[name] = html.as_uri()
    return made


def go(page: Page, step: int) -> None:
    """Go to a step, counted as the page counts them."""
    page.locator("#slider").fill(str(step))


WORDS = ["municipality", "benedictines", "a", "observatory", "archaeologists", "lighthouse"]


@pytest.fixture(params=["numbers", "moments"])
def crowded(request: pytest.FixtureRequest, page: Page, tmp_path: Path) -> Page:
    """Many windows beside each other, with long names, five of them around each tuple."""
    begin = (
        int(datetime(2026, 3, 29, 8, tzinfo=UTC).timestamp()) if request.param == "moments" else 0
    )
    words = of.source("s", "word string")
    counted = words.aggregate(
        lambda window: (window.key.word, len(window.tuples)),
        "word string, n int",
        key=["word"],
        size=10_000,
        advance=2_000,
        lateness=2_000,
    )
    file = tmp_path / "trace.html"
    script = ot.Script(s="word string")
    for n in range(40):
        at = (begin + n) * 1000
        script = script.input(s=[(at, WORDS[n * n % 6])]).watermark(at)
    trace(counted, script.end()).save(file)
    page.goto(file.as_uri())
    return page


def boxes(page: Page, what: str) -> list[dict[str, Any]]:
    return page.evaluate(BOXES, what)


def cover(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return (
        min(one["right"], other["right"]) - max(one["left"], other["left"]) > 0.5
        and min(one["bottom"], other["bottom"]) - max(one["top"], other["top"]) > 1.5
    )


@pytest.mark.parametrize("share", [0.03, 0.4, 0.8])
def test_every_tuple_of_a_window_can_be_seen(crowded: Page, share: float) -> None:
    last = int(crowded.locator("#slider").get_attribute("max") or 0)
    crowded.locator("#slider").fill(str(int(last * share)))
    dots = boxes(crowded, "#stage .window circle")
    labels = boxes(crowded, "#stage .window text")
    assert len(dots) >= 5
    for dot in dots:
        covered_by = [label["text"] for label in labels if cover(dot, label)]
        assert not covered_by


def test_labels_cover_no_other_label(crowded: Page) -> None:
    last = int(crowded.locator("#slider").get_attribute("max") or 0)
    crowded.locator("#slider").fill(str(int(last * 0.6)))
    for what in ("#stage .window text", "#stage .axis text"):
        found = boxes(crowded, what)
        assert len(found) > 2
        for n, one in enumerate(found):
            assert [other["text"] for other in found[n + 1 :] if cover(one, other)] == []


def test_times_on_the_axis_are_whole(crowded: Page) -> None:
    left = crowded.locator("#stage .axis svg").bounding_box()
    assert left
    shown = boxes(crowded, "#stage .time")
    assert len(shown) > 3
    for each in shown:
        assert each["left"] >= left["x"]
        assert each["right"] <= left["x"] + left["width"]


PLOT = """() => {
  const body = document.querySelector("#stage .body"), plot = body.querySelector("svg");
  const left = body.getBoundingClientRect().left + plot.x.baseVal.value;
  return { left, right: left + plot.width.baseVal.value };
}"""
LABELS = """() => [...document.querySelectorAll("#stage .window")].map((window) => {
  const box = (element) => {
    if (!element) return null;
    const { left, right, top, bottom } = element.getBoundingClientRect();
    return { left, right, top, bottom, text: element.textContent };
  };
  return { bar: box(window.querySelector(".bar")), label: box(window.querySelector("text")) };
})"""


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("sensors", 397),
        ("sensors", 794),
        ("sensors", 1588),
        ("reminders", 371),
        ("reminders", 1486),
        ("wordcount", 3118),
    ],
)
def test_labels_of_windows_are_whole(
    page: Page, examples: dict[str, str], name: str, step: int
) -> None:
    page.goto(examples[name])
    go(page, step)
    plot = page.evaluate(PLOT)
    windows = page.evaluate(LABELS)
    told = [(each["bar"], each["label"]) for each in windows if each["label"]]
    assert len(told) > 4
    for bar, label in told:
        assert label["text"].startswith("'") or "=" in label["text"]
        assert label["left"] >= plot["left"]
        assert label["right"] <= plot["right"]
        if bar["right"] - bar["left"] >= 64:  # the label is in its bar
            assert label["left"] > bar["left"]
            assert label["right"] < bar["right"]
        others = [each["bar"] for each in windows if each["bar"] is not bar]
        assert not [other for other in others if cover(label, other)]


def test_a_window_has_its_label_where_there_is_room(page: Page, examples: dict[str, str]) -> None:
    page.goto(examples["sensors"])
    go(page, 1588)
    plot = page.evaluate(PLOT)
    for each in page.evaluate(LABELS):
        seen = min(each["bar"]["right"], plot["right"]) - max(each["bar"]["left"], plot["left"])
        assert each["label"] or seen < 64


def test_a_tuple_that_misses_a_window_says_so(page: Page, examples: dict[str, str]) -> None:
    page.goto(examples["wordcount"])
    go(page, 3114)
    words = page.locator("#words")
    assert "word='observatory') arrives at aggregate. It is" in words.inner_text()
    assert "It misses [08:00:26, 08:00:36), which is gone" in words.inner_text()
    assert words.evaluate("each => each.scrollHeight <= each.parentElement.clientHeight")


SEEN = """(rows) => rows.map((row) => {
  const text = row.querySelector(".text"), edge = text.getBoundingClientRect().right;
  const range = document.createRange(), letters = text.firstChild;
  let many = letters.length;
  for (range.setStart(letters, 0); many; many -= 1) {
    range.setEnd(letters, many);
    if (range.getBoundingClientRect().right <= edge) break;
  }
  if (many < letters.length) many -= 1; // three dots stand there
  const time = row.querySelector(".time");
  return [letters.data.slice(0, many), time ? time.textContent : ""].join(" ");
})"""


@pytest.mark.parametrize(
    ("name", "step"), [("wordcount", 3105), ("wordcount", 3118), ("sensors", 397)]
)
def test_steps_beside_each_other_can_be_told_apart(
    page: Page, examples: dict[str, str], name: str, step: int
) -> None:
    page.goto(examples[name])
    go(page, step)
    rows = page.locator("#steps .row[data-step][title*=window]")
    assert rows.count() > 6
    seen = rows.evaluate_all(SEEN)
    told = rows.evaluate_all("(rows) => rows.map((row) => row.title)")
    assert len(set(seen)) == len(set(told))


@pytest.mark.parametrize("step", [2000, 3118, 5007])
def test_windows_without_room_among_all_operators_are_counted(
    page: Page, examples: dict[str, str], step: int
) -> None:
    page.goto(examples["wordcount"])
    page.locator("#operators button").filter(has_text="All operators").click()
    go(page, step)
    bars = boxes(page, "#stage .window .bar")
    assert len(bars) > 20
    for n, one in enumerate(bars):
        assert not [other for other in bars[n + 1 :] if cover(one, other)]
    data = json.loads(page.locator("#trace").text_content() or "")
    opened = [each for each in data["steps"][:step] if each["kind"] == "opened"]
    now = page.locator("#stage .window.now").count()
    assert now == ("window" in data["steps"][step - 1])
    more = page.locator("#stage .more").text_content() or ""
    counted = int(more.split()[0])
    assert len(opened) - len(bars) <= counted <= len(opened) - len(bars) + now


@pytest.mark.parametrize("step", [300, 550, 900, 1588])
def test_names_of_inputs_cover_no_tuple(page: Page, examples: dict[str, str], step: int) -> None:
    page.goto(examples["sensors"])
    go(page, step)
    names = boxes(page, "#stage .body .mark-text")
    assert sorted(each["text"] for each in names) == ["filter 2", "filter 4"]
    dots = boxes(page, "#stage [data-lane=in]")
    assert len(dots) > 4
    for name in names:
        assert not [dot for dot in dots if cover(name, dot)]
