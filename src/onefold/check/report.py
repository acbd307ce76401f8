"""The verdict, for people and for machines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from onefold.check.judge import Found, Verdict
from onefold.check.rows import write_row, write_rows
from onefold.check.timeline import timeline
from onefold.core.records import Tuple, as_dict
from onefold.core.time import END_OF_TIME
from onefold.core.values import listed

MOST_SAID, LONGEST = 6, 300


def headline(verdict: Verdict) -> str:
    """Return the verdict in one line."""
    tried = verdict.tried
    if verdict.seed is not None:
        kind, end = "generated", f"; seed {verdict.seed}"
    elif verdict.exhaustive is not None:
        kind, end = "small", f"; all of up to {_several(verdict.exhaustive, 'tuple')}"
    else:
        kind, end = "given", ""
    counts = [
        _several(tried.tuples, "tuple"),
        _several(tried.watermarks, "watermark"),
        _several(tried.cuts, "batch cut"),
        _several(tried.late, "late arrival"),
    ]
    if verdict.same:
        return f"same on {_several(tried.streams, f'{kind} stream')} ({', '.join(counts)}{end})"
    assert verdict.found
    at = f"stream {verdict.found.number + 1:,} of {tried.streams:,}{end}"
    return f"{verdict.found.first.side.name} differs from the definition ({at})"


def _several(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def lines(verdict: Verdict) -> Iterator[str]:
    """Return all that there is to say."""
    yield headline(verdict)
    if verdict.found:
        yield ""
        yield from found_lines(verdict.found)
    else:
        yield from (f"  {each}" for each in played(verdict))
    yield from notes(verdict)


def played(verdict: Verdict) -> Iterator[str]:
    """Say who was compared with the definition, and on how many streams."""
    players = {id(side.player): side.player for side in verdict.sides}.values()
    for player in players:
        names = [s.name.removesuffix(f" on {player.name}") for s in verdict.sides]
        asked = zip(names, verdict.sides)
        mine = [n for n, s in asked if s.player is player and verdict.heard[s.name]]
        mine = [n.replace(f" on {player.name}, rewritten", " rewritten") for n in mine]
        heard = max(verdict.heard[s.name] for s in verdict.sides if s.player is player)
        only = f", on {heard:,} of them" if heard < verdict.tried.streams else ""
        who = f"{player.name}: {listed(mine)}" if mine != [player.name] else player.name
        yield who + only


def notes(verdict: Verdict) -> Iterator[str]:
    """Say what should be known beside the verdict."""
    if verdict.failures:
        first = verdict.failures[0]
        streams = _several(verdict.failed, "stream")
        yield f"note: in {streams} a function of the pipeline failed; such calls are set aside"
        yield f"      first: {first.function} {first.reason}"
    if verdict.same and verdict.tried.tuples and not verdict.emitted:
        yield "note: the pipeline emitted nothing in any stream: there was nothing to compare"


def found_lines(found: Found) -> Iterator[str]:
    """Draw the smallest case, and say what each side said."""
    difference = found.first.difference
    assert difference
    side = found.first.side
    yield from (f"  {line}" for line in timeline(side.defined, side.steps(found.case)))
    yield ""
    if difference.error:
        yield f"In step {difference.step + 1} {side.name} fails:"
        yield from (f"  {line}" for line in str(difference.error).splitlines())
        return
    what = "has on its late streams" if difference.what == "late" else "has emitted"
    yield f"By the end of step {difference.step + 1}, whoever runs it {what}:"
    width = max(len(each.side.name) for each in (found.first, *found.others))
    width = max(width, len("the definition"))
    yield from _said("the definition", _until(found.first.expected, difference), width)
    yield from _said(side.name, _until(found.first.made, difference), width)
    for each in found.others:
        if each.difference:
            yield from _said(each.side.name, _until(each.made, difference), width)
        else:
            yield f"  {each.side.name:<{width}}  as it is defined"
    yield ""
    yield from map(_short, write_rows("missing   ", difference.missing))
    yield from map(_short, write_rows("unexpected", difference.unexpected))
    if found.cause:
        yield f"A known cause that fits: {found.cause}."


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _until(made: Sequence[Any], difference: Any) -> list[Tuple]:
    """Return what was made up to a step: late tuples of that step, output of all steps so far."""
    if difference.what == "late":
        return list(made[difference.step].late)
    return [t for each in made[: difference.step + 1] for t in each.output]


def _said(name: str, tuples: list[Tuple], width: int) -> Iterator[str]:
    rows = [_short(write_row(t)) for t in sorted(tuples, key=lambda t: (t.time, write_row(t)))]
    more = [f"… {len(rows) - MOST_SAID} more"] if len(rows) > MOST_SAID else []
    shown = "  ".join([*rows[:MOST_SAID], *more]) or "nothing"
    yield f"  {name:<{width}}  {shown}"


def as_json(verdict: Verdict) -> dict[str, Any]:
    """Return the verdict for machines."""
    tried = verdict.tried
    told: dict[str, Any] = {
        "same": verdict.same,
        "verdict": headline(verdict),
        "sides": [side.name for side in verdict.sides],
        "tried": {
            "streams": tried.streams,
            "tuples": tried.tuples,
            "watermarks": tried.watermarks,
            "cuts": tried.cuts,
            "late": tried.late,
        },
        "seed": verdict.seed,
        "failed": verdict.failed,
        "notes": list(notes(verdict)),
    }
    if verdict.found:
        told["difference"] = _difference_as_json(verdict.found)
    return told


def _difference_as_json(found: Found) -> dict[str, Any]:
    difference = found.first.difference
    assert difference
    return {
        "side": found.first.side.name,
        "also": [each.side.name for each in found.others if each.difference],
        "step": difference.step + 1,
        "what": difference.what,
        "missing": [as_dict(t) for t in difference.missing],
        "unexpected": [as_dict(t) for t in difference.unexpected],
        "error": str(difference.error) if difference.error else None,
        "cause": found.cause,
        "steps": [
            {
                "input": {
                    source: [as_dict(t) for t in tuples] for source, tuples in step.tuples.items()
                },
                "watermark": {
                    source: "end" if at == END_OF_TIME else at
                    for source, at in step.watermarks.items()
                },
            }
            for step in found.first.side.steps(found.case)
        ],
    }
