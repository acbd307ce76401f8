"""The ratios to D as dots."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from onefold.bench.ratios import DEDICATED, MINIMAL, PLUS, Ratio
from onefold.bench.report.ink import PAPER, TEXT, Drawn, canvas, look
from onefold.bench.report.paper import STATED

SHOWN = (PLUS, MINIMAL)
TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)
GROUPS = {
    ("F", True): "FM, Wikipedia edits",
    ("F", False): "FM, scans",
    ("J", True): "J, Wikipedia edits",
    ("J", False): "J, scans",
}


def ratio_figure(found: Sequence[Ratio], joins: set[str]) -> Drawn | None:
    """Return A+/D and A/D of each experiment; `joins` are those that count comparisons."""
    shown = [each for each in found if each.implementation in SHOWN]
    groups: dict[tuple[str, bool], list[Ratio]] = {}
    for each in shown:
        operator = "J" if each.experiment in joins else "F"
        groups.setdefault((operator, each.experiment.isupper()), []).append(each)
    there = [key for key in GROUPS if key in groups]
    if not there:
        return None
    counts = [len({each.experiment for each in groups[key]}) for key in there]
    figure = canvas(10, 3.6)
    panels = figure.subplots(
        1, len(there), squeeze=False, sharey=True, width_ratios=[max(c, 2) for c in counts]
    )[0]
    for axes, key in zip(panels, there):
        _draw(axes, GROUPS[key], groups[key])
    _scale(panels[0], shown)
    stated = any((each.experiment, each.implementation) in _numbers() for each in shown)
    names = {each.implementation for each in shown}
    figure.legend(handles=_legend(names, paper=stated), loc="outside upper center", ncols=3)
    paper = " Crosses are the numbers that the paper states." if stated else ""
    over = (
        ": the median over pairs of repetitions, with the least and the most as whiskers"
        if any(each.pairs > 1 for each in shown)
        else ""
    )
    caption = f"Throughput over that of D{over}. D is the line at 1.{paper}"
    return Drawn("ratios", caption, figure)


def _numbers() -> dict[tuple[str, str], float]:
    """Return what the paper states as a number of its own, not as a negligible difference."""
    return {key: each.ratio for key, each in STATED.items() if each.ratio != 1}


def _draw(axes: Axes, title: str, ratios: Sequence[Ratio]) -> None:
    names = list(dict.fromkeys(each.experiment for each in ratios))
    axes.axhline(1, color=look(DEDICATED).colour, linewidth=1.2, zorder=1)
    for each in ratios:
        drawn = look(each.implementation)
        x = names.index(each.experiment) + (-0.16 if each.implementation == PLUS else 0.16)
        reach = [[each.median - each.least], [each.most - each.median]]
        axes.errorbar(
            [x],
            [each.median],
            yerr=reach if each.pairs > 1 else None,
            marker=drawn.marker,
            color=drawn.colour,
            markersize=5,
            capsize=2.5,
            elinewidth=1.2,
            zorder=3,
        )
        number = _numbers().get((each.experiment, each.implementation))
        if number is not None:
            axes.plot([x], [number], color=TEXT, marker="x", markersize=6, zorder=4)
    axes.set_title(title, loc="left")
    axes.set_xticks(range(len(names)), names)
    axes.set_xlim(-0.6, max(len(names), 2) - 0.4)
    axes.tick_params(axis="x", length=0)
    axes.grid(visible=False, axis="x")


def _scale(axes: Axes, ratios: Sequence[Ratio]) -> None:
    values = [value for each in ratios for value in (each.least, each.most)]
    values += [
        number
        for each in ratios
        if (number := _numbers().get((each.experiment, each.implementation)))
    ]
    axes.set_yscale("log")
    axes.set_ylim(min(*values, 0.5) / 1.25, max(*values, 1) * 1.25)
    axes.yaxis.set_major_locator(FixedLocator(TICKS))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_ylabel("throughput over D (log)")


def _legend(names: set[str], *, paper: bool) -> list[Line2D]:
    dots = [
        Line2D(
            [],
            [],
            linestyle="",
            marker=look(name).marker,
            color=look(name).colour,
            markeredgecolor=PAPER,
            markersize=7,
            label=f"{name} / D",
        )
        for name in SHOWN
        if name in names
    ]
    cross = Line2D([], [], linestyle="", marker="x", color=TEXT, markersize=6, label="the paper’s")
    return [*dots, *([cross] if paper else [])]
