"""Sentences about windows: opening, taking a tuple, firing, being gone, and who comes too late."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from onefold.core import windows
from onefold.core.plan import Node
from onefold.core.records import Tuple
from onefold.core.time import END_OF_TIME, START_OF_TIME, show_duration
from onefold.core.values import listed
from onefold.engines.trace import Event, Kind
from onefold.operators.join import Join
from onefold.operators.stateful import Stateful
from onefold.pages.trace.showing import Clock, counted, key
from onefold.pages.trace.stood import Stood, lefts_of

MOST_SHOWN = 3
"""How many tuples or windows a sentence names."""


@dataclass(frozen=True)
class Scene:
    """What a sentence may tell of: the time, the operators, and where they stand."""

    clock: Clock
    names: dict[Node, str]
    stood: Stood

    def at(self, time: int) -> str:
        """Write a time."""
        return self.clock.time(time)

    def tuples(self, made: Sequence[Tuple]) -> str:
        """Write what a window gives."""
        if not made:
            return "nothing"
        more = f" and {len(made) - MOST_SHOWN} more" if len(made) > MOST_SHOWN else ""
        return ", ".join(map(self.clock.tuple, made[:MOST_SHOWN])) + more

    def window(self, event: Event) -> str:
        """Write a window and whose it is."""
        left, right = _span(event)
        whose = key(event.key)
        return self.clock.window(left, right) + (f" for {whose}" if whose else "")

    def behind(self, t: Tuple, watermark: int) -> str:
        """Write how far a tuple is behind a watermark."""
        return f"{show_duration(watermark - t.time)} behind the watermark {self.at(watermark)}"

    def lateness(self, node: Node) -> int:
        """Return for how long windows are kept behind their end."""
        lengths = self.stood.lengths(node)
        return lengths.lateness if lengths else 0


def window_words(scene: Scene, event: Event) -> str:
    """Return the sentence of a step in the life of a window."""
    match event.kind:
        case Kind.OPENED:
            return _opened(scene, event)
        case Kind.ADDED:
            assert event.tuple is not None
            return _added(scene, event, event.tuple)
        case Kind.FIRED_AGAIN:
            return _fired_again(scene, event)
        case Kind.PURGED:
            return _purged(scene, event)
    return _fired(scene, event)


def _opened(scene: Scene, event: Event) -> str:
    text = f"{scene.names[event.node]} opens the window {scene.window(event)}."
    right, watermark = _span(event)[1], scene.stood.watermark(event.node)
    if right > watermark:
        return text
    until = right + scene.lateness(event.node)
    return (
        f"{text} Its end has passed, as the watermark is at {scene.at(watermark)}, but with the "
        f"lateness it takes tuples until {scene.at(until)}."
    )


def _added(scene: Scene, event: Event, t: Tuple) -> str:
    node, right = event.node, _span(event)[1]
    held = counted(len(scene.stood.held(event)) + 1, "tuple")
    text = f"{scene.clock.tuple(t)} goes into the window {scene.window(event)} of "
    text += f"{scene.names[node]}, which now holds {held}."
    watermark = scene.stood.watermark(node)
    if isinstance(node, Join):
        return f"{text} It meets what the other side has there."
    if scene.stood.fired(event):
        return f"{text} The window has fired before and is still kept, so it fires again."
    if right <= watermark:
        return f"{text} Its end has passed, so it fires at once."
    now = f"; it is at {scene.at(watermark)} now" if watermark > START_OF_TIME else ""
    return f"{text} It fires when the watermark reaches {scene.at(right)}{now}."


def _fired(scene: Scene, event: Event) -> str:
    right, watermark = _span(event)[1], scene.stood.watermark(event.node)
    if watermark == END_OF_TIME:
        why = "The stream has ended"
    elif right == watermark:
        why = f"The watermark has reached {scene.at(right)}, the window's end"
    else:
        why = f"The watermark is at {scene.at(watermark)} and has passed {scene.at(right)}, "
        why += "the window's end"
    fires = f"{scene.names[event.node]} fires {scene.window(event)} {_holding(scene, event)}"
    return f"{why}: {fires}. It gives {scene.tuples(event.emitted)}."


def _fired_again(scene: Scene, event: Event) -> str:
    held = scene.stood.held(event)
    came = scene.clock.tuple(held[-1]) if held else "A tuple"
    return (
        f"{came} came after the window {scene.window(event)} had fired, and before it was gone: "
        f"{scene.names[event.node]} fires it again, {_holding(scene, event)}. "
        f"It gives {scene.tuples(event.emitted)}."
    )


def _holding(scene: Scene, event: Event) -> str:
    held = len(scene.stood.held(event))
    if isinstance(event.node, Stateful):
        return "with the state so far" + (f" and {counted(held, 'new tuple')}" if held else "")
    return "with its one tuple" if held == 1 else f"with its {held} tuples"


def _purged(scene: Scene, event: Event) -> str:
    right, lateness = _span(event)[1], scene.lateness(event.node)
    until = f"{scene.at(right + lateness)}, its end"
    if lateness:
        until += f" plus the lateness of {show_duration(lateness)}"
    ended = scene.stood.watermark(event.node) == END_OF_TIME
    why = "the stream has ended" if ended else f"the watermark has reached {until}"
    return (
        f"The window {scene.window(event)} of {scene.names[event.node]} is gone: {why}. "
        "It takes no tuple any more."
    )


def behind_words(scene: Scene, node: Node, t: Tuple) -> str:
    """Return what is to say of a tuple that comes behind the watermark; nothing of one in time."""
    lengths, watermark = scene.stood.lengths(node), scene.stood.watermark(node)
    if lengths is None or t.time >= watermark:
        return ""
    if watermark == END_OF_TIME:
        return " The stream had ended: it is late."
    lefts = lefts_of(node, t.time)
    gone = [w for w in lefts if windows.dropped(w, lengths.size, lengths.lateness, watermark)]
    behind = f" It is {scene.behind(t, watermark)}"
    if len(gone) == len(lefts):
        return f"{behind}, and no window of it is open any more: it is late."
    if gone:
        left = len(lefts) - len(gone)
        others = "its other window" if left == 1 else f"its {left} other windows"
        return f"{behind}. {_missed(scene, gone, lengths.size)}, and goes into {others}."
    open_ = "its window is" if len(lefts) == 1 else "its windows are"
    return f"{behind}, but {open_} still open: it is not late."


def _missed(scene: Scene, gone: Sequence[int], size: int) -> str:
    spans = [scene.clock.window(left, left + size) for left in gone[-MOST_SHOWN:]]
    if len(gone) == 1:
        return f"It misses {spans[0]}, which is gone"
    if len(gone) <= MOST_SHOWN:
        return f"It misses {listed(spans)}, which are gone"
    return f"It misses {len(gone)} windows that are gone, the last of them {spans[-1]}"


def late_words(scene: Scene, event: Event, t: Tuple) -> str:
    """Return the sentence of a tuple that an operator drops."""
    node, falls = event.node, "It falls out to the late stream."
    lengths, watermark = scene.stood.lengths(node), scene.stood.watermark(node)
    text = f"{scene.clock.tuple(t)} is too late for {scene.names[node]}"
    if lengths is None or watermark == END_OF_TIME:
        return f"{text}: the stream had ended. {falls}"
    lefts = lefts_of(node, t.time)
    spans = [scene.clock.window(left, left + lengths.size) for left in lefts[-MOST_SHOWN:]]
    which, end = f"its windows {listed(spans)} are", "the end of the last"
    if len(lefts) == 1:
        which, end = f"its window {spans[0]} is", "its end"
    elif len(lefts) > MOST_SHOWN:
        which = f"all its {len(lefts)} windows, the last of them {spans[-1]}, are"
    gone = lefts[-1] + lengths.size + lengths.lateness
    if lengths.lateness:
        end += f" plus the lateness of {show_duration(lengths.lateness)}"
    now = f" (it is at {scene.at(watermark)} now)" if watermark > gone else ""
    return f"{text}: {which} gone since the watermark reached {scene.at(gone)}, {end}{now}. {falls}"


def _span(event: Event) -> tuple[int, int]:
    assert event.left is not None
    assert event.right is not None
    return event.left, event.right
