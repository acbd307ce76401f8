r"""Which customers have to be reminded that they have not paid? Each time after twice as long.

An order that is not paid is reminded of at the first, second, fourth and eighth full minute after
it; then somebody has to call.

    onefold run examples/reminders.py:pipeline \
        --input orders=examples/data/orders.csv --input payments=examples/data/paid.csv
    onefold replay examples/reminders.yaml

What does not happen emits nothing, so something has to wait for it: an order goes round a loop, one
minute each time, and ends when a window holds its payment. The loop comes to rest: each turn makes
an order a minute older, and none grows older than LAST, so it takes at most LAST turns. Nothing is
kept of the order then.

Each window is one instant longer than its advance. What it emits has that last instant as its time,
and so falls in the next window too, which is a minute later.
"""

from __future__ import annotations

from typing import Any

import onefold as of

MINUTE = 60_000
REMIND = (1, 2, 4, 8)  # minutes
LAST = REMIND[-1]
PAID = -1


def wait(window: of.Window) -> tuple[str, int] | None:
    """Return an unpaid order a minute older, or None: it is paid, or has waited long enough."""
    edge = window.left + MINUTE  # the instant that is in the next window too
    if any(t.time == edge and t.minutes > 0 for t in window.tuples):
        return None  # it has come round to the window that made it
    ages = [t.minutes for t in window.tuples if t.time < edge]
    if not ages or PAID in ages or max(ages) == LAST:
        return None
    return window.key.id, max(ages) + 1


def reminder(t: Any) -> tuple[str, int]:
    """Return an order and which reminder it is."""
    return t.id, REMIND.index(t.minutes) + 1


WAITING = "id string, minutes int"

orders = of.source("orders", "id string")
payments = of.source("payments", "id string")
new = orders.map(lambda t: (t.id, 0), WAITING)
paid = payments.map(lambda t: (t.id, PAID), WAITING)
waiting = new.union(paid).aggregate_loop(
    wait, key=["id"], size=MINUTE + 1, advance=MINUTE, lateness=1
)
pipeline = waiting.filter(lambda t: t.minutes in REMIND).map(reminder, "id string, reminder int")
