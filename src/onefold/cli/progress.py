"""How far it is: on standard error, for people who look on, gone when it is done."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:  # rich takes its time to import
    from rich.console import Console
    from rich.progress import Progress


def watched(*, quiet: bool = False) -> bool:
    """Say whether somebody looks on and wants to."""
    return not quiet and sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def counter(*, quiet: bool) -> Iterator[Callable[[int], None]]:
    """Show how many tuples were read, and how fast; to be told of each lot of them."""
    if not watched(quiet=quiet):
        yield lambda _: None
        return
    from rich.progress import ProgressColumn, SpinnerColumn, Task
    from rich.text import Text

    class Speed(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(f"{task.completed:,.0f} tuples read, {task.speed or 0:,.0f}/s")

    with _progress(SpinnerColumn(), Speed()) as progress:
        task = progress.add_task("reading", total=None)
        yield lambda rows: progress.advance(task, rows)


@contextmanager
def bar(what: str, total: int | None, *, quiet: bool) -> Iterator[Bar]:
    """Show how much of a total is done, and how long the rest will take."""
    if not watched(quiet=quiet):
        yield Bar(None, None)
        return
    from rich.progress import BarColumn, ProgressColumn, Task, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Count(ProgressColumn):
        def render(self, task: Task) -> Text:
            of = "" if task.total is None else f" of {task.total:,.0f}"
            return Text(f"{task.completed:,.0f}{of}")

    text = TextColumn("{task.description}")
    with _progress(text, BarColumn(), Count(), TimeRemainingColumn()) as progress:
        yield Bar(progress, progress.add_task(what, total=total))


class Bar:
    """A bar that is shown, or nothing."""

    def __init__(self, progress: Progress | None, task: Any) -> None:
        self._progress, self._task = progress, task

    def advance(self, done: int) -> None:
        """Note that so much more is done."""
        if self._progress:
            self._progress.advance(self._task, done)

    def tell(self, what: str, done: int | None = None, total: int | None = None) -> None:
        """Say what is being done, how much of it is, and of how much."""
        if self._progress:
            self._progress.update(self._task, description=what, completed=done, total=total)


class Line:
    """A line that is shown, or nothing."""

    def __init__(self, progress: Progress | None, task: Any) -> None:
        self._progress, self._task = progress, task

    def tell(self, what: str) -> None:
        """Say how it stands."""
        if self._progress:
            self._progress.update(self._task, description=what)

    @contextmanager
    def away(self) -> Iterator[None]:
        """Leave the terminal to others: the line is gone for as long."""
        if self._progress:
            self._progress.stop()
        yield
        if self._progress:
            self._progress.start()


@contextmanager
def line(what: str, *, quiet: bool) -> Iterator[Line]:
    """Show a line that may change, cut off where the terminal ends."""
    if not watched(quiet=quiet):
        yield Line(None, None)
        return
    from rich.progress import SpinnerColumn, Task
    from rich.table import Column
    from rich.text import Text

    class Turning(SpinnerColumn):
        def render(self, task: Task) -> Text:
            return Text.assemble(str(super().render(task)), " ", task.description)

    whole = Turning(table_column=Column(no_wrap=True, overflow="ellipsis"))
    with _progress(whole) as progress:
        yield Line(progress, progress.add_task(what, total=None))


@contextmanager
def _progress(*columns: Any) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import Progress

    terminal = sys.stderr
    console = Console(file=terminal)
    above = _Above(console, terminal)
    sys.stderr = above
    try:
        # Rows on standard output are not its business.
        with Progress(
            *columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False
        ) as progress:
            yield progress
    finally:
        sys.stderr = terminal
        terminal.write(above.begun)


class _Above(io.TextIOBase):
    """Standard error while something is shown there: whole lines go above it, and none is cut."""

    def __init__(self, console: Console, terminal: TextIO) -> None:
        self._console, self._terminal = console, terminal
        self._lock = Lock()
        self.begun = ""

    @property
    def encoding(self) -> str:  # type: ignore[override]  # a property there as well
        return self._terminal.encoding

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._terminal.fileno()

    def write(self, text: str, /) -> int:
        with self._lock:
            lines, newline, self.begun = (self.begun + text).rpartition("\n")
            if newline:
                self._console.out(lines, highlight=False)
        return len(text)

    def __getattr__(self, name: str) -> Any:  # what else a terminal can do, such as `buffer`
        return getattr(self._terminal, name)
