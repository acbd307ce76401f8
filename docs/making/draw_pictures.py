"""Draws docs/pictures from runs of the reference engine.

python docs/making/draw_pictures.py
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ink import box, curve, head, line, picture, words
from timeline import Row, Timeline, rows

import onefold as of
from onefold.core.explain import Composed, arranged
from onefold.core.plan import Node, Source
from onefold.engines.trace import Event, Kind
from onefold.pages.drawing import svg
from onefold.pipelines import load_pipeline

PICTURES = Path(__file__).parents[1] / "pictures"
OF_A_LOOP = (Kind.TUPLE, Kind.WATERMARK, Kind.TURNED, Kind.FIRED, Kind.FIRED_AGAIN)
edits = of.source("edits", "page string")
numbers = of.source("numbers", "n int")


def main() -> None:
    """Write all pictures."""
    PICTURES.mkdir(exist_ok=True)
    for name, draw in DRAWN.items():
        (PICTURES / name).write_text(draw(), encoding="utf-8")


def watermark() -> str:
    """Edits of which each moves the watermark to 20 s behind the latest."""
    steps: list[tuple[Any, ...] | int] = []
    latest = None
    for t in [(5, "Zeno"), (40, "Elea"), (30, "Zeno"), (70, "Zeno"), (60, "Elea"), (45, "Zeno")]:
        steps.append(t)
        if latest is None or t[0] > latest:
            latest = t[0]
            steps.append(latest - 20)
    run = rows(edits.filter(lambda _: True), steps)

    def remark(row: Row) -> tuple[str, str] | None:
        if isinstance(row.arrived, int):
            return (
                ("watermark", f"nothing before {row.arrived} is to come")
                if row.arrived > 0
                else None
            )
        if row.arrived[0] < row.watermark:
            return "late", "behind the watermark: late"
        seen = [
            each.arrived[0] for each in run[: run.index(row)] if isinstance(each.arrived, tuple)
        ]
        return (
            ("ink", "out of order, and in time") if row.arrived[0] < max(seen, default=0) else None
        )

    title = "A watermark that stays 20 s behind the latest edit"
    return Timeline(title, run, end=80, tick=10, remark=remark).svg()


def window() -> str:
    """Windows of 10 s, one every 5 s."""
    counts = edits.aggregate(lambda w: (len(w.tuples),), "n int", size="10 s", advance="5 s")
    run = rows(counts, [(7, "Zeno"), (12, "Elea"), (9, "Zeno"), 10, 15, 20])
    return Timeline("Windows of 10 s, one every 5 s", run, end=25, tick=5).svg()


def lateness() -> str:
    """The case of docs/model.md."""
    totals = numbers.aggregate(
        lambda w: (sum(t.n for t in w.tuples),), "total int", size="10 s", lateness="5 s"
    )
    run = rows(totals, [(1, 1), (4, 2), 10, (7, 4), 15, (8, 8)])
    title = "A window of 10 s with a lateness of 5 s"
    return Timeline(title, run, end=20, tick=5).svg()


def loop() -> str:
    """What happens in a loop that halves a number, from its trace."""

    def halve(window: of.Window) -> tuple[int] | None:
        return (window.key.n // 2,) if window.key.n > 1 else None

    halves = numbers.loop(lambda s: s.aggregate(halve, "n int", key=["n"], size=1, lateness=1))
    events: list[Event] = []
    engine = of.Engine(of.lower(halves, "dedicated"), record=events.append)
    engine.input("numbers", [(1, 9)])
    engine.watermark("numbers", 2)
    told = [each for each in events if each.kind in OF_A_LOOP]
    columns = {"source": 120, "Aggregate": 400, "what is behind it": 680}
    height = 100 + 30 * len(told)

    def shapes() -> Iterator[str]:
        yield words(14, 24, "A loop: n is halved until it is 1", look="bold")
        for name, x in columns.items():
            yield words(x, 56, name, at="middle", look="bold")
            yield line(x, 66, x, height - 14, "rule", width=1.5)
        source, middle, behind = columns.values()
        for number, event in enumerate(told):
            y = 92 + 30 * number
            match event.kind:
                case Kind.TUPLE | Kind.WATERMARK:
                    comes = isinstance(event.node, Source)
                    begin, end = (source, middle) if comes else (middle, behind)
                    ink = "tuple" if event.tuple is not None else "watermark"
                    said = (
                        f"n = {event.tuple.n}"
                        if event.tuple is not None
                        else f"watermark {event.watermark}"
                    )
                    yield line(begin, y, end - 5, y, ink, width=1.8, dashed=ink == "watermark")
                    yield head(end, y, ink)
                    yield words((begin + end) / 2, y - 5, said, ink=ink, at="middle")
                case Kind.TURNED:
                    assert event.tuple is not None
                    path = f"M{middle} {y - 10}c-52 0,-52 18,-4 18"
                    yield curve(path, "loop", width=1.8)
                    yield head(middle, y + 8, "loop")
                    yield words(
                        middle - 48, y + 3, f"n = {event.tuple.n} comes round", ink="loop", at="end"
                    )
                case Kind.FIRED | Kind.FIRED_AGAIN:
                    nothing = "" if event.emitted else ": nothing more"
                    yield box(middle - 5, y - 9, 10, 12, fill="fires", round_by=2)
                    yield words(
                        middle + 12,
                        y,
                        f"the window of {event.key.n} fires{nothing}",
                        ink="fires",
                        look="small",
                    )

    return picture(800, height, "A loop", shapes())


def wordcount() -> str:
    """The README's pipeline as written, and in bare Aggregates."""
    words_of = of.source("edits", "page string, text string").flat_map(
        lambda t: [(w,) for w in t.text.split()], "word string"
    )
    lower = words_of.map(lambda t: (t.word.lower(),), "word string")
    counts = lower.aggregate(
        lambda w: (w.key.word, len(w.tuples)), "word string, n int",
        key=["word"], size="10 s", advance="5 s",
    )  # fmt: skip

    def shapes() -> Iterator[str]:
        yield words(14, 26, "As you write it", look="bold")
        yield from _in_a_row(arranged(of.lower(counts, "dedicated")), 44, 110)
        yield words(
            14,
            126,
            "The same in nothing but Aggregates, one tuple for a window, and loops",
            look="bold",
        )
        yield from _in_a_row(arranged(of.lower(counts, "aggregate")), 176, 75)

    return picture(800, 250, "A pipeline as written, and as Aggregates", shapes())


def _in_a_row(parts: tuple[Any, ...], y: float, width: float) -> Iterator[str]:
    """Draw nodes side by side, those of a composed operator in a frame."""
    x, gap = 14.0, 18.0
    for number, part in enumerate(parts):
        inside = _nodes(part)
        begin = x
        if isinstance(part, Composed):
            x += 8
        for each in inside:
            yield box(
                x,
                y,
                width,
                34,
                fill="box",
                line="fires" if each.operator == "aggregate" else "rule",
                round_by=5,
            )
            yield words(x + width / 2, y + 21, _name(each), at="middle", look="small")
            if each.loops:
                right = x + width / 2 + 16
                yield curve(f"M{right} {y}c0 -22,-32 -22,-32 -3", "loop")
                yield head(right - 32, y, "loop", towards="down")
            last = each is inside[-1] and number == len(parts) - 1
            x += width
            if not last:
                step = gap + (8 if isinstance(part, Composed) and each is inside[-1] else 0)
                step += 8 if each is inside[-1] and isinstance(parts[number + 1], Composed) else 0
                yield line(x, y + 17, x + step - 5, y + 17, "ink", width=1.3)
                yield head(x + step, y + 17, "ink")
            x += gap
        if isinstance(part, Composed):
            x += 8
            yield box(begin, y - 30, x - gap - begin, 84, line="quiet", round_by=8, dashed=True)
            yield words(
                (begin + x - gap) / 2,
                y + 49,
                part.node.operator,
                ink="quiet",
                at="middle",
                look="small",
            )


def _nodes(part: Node | Composed) -> list[Node]:
    if isinstance(part, Composed):
        return [node for each in part.parts for node in _nodes(each)]
    return [part]


def _name(node: Node) -> str:
    if isinstance(node, Source):
        return node.name
    return node.title().removesuffix(" of unfold").split()[0] if node.parent else node.title()


def filtered() -> str:
    """A filter in Aggregates, as `onefold explain --format svg` draws it."""
    return svg(of.lower(load_pipeline(f"{PICTURES}/filter.py:long"), "aggregate"))


DRAWN: dict[str, Callable[[], str]] = {
    "watermark.svg": watermark,
    "window.svg": window,
    "lateness.svg": lateness,
    "loop.svg": loop,
    "wordcount.svg": wordcount,
    "filter.svg": filtered,
}

if __name__ == "__main__":
    main()
