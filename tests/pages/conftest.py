"""A headless Chromium, and a page that may read files and nothing else."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

Watch = Callable[[], AbstractContextManager[Page]]
NAMES = ("chromium", "chromium-browser", "google-chrome")
QUIET = (
    "--no-sandbox",  # Chromium refuses to start for root with it
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def chromium() -> str:
    """Where the browser is: `ONEFOLD_BROWSER`, or one on the path."""
    named = os.environ.get("ONEFOLD_BROWSER")
    found = named or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.fail(
            f"These tests need a browser, and there is no {', '.join(NAMES)} on the path: "
            "install chromium, or set ONEFOLD_BROWSER=/path/to/it."
        )
    if not shutil.which(found):
        pytest.fail(f"ONEFOLD_BROWSER names {found}, and there is no program: mend or unset it.")
    return found


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all tests, with a profile of its own."""
    path = chromium()
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=list(QUIET))
        yield running
        running.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh page; the test fails if it complains or asks for the network."""
    with watched(browser) as opened:
        yield opened


@pytest.fixture
def watch(browser: Browser) -> Watch:
    """What opens such a page, for a test of the page that is not fine."""
    return lambda: watched(browser)


@pytest.fixture
def find_browser() -> Callable[[], str]:
    """What finds the browser, for a test without one."""
    return chromium


@contextmanager
def watched(browser: Browser) -> Iterator[Page]:
    """Open a page of a laptop's size, and fail at its end if something was wrong with it."""
    wrong: list[str] = []
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    opened = context.new_page()
    opened.set_default_timeout(10_000)
    opened.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("request", lambda asked: wrong.append(asked.url) if not local(asked.url) else None)
    try:
        yield opened
    finally:
        context.close()
    assert not wrong, "the page complained, or asked for the network:\n" + "\n".join(wrong)


def local(url: str) -> bool:
    """Whether an address is a file, or holds its content itself."""
    return url.startswith(("file:", "data:"))
