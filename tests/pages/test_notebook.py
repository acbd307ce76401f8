"""What a notebook gets when it asks a stream, a plan or a verdict how it looks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page

import onefold as of
from onefold.check.ask import on_generated_streams
from onefold.check.judge import Verdict
from onefold.check.players import bounded_engine
from onefold.core.plan import Implementation, plan
from onefold.testing import assert_same

WORDS = of.source("words", "word string")
LONG = WORDS.filter(lambda t: len(t.word or "") > 3)


def shown(thing: Any) -> dict[str, str]:
    """Ask as IPython's display formatter does."""
    bundle: dict[str, str] = thing._repr_mimebundle_(include=None, exclude=None)
    assert bundle["text/plain"].strip()
    return bundle


def differing() -> Verdict:
    nothing = bounded_engine("<b>silent</b>", lambda plan, tuples: [])
    return on_generated_streams(plan(LONG.node), [nothing], [Implementation.AGGREGATE], cases=50)


def test_a_stream_is_drawn_as_it_was_written() -> None:
    bundle = shown(LONG)
    drawn = ElementTree.fromstring(bundle["image/svg+xml"])  # noqa: S314  it is ours
    titles = [e.text for e in drawn.iter() if e.get("class") == "title"]
    assert titles == ["source words", "filter", "output"]
    assert bundle["text/plain"].startswith("[1] source words")


def test_a_plan_is_drawn_as_it_is_composed() -> None:
    bundle = shown(of.lower(LONG, "aggregate"))
    assert "A1 of unfold" in bundle["image/svg+xml"]
    assert "A1 of unfold" in bundle["text/plain"]


def test_without_the_extra_there_is_mermaid_and_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fast_sugiyama", None)
    bundle = shown(LONG)
    assert set(bundle) == {"text/vnd.mermaid", "text/plain"}
    assert bundle["text/vnd.mermaid"].startswith("flowchart TD\n")
    assert "<svg" not in shown(assert_same(LONG, cases=5))["text/html"]


def test_what_is_too_large_is_not_drawn() -> None:
    stream = WORDS
    for _ in range(300):
        stream = stream.filter(lambda t: True)
    assert shown(stream) == {
        "text/plain": "a plan of 301 nodes, too many to draw here: see onefold explain"
    }


def test_a_verdict_says_the_same_in_html() -> None:
    verdict = assert_same(LONG, cases=20)
    bundle = shown(verdict)
    assert bundle["text/plain"] == str(verdict)
    assert "same on 20 generated streams" in bundle["text/html"]
    assert "<svg" in bundle["text/html"]


def test_a_verdict_in_a_browser(page: Page, tmp_path: Path) -> None:
    verdict = differing()
    assert not verdict.same
    file = tmp_path / "verdict.html"
    both = shown(verdict)["text/html"] + shown(assert_same(LONG, cases=5))["text/html"]
    file.write_text(f"<!doctype html><meta charset=utf-8>{both}", encoding="utf-8")
    page.goto(file.as_uri())
    assert "<b>silent</b> differs from the definition" in page.locator("p").first.inner_text()
    told = page.locator("pre").first.text_content() or ""
    assert told.strip() == "\n".join(str(verdict).splitlines()[1:]).strip("\n").strip()
    assert page.locator("svg >> visible=true").count() == 0
    page.get_by_text("the pipeline").first.click()
    assert page.locator("svg >> visible=true").count() == 1
