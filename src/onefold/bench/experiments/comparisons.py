"""How much a join compares: the measure of its work."""

from __future__ import annotations

from math import gcd

import numpy as np
import numpy.typing as npt

from onefold.bench.experiments.experiment import Experiment

Numbers = npt.NDArray[np.int64]


def comparisons(
    experiment: Experiment, times: Numbers, keys: npt.NDArray[np.generic] | None
) -> int:
    """Σ n² over all windows and keys of a self-join, n being the tuples of a key in a window.

    Windows are [ℓ·advance, ℓ·advance + size). Without keys all tuples have one.

    >>> from onefold.bench.experiments import EXPERIMENTS
    >>> comparisons(EXPERIMENTS["llj"], np.array([0, 499, 500]), None)  # n = 2, 3, 1
    14
    """
    size, advance = experiment.size, experiment.advance
    step = gcd(size, advance)  # every window is whole panes of this length
    groups = np.zeros(len(times), np.int64) if keys is None else _numbered(keys)
    panes, counts = _summed(times // step, groups, np.ones(len(times), np.int64))
    per_window, per_advance = size // step, advance // step
    total_windows, total_groups, total_counts = [], [], []
    for back in range(-(-size // advance)):
        lefts = panes[:, 0] // per_advance - back
        inside = panes[:, 0] < lefts * per_advance + per_window
        total_windows.append(lefts[inside])
        total_groups.append(panes[inside, 1])
        total_counts.append(counts[inside])
    _, in_windows = _summed(*map(np.concatenate, (total_windows, total_groups, total_counts)))
    return int((in_windows**2).sum())


def _numbered(keys: npt.NDArray[np.generic]) -> Numbers:
    groups: Numbers = np.unique(keys, return_inverse=True)[1].astype(np.int64)
    return groups


def _summed(panes: Numbers, groups: Numbers, counts: Numbers) -> tuple[Numbers, Numbers]:
    """Return each pane and group that there is, once, and the sum of its counts."""
    width = int(groups.max(initial=0)) + 1
    codes, places = np.unique(panes * width + groups, return_inverse=True)
    sums = np.zeros(len(codes), np.int64)
    np.add.at(sums, places, counts)
    return np.stack((codes // width, codes % width), axis=1), sums
