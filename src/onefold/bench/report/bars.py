"""Throughput and latency of all experiments as bars, as the paper shows them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import matplotlib.patches
from matplotlib.axes import Axes

from onefold.bench.ratios import DEDICATED, MINIMAL, PLUS, RATE, Run, experiments, searched
from onefold.bench.report.ink import PAPER, TEXT, Drawn, canvas, logarithmic, look, per_second
from onefold.bench.report.measured import known, latency, mode_of, throughput, whiskers
from onefold.bench.spread import Spread

Measure = Callable[[Sequence[Run], str, str], Spread | None]
OURS = {DEDICATED, PLUS, MINIMAL}
OPERATORS = {"t/s": "FM", "c/s": "J"}
HIGHEST, WIDEST = 3, 100
"""More than so many times the highest bar of ours, or the least of all: a log scale."""


@dataclass(frozen=True)
class Panel:
    """The bars of one dataset."""

    title: str
    experiments: list[str]
    bars: dict[tuple[str, str], Spread]
    """By experiment and implementation."""

    @property
    def means(self) -> list[float]:
        """How high the bars are."""
        return [each.mean for each in self.bars.values()]

    @property
    def wide(self) -> bool:
        """Whether bars would vanish beside others."""
        ours = [each.mean for (_, name), each in self.bars.items() if name in OURS]
        most = max(self.means)
        return most > WIDEST * min(self.means) or (bool(ours) and most > HIGHEST * max(ours))


def bar_figures(runs: Sequence[Run]) -> list[Drawn]:
    """Return throughput and latency of FM and of J, where they were measured."""
    made = []
    for unit, operator in OPERATORS.items():
        of_unit = [run for run in runs if run["unit"] == unit]
        made += [_throughputs(operator, unit, of_unit), _latencies(operator, of_unit)]
    return [each for each in made if each]


def _throughputs(operator: str, unit: str, runs: Sequence[Run]) -> Drawn | None:
    panels = _panels(runs, throughput)
    log = any(panel.wide for panel in panels)

    def scale(axes: Axes, panel: Panel) -> None:
        if log:
            _log_bars(axes, panel)
        per_second(axes, f"{unit}, log" if log else unit)

    named = {experiment: mode_of(runs, experiment) for experiment in experiments(runs)}
    rated = [experiment for experiment, mode in named.items() if mode == RATE]
    how = "with the input always waiting"
    if rated:
        of = "" if len(rated) == len(named) else f", of {', '.join(rated)}"
        how = f"{how if of else ''}{of} {_rated(runs)}".removeprefix(" ")
    caption = f"{operator}: throughput {how}."
    return _figure(f"throughput-{operator.lower()}", caption, panels, scale)


def _latencies(operator: str, runs: Sequence[Run]) -> Drawn | None:
    def scale(axes: Axes, panel: Panel) -> None:
        _log_bars(axes, panel, "s")
        axes.set_ylabel("p99 latency (log)")

    caption = f"{operator}: p99 latency {_rated(runs)}."
    return _figure(f"latency-{operator.lower()}", caption, _panels(runs, latency), scale)


def _rated(runs: Sequence[Run]) -> str:
    highest = "at the highest rate that each implementation sustains"
    return highest if searched(runs) else "at the rate that was given"


def _log_bars(axes: Axes, panel: Panel, unit: str = "") -> None:
    """Give bars a log scale that begins at a power of ten."""
    logarithmic(axes, panel.means, unit)
    least = min(each.least or each.mean for each in panel.bars.values())
    most = max(each.most or each.mean for each in panel.bars.values())
    axes.set_ylim(10 ** math.floor(math.log10(least * 0.8)), most * 1.3)


def _panels(runs: Sequence[Run], measure: Measure) -> list[Panel]:
    names = known(run["implementation"] for run in runs)
    panels = []
    for title, upper in (("Wikipedia edits", True), ("scans", False)):
        shown = [each for each in experiments(runs) if each.isupper() == upper]
        bars = {
            (experiment, name): value
            for experiment in shown
            for name in names
            if (value := measure(runs, experiment, name)) and value.mean > 0
        }
        there = [each for each in shown if any(each == experiment for experiment, _ in bars)]
        panels += [Panel(title, there, bars)] if bars else []
    return panels


def _figure(
    name: str, caption: str, panels: Sequence[Panel], scale: Callable[[Axes, Panel], None]
) -> Drawn | None:
    if not panels:
        return None
    names = known(implementation for panel in panels for _, implementation in panel.bars)
    figure = canvas(10 if len(panels) > 1 else 6, 3.5)
    for axes, panel in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels):
        _draw(axes, panel, names)
        scale(axes, panel)
    handles = [_patch(each) for each in names]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(names))
    spreads = [each for panel in panels for each in panel.bars.values()]
    return Drawn(name, caption + whiskers(spreads), figure)


def _draw(axes: Axes, panel: Panel, names: Sequence[str]) -> None:
    width = 0.8 / len(names)
    for number, name in enumerate(names):
        there = [
            (place, panel.bars[experiment, name])
            for place, experiment in enumerate(panel.experiments)
            if (experiment, name) in panel.bars
        ]
        means = [each.mean for _, each in there]
        axes.bar(
            [place + (number - (len(names) - 1) / 2) * width for place, _ in there],
            means,
            width * 0.92,
            yerr=list(zip(*(each.whisker for _, each in there))) or None,
            color=look(name).colour,
            hatch=look(name).hatch,
            edgecolor=PAPER,
            linewidth=0,
            error_kw={"ecolor": TEXT, "elinewidth": 0.9, "capsize": 2, "capthick": 0.9},
        )
    axes.set_title(panel.title, loc="left")
    axes.set_xticks(range(len(panel.experiments)), panel.experiments)
    axes.set_xlim(-0.6, max(len(panel.experiments), 3) - 0.4)
    axes.tick_params(axis="x", length=0)
    axes.grid(visible=False, axis="x")


def _patch(name: str) -> matplotlib.patches.Patch:
    return matplotlib.patches.Patch(
        facecolor=look(name).colour,
        hatch=look(name).hatch,
        edgecolor=PAPER,
        linewidth=0,
        label=name,
    )
