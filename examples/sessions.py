"""How long do editors of Wikipedia stay, and how many edits do they make in one go?

A session is a run of edits of one editor, each less than 30 minutes after the one before.

    onefold run examples/sessions.py:pipeline --input edits=examples/data/editors.jsonl
    onefold replay examples/sessions.yaml

Windows have fixed edges and sessions have not, so a loop carries a session from window to window.
Two edits in a window of 30 minutes belong together, so at most one session of an editor leaves it.
Each window is one instant longer than its advance; what it emits has that last instant as its time
and so falls in the next window too. A session that nothing was added to is not handed on, and
nothing is kept of it. `stateful` would keep every editor for ever, and its `output` has no clock
to see by that a session is over.
"""

from __future__ import annotations

from typing import Any

import onefold as of

GAP = 30 * 60_000

Session = tuple[str, int, int, int]


def go_on(window: of.Window) -> Session | None:
    """Return the session that leaves a window, for the next one to go on with."""
    edge = window.left + GAP  # the instant that is in the next window too
    edits = [t for t in window.tuples if t.last == t.time < edge]
    if not edits:
        return None  # what came from the window before has ended
    before = [t for t in window.tuples if t.last < t.time == window.left]
    begun = max(before, key=lambda t: t.edits, default=None)
    parts = [begun, *edits] if begun and edits[0].time - begun.last < GAP else edits
    count = sum(t.edits for t in parts)
    if any(t.edits == count for t in window.tuples if t.last < t.time == edge):
        return None  # it has come round to the window that made it
    return window.key.editor, parts[0].began, edits[-1].last, count


def over(window: of.Window) -> Session | None:
    """Return a session that was handed on at the window's left edge, and not half an hour later."""
    last = window.tuples[-1]
    if last.time > window.left:
        return None
    return last.editor, last.began, last.last, last.edits


def one_edit(edit: Any) -> Session:
    """Return an edit as a session of its own."""
    return edit.editor, edit.time, edit.time, 1


SESSION = "editor string, began bigint, last bigint, edits int"

edits = of.source("edits", "editor string, page string")
running = edits.map(one_edit, SESSION).aggregate_loop(
    go_on, key=["editor"], size=GAP + 1, advance=GAP, lateness=1
)
pipeline = running.aggregate(over, SESSION, key=["editor", "began"], size=2 * GAP, advance=GAP)
