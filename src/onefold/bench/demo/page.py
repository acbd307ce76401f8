"""The page of a demo: the answer first, then what it was, how it went, and the plans."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import matplotlib as mpl

from onefold.bench.demo.edits import DELAY, WAITING, late
from onefold.bench.demo.figures import figures
from onefold.bench.demo.shown import Demo
from onefold.bench.demo.tables import clashes, differences, ledger, results, top_words
from onefold.bench.report.ink import SETTINGS, Picture, save
from onefold.bench.report.markup import Markup, element, joined
from onefold.bench.report.sheet import sheet
from onefold.core.plan import Plan
from onefold.pages.drawing import svg

TITLE = "onefold: one pipeline, three implementations"
MEANING = {
    "D": "D, the dedicated operators",
    "A+": "A+, Aggregates that may emit many",
    "A": "A, the minimal Aggregate and loops",
}
STYLE = """
.verdict{font-size:20px;margin:14px 0 10px}
.heat th{text-align:center;font-weight:400;color:var(--muted);padding:2px 6px;border:0}
.heat td{text-align:center;padding:3px 8px;border:2px solid var(--paper);min-width:58px;
 background:color-mix(in srgb,var(--look-0) var(--strength,0%),var(--paper))}
.heat td small{display:block;color:inherit;opacity:.75;line-height:1.2}
.tabs>input{position:absolute;opacity:0}
.tabs>label{display:inline-block;padding:6px 14px;border:1px solid var(--grid);cursor:pointer;
 border-radius:6px 6px 0 0;margin-right:4px;color:var(--muted)}
.tabs>input:checked+label{color:var(--text);border-color:var(--faint);font-weight:600}
.tabs>input:focus-visible+label{outline:2px solid var(--link)}
.tabs>div{display:none;border:1px solid var(--grid);border-radius:0 6px 6px 6px;overflow-x:auto;
 text-align:center;padding:8px}
.tabs{--room:min(calc(100vw - 32px),1900px);width:var(--room);margin-left:calc(50% - var(--room)/2)}
.tabs svg{max-width:100%;height:auto}
"""


def write(demo: Demo, out: Path) -> Path:
    """Write `index.html` and `figures/` into a folder, and return the page."""
    folder = out / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(SETTINGS):
        pictures = {each.name: save(each, folder) for each in figures(demo)}
    written = out / "index.html"
    written.write_text(page(demo, pictures), encoding="utf-8")
    return written


def page(demo: Demo, pictures: Mapping[str, Picture]) -> str:
    """Return the page, which needs no other file and no network."""
    parts = {
        "Where they differ": differences(demo),
        "Top words": _top(demo),
        "Counts and pairs": _counts(demo, pictures),
        "Live": _figure(pictures["watermarks"]),
        "Speed": _figure(pictures["speed"]),
        "The plan, three times": _plans(demo.plans),
        "Where every tuple went": _ledger(demo),
        "The pipeline": element("pre", element("code", demo.source)),
        "Repeat it": element("pre", element("code", demo.command)),
    }
    sections = (
        element("section", joined([element("h2", title), content]))
        for title, content in parts.items()
        if content
    )
    body = joined([element("h1", TITLE), _lead(demo), results(demo), *sections, _made(demo)])
    style = f"{sheet()}{STYLE}{_tab_rules(len(demo.plans))}"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"{element('title', TITLE)}\n<style>\n{style}</style>\n</head>\n"
        f"<body>\n{element('main', body)}\n</body>\n</html>\n"
    )


def verdict(demo: Demo) -> str:
    """Say in a sentence whether all gave the same."""
    names = " and ".join([", ".join(run.label for run in demo.runs[:-1]), demo.runs[-1].label])
    if demo.same:
        return f"{names} gave the same {demo.first.answer.total():,} results, each as often."
    wrong = [label for label, found in demo.differences.items() if not found.same]
    return f"{' and '.join(wrong)} gave another answer than {demo.first.label}."


def _lead(demo: Demo) -> Markup:
    edits = demo.edits
    told = (
        f"{edits.tuples:,} made-up Wikipedia edits went through one pipeline on Spark Structured "
        f"Streaming, three times. {edits.waiting:,} waited, {WAITING} s of event time; the others "
        f"came live, {edits.rate:,} a second for {edits.seconds} s, up to a second out of order, "
        f"and {len(late(edits))} of them too late. The watermark stays {DELAY // 1000} s behind."
    )
    verdict_ = element("p", verdict(demo), of=f"verdict {'good' if demo.same else 'bad'}")
    return joined([verdict_, element("p", told)])


def _top(demo: Demo) -> Markup:
    note = (
        "The words inserted most often in the window that ends at each time, in seconds since the "
        "live edits began; below each word, how often it came."
    )
    return joined([element("p", note), top_words(demo)])


def _counts(demo: Demo, pictures: Mapping[str, Picture]) -> Markup:
    last = element("p", "The last pairs of edits of one sentence:")
    return joined([_figure(pictures["counted"]), last, clashes(demo)])


def _figure(picture: Picture) -> Markup:
    return element("figure", joined([Markup(picture.svg), element("figcaption", picture.caption)]))


def _plans(plans: Mapping[str, Plan]) -> Markup:
    note = (
        "Each ran as it is drawn. What feeds itself loops; a frame is an operator of the pipeline "
        "and holds what it was composed of."
    )
    tabs: list[Markup] = []
    for number, label in enumerate(plans):
        checked = " checked" if number == 0 else ""
        tabs.append(Markup(f'<input type="radio" name="plan" id="plan-{number}"{checked}>'))
        tabs.append(element("label", MEANING.get(label, label), **{"for": f"plan-{number}"}))
    drawings = [element("div", Markup(svg(plan))) for plan in plans.values()]
    whole = element("div", joined([*tabs, *drawings]), of="tabs")
    return joined([element("p", note), whole])


def _tab_rules(count: int) -> str:
    """Show the drawing whose tab is chosen."""
    return "".join(
        f"#plan-{n}:checked~div:nth-of-type({n + 1}){{display:block}}\n" for n in range(count)
    )


def _ledger(demo: Demo) -> Markup:
    note = (
        "read + produced + copied = written + filtered + quarantined + late + consumed. Windows "
        "and flat_map consume tuples and produce new ones; a stream with several readers is copied."
    )
    why = (
        "A late edit meets its fate earlier in A+ and A: their flat_map begins with a window and "
        "drops the edit, where D’s passes it on and the window behind drops its words."
    )
    counts = [run.balance.late for run in demo.runs]
    parts: Sequence[object] = [element("p", note), ledger(demo)]
    return joined([*parts, *([element("p", why)] if len(set(counts)) > 1 else [])])


def _made(demo: Demo) -> Markup:
    names = ("cpu", "cores", "spark", "python", "java")
    forms: Iterable[str] = ("{}", "{} cores", "Spark {}", "Python {}", "Java {}")
    told = [form.format(demo.made[n]) for n, form in zip(names, forms) if demo.made.get(n)]
    return element("p", ", ".join(told) + ".", of="muted") if told else Markup()
