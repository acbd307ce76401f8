"""From results to a page with figures.

write          the page, and each figure as PNG and SVG
page, tables   the text, escaped by markup, styled by sheet
rates, bars, dots, work   the figures, drawn with ink
measured, sameness, paper   what they show
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl

from onefold.bench.ratios import Ratio, Run, ratios
from onefold.bench.report.bars import bar_figures
from onefold.bench.report.dots import ratio_figure
from onefold.bench.report.ink import SETTINGS, Drawn, Picture, save
from onefold.bench.report.measured import mode_of
from onefold.bench.report.page import page
from onefold.bench.report.rates import rate_figures
from onefold.bench.report.work import work_figures

__all__ = ["write"]


def write(results: Mapping[str, Any], out: Path) -> Path:
    """Write `index.html` and `figures/` into a folder, and return the page."""
    folder = out / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    runs = results["runs"]
    found = ratios(runs)
    written = out / "index.html"
    written.write_text(page(results, found, _pictures(runs, found, folder)), encoding="utf-8")
    return written


def _pictures(runs: Sequence[Run], found: Sequence[Ratio], folder: Path) -> list[Picture]:
    with mpl.rc_context(SETTINGS):
        return [save(each, folder) for each in _figures(runs, found)]


def _figures(runs: Sequence[Run], found: Sequence[Ratio]) -> list[Drawn]:
    shown = [each for each in found if each.mode == mode_of(runs, each.experiment)]
    joins = {run["experiment"] for run in runs if run["unit"] == "c/s"}
    dots = ratio_figure(shown, joins)
    return [*([dots] if dots else []), *bar_figures(runs), *rate_figures(runs), *work_figures(runs)]
