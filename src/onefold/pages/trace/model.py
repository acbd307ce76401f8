"""A recording as plain data: what the page draws, and what `--json` writes.

    title, subtitle   what was traced, and how its watermarks came
    stopped           why the recording ends early, or null
    clock             how times are written: numbers, times or dates
    operators         in plan order, inputs first: name, frames (what it was composed for), inputs,
                      details, window lengths, whether it loops or is the output
    tuples            time and text of each; a step names them by their place in this list
    windows           operator, left, right, key
    causes            what came in at the sources, in order
    steps             operator, kind, words, cause, and what it is about: tuple, window, watermark,
                      emitted, port

Times are milliseconds; a watermark at the end of time is the text "end".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from onefold.core.explain import arranged, leaves
from onefold.core.plan import Late, Node, Plan
from onefold.core.records import Tuple
from onefold.core.time import END_OF_TIME, START_OF_TIME
from onefold.engines.trace import Event, Kind
from onefold.pages.trace.recording import Cause, Recording
from onefold.pages.trace.showing import Clock, key, whole_tuple
from onefold.pages.trace.stood import Place, Stood, lengths_of, place
from onefold.pages.trace.window_words import Scene
from onefold.pages.trace.words import Words

Data = dict[str, Any]


def model(recording: Recording, title: str, subtitle: str = "") -> Data:
    """Return a recording as data that JSON can hold."""
    return _Model(recording).data(title, subtitle)


def in_plan_order(plan: Plan) -> list[Node]:
    """Return the nodes of a plan, inputs first, the parts of a composition side by side."""
    return list(leaves(arranged(plan)))


def names_of(nodes: list[Node]) -> dict[Node, str]:
    """Return a name for each node; where a title stands for several, each has its number."""
    titles = [_title(node) for node in nodes]
    numbered = {each for each in titles if titles.count(each) > 1}
    return {
        node: f"{title} {number}" if title in numbered else title
        for number, (node, title) in enumerate(zip(nodes, titles), start=1)
    }


def _title(node: Node) -> str:
    if isinstance(node, Late):
        return f"{node.title()} of {_title(node.inputs[0])}"
    return node.title() if node.parent is not None or not node.inputs else node.step.operator


def _frames(node: Node) -> list[str]:
    frames: list[str] = []
    above = node.parent
    while above is not None:
        frames.insert(0, str(above.step) if above.parent is None else above.operator)
        above = above.parent
    return frames


@dataclass
class _Model:
    recording: Recording
    tuples: list[Data] = field(default_factory=list)
    windows: list[Data] = field(default_factory=list)
    tuple_ids: dict[int, int] = field(default_factory=dict)
    window_ids: dict[Place, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.nodes = in_plan_order(self.recording.plan)
        self.names = names_of(self.nodes)
        self.numbers = {node: number for number, node in enumerate(self.nodes)}
        self.clock = Clock.of(self._times())

    def _times(self) -> Iterator[int]:
        for step in self.recording.steps:
            event = step.event
            if event.tuple is not None:
                yield event.tuple.time
            if event.left is not None and event.right is not None:
                yield from (event.left, event.right)

    def data(self, title: str, subtitle: str) -> Data:
        stopped = self.recording.stopped
        steps = list(self._steps())
        return {
            "title": title,
            "subtitle": subtitle,
            "stopped": stopped.text if stopped else None,
            "failed": bool(stopped and stopped.error),
            "clock": {"moments": self.clock.moments, "dates": self.clock.dates},
            "operators": [self._operator(node) for node in self.nodes],
            "causes": [self._cause(cause) for cause in self.recording.causes],
            "tuples": self.tuples,
            "windows": self.windows,
            "steps": steps,
        }

    def _operator(self, node: Node) -> Data:
        lengths = lengths_of(node)
        written = f"{node.step.file}, line {node.step.line}" if node.step.file else ""
        data: Data = {
            "name": self.names[node],
            "frames": _frames(node),
            "written": written,
            "inputs": [self.numbers[each] for each in node.inputs],
            "details": node.details(),
            "type": str(node.type),
            "source": not node.inputs,
            "loops": node.loops,
            "output": node is self.recording.plan.output,
            "late_of": self.numbers[node.inputs[0]] if isinstance(node, Late) else None,
            "drops": bool(lengths and node.late_ports),
        }
        if lengths:
            data["window"] = {
                "size": lengths.size,
                "advance": lengths.advance,
                "lateness": lengths.lateness,
            }
        return data

    def _cause(self, cause: Cause) -> Data:
        if cause.tuple is not None:
            return {"source": cause.source, "text": self.clock.tuple(cause.tuple)}
        assert cause.watermark is not None
        ended = cause.watermark == END_OF_TIME
        text = "ends" if ended else f"watermark {self.clock.time(cause.watermark)}"
        return {"source": cause.source, "text": text, "watermark": _time(cause.watermark)}

    def _steps(self) -> Iterator[Data]:
        given = self.recording
        stood = Stood.before(step.event for step in given.steps)
        words = Words(given, Scene(self.clock, self.names, stood))
        last = len(given.causes) - 1
        for step in given.steps:
            event = step.event
            told = words.tell(event, given.causes[step.cause], last=step.cause == last)
            data: Data = {
                "operator": self.numbers[event.node],
                "kind": event.kind.value,
                "cause": step.cause,
                "words": told,
            }
            yield {**data, **self._about(event)}

    def _about(self, event: Event) -> Data:
        about: Data = {}
        if event.tuple is not None:
            about["tuple"] = self._tuple(event.tuple)
        if event.left is not None:
            about["window"] = self._window(event)
        if event.watermark is not None:
            about["watermark"] = _time(event.watermark)
        if event.kind in (Kind.FIRED, Kind.FIRED_AGAIN):
            about["emitted"] = [self._tuple(t) for t in event.emitted]
        if event.port:
            about["port"] = event.port
        return about

    def _tuple(self, t: Tuple) -> int:
        """Return the number of a tuple: what is passed on as it is stays the same tuple."""
        number = self.tuple_ids.setdefault(id(t), len(self.tuples))
        if number == len(self.tuples):
            text, whole = self.clock.tuple(t), whole_tuple(t)
            data: Data = {"time": t.time, "text": text}
            self.tuples.append(data if whole == text else {**data, "whole": whole})
        return number

    def _window(self, event: Event) -> int:
        where = place(event)
        number = self.window_ids.setdefault(where, len(self.windows))
        if number == len(self.windows):
            assert event.left is not None
            assert event.right is not None
            span = self.clock.window(event.left, event.right)
            self.windows.append(
                {
                    "operator": self.numbers[event.node],
                    "left": event.left,
                    "right": event.right,
                    "key": key(event.key),
                    "span": span,
                }
            )
        if event.kind is Kind.PURGED:
            del self.window_ids[where]
        return number


def _time(watermark: int) -> int | str | None:
    return {END_OF_TIME: "end", START_OF_TIME: None}.get(watermark, watermark)
