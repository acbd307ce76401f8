"""The figures of a demo: how fast and how late, the watermarks, and what was counted."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.patches
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from onefold.bench.demo.answers import about
from onefold.bench.demo.edits import late
from onefold.bench.demo.shown import Demo
from onefold.bench.prepared import BEGIN
from onefold.bench.report.ink import FAINT, PAPER, TEXT, Drawn, canvas, handle, look, per_second

SIZES = {"one word": "pyspark", "two words": "python", "three or more words": "pyflink"}
"""What is counted, and whose colour it takes: those that no implementation here has."""


def figures(demo: Demo) -> list[Drawn]:
    """Return all figures."""
    return [_counted(demo), _watermarks(demo), _speed(demo)]


def _speed(demo: Demo) -> Drawn:
    figure = canvas(10, 2.9)
    left, right = figure.subplots(1, 2)
    labels = [run.label for run in demo.runs]
    _bars(left, labels, [[run.tuples_per_second for run in demo.runs]])
    left.set_title("catching up with what waited", loc="left")
    per_second(left, "t/s")
    _bars(right, labels, [[run.p50 for run in demo.runs], [run.p99 for run in demo.runs]])
    right.set_title("latency, live: p50 and, paler, p99", loc="left")
    right.set_ylabel("seconds")
    caption = (
        "Throughput while the edits that waited were worked off, and latency of what came live: "
        "from the end of a window by the clock until its ranking or count was there. Two seconds "
        "of it are the delay of the watermark. Pairs are left out: D’s join gives them earlier."
    )
    return Drawn("speed", caption, figure)


def _bars(axes: Axes, labels: Sequence[str], groups: Sequence[Sequence[float | None]]) -> None:
    width = 0.62 / len(groups)
    for number, group in enumerate(groups):
        for place, (label, value) in enumerate(zip(labels, group)):
            x = place + (number - (len(groups) - 1) / 2) * width
            axes.bar(
                [x],
                [value or 0],
                width * 0.94,
                color=look(label).colour,
                alpha=1 if number == 0 else 0.55,
                hatch=look(label).hatch,
                edgecolor=PAPER,
                linewidth=0,
            )
            text = "–" if value is None else f"{value:,.0f}" if value >= 100 else f"{value:.1f}"
            axes.annotate(
                text, (x, value or 0), (0, 3), textcoords="offset points", ha="center", fontsize=8
            )
    axes.set_xticks(range(len(labels)), labels)
    axes.tick_params(axis="x", length=0)
    axes.grid(visible=False, axis="x")
    axes.margins(y=0.14)


def _watermarks(demo: Demo) -> Drawn:
    figure = canvas(10, 3.6)
    axes = figure.subplots()
    begin, end = _since(demo, BEGIN), _since(demo, demo.edits.end)
    axes.plot([0, end], [0, end], color=FAINT, linewidth=0.9)
    for run in demo.runs:
        xs = [clock for clock, _ in run.watermarks]
        ys = [_since(demo, watermark) for _, watermark in run.watermarks]
        drawn = look(run.label)
        axes.step(
            xs, ys, where="post", color=drawn.colour, linestyle=drawn.line, linewidth=1.6,
            marker=drawn.marker, markersize=3.5,
        )  # fmt: skip
    dropped = [(_since(demo, came), _since(demo, was)) for came, was in late(demo.edits)]
    axes.plot(
        [x for x, _ in dropped], [y for _, y in dropped], color=TEXT, marker="x", linestyle="",
        markersize=6,
    )  # fmt: skip
    last = max((clock for run in demo.runs for clock, _ in run.watermarks), default=end)
    axes.set_xlim(-0.5, max(end, last) + 0.5)
    axes.set_ylim(begin - 1, end + 1)
    axes.set_xlabel("seconds since live edits began, by the clock")
    axes.set_ylabel("event time (s)")
    cross = Line2D([], [], color=TEXT, marker="x", linestyle="", markersize=6, label="late edit")
    arriving = Line2D([], [], color=FAINT, linewidth=0.9, label="edits arrive")
    lines = [_watermark(run.label) for run in demo.runs]
    figure.legend(handles=[arriving, *lines, cross], loc="outside upper center", ncols=5)
    caption = (
        "Watermarks move as batches end; the line of arrivals is where they would be without any "
        "delay. A cross is an edit that came so late that all its windows were gone: below every "
        "watermark, and counted as late in the ledger."
    )
    return Drawn("watermarks", caption, figure)


def _watermark(label: str) -> Line2D:
    line = handle(label, marker=True)
    line.set_label(f"watermark of {label}")
    return line


def _counted(demo: Demo) -> Drawn:
    figure = canvas(10, 3.0)
    left, right = figure.subplots(1, 2, width_ratios=[3, 2])
    ends = sorted({row[0] for row in about(demo.first.answer, "edits")})
    below = dict.fromkeys(ends, 0)
    for size, owner in SIZES.items():
        found = {row[0]: row[3] for row in about(demo.first.answer, "edits") if row[2] == size}
        heights = [found.get(end, 0) for end in ends]
        left.bar(
            [_since(demo, end) - 1 for end in ends], heights, 1.8, bottom=list(below.values()),
            color=look(owner).colour, hatch=look(owner).hatch, edgecolor=PAPER, linewidth=0,
        )  # fmt: skip
        below = {end: below[end] + height for end, height in zip(ends, heights)}
    left.set_title("edits of each window, by what they insert", loc="left")
    pairs: dict[int, int] = {}
    for row in about(demo.first.answer, "clash"):
        pairs[row[0]] = pairs.get(row[0], 0) + 1
    right.bar(
        [_since(demo, end) - 2 for end in pairs], list(pairs.values()), 3.6,
        color=look("other").colour, edgecolor=PAPER, linewidth=0,
    )  # fmt: skip
    right.set_title("pairs of edits of one sentence", loc="left")
    right.yaxis.get_major_locator().set_params(integer=True)
    for axes in (left, right):
        axes.axvline(0, color=TEXT, linewidth=0.9, linestyle=(0, (3, 2)))
        axes.set_xlabel("event time (s); live from 0 on")
        axes.grid(visible=False, axis="x")
    handles = [
        matplotlib.patches.Patch(
            facecolor=look(owner).colour, hatch=look(owner).hatch, edgecolor=PAPER, linewidth=0,
            label=size,
        )
        for size, owner in SIZES.items()
    ]  # fmt: skip
    figure.legend(handles=handles, loc="outside upper left", ncols=3)
    return Drawn(
        "counted",
        "What the windows counted, as D gave it. Nothing is older than the first window.",
        figure,
    )


def _since(demo: Demo, moment: float) -> float:
    """Return event time in seconds since the first live edit."""
    return (moment - demo.edits.live) / 1000
