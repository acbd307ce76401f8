"""The browser's fixtures notice what they are there to notice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page


def sample(folder: Path, body: str) -> str:
    file = folder / "sample.html"
    file.write_text(f"<!doctype html><title>sample</title>{body}", encoding="utf-8")
    return file.as_uri()


def test_a_quiet_page_is_fine(page: Page, tmp_path: Path) -> None:
    page.goto(sample(tmp_path, "<p>nothing to see</p>"))
    assert page.title() == "sample"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("<script>console.error('it hurts')</script>", "it hurts"),
        ("<script>throw new Error('no such thing')</script>", "no such thing"),
        ("<img src='http://127.0.0.1:9/far.png'>", "http://127.0.0.1:9/far.png"),
    ],
)
def test_a_page_that_is_not_fine_fails(watch: Any, tmp_path: Path, body: str, said: str) -> None:
    with pytest.raises(AssertionError, match=said), watch() as page:
        page.goto(sample(tmp_path, body))


def test_without_a_browser_a_sentence_says_what_to_do(
    find_browser: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("ONEFOLD_BROWSER", raising=False)
    with pytest.raises(pytest.fail.Exception, match="install chromium, or set ONEFOLD_BROWSER"):
        find_browser()
    monkeypatch.setenv("ONEFOLD_BROWSER", "/nowhere/chromium")
    with pytest.raises(pytest.fail.Exception, match="ONEFOLD_BROWSER names /nowhere/chromium"):
        find_browser()
