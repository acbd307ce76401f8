"""How the implementations compare: pairs of repetitions, never seconds of one machine."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

Run = Mapping[str, Any]
"""One run as the results hold it."""

DEDICATED, PLUS, MINIMAL = "D", "A+", "A"
IMPLEMENTATIONS = (DEDICATED, PLUS, MINIMAL, "python", "pyspark", "pyflink")
SATURATE, RATE = "saturate", "rate"
MODES = (SATURATE, RATE)
KINDS = ("LL", "AL", "HL", "LH", "AH", "HH")
"""The paper's order: selectivity low, average, high; first at low cost, then at high cost."""

ONE_RUN = "One run: not a measurement, the machine is noisy."
"""What is said below results that nothing was repeated for."""


@dataclass(frozen=True)
class Ratio:
    """An implementation's throughput over that of D, in one experiment."""

    experiment: str
    mode: str
    implementation: str
    median: float
    least: float
    most: float
    pairs: int
    """How many repetitions both have."""
    sign: str = ""
    """≥ or ≤ if no rate was too high for the implementation or for D: its limit was not found."""

    def __str__(self) -> str:
        return f"{self.sign}{self.median:.2f}"


def ratios(runs: Iterable[Run]) -> tuple[Ratio, ...]:
    """Return the ratios to D of all experiments, modes and implementations, in the paper's order.

    >>> run = {"experiment": "HLF", "mode": "saturate", "repetition": 0, "tuples": 800}
    >>> d = run | {"implementation": "D", "throughput": 90_000.0}
    >>> a = run | {"implementation": "A", "throughput": 9_000.0}
    >>> [(each.implementation, each.median) for each in ratios([d, a])]
    [('A', 0.1)]
    """
    groups = grouped(comparable(runs))
    found = (
        _ratio(key, group, groups.get((key[0], key[1], DEDICATED), ()))
        for key, group in groups.items()
        if key[2] != DEDICATED
    )
    return tuple(each for each in found if each)


def comparable(runs: Iterable[Run]) -> list[Run]:
    """Return the runs at rates, and of the saturated ones of an experiment those of one size.

    A throughput depends on how many tuples there are, on their rate and on the batch. Of these that
    one is chosen which most implementations have, and then the largest.
    """
    all_runs = list(runs)
    by_size: dict[str, dict[tuple[Any, ...], list[Run]]] = {}
    for run in all_runs:
        if run["mode"] == SATURATE:
            by_size.setdefault(run["experiment"], {}).setdefault(_size(run), []).append(run)
    chosen = [max(sizes.items(), key=_weight)[1] for sizes in by_size.values()]
    kept = {id(run) for group in chosen for run in group}
    return [run for run in all_runs if run["mode"] != SATURATE or id(run) in kept]


def _size(run: Run) -> tuple[Any, ...]:
    return run["tuples"], run.get("rate") or 0, run.get("batch") or 0, run.get("profile") or ""


def _weight(sized: tuple[tuple[Any, ...], list[Run]]) -> tuple[Any, ...]:
    size, runs = sized
    return len({run["implementation"] for run in runs}), *size


def grouped(runs: Iterable[Run]) -> dict[tuple[str, str, str], list[Run]]:
    """Return the runs by experiment, mode and implementation, in the paper's order."""
    groups: dict[tuple[str, str, str], list[Run]] = {}
    for run in runs:
        groups.setdefault((run["experiment"], run["mode"], run["implementation"]), []).append(run)
    return {key: groups[key] for key in sorted(groups, key=_order)}


def experiments(runs: Iterable[Run]) -> list[str]:
    """Return the experiments in the paper's order.

    >>> experiments([{"experiment": each} for each in ("hlj", "HLF", "mine", "LLF", "llf")])
    ['LLF', 'HLF', 'llf', 'hlj', 'mine']
    """
    return sorted({run["experiment"] for run in runs}, key=_place)


def once(runs: Iterable[Run]) -> bool:
    """Say whether nothing was repeated.

    >>> first, again = {"repetition": 0}, {"repetition": 1}
    >>> once([first, first]), once([first, again])
    (True, False)
    """
    return len({run["repetition"] for run in runs}) == 1


def searched(runs: Iterable[Run]) -> bool:
    """Say whether several rates were tried, to find the highest that is sustained."""
    rates: dict[tuple[str, str], set[Any]] = {}
    for run in runs:
        if run["mode"] == RATE:
            rates.setdefault((run["experiment"], run["implementation"]), set()).add(run["rate"])
    return any(len(tried) > 1 for tried in rates.values())


def counted(runs: Iterable[Run]) -> dict[int, Run]:
    """Return the run of each repetition that counts: the highest rate sustained, or most tuples."""
    successful = (run for run in runs if run.get("success", True) and run["throughput"])
    ordered = sorted(successful, key=lambda run: (run.get("rate") or 0, run["tuples"]))
    return {run["repetition"]: run for run in ordered}


def _ratio(
    key: tuple[str, str, str], group: Sequence[Run], dedicated: Sequence[Run]
) -> Ratio | None:
    experiment, mode, implementation = key
    above, below = counted(group), counted(dedicated)
    both = sorted(above.keys() & below.keys())
    sign = _sign(group, dedicated) if mode == RATE else ""
    if not both or sign is None:
        return None
    values = [above[each]["throughput"] / below[each]["throughput"] for each in both]
    least, most = min(values), max(values)
    return Ratio(experiment, mode, implementation, median(values), least, most, len(values), sign)


def _sign(group: Sequence[Run], dedicated: Sequence[Run]) -> str | None:
    """Return how a ratio of rates bounds the true one; None if no limit was found, so no ratio."""
    limits = [any(not run["success"] for run in runs) for runs in (group, dedicated)]
    return {(True, True): "", (True, False): "≤", (False, True): "≥"}.get((limits[0], limits[1]))


def _order(key: tuple[str, str, str]) -> tuple[Any, ...]:
    experiment, mode, implementation = key
    return _place(experiment), _index(MODES, mode), _index(IMPLEMENTATIONS, implementation)


def _place(experiment: str) -> tuple[Any, ...]:
    """Return where an experiment stands: FM before J, Wikipedia before scans, others last."""
    if not re.fullmatch(r"[LAH][LH][FJ]|[lah][lh][fj]", experiment):
        return 1, experiment
    name = experiment.upper()
    return 0, name[2], experiment.islower(), KINDS.index(name[:2])


def _index(names: Sequence[str], name: str) -> tuple[int, str]:
    return names.index(name) if name in names else len(names), name
