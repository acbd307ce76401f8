"""The tables of a demo's page: who gave what, the top words, pairs, the ledger, differences."""

from __future__ import annotations

from collections.abc import Iterator

from onefold.bench.demo.answers import Row, about
from onefold.bench.demo.shown import Demo
from onefold.bench.report.markup import Markup, element, joined, table

COLUMNS = {
    "read": "read",
    "produced": "produced",
    "copied": "copied",
    "written": "written",
    "filtered": "filtered",
    "quarantined": "quarantined",
    "late": "late",
    "consumed": "consumed",
}
SHOWN = 40
"""How many differing rows the page shows."""
PAIRS = 8
SPACE = Markup("<br>")


def results(demo: Demo) -> Markup:
    """Return the implementations side by side."""
    head = ["implementation", "the same answer?", "results", "tuples/s", "p50 s", "p99 s"]
    rows = [
        (
            element("strong", run.label),
            sameness(demo, run.label),
            run.answer.total(),
            run.tuples_per_second and round(run.tuples_per_second),
            run.p50,
            run.p99,
        )
        for run in demo.runs
    ]
    return table(head, rows, right=set(head[2:]))


def sameness(demo: Demo, label: str) -> Markup:
    """Return whether an implementation gave what the first one gave."""
    found = demo.differences.get(label)
    if found is None:
        return element("span", "the others are compared with it", of="muted")
    if found.same:
        return element("span", "yes, each row as often", of="good")
    return element("span", f"no: {found}", of="bad")


def differences(demo: Demo) -> Markup:
    """Return the rows that differ, with how often each implementation gave them."""
    parts = []
    for label, found in demo.differences.items():
        if found.same:
            continue
        rows = sorted({row for row, _ in (*found.missing, *found.extra)})
        answers = demo.first.answer, next(r for r in demo.runs if r.label == label).answer
        lines = [
            (_second(demo, row[0]), *row[1:], answers[0][row], answers[1][row])
            for row in rows[:SHOWN]
        ]
        names = [f"in {demo.first.label}", f"in {label}"]
        head = ["event time (s)", "question", "about", "n", *names]
        parts += [
            element("h3", f"{demo.first.label} and {label}: {found}"),
            table(head, lines, right={"event time (s)", "n", *names}),
        ]
        if len(rows) > SHOWN:
            parts.append(element("p", f"and {len(rows) - SHOWN:,} more", of="muted"))
    return joined(parts)


def top_words(demo: Demo) -> Markup:
    """Return the top words window by window: the more often, the stronger the colour."""
    by_end: dict[int, list[Row]] = {}
    for row in about(demo.first.answer, "top"):
        by_end.setdefault(row[0], []).append(row)
    most = max((row[3] for rows in by_end.values() for row in rows), default=1)
    ranks = sorted({row[1] for rows in by_end.values() for row in rows})
    head = "".join(f"<th>{_second(demo, end)}</th>" for end in by_end)
    lines = []
    for rank in ranks:
        cells = (
            _word(next((row for row in rows if row[1] == rank), None), most)
            for rows in by_end.values()
        )
        lines.append(f"<tr><th>{rank.removeprefix('top ')}</th>{''.join(cells)}</tr>")
    body = "\n".join(lines)
    return Markup(
        f'<div class="wide"><table class="heat">\n<thead><tr><th></th>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody>\n</table></div>"
    )


def _word(row: Row | None, most: int) -> str:
    if row is None:
        return "<td></td>"
    strength = round(8 + 52 * row[3] / most)
    inside = joined([row[2], element("small", row[3])])
    return f'<td style="--strength:{strength}%">{inside}</td>'


def clashes(demo: Demo) -> Markup:
    """Return some pairs of edits of one sentence."""
    found = about(demo.first.answer, "clash")
    rows = [(_second(demo, row[0]), *row[2].split(" | ", maxsplit=1)) for row in found[-PAIRS:]]
    return table(["by (s)", "one edit inserts", "the other"], rows, right={"by (s)"})


def ledger(demo: Demo) -> Markup:
    """Return where every tuple of every run went."""
    head = ["run", *COLUMNS.values(), "in = out?"]
    rows = [
        (
            element("strong", run.label),
            *(getattr(run.balance, name) for name in COLUMNS),
            element("span", "yes", of="good") if run.balance.even else element("b", "no", of="bad"),
        )
        for run in demo.runs
    ]
    labels = [run.label for run in demo.runs]
    late = table(["late at", *labels], _late(demo), right=set(labels))
    return joined([table(head, rows, right={*COLUMNS.values()}), SPACE, late])


def _late(demo: Demo) -> Iterator[tuple[object, ...]]:
    """Return for each operator how many tuples it dropped in each run."""
    dropped = [{str(step): count for step, count in run.balance.late_at} for run in demo.runs]
    for step in dict.fromkeys(step for each in dropped for step in each):
        yield step, *(each.get(step, 0) for each in dropped)


def _second(demo: Demo, moment: int) -> str:
    """Return the end of a window in seconds since the first live edit."""
    return f"{(moment + 1 - demo.edits.live) / 1000:+.0f}"
