"""Every small stream: D against A and A+, at every watermark and at the end.

    python -m onefold.check.exhaustive [--tuples K] [--operator NAME] [--slice I/N]

A case is a sequence of up to K tuples of a small domain, in any order of arrival. Each source has
watermarks wherever they make no later tuple late: none, one or several between any two arrivals.
Four kinds of cases are left out, as each is another one in disguise:

- A watermark that is not above the earliest time. No window ends there, so it fires nothing.
- A stream that begins one window advance later or more. Windows, watermarks and the functions below
  all move along with the tuples.
- A stream in which a value comes before its twin. Operators compare values for equality and for
  nothing else, and the functions treat both alike, so renaming one to the other changes nothing.
- A watermark of a join that fires all that is left: the end of the stream does that as well.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

from onefold.core.errors import OnefoldError
from onefold.core.plan import Implementation, Plan
from onefold.core.records import Tuple
from onefold.core.time import show_time
from onefold.engines.reference import Engine
from onefold.local import lower
from onefold.stream import Stream, source

Step = tuple[str, Tuple | int]
"""What comes to a source: a tuple or a watermark."""
Case = tuple[Step, ...]
Arrivals = tuple[tuple[str, Tuple], ...]
"""Tuples in the order in which they come, without watermarks."""

TWINS = (0, 1)
"""The two values that every function treats alike."""
COPIES = {0: "x", 1: "x", 2: "xx", 3: "", 4: "xyx"}
"""What flat_map makes of a value. 0, 1 and 2 at one time are row 4 of the errata."""


@dataclass(frozen=True)
class Scope:
    """An operator, and the streams that it is tried on."""

    name: str
    stream: Stream
    times: range
    values: range
    watermarks: range
    advance: int

    def tuples(self) -> list[tuple[str, Tuple]]:
        """Return every tuple that a stream may hold."""
        sources = lower(self.stream, "dedicated").sources
        types = {name: node.type for name, node in sources.items()}
        choices = product(types, self.times, self.values)
        return [(name, types[name].make(at, (value,))) for name, at, value in choices]


def scopes() -> tuple[Scope, ...]:
    """Return the operators that are tried. Watermarks reach to where all windows have fired."""
    s, left, right = (source(name, "v int") for name in ("s", "left", "right"))
    flat_map = s.flat_map(lambda t: [(letter,) for letter in COPIES[t.v]], "letter string")
    # Windows [-1, 1), [0, 2), [1, 3): two tuples share none, one or two of them.
    join = left.join(
        right,
        "v int, x bigint, y bigint",
        key=["v"],
        where=lambda x, y: x.time - y.time != 1,
        select=lambda x, y: (x.v, x.time, y.time),
        size=2,
        advance=1,
    )
    # Periods [0, 2), [2, 4): time 2 is an instant that two windows of A1 share.
    stateful = s.stateful(
        "v int, seen string",
        key=["v"],
        period=2,
        create=lambda t: (t.v, str(t.time)),
        add=lambda state, t: (t.v, f"{state[1]} {t.time}"),
        merge=lambda state, other: (state[0], f"{state[1]} | {other[1]}"),
        output=lambda state: state,
    )
    return (
        Scope("flat_map", flat_map, range(3), range(5), range(1, 4), 1),
        Scope("join", join, range(2), range(2), range(1, 3), 1),
        Scope("stateful", stateful, range(3), range(2), range(1, 7), 2),
    )


def cases(scope: Scope, tuples: int) -> Iterator[Case]:
    """Return every case of up to so many tuples, the shortest streams first."""
    domain = scope.tuples()
    sources = list(dict.fromkeys(name for name, _ in domain))
    for count in range(tuples + 1):
        for arrivals in product(domain, repeat=count):
            if _stands_for_others(arrivals, scope):
                yield from _with_watermarks(arrivals, sources, scope.watermarks)


def _stands_for_others(arrivals: Arrivals, scope: Scope) -> bool:
    if min((t.time for _, t in arrivals), default=0) >= scope.advance:
        return False
    values = [t.v for _, t in arrivals]
    return next((value == TWINS[0] for value in values if value in TWINS), True)


def _with_watermarks(arrivals: Arrivals, sources: list[str], watermarks: range) -> Iterator[Case]:
    """Return the stream with watermarks placed in every way."""
    bounds = [[watermarks.stop] * len(sources)]
    for name, t in reversed(arrivals):
        at = sources.index(name)
        least = min(bounds[0][at], t.time)
        bounds.insert(0, [*bounds[0][:at], least, *bounds[0][at + 1 :]])

    def rest(n: int, reached: tuple[int, ...], steps: Case) -> Iterator[Case]:
        if n == len(arrivals):
            yield steps
        else:
            yield from rest(n + 1, reached, (*steps, arrivals[n]))
        for which, name in enumerate(sources):
            for watermark in watermarks:
                if reached[which] < watermark <= bounds[n][which]:
                    after = (*reached[:which], watermark, *reached[which + 1 :])
                    yield from rest(n, after, (*steps, (name, watermark)))

    return rest(0, (0,) * len(sources), ())


@dataclass(frozen=True)
class Run:
    """What a plan emits: all of it, and after each step how much, and its watermark."""

    emitted: list[Tuple]
    after: list[tuple[int, int]]
    late: list[Tuple]


def run(plan: Plan, case: Case) -> Run:
    """Run a case to its end."""
    engine = Engine(plan)
    emitted: list[Tuple] = []
    after = []
    for name, thing in case:
        if isinstance(thing, int):
            engine.watermark(name, thing)
        else:
            engine.process(name, [thing])
        emitted += engine.take_output()
        after.append((len(emitted), engine.output_watermark()))
    engine.end()
    emitted += engine.take_output()
    return Run(emitted, after, engine.take_late())


@dataclass(frozen=True)
class Difference:
    """Where an implementation does not do what D says, and what it does instead."""

    operator: str
    implementation: str
    case: Case
    step: int
    """After which step; the number of steps for the end."""
    missing: Counter[Tuple]
    unexpected: Counter[Tuple]
    what: str = "differs from dedicated"

    def __str__(self) -> str:
        lines = [f"{self.operator}: {self.implementation} {self.what}"]
        for n, (name, thing) in enumerate(self.case):
            shown = f"watermark {show_time(thing)}" if isinstance(thing, int) else repr(thing)
            lines.append(f"  {name:5}  {shown}{'   <- here' if n == self.step else ''}")
        lines.append(f"  end{'   <- here' if self.step == len(self.case) else ''}")
        for title, tuples in (("missing", self.missing), ("unexpected", self.unexpected)):
            lines += [f"  {title:10}  {count} × {t!r}" for t, count in tuples.items()]
        return "\n".join(lines)


def compare(scope: Scope, name: str, case: Case, truth: Run, found: Run) -> Difference | None:
    """Return the first step at which a run has not emitted what D says is due.

    At the output's watermark W that is each tuple of D with time + δ ≤ W. D itself may be ahead.
    """
    ahead = name == "dedicated"
    for step, ((count, watermark), (_, wanted)) in enumerate(zip(found.after, truth.after)):
        due = sorted(t for t in truth.emitted if t.time < watermark)
        here = sorted(t for t in found.emitted[:count] if not ahead or t.time < watermark)
        if here != due:
            return _difference(scope, name, case, step, due, here)
        if watermark != wanted:
            what = f"has watermark {show_time(watermark)}, dedicated {show_time(wanted)}"
            return Difference(scope.name, name, case, step, Counter(), Counter(), what)
    if sorted(found.emitted) != sorted(truth.emitted):
        return _difference(scope, name, case, len(case), truth.emitted, found.emitted)
    if found.late:
        late = Counter(found.late)
        return Difference(scope.name, name, case, len(case), Counter(), late, "drops tuples")
    return None


def _difference(
    scope: Scope, name: str, case: Case, step: int, due: list[Tuple], here: list[Tuple]
) -> Difference:
    wanted, found = Counter(due), Counter(here)
    return Difference(scope.name, name, case, step, wanted - found, found - wanted)


Part = tuple[int, int]
"""Which part of the cases, of how many; the first is 1."""


def exhaust(
    scope: Scope, tuples: int, part: Part = (1, 1), tell: Callable[[int], None] | None = None
) -> tuple[int, Difference | None]:
    """Try every case of a scope; return how many there were, up to the first difference."""
    plans = {each.value: lower(scope.stream, each) for each in Implementation}
    tried = 0
    for case in islice(cases(scope, tuples), part[0] - 1, None, part[1]):
        tried += 1
        truth = run(plans["dedicated"], case)
        for name, plan in plans.items():
            try:
                found = truth if name == "dedicated" else run(plan, case)
            except OnefoldError as problem:
                what = f"fails: {problem}"
                nothing: Counter[Tuple] = Counter()
                return tried, Difference(scope.name, name, case, len(case), nothing, nothing, what)
            if difference := compare(scope, name, case, truth, found):
                return tried, difference
        if tell:
            tell(tried)
    return tried, None


@dataclass
class Progress:
    """Says every few seconds how far a scope is."""

    name: str
    total: int
    began: float
    said: float

    def __call__(self, tried: int) -> None:
        now = time.monotonic()
        if now - self.said > 5:
            self.said = now
            left = (self.total - tried) * (now - self.began) / tried
            say(f"{self.name}: {tried:,} of {self.total:,} cases, {left:.0f} s to go")


def say(line: str) -> None:
    """Write a line on standard error."""
    sys.stderr.write(line + "\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Try everything that the arguments ask for; return 1 if an implementation differs."""
    every = {scope.name: scope for scope in scopes()}
    parser = argparse.ArgumentParser("python -m onefold.check.exhaustive")
    parser.add_argument("--tuples", type=int, default=4, metavar="K", help="up to K (4)")
    parser.add_argument("--operator", choices=every, help="only this one")
    parser.add_argument("--slice", type=_part, default=(1, 1), metavar="I/N", help="every Nth case")
    chosen: Any = parser.parse_args(arguments)
    whole = 0
    for scope in [every[chosen.operator]] if chosen.operator else every.values():
        began = time.monotonic()
        total = sum(1 for _ in cases(scope, chosen.tuples)) // chosen.slice[1]
        tried, difference = exhaust(
            scope, chosen.tuples, chosen.slice, Progress(scope.name, total, began, began)
        )
        if difference:
            say(f"{difference}\nfound by case {tried:,} of {scope.name}")
            return 1
        whole += tried
        say(f"{scope.name}: {tried:,} cases, no difference ({time.monotonic() - began:.0f} s)")
    say(f"{whole:,} cases: aggregate-plus and aggregate do what dedicated does")
    return 0


def _part(text: str) -> Part:
    which, _, of = text.partition("/")
    if not (which.isdecimal() and of.isdecimal() and 1 <= int(which) <= int(of)):
        raise argparse.ArgumentTypeError(f"{text!r} is not a part such as 1/8")
    return int(which), int(of)


if __name__ == "__main__":
    sys.exit(main())
