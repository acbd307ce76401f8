"""The page of a trace, in a browser: what is seen at a step, and how one gets there."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, Page

import onefold as of
import onefold.testing as ot
from onefold.pages.trace import Trace, trace

Shown = Callable[[Trace], "Shower"]


def counts(**options: Any) -> of.Stream:
    def count(window: of.Window) -> tuple[str, int]:
        return window.key.word, len(window.tuples)

    words = of.source("s", "word string")
    settings: dict[str, Any] = {"key": ["word"], "size": 10, "lateness": 5, **options}
    return words.aggregate(count, "word string, n int", **settings)


def lateness() -> Trace:
    """A window opens, fires, fires again by a late tuple, is gone; then a tuple is too late."""
    script = ot.Script(s="word string").input(s=[(5, "a")]).watermark(10).input(s=[(7, "a")])
    return trace(counts(), script.watermark(15).input(s=[(8, "a"), (16, "b")]).end())


def halves() -> Trace:
    def halve(window: of.Window) -> Any:
        return (window.key.n // 2,) if window.key.n > 1 else None

    numbers = of.source("s", "n int")
    loop = numbers.loop(lambda s: s.aggregate(halve, "n int", key=["n"], size=1, lateness=1))
    return trace(loop, ot.Script(s="n int").input(s=[(1, 4)]).watermark(3).end())


class Shower:
    """A page, and the trace that it shows."""

    def __init__(self, page: Page, traced: Trace, folder: Path) -> None:
        self.page, self.steps = page, traced.data["steps"]
        file = folder / "trace.html"
        traced.save(file)
        page.goto(file.as_uri())

    def find(self, what: str) -> Locator:
        return self.page.locator(what)

    def step_of(self, kind: str, nth: int = 0, operator: int | None = None) -> int:
        found = [
            n
            for n, step in enumerate(self.steps)
            if step["kind"] == kind and operator in (None, step["operator"])
        ]
        return found[nth]

    def go(self, step: int) -> None:
        self.find("#slider").fill(str(step + 1))
        assert self.find("#words").inner_text() == self.steps[step]["words"]

    def seen(self) -> str:
        """All that depends on the step."""
        parts = ("#stage", "#operators", "#facts", "#words", "#because", "#count")
        return "\n".join(self.find(part).inner_html() for part in parts)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    @property
    def now(self) -> int:
        """The step that is shown, by the list of steps."""
        return int(self.find("#steps .row.now").get_attribute("data-step") or -1)

    @property
    def selected(self) -> str:
        return self.find("#operators [aria-pressed=true] .name").inner_text()


@pytest.fixture
def show(page: Page, tmp_path: Path) -> Shown:
    return lambda traced: Shower(page, traced, tmp_path)


def test_a_window_opens_fires_fires_again_and_is_gone(show: Shown) -> None:
    shown = show(lateness())
    window = shown.find("[data-window='0']")
    shown.go(shown.step_of("opened") - 1)
    assert window.count() == 0
    for kind, state, label in [
        ("opened", "open", "word='a'"),
        ("fired", "fired", "word='a' · fired"),
        ("fired again", "fired again", "word='a' · fired ×2"),
        ("purged", "gone", "word='a' · gone"),
    ]:
        shown.go(shown.step_of(kind))
        assert window.get_attribute("data-state") == state
        assert window.locator("text").text_content() == label
        assert "now" in (window.get_attribute("class") or "")
    shown.go(shown.step_of("added", 1))
    assert window.locator("circle").count() == 2
    assert shown.find(".wire").count() == 1  # from where it arrived into the window


def test_the_watermark_stands_at_its_time(show: Shown) -> None:
    shown = show(lateness())
    shown.page.emulate_media(reduced_motion="reduce")
    mark = shown.find("[data-watermark]")
    assert not mark.is_visible()
    shown.go(shown.step_of("reached"))
    assert shown.find("[data-flag]").text_content() == "watermark 10"
    window = shown.find("[data-window='0'] .bar").bounding_box()
    line = mark.bounding_box()
    assert window
    assert line
    # The window [0, 10) ends where the watermark 10 stands.
    assert abs(window["x"] + window["width"] - (line["x"] + line["width"] / 2)) < 3
    shown.press("End")
    assert shown.find("[data-flag]").text_content() == "watermark ∞, the end of the stream"


def test_an_empty_picture_says_how_to_go_on(show: Shown) -> None:
    shown = show(lateness())
    shown.go(0)  # the tuple is still at the source
    assert "press →" in (shown.find("#stage .note").text_content() or "")
    shown.go(shown.step_of("arrived"))
    assert shown.find("#stage .note").count() == 0


def test_a_late_tuple_falls_out(show: Shown) -> None:
    shown = show(lateness())
    shown.go(shown.step_of("late") - 1)
    assert shown.find("[data-lane=late]").count() == 0
    shown.go(shown.step_of("late"))
    assert shown.find("[data-lane=late]").count() == 1
    assert shown.find(".wire.late").count() == 1
    assert "falls out to the late stream" in shown.find("#words").inner_text()
    assert "1 late" in shown.find("#operators [data-operator='1']").inner_text()
    assert "Input 5: s (time=8, word='a')" in shown.find("#because").inner_text()


def test_behind_the_watermark_and_late_are_two_things(show: Shown) -> None:
    shown = show(lateness())
    behind, late = shown.find("#stage .dot.behind[data-lane=in]"), shown.find("#stage .dot.late")
    shown.go(shown.step_of("arrived", 1))  # its window has fired, and is still kept
    assert (behind.count(), late.count()) == (1, 0)
    assert "but its window is still open: it is not late." in shown.find("#words").inner_text()
    assert "0 late" in shown.find("#facts").inner_text()
    shown.go(shown.step_of("late"))
    assert behind.count() == 1
    assert [each.get_attribute("data-lane") for each in late.all()] == ["in", "late"]
    colours = "each => getComputedStyle(each).stroke"
    assert behind.evaluate(colours) != late.first.evaluate(colours)
    legend = {row.inner_text() for row in shown.find("#legend li:has(.dot)").all()}
    assert {"behind the watermark", "late: falls out"} <= legend


def test_a_tuple_goes_round_the_loop(show: Shown) -> None:
    shown = show(halves())
    shown.go(shown.step_of("turned"))
    assert shown.find(".wire.turned").count() == 1
    assert shown.find(".dot.turned[data-lane=in]").count() == 1
    assert "comes round the loop" in shown.find("#words").inner_text()
    assert "↻" in shown.selected


@pytest.mark.parametrize("operator", ["All operators", "aggregate"])
def test_back_shows_exactly_what_was_there(show: Shown, operator: str) -> None:
    shown = show(lateness())
    shown.find("#operators button").filter(has_text=operator).click()
    shown.press("Home")
    forward = [shown.seen()]
    for _ in shown.steps[1:]:
        shown.press("ArrowRight")
        forward.append(shown.seen())
    assert len(set(forward)) == len(shown.steps)
    for before in reversed(forward[:-1]):
        shown.press("ArrowLeft")
        assert shown.seen() == before


def test_back_shows_the_same_part_of_a_long_time(show: Shown) -> None:
    rows = [(n * 40, "ab"[n % 2]) for n in range(60)]
    shown = show(trace(counts(), {"s": rows}))
    middle = len(shown.steps) // 2
    shown.go(middle)
    before = shown.seen()
    assert shown.find("#stage .window").count() < 60  # a part of it
    shown.press("End", "Home")
    shown.go(middle)
    assert shown.seen() == before


def test_the_keyboard_goes_everywhere(show: Shown) -> None:
    shown = show(lateness())
    last = len(shown.steps) - 1
    assert shown.now == 0
    shown.press("ArrowRight", "ArrowRight")
    assert shown.now == 2
    shown.press("ArrowLeft")
    assert shown.now == 1
    shown.press("End")
    assert shown.now == last
    shown.press("ArrowRight")
    assert shown.now == last
    shown.press("Home")
    assert shown.now == 0
    shown.press("PageDown")  # the next input
    assert shown.steps[shown.now]["cause"] == 1
    shown.press("PageDown", "PageUp")
    assert shown.now == shown.step_of("watermark")
    assert shown.selected == "aggregate"
    shown.press("ArrowUp")
    assert shown.selected == "source s"
    shown.press("ArrowUp", "ArrowUp")
    assert shown.selected == "All operators"
    shown.press("ArrowDown")
    assert shown.selected == "source s"


def test_what_has_the_focus_can_be_seen(show: Shown) -> None:
    shown = show(lateness())
    reached = []
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    name = "document.activeElement.id || document.activeElement.dataset.operator"
    for _ in range(20):
        shown.press("Tab")
        if shown.page.evaluate("document.activeElement !== document.body"):
            assert shown.page.evaluate(outline) != "none"
            reached.append(shown.page.evaluate(name))
    controls = {"search", "stage", "steps", "first", "back", "play", "forward", "last", "slider"}
    assert controls <= set(reached)
    shown.find("#forward").focus()
    shown.press("Enter")
    assert shown.now == 1
    shown.find("#slider").focus()
    shown.press("ArrowRight")
    assert shown.now == 2


def test_play_runs_to_the_end_and_pause_stops(show: Shown) -> None:
    shown = show(lateness())
    shown.find("#speed").select_option("20")
    shown.find("#stage").focus()
    shown.press("Space")
    assert shown.find("#play").get_attribute("aria-label") == "Pause"
    shown.find("#play[aria-label=Play]").wait_for()
    assert shown.now == len(shown.steps) - 1
    shown.find("#speed").select_option("0.5")
    shown.find("#play").click()
    assert shown.now == 0  # from the beginning
    shown.press("ArrowRight")
    assert shown.find("#play").get_attribute("aria-label") == "Play"


def test_an_operator_is_chosen_and_its_steps_alone_are_walked(show: Shown) -> None:
    shown = show(lateness())
    assert shown.selected == "aggregate"
    own = [n for n, step in enumerate(shown.steps) if step["operator"] == 1]
    shown.find("#only").check()
    assert shown.find("#count").inner_text() == f"1 / {len(own)}"
    walked = [shown.now]
    for _ in own[1:]:
        shown.press("ArrowRight")
        walked.append(shown.now)
    assert walked == own
    shown.find("#operators button").filter(has_text="source s").click()
    assert "comes in" in (shown.find("#stage").text_content() or "")
    assert {row.inner_text() for row in shown.find("#steps .row .where").all()} == {"source s"}
    shown.find("#operators button").filter(has_text="All operators").click()
    assert shown.find("#stage .strip").count() == 2
    assert shown.find("#count").inner_text().endswith(f"/ {len(shown.steps)}")
    shown.find("#stage .strip .name").filter(has_text="aggregate").click()
    assert shown.selected == "aggregate"
    shown.press("Home", "ArrowUp", "ArrowUp", "End")
    shown.find("#stage [data-operator='1'].window").first.click()
    assert shown.selected == "aggregate"


def test_a_step_at_another_operator_than_the_one_that_is_drawn_says_so(show: Shown) -> None:
    shown = show(lateness())
    elsewhere = shown.find("#elsewhere")
    shown.go(shown.step_of("arrived"))
    assert shown.selected == "aggregate"
    assert not elsewhere.is_visible()
    place = shown.find("#stage").bounding_box()
    shown.go(0)
    assert elsewhere.inner_text() == "This step is at source s; the picture is of aggregate."
    assert shown.find("#stage").bounding_box() == place  # nothing jumps
    elsewhere.click()
    assert (shown.selected, shown.now) == ("source s", 0)
    assert not elsewhere.is_visible()
    shown.find("#operators button").filter(has_text="All operators").click()
    assert not elsewhere.is_visible()


def test_compositions_are_framed_by_what_they_are_for(show: Shown) -> None:
    stream = of.source("s", "word string").map(lambda t: (t.word * 2,), "word string")
    shown = show(trace(stream, {"s": [(1, "a")]}, "aggregate"))
    frame = shown.find("#operators .frame").inner_text()
    assert frame.startswith("map (test_trace.py, line ")
    assert frame.endswith("= flat_map = aggregate_plus")
    assert "A1 of unfold ↻" in shown.find("#operators").inner_text()


def test_a_tuple_is_found_by_its_text_and_by_a_click(show: Shown) -> None:
    shown = show(lateness())
    shown.press("/")
    shown.page.keyboard.type("word='b'")
    assert shown.find("#found-count").inner_text() == "2 found"  # it, and what it was counted in
    shown.press("Enter")
    assert shown.find("#words").inner_text().startswith("(time=16, word='b') arrives")
    shown.press("Escape")
    assert shown.find("#found button").count() == 0
    shown.press("End")
    shown.find("[data-lane=in]").first.click()
    assert shown.now == shown.step_of("arrived")
    shown.press("End")
    shown.find("[data-window='0'] .bar").click(position={"x": 3, "y": 3})
    assert shown.now == shown.step_of("opened")
    shown.find("#search").fill("word='a'")
    shown.find("#found button").nth(2).click()
    assert shown.now == shown.step_of("arrived", 1)


def test_data_is_text_and_is_not_run(show: Shown, page: Page) -> None:
    evil = "<script>window.ran = 1</script><img src=x onerror='window.ran = 2'>"
    page.add_init_script("window.ran = 0")
    rows = ot.Script(s="word string").input(s=[(5, evil)]).watermark(20).input(s=[(6, evil)])
    shown = show(trace(counts(), rows.end()))
    for _ in shown.steps:
        assert page.evaluate("window.ran") == 0
        shown.press("ArrowRight")
    shown.find("#search").fill("<script>")
    assert shown.find("#found button").first.inner_text().startswith('(time=5, word="<script>')
    shown.press("Escape", "Home", "ArrowRight")
    assert "<script>window.ran" in shown.find("#words").inner_text()
    assert page.evaluate("window.ran") == 0
    assert page.evaluate("document.querySelectorAll('img').length") == 0


def test_a_recording_that_stopped_says_so(show: Shown) -> None:
    shown = show(trace(counts(), {"s": [(n, "a") for n in range(20)]}, limit=30))
    assert "The recording stopped after 30 steps" in shown.find("#stopped").inner_text()
    assert shown.find("#count").inner_text() == "1 / 30"
    assert not show(lateness()).find("#stopped").is_visible()


def test_many_steps_are_no_trouble(show: Shown) -> None:
    rows = [(n * 7, f"w{n % 5}") for n in range(700)]
    shown = show(trace(counts(), {"s": rows}))
    assert len(shown.steps) > 5000
    assert shown.find("#steps .row").count() < 100
    shown.press("End")
    assert shown.now == len(shown.steps) - 1
    assert shown.find("#stage .window").count() < 200


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1280, 800), (1920, 1080)])
def test_the_page_fits_and_is_not_empty(
    browser: Browser, tmp_path: Path, size: tuple[int, int], scheme: Any
) -> None:
    width, height = size
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    try:
        page = context.new_page()
        shown = Shower(page, lateness(), tmp_path)
        shown.go(shown.step_of("late"))
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
        for part in ("#words", "#stage", "#steps", "#play", "#legend"):
            box = shown.find(part).bounding_box()
            assert box
            assert box["x"] >= 0
            assert box["y"] >= 0
            assert box["x"] + box["width"] <= width
            assert box["y"] + box["height"] <= height
        stage = shown.find("#stage").bounding_box()
        assert stage
        assert stage["height"] > height / 3
        picture = Image.open(io.BytesIO(shown.find("#stage").screenshot())).convert("RGB")
        colours = picture.getcolors(maxcolors=1_000_000)
        assert colours
        assert len(colours) > 30
        ground = max(colours)[1]
        assert (sum(ground) > 600) == (scheme == "light")
    finally:
        context.close()


def test_a_notebook_shows_it_in_a_frame(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "notebook.html"
    file.write_text(f"<!doctype html><title>n</title>{lateness()._repr_html_()}", encoding="utf-8")
    page.goto(file.as_uri())
    inside = page.frame_locator("iframe")
    inside.locator("#forward").click()
    assert inside.locator("#words").inner_text() == lateness().words[1]
