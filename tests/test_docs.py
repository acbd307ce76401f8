"""Prose that is not executed rots: every example runs, every link leads somewhere."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "docs" / "making"))

import draw_pictures  # noqa: E402  # docs/making is on the path from here on
import operator_pages  # noqa: E402

PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.md")])
WITH_EXAMPLES = [page for page in PAGES if ">>>" in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: page.name)
def test_examples_give_what_they_say(page: Path) -> None:
    failed, tried = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert tried
    assert not failed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8"))
    local = [link for link in links if "://" not in link]
    missing = [link for link in local if not (page.parent / link).exists()]
    assert not missing


def test_the_pages_of_the_operators_are_current() -> None:
    made = operator_pages.pages()
    kept = {file.name: file.read_text(encoding="utf-8") for file in operator_pages.PAGES.iterdir()}
    assert kept == made, "make docs writes them"


def test_every_operator_has_a_page() -> None:
    written = {file.stem for file in (ROOT / "src/onefold/operators").glob("[a-z]*.py")}
    paged = {each.name for each in operator_pages.OPERATORS}
    assert written - paged == {"rewrites", "watermarks"}  # rules, and the managers of a loop
    assert paged - written == {"late"}  # a stream beside each operator


@pytest.mark.parametrize("name", draw_pictures.DRAWN)
def test_a_picture_shows_what_happens(name: str) -> None:
    kept = (draw_pictures.PICTURES / name).read_text(encoding="utf-8")
    assert kept == draw_pictures.DRAWN[name](), "make docs draws it"


def test_no_picture_is_left_over() -> None:
    assert {file.name for file in draw_pictures.PICTURES.glob("*.svg")} == set(draw_pictures.DRAWN)


def test_the_readme_has_examples() -> None:
    assert ROOT / "README.md" in WITH_EXAMPLES


def test_the_page_on_transcripts_holds_word_for_word(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "transcripts.md").read_text(encoding="utf-8")
    python, yaml, shown = (
        re.search(rf"^```{kind}\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
        for kind in ("python", "yaml", "console")
    )
    assert python
    assert yaml
    assert shown
    (tmp_path / "sliding_count.py").write_text(python[1], encoding="utf-8")
    (tmp_path / "sliding_count.yaml").write_text(yaml[1], encoding="utf-8")
    command = [sys.executable, "-m", "onefold", "replay", "sliding_count.yaml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert f"$ onefold replay sliding_count.yaml\n{done.stdout}" == shown[1]
    assert done.returncode == 0


def test_the_page_on_the_judge_shows_what_it_says() -> None:
    page = (ROOT / "docs" / "check.md").read_text(encoding="utf-8")
    shown = re.search(r"^```console\n\$ onefold (.*?)\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert shown
    command = [sys.executable, "-m", "onefold", *shown[1].split()]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == shown[2]
