"""The page of a pipeline, in a browser: what is shown, unfolded, chosen."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner
from playwright.sync_api import Locator, Page

import onefold as of
from onefold.cli.explain import command
from onefold.core.plan import Implementation, plan
from onefold.operators.rewrites import rewrite
from onefold.pages.drawing import annotated
from onefold.pages.explain import page as page_of
from onefold.pages.stages import staged
from onefold.pipelines import load_pipeline

ROOT = Path(__file__).parents[2]
WORDCOUNT = f"{ROOT}/examples/wordcount.py:pipeline"
EXPLAINED = f"{ROOT}/tests/explain/explained.py"
Show = Callable[..., Page]


@pytest.fixture
def show(page: Page, tmp_path: Path) -> Show:
    def shown(pipeline: str, *options: str) -> Page:
        file = tmp_path / "page.html"
        arguments = [pipeline, "--format", "html", "--output", str(file), *options]
        result = CliRunner().invoke(command, arguments)
        assert result.exit_code == 0, result.output
        assert result.stdout == ""
        page.goto(file.as_uri())
        return page

    return shown


def titles(page: Page) -> list[str]:
    """What can be seen of the pipeline: the first word or words of each box and frame."""
    seen = page.locator("main .item text:first-of-type >> visible=true").all()
    return [each.locator(".title").first.text_content() or "" for each in seen]


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=re.compile(f"fold {name}"))


def test_it_begins_with_the_pipeline_as_it_was_written(show: Show) -> None:
    page = show(WORDCOUNT)
    assert titles(page) == ["source edits", "flat_map", "filter", "map", "aggregate", "output"]
    assert page.locator("h1").inner_text() == f"{WORDCOUNT} gives word string, n int"
    assert page.get_by_role("radio", name="A", exact=True).is_checked()
    text = page.locator(".pane >> visible=true").inner_text()
    for told in ("function top_words (wordcount.py, line", "window 10 s every 2 s", "key word"):
        assert told in re.sub(r"\s+", " ", text)


def test_a_click_unfolds_an_operator_and_another_folds_it(show: Show) -> None:
    page = show(WORDCOUNT)
    before = titles(page)
    button(page, "filter").click()
    inside = ["embed filter", "A1 of unfold", "A2 of unfold"]
    assert titles(page) == [*before[:2], "filter", *inside, *before[3:]]
    loop = page.locator(".pane .loop >> visible=true")
    assert loop.count() == 1
    assert button(page, "filter").get_attribute("aria-expanded") == "true"
    button(page, "filter").click()
    assert titles(page) == before


def test_a_drawing_grows_and_nothing_lies_on_anything(show: Show) -> None:
    page = show(WORDCOUNT)
    drawing = page.locator("main .pane svg >> visible=true")
    before = drawing.bounding_box()
    page.get_by_role("button", name="unfold all").click()
    after = drawing.bounding_box()
    assert before
    assert after
    assert after["height"] > 2 * before["height"]
    boxes = [
        each.bounding_box()
        for each in page.locator(".pane .aggregate > .shape >> visible=true").all()
    ]
    assert len(boxes) == 10
    tops = sorted((b["y"], b["y"] + b["height"]) for b in boxes if b)
    assert all(end <= top for (_, end), (top, _) in pairwise(tops))


def test_all_unfolded_fits_the_width_as_long_as_it_can_be_read(show: Show) -> None:
    page = show(f"{ROOT}/examples/sensors.py:pipeline")
    page.set_viewport_size({"width": 1280, "height": 800})
    pane = page.locator(".pane >> visible=true")
    page.get_by_role("button", name="unfold all").click()
    assert pane.evaluate("pane => pane.scrollWidth <= pane.clientWidth")
    assert page.locator("#zoomed").text_content() != "100 %"
    page.get_by_role("button", name="fold all", exact=True).click()
    assert page.locator("#zoomed").text_content() == "100 %"
    page.set_viewport_size({"width": 560, "height": 800})
    page.get_by_role("button", name="unfold all").click()
    assert page.locator("#zoomed").text_content() == "60 %"  # smaller could not be read
    assert pane.evaluate("pane => pane.scrollWidth > pane.clientWidth")


def test_all_unfolded_stays_as_large_as_it_is_where_it_has_room(show: Show) -> None:
    page = show(WORDCOUNT)
    page.locator("#farther").click()
    page.get_by_role("button", name="unfold all").click()
    assert page.locator("#zoomed").text_content() == "80 %"


def test_what_is_clicked_stays_where_it_is(show: Show) -> None:
    page = show(WORDCOUNT)
    page.get_by_role("button", name="unfold all").click()
    page.locator(".pane >> visible=true").evaluate("pane => pane.scrollTo(0, 900)")
    first = button(page, "filter")
    before = first.bounding_box()
    button(page, "filter").evaluate("e => e.dispatchEvent(new Event('click', {bubbles: true}))")
    after = button(page, "filter").bounding_box()
    assert before
    assert after
    assert after["y"] == pytest.approx(before["y"], abs=1)


def test_compositions_nest(show: Show) -> None:
    page = show(f"{EXPLAINED}:pairs")
    button(page, "join").click()
    assert titles(page)[-6:] == [
        "join",
        "A1 of join",
        "A2 of join",
        "union",
        "A3 of join",
        "output",
    ]
    button(page, "A3 of join").click()
    inside = ["A3 of join", "embed A3 of join", "A1 of unfold", "A2 of unfold", "output"]
    assert titles(page)[-5:] == inside
    button(page, "join explained").click()
    assert titles(page)[-2:] == ["join", "output"]
    button(page, "join explained").click()
    assert titles(page)[-5:] == inside  # what was unfolded inside is so still


def test_the_keyboard_is_enough(show: Show) -> None:
    page = show(WORDCOUNT)
    before = titles(page)
    page.locator("#whole").focus()
    for _ in range(2):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert "embed filter" in titles(page)
    focused = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert focused.startswith("fold filter")
    page.keyboard.press(" ")
    assert titles(page) == before
    page.get_by_role("radio", name="A", exact=True).focus()
    page.keyboard.press("ArrowLeft")
    assert page.get_by_role("radio", name="A+").is_checked()
    page.get_by_role("button", name="unfold all").press("Enter")
    assert titles(page).count("filter") == 2  # the frame, and the A+ that carries it out


def test_every_implementation_can_be_chosen(show: Show) -> None:
    page = show(WORDCOUNT)
    button(page, "filter").click()
    page.get_by_role("radio", name="A+").check(force=True)
    assert "embed filter" not in titles(page)
    assert button(page, "filter").get_attribute("aria-expanded") == "true"
    page.get_by_role("radio", name="D").check(force=True)
    assert page.get_by_role("button", name="unfold all").is_disabled()
    assert page.get_by_role("button", name="fold all", exact=True).is_disabled()
    assert page.get_by_role("checkbox", name="rewrites").is_disabled()
    heading = page.locator("aside .stages h2 >> visible=true")
    assert heading.text_content() == "What Spark runs"  # there is nothing to rewrite
    assert page.locator("main .item [role=button] >> visible=true").count() == 0


def test_rewrites_and_the_stages_of_spark(show: Show) -> None:
    page = show(WORDCOUNT)
    stages = page.locator("aside .stages >> visible=true")
    assert stages.inner_text().count("shuffle") == 4
    assert "stage 4" in page.locator(".pane >> visible=true").inner_text()
    heading = stages.locator("h2")
    assert heading.text_content() == "What Spark runs without rewrites"
    page.get_by_role("checkbox", name="rewrites").check()
    assert heading.text_content() == "What Spark runs"
    assert stages.inner_text().count("shuffle") == 1
    assert page.get_by_role("button", name="unfold all").is_disabled()
    told = page.locator("aside .rewrites >> visible=true").inner_text()
    assert "unfold after embed is aggregate_plus" in told
    assert "filter (wordcount.py, line" in told


def test_options_say_how_it_begins(show: Show) -> None:
    page = show(WORDCOUNT, "--implementation", "aggregate-plus", "--rewrites")
    assert page.get_by_role("radio", name="A+").is_checked()
    assert page.get_by_role("checkbox", name="rewrites").is_checked()
    assert "stage 2" not in page.locator("main").inner_text()


@pytest.mark.parametrize("pipeline", [WORDCOUNT, f"{EXPLAINED}:pairs", f"{EXPLAINED}:down"])
@pytest.mark.parametrize("rewritten", ["--rewrites", "--no-rewrites"])
def test_python_and_the_page_place_alike(show: Show, pipeline: str, rewritten: str) -> None:
    for implementation in Implementation:
        page = show(pipeline, "--implementation", implementation.value, rewritten)
        unfold = page.get_by_role("button", name="unfold all")
        if unfold.is_enabled():
            unfold.click()
        lowered = of.lower(load_pipeline(pipeline), implementation)
        expected = rewrite(lowered)[0] if rewritten == "--rewrites" else lowered
        drawn = annotated(expected, staged(expected))
        same_numbers(attributes(page, ".wire", "d"), r'class="wire[^>]* d="', drawn)
        moved = attributes(page, ".item", "transform")
        same_numbers(moved, r'class="item[^>]* transform="', drawn)


def attributes(page: Page, chosen: str, attribute: str) -> list[str]:
    found: list[str] = page.evaluate(
        """([chosen, attribute]) => [...document.querySelectorAll(`.pane ${chosen}`)]
        .filter(each => each.checkVisibility()).map(each => each.getAttribute(attribute))""",
        [chosen, attribute],
    )
    return found


def same_numbers(found: list[str], attribute: str, drawn: str) -> None:
    expected = re.findall(rf'{attribute}([^"]*)"', drawn)
    assert expected
    assert len(found) == len(expected)
    for one, other in zip(found, expected):
        numbers = [[float(n) for n in re.findall(r"-?[\d.]+", each)] for each in (one, other)]
        assert numbers[0] == pytest.approx(numbers[1], abs=0.11)


def test_labels_are_text(page: Page, tmp_path: Path) -> None:
    name = "</script><script>document.write('broken')</script><img src>"
    stream = of.source(name, "`<b>&lt;` string").filter(lambda t: True)
    file = tmp_path / "page.html"
    file.write_text(page_of(plan(stream.node), name, rewrites=False), encoding="utf-8")
    page.goto(file.as_uri())
    assert page.title() == f"{name} explained"
    assert page.locator("img, b:has-text('&')").count() == 0
    assert page.locator("h1").inner_text() == f"{name} gives `<b>&lt;` string"


def test_the_picture_is_not_empty_in_light_and_dark(show: Show) -> None:
    page = show(f"{EXPLAINED}:down")
    pictures = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        pictures.append(page.screenshot())
        colour = "e => getComputedStyle(e).fill"
        paper = page.locator(".paper >> visible=true").first.evaluate(colour)
        ink = page.locator(".item text >> visible=true").first.evaluate(colour)
        assert (lightness(paper) > 200) == (scheme == "light")
        assert abs(lightness(paper) - lightness(ink)) > 150
    assert pictures[0] != pictures[1]
    assert all(len(each) > 20_000 for each in pictures)


def lightness(colour: str) -> float:
    return sum(map(int, re.findall(r"\d+", colour)[:3])) / 3


def test_text_fits_its_box(show: Show) -> None:
    page = show(f"{EXPLAINED}:pairs")
    page.get_by_role("button", name="unfold all").click()
    too_wide = """() => [...document.querySelectorAll('section:not([hidden]) .pane .shape')]
        .filter(shape => shape.getBBox().width && [...shape.parentElement.querySelectorAll(
            ':scope > text:not(.loop-name)')].some(text => text.getBBox().x + text.getBBox().width
                > shape.getBBox().x + shape.getBBox().width))
        .map(shape => shape.parentElement.textContent)"""
    assert page.evaluate(too_wide) == []


def test_zoom(show: Show) -> None:
    page = show(f"{EXPLAINED}:pairs")
    drawing = page.locator("main .pane svg >> visible=true")
    before = drawing.bounding_box()
    page.get_by_role("button", name="larger").click()
    after = drawing.bounding_box()
    assert before
    assert after
    assert after["width"] == pytest.approx(1.25 * before["width"], abs=1)
    page.get_by_role("button", name="unfold all").click()
    page.set_viewport_size({"width": 700, "height": 700})
    page.get_by_role("button", name="fit the width").click()
    fitted = drawing.bounding_box()
    assert fitted
    assert fitted["width"] <= 700


def test_a_page_needs_no_spark() -> None:
    program = (
        "import sys; sys.modules['pyspark'] = None; import onefold as of; "
        "from onefold.core.plan import plan; from onefold.pages.explain import page; "
        "s = of.source('words', 'word string').filter(len); "
        "assert 'stage 1' in page(plan(s.node), 'words', rewrites=False); "
        "print(*{n.partition('.')[0] for n in sys.modules} & {'pandas', 'pyarrow', 'numpy'})"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []
