"""The page: what was measured, the ratios, the figures, and how to repeat it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from onefold.bench.ratios import (
    DEDICATED,
    MINIMAL,
    ONE_RUN,
    PLUS,
    RATE,
    SATURATE,
    Ratio,
    Run,
    experiments,
    once,
    searched,
)
from onefold.bench.report.ink import Picture
from onefold.bench.report.markup import Markup, element, joined
from onefold.bench.report.sheet import sheet
from onefold.bench.report.tables import (
    made_table,
    peer_table,
    ratio_table,
    runs_table,
    sameness_part,
)

TITLE = "onefold: the paper’s evaluation, repeated"
PAPER = "On the Semantic Overlap of Operators in Stream Processing Engines"
SATURATED = "with the input always waiting (saturated)"
HIGHEST = "at the highest injection rate that was successful (sustained)"
GIVEN = "at the injection rate that was given (sustained)"
MEANINGS = {
    DEDICATED: "D (the dedicated operator)",
    PLUS: "A+ (composed of an Aggregate with several results)",
    MINIMAL: "A (composed of the minimal Aggregate)",
}
NO_LIMIT = "No ratio where all keep up with every rate that was tried: no limit was found. "
NO_RATIOS = "There are none: they are ratios to D, which was not measured."
SHORT = {
    "cpu": "{}",
    "cores": "{} cores",
    "memory_gb": "{} GB",
    "spark": "Spark {}",
    "python": "Python {}",
    "java": "Java {}",
    "profile": "profile {}",
    "seed": "seed {}",
}


def page(results: Mapping[str, Any], ratios: Sequence[Ratio], pictures: Sequence[Picture]) -> str:
    """Return the page, which needs no other file and no network."""
    made, runs = results["made"], results["runs"]
    parts = {
        "ratios": ("Ratios to D", _ratios(runs, ratios, pictures)),
        "sameness": ("The same outputs", sameness_part(runs)),
        "figures": ("All experiments", _figures(_of(pictures, "throughput", "latency"))),
        "rates": ("Over the injection rate", _rates(_of(pictures, "rate"))),
        "work": ("Over the number of tuples", _figures(_of(pictures, "work"))),
        "machine": ("Machine and versions", made_table(made)),
        "runs": ("Runs", _runs(runs)),
        "repeat": ("Repeat it", _repeat(made)),
    }
    there = {name: part for name, part in parts.items() if part[1]}
    links = joined(element("a", title, href=f"#{name}") for name, (title, _) in there.items())
    sections = (
        element("section", joined([element("h2", title), content]), id=name)
        for name, (title, content) in there.items()
    )
    body = joined([element("h1", TITLE), _lead(made, runs), element("nav", links), *sections])
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"{element('title', TITLE)}\n<style>\n{sheet()}</style>\n</head>\n"
        f"<body>\n{element('main', body)}\n</body>\n</html>\n"
    )


def _lead(made: Mapping[str, Any], runs: Sequence[Run]) -> Markup:
    count = len(experiments(runs))
    words = {SATURATE: SATURATED, RATE: HIGHEST if searched(runs) else GIVEN}
    modes = [told for mode, told in words.items() if any(run["mode"] == mode for run in runs)]
    there = {run["implementation"] for run in runs}
    names = [told for name, told in MEANINGS.items() if name in there]
    ran = f" ran on Spark as {listed(names)}" if names else " ran"
    first = f"{count} experiment{'s' * (count != 1)} of “{PAPER}”{ran}."
    second = (
        "Throughput is tuples per second (t/s) of a flat map (FM) and comparisons per second (c/s) "
        f"of a join (J), {' and '.join(modes) or 'not measured yet'}; on other machines the "
        "seconds differ, so compare the ratios."
    )
    told = element("p", ", ".join(_where(made)) + ".", of="muted")
    return joined([element("p", f"{first} {second}"), told])


def listed(names: Sequence[str]) -> str:
    """Return names as a sentence has them.

    >>> listed(["D"]), listed(["D", "A"]), listed(["D", "A+", "A"])
    ('D', 'D and A', 'D, A+ and A')
    """
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _where(made: Mapping[str, Any]) -> list[str]:
    """Return machine, versions, seed and profile in short."""
    return [form.format(made[key]) for key, form in SHORT.items() if made.get(key) is not None]


def _ratios(runs: Sequence[Run], ratios: Sequence[Ratio], pictures: Sequence[Picture]) -> Markup:
    if all(run["implementation"] != DEDICATED for run in runs):
        return element("p", NO_RATIOS)
    several = "Median over pairs of repetitions, with the least and the most in brackets"
    note = (
        f"{'Of one repetition' if once(runs) else several}; more is faster. The paper’s own stand "
        "beside them where its text gives them; it measured Flink, the scans on an edge device. "
    )
    if any(run["mode"] == RATE for run in runs) and all(each.mode != RATE for each in ratios):
        note += NO_LIMIT
    if any(each.sign for each in ratios):
        note += (
            "≤ where no rate was too high for D, ≥ where none was for the other: that limit was "
            "not found."
        )
    parts = [element("p", note), _figures(_of(pictures, "ratios")), ratio_table(runs, ratios)]
    if once(runs):
        parts.append(element("p", ONE_RUN))
    if peers := peer_table(ratios):
        parts += [element("h3", "Other ways to do the same"), peers]
    return joined(parts)


def _of(pictures: Iterable[Picture], *kinds: str) -> list[Picture]:
    return [each for each in pictures if each.name.partition("-")[0] in kinds]


def _figures(pictures: Iterable[Picture]) -> Markup:
    return joined(
        element("figure", joined([Markup(each.svg), element("figcaption", each.caption)]))
        for each in pictures
    )


def _rates(pictures: Sequence[Picture]) -> Markup:
    if not pictures:
        return Markup()
    note = (
        "A run is successful if it keeps up with its rate. A point is the mean of the repetitions, "
        "and successful if each of them is."
    )
    return joined([element("p", note), element("div", _figures(pictures), of="pairs")])


def _runs(runs: Sequence[Run]) -> Markup:
    note = (
        "counted: how many tuples, of joins comparisons, the seconds and the throughput are of; "
        "the first batches and the last are not. over: how often the latency was above what is "
        "allowed. worker: the memory of a Python worker. state: what the operators keep."
    )
    summary = element("summary", f"{len(runs)} run{'s' * (len(runs) != 1)}")
    content = joined([summary, element("p", note), element("div", runs_table(runs), of="runs")])
    return element("details", content)


def _repeat(made: Mapping[str, Any]) -> Markup:
    return element("pre", element("code", made.get("command")))
