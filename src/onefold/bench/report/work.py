"""What more work costs: throughput and memory over the number of tuples."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import EngFormatter, FixedLocator, NullLocator

from onefold.bench.ratios import Run, experiments, grouped
from onefold.bench.report.ink import Drawn, canvas, file_name, handle, look, per_second
from onefold.bench.report.measured import whiskers
from onefold.bench.spread import sizes
from onefold.bench.work import alike

MEMORY = {"worker_mb": "memory of the workers (MB)", "state_mb": "state (MB)"}

MOST_TICKS = 6


def work_figures(runs: Sequence[Run]) -> list[Drawn]:
    """Return a figure for each experiment that was saturated with several numbers of tuples."""
    made: list[Drawn] = []
    sized = alike(runs)
    for experiment in experiments(sized):
        of = [run for run in sized if run["experiment"] == experiment]
        groups = {
            implementation: group
            for (_, _, implementation), group in grouped(of).items()
            if len({run["tuples"] for run in group}) > 1
        }
        if groups:
            name = file_name("work", experiment, [each.name for each in made])
            made.append(_figure(name, experiment, groups))
    return made


def _figure(name: str, experiment: str, groups: dict[str, list[Run]]) -> Drawn:
    unit = next(iter(groups.values()))[0]["unit"]
    labels = {"throughput": ""} | {
        value: label
        for value, label in MEMORY.items()
        if any(sizes(group, value) for group in groups.values())
    }
    figure = canvas(10, 3.3)
    panels = figure.subplots(1, len(labels), squeeze=False, sharex=True)[0]
    for axes, (value, label) in zip(panels, labels.items()):
        for implementation, group in groups.items():
            _line(axes, implementation, group, value)
        _room(axes, [s.most for g in groups.values() for s in sizes(g, value).values()])
        axes.set_ylabel(label)
        _tuples_axis(axes, sorted({run["tuples"] for group in groups.values() for run in group}))
    per_second(panels[0], unit)
    panels[0].set_title(experiment, loc="left", fontweight="bold")
    handles = [handle(each, marker=True) for each in groups]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    told = "throughput and memory" if len(labels) > 1 else "throughput"
    shown = [s for g in groups.values() for value in labels for s in sizes(g, value).values()]
    caption = f"{experiment}: {told} over the number of tuples of a run.{whiskers(shown)}"
    return Drawn(name, caption, figure)


def _line(axes: Axes, implementation: str, runs: Sequence[Run], value: str) -> None:
    found = sizes(runs, value)
    if not found:
        return
    means = [each.mean for each in found.values()]
    drawn = look(implementation)
    axes.errorbar(
        list(found),
        means,
        yerr=list(zip(*(each.whisker for each in found.values()))),
        color=drawn.colour,
        linestyle=drawn.line,
        marker=drawn.marker,
        markersize=5.5,
        linewidth=1.5,
        elinewidth=1,
        capsize=2.5,
    )


def _room(axes: Axes, values: Sequence[float]) -> None:
    """Begin at zero, and leave room above the highest."""
    axes.set_ylim(0, max(values) * 1.1 or 1)


def _tuples_axis(axes: Axes, tuples: Sequence[int]) -> None:
    axes.set_xscale("log")
    axes.set_xlabel("tuples (log)")
    axes.xaxis.set_major_locator(FixedLocator(tuples, nbins=MOST_TICKS))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
