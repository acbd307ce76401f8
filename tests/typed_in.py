"""Pages that are typed in: their files and commands, in order, and what each command shows.

A file is a paragraph that begins with its name, and a block of code:

    `edits.jsonl`, six edits:

A command is a line of a console block that begins with `$`; the lines below are what it shows. A
command with nothing below it shows something else each time, and has to end well.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(
    r"^`(?P<name>[\w.]+)`[^\n]*:\n\n```\w+\n(?P<text>.*?)^```$|^```console\n(?P<shown>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


@dataclass(frozen=True)
class File:
    """A file that a page says to write."""

    name: str
    text: str


@dataclass(frozen=True)
class Command:
    """A command that a page says to give, and what it says will be shown."""

    line: str
    shown: str

    @property
    def on_spark(self) -> bool:
        return "--engine spark" in self.line


def parts(page: str) -> Iterator[File | Command]:
    """Return what a page says to do, in order."""
    for block in BLOCK.finditer(page):
        if block["name"]:
            yield File(block["name"], block["text"])
        else:
            yield from (Command(*found.groups()) for found in COMMAND.finditer(block["shown"]))


def follow(page: str, folder: Path, *, spark: bool) -> list[tuple[Command, str, int]]:
    """Write the files of a page in a folder and give its commands, those for Spark or the others.

    Return each command with what it showed and its exit code.
    """
    home = folder / "bin"
    home.mkdir()
    for name, call in (("onefold", "-m onefold"), ("python", "")):
        program = home / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {call} "$@"\n', encoding="utf-8")
        program.chmod(0o755)
    paths = {"PATH": f"{home}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT / "src")}
    environment = {**os.environ, **paths, "LC_ALL": "C", "PYTHONUTF8": "1"}
    work = folder / "work"
    work.mkdir()
    done = []
    for part in parts(page):
        match part:
            case File(name, text):
                (work / name).write_text(text, encoding="utf-8")
            case Command(line) if part.on_spark == spark:
                shell = ["/bin/sh", "-c", line]
                ended = subprocess.run(
                    shell, cwd=work, env=environment, text=True, check=False,
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                )  # fmt: skip
                done.append((part, ended.stdout, ended.returncode))
    return done
