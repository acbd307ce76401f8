"""A terminal to look at: runs a command on one, and says what stands on the screen in the end."""

from __future__ import annotations

import fcntl
import os
import re
import struct
import subprocess
import termios
from collections.abc import Mapping, Sequence
from pathlib import Path

ESCAPE = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])")


class Screen:
    """What a terminal shows, line by line, as far as programs move its cursor here."""

    def __init__(self, columns: int) -> None:
        self.columns, self.row, self.column = columns, 0, 0
        self.lines: list[list[str]] = [[]]
        self.wrapped: set[int] = set()
        """The rows that go on in the next one."""

    def show(self, written: str) -> None:
        """Take what a program writes."""
        at = 0
        while at < len(written):
            if found := ESCAPE.match(written, at):
                self._control(found[1], found[2])
                at = found.end()
            else:
                self._put(written[at])
                at += 1

    def _put(self, letter: str) -> None:
        if letter == "\r":
            self.column = 0
        elif letter == "\n":
            self._down()
        else:
            if self.column == self.columns:
                self.wrapped.add(self.row)
                self.column = 0
                self._down()
            line = self.lines[self.row]
            line += [" "] * (self.column + 1 - len(line))
            line[self.column] = letter
            self.wrapped.discard(self.row)
            self.column += 1

    def _down(self) -> None:
        self.row += 1
        if self.row == len(self.lines):
            self.lines.append([])

    def _control(self, number: str, letter: str) -> None:
        match letter:
            case "A":
                self.row = max(0, self.row - int(number or 1))
            case "K":
                del self.lines[self.row][0 if number == "2" else self.column :]
                self.wrapped.discard(self.row)
            case "m" | "h" | "l":  # colours, and whether a cursor is seen
                pass
            case _:
                raise ValueError(f"the screen knows no ESC[{number}{letter}")

    def folded(self) -> list[str]:
        """Return the lines as they were written, however many rows they take."""
        found, whole = [], ""
        for row, line in enumerate(self.lines):
            whole += "".join(line)
            if row not in self.wrapped:
                found, whole = [*found, whole.rstrip()], ""
        return [line for line in found if line]

    def text(self) -> list[str]:
        """Return the lines that are not empty."""
        lines = ("".join(line).rstrip() for line in self.lines)
        return [line for line in lines if line]


def on_terminal(
    command: Sequence[str], columns: int, *, env: Mapping[str, str], cwd: Path
) -> tuple[int, Screen, str]:
    """Run a command with a terminal for both outputs; return its code, the screen and its bytes."""
    terminal, end = os.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    shown = {**os.environ, "TERM": "xterm-256color", **env}
    for name in ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR"):
        shown.pop(name, None)
    running = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=end, stderr=end, env=shown, cwd=cwd
    )
    os.close(end)
    written = b""
    with os.fdopen(terminal, "rb", buffering=0) as screen:
        while more := _read(screen.fileno()):
            written += more
    text = written.decode()
    seen = Screen(columns)
    seen.show(text)
    return running.wait(), seen, text


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # nobody writes there any more
        return b""
