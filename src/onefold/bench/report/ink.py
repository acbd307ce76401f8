"""How figures look, as files and inside the page, where they follow light and dark mode."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import EngFormatter, LogLocator, NullLocator

from onefold.bench.ratios import DEDICATED, MINIMAL, PLUS

TEXT, FAINT, GRID, PAPER = "#1b1f24", "#8a8f98", "#dfe2e6", "#fdfdfd"

PIXELS = 1.56
"""How many pixels of the page a point of a figure takes at most."""


@dataclass(frozen=True)
class Look:
    """What tells an implementation apart: a colour that all eyes can tell, and one thing more."""

    colour: str
    hatch: str
    line: Any
    marker: str
    dark: str
    """The colour on a dark page."""


LOOKS = {  # the palette of Okabe and Ito
    DEDICATED: Look("#0072b2", "", "-", "o", "#4aa8e0"),
    PLUS: Look("#e69f00", "///", (0, (5, 1.6)), "D", "#e69f00"),
    MINIMAL: Look("#009e73", "xxx", (0, (1.5, 1.2)), "s", "#22b98c"),
    "python": Look("#cc79a7", "...", "-.", "^", "#cc79a7"),
    "pyspark": Look("#56b4e9", "\\\\\\", (0, (8, 2)), "P", "#8fd0f5"),
    "pyflink": Look("#d55e00", "---", (0, (3, 1, 1, 1, 1, 1)), "X", "#ec7a25"),
}
_OTHER = Look("#767b84", "ooo", ":", "*", "#a3a8b0")

SETTINGS: dict[Any, Any] = {  # matplotlib types each key as a literal of its own
    "axes.edgecolor": FAINT,
    "axes.facecolor": PAPER,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.labelcolor": TEXT,
    "axes.labelsize": 9,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": TEXT,
    "axes.titlesize": 9.5,
    "figure.facecolor": PAPER,
    "font.family": "DejaVu Sans",  # comes with matplotlib, so a figure is the same everywhere
    "font.size": 9,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "hatch.linewidth": 0.7,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "legend.handlelength": 2.8,
    "legend.labelcolor": TEXT,
    "savefig.facecolor": PAPER,
    "svg.fonttype": "path",
    "text.color": TEXT,
    "text.parse_math": False,  # an experiment may have a $ in its name
    "xtick.color": FAINT,
    "xtick.labelcolor": TEXT,
    "ytick.color": FAINT,
    "ytick.labelcolor": TEXT,
}


@dataclass(frozen=True)
class Drawn:
    """A figure with its name and its caption."""

    name: str
    caption: str
    figure: Figure


@dataclass(frozen=True)
class Picture:
    """A figure that was saved, as the page holds it."""

    name: str
    caption: str
    svg: str


def look(implementation: str) -> Look:
    """Return how an implementation is drawn."""
    return LOOKS.get(implementation, _OTHER)


def canvas(width: float, height: float) -> Figure:
    """Return an empty figure, in inches, that makes room for all its labels."""
    return Figure(figsize=(width, height), layout="constrained")


def per_second(axes: Axes, unit: str) -> None:
    """Label a throughput axis."""
    axes.set_ylabel(f"throughput ({unit})")
    axes.yaxis.set_major_formatter(EngFormatter(sep=""))


def logarithmic(axes: Axes, values: Sequence[float], unit: str = "") -> None:
    """Give the y axis a log scale for some values, with plain labels, fewer for many decades."""
    axes.set_yscale("log")
    decades = math.log10(max(values) / min(values)) if values else 0
    axes.yaxis.set_major_locator(LogLocator(subs=(1,) if decades > 3 else (1, 2, 5), numticks=20))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(EngFormatter(unit, sep=" " if unit else ""))


def handle(implementation: str, *, marker: bool = False) -> Line2D:
    """Return an implementation's line for a legend."""
    drawn = look(implementation)
    return Line2D(
        [],
        [],
        color=drawn.colour,
        linestyle=drawn.line,
        linewidth=1.8,
        marker=drawn.marker if marker else "",
        markersize=5.5,
        label=implementation,
    )


def file_name(kind: str, experiment: str, taken: Iterable[str] = ()) -> str:
    """Return a name for a figure's files; some file systems do not tell LLF from llf.

    >>> (
    ...     file_name("rate", "LLF"),
    ...     file_name("rate", "llf"),
    ...     file_name("rate", "llf", ["rate-scans-llf"]),
    ... )
    ('rate-wikipedia-llf', 'rate-scans-llf', 'rate-scans-llf-2')
    """
    plain = re.sub(r"[^a-z0-9]+", "-", experiment.lower()).strip("-")
    name = f"{kind}-{'wikipedia' if experiment.isupper() else 'scans'}-{plain}"
    number = sum(re.fullmatch(rf"{re.escape(name)}(-\d+)?", each) is not None for each in taken)
    return f"{name}-{number + 1}" if number else name


def save(drawn: Drawn, folder: Path) -> Picture:
    """Write a figure as PNG and SVG, the same bytes each time, and return it for the page."""
    text = io.StringIO()
    drawn.figure.draw_without_rendering()
    drawn.figure.set_layout_engine("none")  # all labels have their room now: once, not per file
    nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    with mpl.rc_context({"svg.hashsalt": drawn.name}):
        drawn.figure.savefig(text, format="svg", metadata=nothing)
        drawn.figure.savefig(folder / f"{drawn.name}.png", dpi=160, metadata={"Software": None})
    (folder / f"{drawn.name}.svg").write_text(text.getvalue(), encoding="utf-8")
    return Picture(drawn.name, drawn.caption, inline(text.getvalue(), drawn.name, drawn.caption))


def inline(svg: str, name: str, caption: str) -> str:
    """Return an SVG for the inside of a page: ids of its own, colours from the page's style."""
    body = re.sub(
        r"<!--.*?-->|<style.*?</style>|<metadata>.*?</metadata>", "", svg, flags=re.DOTALL
    )
    body = body[body.index("<svg") :]
    head, end, rest = body.partition(">")
    box = re.search(r'viewBox="0 0 ([\d.]+) [\d.]+"', head)
    assert box
    width = float(box[1]) * PIXELS
    rest = re.sub(r'\bid="', f'id="{name}-', rest)
    rest = re.sub(r'(?:xlink:)?href="#', f'href="#{name}-', rest).replace("url(#", f"url(#{name}-")
    for colour, variable in variables().items():
        rest = rest.replace(colour, f"var({variable})")
    label = escape(caption, quote=True)
    style = f'style="max-width:{width:.0f}px"'
    return f'<svg {box[0]} {style} role="img" aria-label="{label}"{end}{rest.strip()}'


def variables() -> dict[str, str]:
    """Return the name that each colour has in the page's style."""
    fixed = {TEXT: "--text", FAINT: "--faint", GRID: "--grid", PAPER: "--paper"}
    return fixed | {each.colour: f"--look-{n}" for n, each in enumerate(_all_looks())}


def dark_looks() -> dict[str, str]:
    """Return the colours of the implementations on a dark page, by their names."""
    return {f"--look-{n}": each.dark for n, each in enumerate(_all_looks())}


def _all_looks() -> list[Look]:
    return [*LOOKS.values(), _OTHER]
