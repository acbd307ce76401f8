"""What was set aside: bad rows, failed calls and late tuples, one JSON object a line."""

from __future__ import annotations

from typing import Any

from onefold.core.aggregate import Window
from onefold.core.functions import About, Failure, Step
from onefold.core.records import Tuple
from onefold.core.showing import shown
from onefold.files.json_text import dumps
from onefold.files.rows import BadRow
from onefold.files.targets import Target
from onefold.files.values import plain


def row_entry(bad: BadRow) -> dict[str, Any]:
    """Return what a journal tells about a bad row."""
    return {"reason": bad.reason, "file": bad.file, "line": bad.line, "row": plain(bad.row)}


def call_entry(failure: Failure) -> dict[str, Any]:
    """Return what a journal tells about a failed call."""
    entry: dict[str, Any] = {
        "reason": failure.reason,
        "operator": str(failure.step),
        "function": failure.function,
    }
    subject = failure.subject
    match failure.about:
        case About.TUPLE:
            states = {"states": [shown(state) for state in subject[:-1]]}
            return {**entry, "tuples": [plain(subject[-1])], **(states if subject[1:] else {})}
        case About.PAIR:
            return {**entry, "tuples": [plain(t) for t in subject]}
        case About.STATE:
            return {**entry, "tuples": [], "states": [shown(state) for state in subject]}
        case About.WINDOW:
            return {**entry, **_window(subject[0])}


def _window(window: Window) -> dict[str, Any]:
    span = {"left": window.left, "right": window.right, "key": plain(window.key)}
    return {"tuples": [plain(t) for t in window.tuples], "window": span}


def late_entry(step: Step, t: Tuple) -> dict[str, Any]:
    """Return what a journal tells about a late tuple."""
    return {"operator": str(step), "tuple": plain(t)}


class Journal:
    """A file of such entries; what is in it stays even if the run stops, as FILE.part."""

    def __init__(self, target: Target) -> None:
        self.target = target

    def write(self, entry: dict[str, Any]) -> None:
        """Add an entry."""
        self.target.stream.write((dumps(entry) + "\n").encode())
