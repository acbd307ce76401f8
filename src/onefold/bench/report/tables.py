"""The page's tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from onefold.bench.ratios import (
    DEDICATED,
    MINIMAL,
    PLUS,
    RATE,
    Ratio,
    Run,
    comparable,
    counted,
    grouped,
)
from onefold.bench.report.markup import Markup, element, joined, number, table, text
from onefold.bench.report.measured import known
from onefold.bench.report.paper import STATED
from onefold.bench.report.sameness import Sameness, sameness, without_digest
from onefold.bench.spread import spread

MADE = {
    "cpu": "processor",
    "cores": "cores",
    "memory_gb": "memory (GB)",
    "system": "system",
    "onefold": "onefold",
    "spark": "Spark",
    "python": "Python",
    "java": "Java",
    "profile": "profile",
    "mode": "mode",
    "rewrites": "rewrites",
    "vectorized": "predicates over columns",
    "data": "data",
    "seed": "seed",
    "began": "began",
    "ended": "ended",
}
COLUMNS = {
    "experiment": "experiment",
    "implementation": "by",
    "mode": "mode",
    "repetition": "repetition",
    "rate": "rate",
    "tuples": "tuples",
    "outputs": "outputs",
    "comparisons": "comparisons",
    "counted": "counted",
    "seconds": "seconds",
    "throughput": "throughput",
    "unit": "unit",
    "p50": "p50 (s)",
    "p99": "p99 (s)",
    "over": "over",
    "success": "successful",
    "worker_mb": "worker (MB)",
    "state_mb": "state (MB)",
    "digest": "digest",
}
WORDS = {"experiment", "by", "mode", "unit", "successful", "digest"}
HOW = {"saturate": "saturated", "rate": "sustained"}
OURS = (PLUS, MINIMAL)
SHORT_DIGEST, MOST_OPEN = 12, 12


def made_table(made: Mapping[str, Any]) -> Markup:
    """Return machine, versions, seed and profile, in two columns of pairs."""
    told = [(label, made.get(key)) for key, label in MADE.items()]
    half = (len(told) + 1) // 2
    rows = [
        [*_pair(told[at]), *(_pair(told[at + half]) if at + half < len(told) else ("", ""))]
        for at in range(half)
    ]
    lines = ("".join(element("td", each) for each in row) for row in rows)
    body = "\n".join(f"<tr>{line}</tr>" for line in lines)
    return Markup(f'<div class="wide"><table>\n<tbody>\n{body}\n</tbody>\n</table></div>')


def _pair(told: tuple[str, Any]) -> tuple[Markup, object]:
    label, value = told
    return element("b", label), str(value) if isinstance(value, int | float) else value


def ratio_table(runs: Sequence[Run], found: Sequence[Ratio]) -> Markup:
    """Return the ratios to D beside those that the paper states, where D was measured."""
    by_key = {(each.experiment, each.mode, each.implementation): each for each in found}
    groups = grouped(comparable(runs))
    head = ["experiment", "how", "throughput of D"]
    head += [title for name in OURS for title in (f"{name} / D", f"paper’s {name} / D")]
    rows = []
    for experiment, mode in dict.fromkeys(key[:2] for key in groups if key[2] == DEDICATED):
        row: list[object] = [element("b", experiment), HOW.get(mode, mode)]
        row.append(_throughput(groups[experiment, mode, DEDICATED]))
        for name in OURS:
            row += [_ratio(by_key.get((experiment, mode, name))), _stated(experiment, name)]
        rows.append(row)
    return table(head, rows, right=set(head[2:]))


def peer_table(found: Sequence[Ratio]) -> Markup | None:
    """Return the ratios to D of what is not onefold, if it was measured."""
    by_key = {(each.experiment, each.mode, each.implementation): each for each in found}
    names = known({each.implementation for each in found} - set(OURS))
    rows = [
        [element("b", experiment), HOW.get(mode, mode)]
        + [_ratio(by_key.get((experiment, mode, name))) for name in names]
        for experiment, mode in dict.fromkeys(key[:2] for key in by_key)
        if any((experiment, mode, name) in by_key for name in names)
    ]
    head = ["experiment", "how", *(f"{name} / D" for name in names)]
    return table(head, rows, right=set(head[2:])) if rows else None


def _throughput(runs: Sequence[Run]) -> object:
    mean = spread(run["throughput"] for run in counted(runs).values())
    return Markup(f"{number(mean.mean)} {text(runs[0]['unit'])}") if mean else None


def _ratio(ratio: Ratio | None) -> object:
    if ratio is None:
        return None
    whiskers = f" ({ratio.least:.2f}–{ratio.most:.2f})" if ratio.pairs > 1 else ""
    return Markup(f"{element('b', str(ratio))}{element('small', whiskers) if whiskers else ''}")


def _stated(experiment: str, implementation: str) -> object:
    stated = STATED.get((experiment, implementation))
    return element("span", str(stated), title=stated.words) if stated else None


def sameness_part(runs: Sequence[Run]) -> Markup:
    """Return whether all implementations gave the same multiset of outputs."""
    compared = [each for each in sameness(runs) if each.compared]
    other = [each for each in compared if not each.same]
    parts: list[object] = [element("p", _verdict(len(compared), len(other)))]
    if silent := without_digest(runs):
        parts.append(element("p", f"Without a digest, so not compared: {', '.join(silent)}."))
    if compared:
        summary = element("summary", "Outputs and digests")
        content = joined([summary, _answers(compared)])
        opened = {"open": ""} if other or len(compared) <= MOST_OPEN else {}
        parts.append(element("details", content, **opened))
    return joined(parts)


def _verdict(compared: int, other: int) -> Markup:
    if not compared:
        return text("No two implementations with a digest: nothing was compared.")
    if other:
        return element("span", f"{other} of {compared} comparisons differ.", of="bad")
    every = f"All {compared} comparisons agree: " if compared > 1 else "The comparison agrees: "
    rest = "to the same tuples all implementations gave the same multiset of outputs."
    return Markup(f"{element('span', every.strip(), of='good')} {rest}")


def _answers(found: Iterable[Sameness]) -> Markup:
    head = ["experiment", "how", "tuples", "implementations", "outputs", "digest", Markup()]
    rows = [
        [
            element("b", each.experiment),
            HOW.get(each.mode, each.mode),
            each.tuples,
            ", ".join(each.implementations),
            _lines(f"{answer.outputs:,}" for answer in _told(each).values()),
            _lines(
                f"{answer.digest[:SHORT_DIGEST]}{label}" for label, answer in _told(each).items()
            ),
            _same(each),
        ]
        for each in found
    ]
    return table(head, rows, right={"tuples", "outputs"})


def _told(each: Sameness) -> dict[str, Any]:
    """Return what was answered: once if all agree, else who gave what."""
    if each.same:
        return dict([("", answer) for _, _, answer in each.answers][:1])
    return {f" {name}, repetition {n}": answer for n, name, answer in each.answers}


def _lines(values: Iterable[str]) -> Markup:
    return Markup("<br>".join(element("code", value) for value in values))


def _same(each: Sameness) -> Markup:
    return element("span", "same", of="good") if each.same else element("span", "differ", of="bad")


def runs_table(runs: Sequence[Run]) -> Markup:
    """Return every run with all that was measured."""
    there = [key for key in COLUMNS if any(run.get(key) is not None for run in runs)]
    head = [COLUMNS[key] for key in there]
    ordered = [run for group in grouped(runs).values() for run in _in_order(group)]
    rows = [[_value(key, run.get(key)) for key in there] for run in ordered]
    return table(head, rows, right=set(head) - WORDS)


def _in_order(runs: Iterable[Run]) -> list[Run]:
    return sorted(
        runs, key=lambda r: (r["tuples"] if r["mode"] != RATE else r["rate"], r["repetition"])
    )


def _value(key: str, value: Any) -> object:
    return (
        element("code", value[:SHORT_DIGEST], title=value) if key == "digest" and value else value
    )
