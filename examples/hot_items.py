r"""Which three items do people look at most, over the last ten minutes, told every five?

    onefold run examples/hot_items.py:pipeline --input views=examples/data/views.jsonl
    onefold run examples/hot_items.py:pipeline --input views=examples/data/views.jsonl \
        --watermark-every 10 --late late.jsonl --output hot.jsonl
    onefold replay examples/hot_items.yaml

Two Aggregates: a count for each item and sliding window, then a ranking of the counts of one
window, which all have its last instant as their time and so fall in one window of five minutes.

Phones that were offline send their views late. For two minutes after a window has fired, such a
view fires it again: the count of its item comes once more, larger, and so does the whole ranking.
After that a view is too late, and goes to the late stream.
"""

from __future__ import annotations

import onefold as of

TOP = 3
LATENESS = "2 min"


def count(window: of.Window) -> tuple[str, int]:
    """Return the item of a window and how many looked at it."""
    return window.key.item, len(window.tuples)


def ranked(window: of.Window) -> list[tuple[int, str, int]]:
    """Return the items with the most views; of equal ones, the first by name."""
    counts = (t for t in window.tuples if t.item is not None)
    views = {t.item: t.views for t in counts}  # by time, then value: the last is the largest
    best = sorted(views, key=lambda item: (-views[item], item))[:TOP]
    return [(place, item, views[item]) for place, item in enumerate(best, start=1)]


views = of.source("views", "item string, user int")
counts = views.aggregate(
    count, "item string, views int", key=["item"], size="10 min", advance="5 min", lateness=LATENESS
)
pipeline = counts.aggregate_plus(
    ranked, "place int, item string, views int", size="5 min", lateness=LATENESS
)
