"""The exhaustive check: it tries every case, finds nothing, and would find what is wrong."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from onefold.check.exhaustive import Scope, cases, exhaust, main, scopes
from onefold.core.aggregate import WHOLE_TUPLE
from onefold.operators import embed, unfold
from onefold.operators.join import Join
from onefold.operators.stateful import Stateful
from onefold.operators.watermarks import DownstreamManager

SCOPES = {scope.name: scope for scope in scopes()}
of_every_scope = pytest.mark.parametrize("scope", SCOPES.values(), ids=SCOPES)


@of_every_scope
def test_no_stream_of_up_to_two_tuples_shows_a_difference(scope: Scope) -> None:
    tried, difference = exhaust(scope, tuples=2)
    assert difference is None, str(difference)
    assert tried == {"flat_map": 924, "join": 2155, "stateful": 1920}[scope.name]


@of_every_scope
def test_no_stream_of_a_slice_of_four_tuples_shows_a_difference(scope: Scope) -> None:
    tried, difference = exhaust(scope, tuples=4, part=(17, 307))
    assert difference is None, str(difference)
    assert tried == {"flat_map": 1115, "join": 957, "stateful": 336}[scope.name]


@of_every_scope
def test_every_case_is_there_once(scope: Scope) -> None:
    """Against all sequences of tuples and watermarks, of which those that do not count are cut."""
    found = list(cases(scope, tuples=1))
    assert len(found) == len(set(found))
    domain = scope.tuples()
    promises = product(dict.fromkeys(name for name, _ in domain), scope.watermarks)
    steps = [*domain, *promises]
    longest = max(map(len, found))
    grown: list[tuple[Any, ...]] = [()]
    wanted = set()
    while grown:
        wanted |= {case for case in grown if stands_for_itself(case, scope)}
        grown = [(*case, step) for case in grown for step in steps if may_follow(case, step)]
    assert wanted == set(found)
    assert longest == 1 + len(scope.watermarks) * len(dict(domain))


def may_follow(case: tuple[Any, ...], step: tuple[str, Any]) -> bool:
    name, thing = step
    promised = [other for source, other in case if source == name and isinstance(other, int)]
    if isinstance(thing, int):
        return all(thing > other for other in promised)
    held = [other for _, other in case if not isinstance(other, int)]
    return not held and all(thing.time >= other for other in promised)


def stands_for_itself(case: tuple[Any, ...], scope: Scope) -> bool:
    held = [thing for _, thing in case if not isinstance(thing, int)]
    return all(t.time < scope.advance and t.v != 1 for t in held)


def test_slices_are_the_whole() -> None:
    scope = SCOPES["stateful"]
    parts = [exhaust(scope, tuples=1, part=(n, 3))[0] for n in (1, 2, 3)]
    assert sum(parts) == exhaust(scope, tuples=1)[0]


def test_an_embed_without_identity_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Row 4 of the errata, as printed: equal embedded tuples of different windows become one."""
    monkeypatch.setattr(embed, "identity", lambda key: "")
    monkeypatch.setattr(unfold, "BY_IDENTITY", WHOLE_TUPLE)
    assert exhaust(SCOPES["flat_map"], tuples=2)[1] is None
    _, difference = exhaust(SCOPES["flat_map"], tuples=3)
    assert str(difference) == (
        "flat_map: aggregate differs from dedicated\n"
        "  s      (time=0, v=0)\n"
        "  s      (time=0, v=1)\n"
        "  s      (time=0, v=2)\n"
        "  end   <- here\n"
        "  missing     2 × (time=0, letter='x')"
    )


def test_a_join_of_sets_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Row 8, as printed: equal tuples of one instant count once."""
    collected = Join.collected

    def as_set(self: Join, t: Any) -> Any:
        port, tuples = collected(self, t)
        return port, tuples[:1]

    monkeypatch.setattr(Join, "collected", as_set)
    assert exhaust(SCOPES["join"], tuples=2)[1] is None
    _, difference = exhaust(SCOPES["join"], tuples=3)
    assert difference is not None
    assert difference.missing
    assert not difference.unexpected


def test_a_state_that_loses_an_instant_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Row 5, as printed: tuples one δ before the instant that two windows share are skipped."""
    next_state = Stateful._next_state

    def as_printed(self: Stateful, window: Any) -> Any:
        lost = window.left + self.period - 1
        kept = tuple(t for t in window.tuples if t.input is None or t.time != lost)
        return next_state(self, replace(window, tuples=kept))

    monkeypatch.setattr(Stateful, "_next_state", as_printed)
    _, difference = exhaust(SCOPES["stateful"], tuples=1)
    assert difference is not None
    assert repr(difference.case[0][1]) == "(time=1, v=0)"


def test_a_watermark_that_comes_too_early_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """C3 broken: the loop forwards a watermark before all successors of what it made fire."""
    monkeypatch.setattr(DownstreamManager, "forward", eager)
    _, difference = exhaust(SCOPES["flat_map"], tuples=2)
    assert difference is not None


def eager(self: Any) -> int | None:
    if self.received > self.forwarded:
        self.forwarded = self.received
        return int(self.received)
    return None


def test_the_command_counts_and_succeeds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--tuples", "1"]) == 0
    told = capsys.readouterr()
    assert told.out == ""
    assert "join: 139 cases, no difference" in told.err
    assert "403 cases: aggregate-plus and aggregate do what dedicated does" in told.err


def test_the_command_draws_a_difference_and_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """C2 broken: the account of what is owed forgets all turns but one."""
    monkeypatch.setattr(unfold, "successors", lambda t: 1)
    assert main(["--operator", "flat_map", "--slice", "1/2", "--tuples", "1"]) == 1
    told = capsys.readouterr().err
    assert "flat_map: aggregate fails: " in told
    assert "C2 does not hold, a looping tuple came too late" in told
    assert "  s      (time=0, v=2)\n  end" in told
    assert "found by case 9 of flat_map" in told


def test_a_slice_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for wrong in ("0/3", "4/3", "1", "a/b"):
        with pytest.raises(SystemExit):
            main(["--slice", wrong])
        assert "is not a part such as 1/8" in capsys.readouterr().err
