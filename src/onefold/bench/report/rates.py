"""Throughput and latency over the injection rate, as the paper's figure of AHF."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import EngFormatter

from onefold.bench.ratios import RATE, Run, experiments, grouped
from onefold.bench.report.ink import (
    FAINT,
    PAPER,
    TEXT,
    Drawn,
    canvas,
    file_name,
    handle,
    logarithmic,
    look,
    per_second,
)
from onefold.bench.report.measured import Point, points

UP, DOWN = "^", "v"
_ROOM = 1.08
"""How far an axis goes beyond its greatest value, so that its mark is seen whole."""


def rate_figures(runs: Sequence[Run]) -> list[Drawn]:
    """Return a figure for each experiment that has rate runs."""
    made: list[Drawn] = []
    rated = [run for run in runs if run["mode"] == RATE]
    for experiment in experiments(rated):
        name = file_name("rate", experiment, [each.name for each in made])
        made.append(_figure(name, experiment, [r for r in rated if r["experiment"] == experiment]))
    return made


def _figure(name: str, experiment: str, runs: Sequence[Run]) -> Drawn:
    lines = {key[2]: points(group) for key, group in grouped(runs).items()}
    unit = runs[0]["unit"]
    figure = canvas(5.6, 5.2)
    top, bottom = figure.subplots(2, 1, sharex=True)
    if unit == "t/s":  # comparisons are not what is injected
        most = max(run["rate"] for run in runs)
        top.plot([0, most], [0, most], color=FAINT, linewidth=0.8, zorder=1)
    for implementation, made in lines.items():
        _line(top, implementation, [(p.rate, p.throughput, p) for p in made])
        told = [(p.rate, p.p99, p) for p in made if p.p99]
        _line(bottom, implementation, told)
    top.set_title(experiment, loc="left", fontweight="bold")
    top.set_ylim(0, _ROOM * max(p.throughput for made in lines.values() for p in made) or 1)
    top.set_xlim(0, _ROOM * max(run["rate"] for run in runs))
    per_second(top, unit)
    bottom.set_ylabel("p99 latency (log)")
    latencies = [p.p99 for made in lines.values() for p in made if p.p99]
    if latencies:
        logarithmic(bottom, latencies, "s")
        bottom.set_ylim(min(latencies) / 2, max(latencies) * 2)  # some ticks at least
    else:
        bottom.set_yticks([])
        bottom.text(0.5, 0.5, "no outputs", transform=bottom.transAxes, ha="center", va="center")
    bottom.set_xlabel("injection rate (t/s)")
    bottom.xaxis.set_major_formatter(EngFormatter(sep=""))
    handles = _legend(list(lines), diagonal=unit == "t/s")
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles) // 2)
    caption = f"{experiment}: throughput and p99 latency over the injection rate."
    return Drawn(name, caption, figure)


def _line(axes: Axes, implementation: str, told: Sequence[tuple[float, float, Point]]) -> None:
    """Draw a line, then its points over it."""
    drawn = look(implementation)
    xs, ys = [x for x, _, _ in told], [y for _, y, _ in told]
    axes.plot(xs, ys, color=drawn.colour, linestyle=drawn.line, linewidth=1.5, zorder=2)
    for success, marker, fill in ((True, UP, drawn.colour), (False, DOWN, PAPER)):
        axes.plot(
            [x for x, _, point in told if point.success == success],
            [y for _, y, point in told if point.success == success],
            linestyle="",
            marker=marker,
            markersize=7,
            markerfacecolor=fill,
            markeredgecolor=drawn.colour,
            markeredgewidth=1.3,
            zorder=3,
        )


def _legend(implementations: Sequence[str], *, diagonal: bool) -> list[Line2D]:
    """Return the lines as a first row and what the marks mean as a second; legends fill columns."""
    lines = [handle(name) for name in implementations]
    marks = [_mark(UP, TEXT, "successful"), _mark(DOWN, PAPER, "unsuccessful")]
    if diagonal:
        marks.append(Line2D([], [], color=FAINT, linewidth=0.8, label="throughput = rate"))
    columns = zip_longest(lines, marks, fillvalue=Line2D([], [], linestyle="", label=" "))
    return [each for column in columns for each in column]


def _mark(marker: str, fill: str, label: str) -> Line2D:
    return Line2D(
        [],
        [],
        linestyle="",
        marker=marker,
        markersize=6,
        markerfacecolor=fill,
        markeredgecolor=TEXT,
        label=label,
    )
