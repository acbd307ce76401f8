"""A case, drawn: event time from left to right, arrivals from top to bottom.

step                          0   9   10
windows of aggregate       [───────)
1  s  "a"                     ●
s  watermark                       ▲
2  s  "b"                         ○            late
3  end
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from onefold.check.case import Arrival, Promise
from onefold.check.definition import Definition
from onefold.check.generate import lengths_of
from onefold.check.rows import write_value
from onefold.check.rules import MODEL
from onefold.core.functions import on_failure
from onefold.core.plan import Node, Plan
from onefold.core.time import END_OF_TIME
from onefold.engines.steps import Step

TUPLE, LATE, WATERMARK = "●", "○", "▲"
MOST_WINDOWS, MOST_ROWS, LONGEST = 8, 40, 48


@dataclass(frozen=True)
class Bar:
    """A window of an operator that holds a tuple of the case."""

    node: Node
    left: int
    right: int


def timeline(plan: Plan, steps: Sequence[Step]) -> list[str]:
    """Return the lines of the drawing; the last step is the end."""
    bars = list(_bars(plan, steps))
    axis = _Axis.of(steps, bars)
    rows = [(f"   {title}", axis.bars(several)) for title, several in _packed(bars)]
    rows += list(_events(steps, axis))
    width = max(len(text) for text, _ in rows) + 2
    lines = ["step".ljust(width) + axis.header()]
    lines += [f"{text:<{width}}{marks}".rstrip() for text, marks in rows]
    if len(lines) > MOST_ROWS:
        lines[MOST_ROWS:] = [f"… {len(lines) - MOST_ROWS} more"]
    return [*lines, f"{TUPLE} a tuple   {LATE} one behind the watermark   {WATERMARK} a watermark"]


def _bars(plan: Plan, steps: Sequence[Step]) -> Iterator[Bar]:
    definition = Definition(plan)
    token = on_failure.set(lambda _: None)
    try:
        definition.run(steps)
    finally:
        on_failure.reset(token)
    for node in plan.nodes:
        if windows := lengths_of(node):
            holding = {
                left
                for time in definition.times[node]
                for left in MODEL.lefts(time, windows.advance, windows.size)
            }
            for left in sorted(holding)[:MOST_WINDOWS]:
                yield Bar(node, left, left + windows.size)


def _packed(bars: list[Bar]) -> Iterator[tuple[str, list[Bar]]]:
    """Return the windows of each operator in rows, those in one row apart from each other."""
    for node in dict.fromkeys(each.node for each in bars):
        rows: list[list[Bar]] = []
        for bar in (each for each in bars if each.node is node):
            free = next((row for row in rows if row[-1].right < bar.left), None)
            if free is None:
                rows.append([bar])
            else:
                free.append(bar)
        for number, row in enumerate(rows):
            yield f"windows of {node.step.operator}" if number == 0 else "", row


@dataclass(frozen=True)
class _Axis:
    """Which instant stands where: in order, and not to scale."""

    columns: dict[int, int]
    width: int

    @classmethod
    def of(cls, steps: Sequence[Step], bars: list[Bar]) -> _Axis:
        instants = {t.time for step in steps for ts in step.tuples.values() for t in ts}
        instants |= {at for step in steps for at in step.watermarks.values()} - {END_OF_TIME}
        instants |= {edge for each in bars for edge in (each.left, each.right)}
        columns, at = {}, 0
        for instant in sorted(instants):
            columns[instant] = at
            at += len(str(instant)) + 3
        return cls(columns, at)

    def header(self) -> str:
        return self._line({at: str(instant) for instant, at in self.columns.items()})

    def mark(self, instant: int, sign: str) -> str:
        return self._line({self.columns[instant]: sign})

    def bars(self, bars: list[Bar]) -> str:
        signs = {}
        for each in bars:
            left, right = self.columns[each.left], self.columns[each.right]
            signs[left] = "[" + "─" * (right - left - 1) + ")"
        return self._line(signs)

    def _line(self, signs: dict[int, str]) -> str:
        line = ""
        for at, sign in sorted(signs.items()):
            line = line.ljust(at) + sign
        return line


def _events(steps: Sequence[Step], axis: _Axis) -> Iterator[tuple[str, str]]:
    reached: dict[str, int] = {}
    for number, step in enumerate(steps[:-1], start=1):
        for n, (event, text) in enumerate(_of_step(step)):
            place = f"{number}" if n == 0 else " " * len(str(number))
            match event:
                case Arrival(source, t):
                    late = t.time < reached.get(source, t.time)
                    marks = axis.mark(t.time, LATE if late else TUPLE)
                case Promise(source, watermark):
                    reached[source] = max(watermark, reached.get(source, watermark))
                    marks = "" if watermark == END_OF_TIME else axis.mark(watermark, WATERMARK)
            yield f"{place}  {text}", marks
    yield f"{len(steps)}  end", ""


def _of_step(step: Step) -> Iterator[tuple[Arrival | Promise, str]]:
    for source, tuples in step.tuples.items():
        for t in tuples:
            row = ", ".join(write_value(each) for each in tuple(t)[1:])
            yield Arrival(source, t), f"{source}  {_short(row)}"
    for source, watermark in step.watermarks.items():
        text = "ends" if watermark == END_OF_TIME else "watermark"
        yield Promise(source, watermark), f"{source}  {text}"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
