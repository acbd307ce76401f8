"""The tutorial, typed in word for word in an empty folder: what it shows is what comes out."""

from __future__ import annotations

from pathlib import Path

from typed_in import ROOT, Command, File, follow, parts

TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")


def test_every_command_shows_what_the_page_says(tmp_path: Path) -> None:
    for command, shown, code in follow(TUTORIAL, tmp_path, spark=False):
        assert (shown if command.shown else "") == command.shown, command.line
        assert code == 0, f"{command.line}\n{shown}"


def test_no_block_of_the_page_is_passed_over() -> None:
    found = list(parts(TUTORIAL))
    files = [part.name for part in found if isinstance(part, File)]
    assert files == [
        "busy_pages.py", "edits.jsonl", "busy_pages.yaml", "test_busy_pages.py", "busy_pages.py",
    ]  # fmt: skip
    commands = [part for part in found if isinstance(part, Command)]
    assert len(commands) == TUTORIAL.count("\n$ ")
    assert TUTORIAL.count("\n```") == 2 * (len(files) + TUTORIAL.count("\n```console\n"))
    assert [command.on_spark for command in commands].count(True) == 2


def test_a_page_that_shows_something_else_is_noticed(tmp_path: Path) -> None:
    page = "`a.txt`, a file:\n\n```text\nyes\n```\n\n```console\n$ cat a.txt\nno\n$ false\n```\n"
    (said, shown, code), (_, _, failed) = follow(page, tmp_path, spark=False)
    assert (said.shown, shown, code, failed) == ("no\n", "yes\n", 0, 1)
