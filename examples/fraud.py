"""Which cards are probably stolen?

Two signs: three payments of at most 2.00 within ten minutes (does the card work?) and then one of
300.00 or more; or two countries within five minutes.

    onefold run examples/fraud.py:pipeline --input payments=examples/data/payments.csv
    onefold run examples/fraud.py:watched --input payments=examples/data/payments.csv
    onefold replay examples/fraud.yaml

A rule over the past of each card is custom state: `add` sees the payments of a card in the order of
their times, however they arrived, and the state may hold whatever the rule needs. `stateful` emits
the state of every card every minute, which is the list of cards to watch (`watched`). An alarm is
the entry of a card that has come on this list since the minute before (`pipeline`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import onefold as of

MINUTE = 60_000
SMALL, LARGE = 2_00, 300_00  # cents


class Card(NamedTuple):
    """What is known of a card: its latest payment, earlier small ones, its latest alarm."""

    card: str
    at: int
    country: str
    small: tuple[int, ...] = ()
    since: int | None = None
    reason: str = ""


def paid(card: Card, t: Any) -> Card:
    """Return what is known of a card after a payment."""
    small = tuple(at for at in card.small if t.time - at < 10 * MINUTE)
    since, reason = card.since, card.reason
    if t.cents >= LARGE and len(small) >= 3:
        since, reason = t.time, f"{t.cents / 100:.2f} after {len(small)} small payments"
    elif t.country != card.country and t.time - card.at < 5 * MINUTE:
        since, reason = t.time, f"{card.country} and {t.country} in {(t.time - card.at) // 1000} s"
    if t.cents <= SMALL:
        small = (*small, t.time)
    return Card(t.card, t.time, t.country, small, since, reason)


def both(one: Card, other: Card) -> Card:
    """Return what two states of a card come to."""
    earlier, later = sorted((one, other), key=lambda card: card.at)
    since, reason = max((later.since or 0, later.reason), (earlier.since or 0, earlier.reason))
    return later._replace(small=(*earlier.small, *later.small), since=since or None, reason=reason)


def entry(card: Card) -> tuple[str, int, str] | None:
    """Return the entry of a card in the list, or None if there is nothing against it."""
    return (card.card, card.since, card.reason) if card.since is not None else None


payments = of.source("payments", "card string, cents int, country string")
whole = payments.filter(lambda t: t.card is not None and t.cents is not None)
watched = whole.stateful(
    "card string, since bigint, reason string",
    key=["card"],
    period=MINUTE,
    create=lambda t: paid(Card(t.card, t.time, t.country), t),
    add=paid,
    merge=both,
    output=entry,
)
pipeline = watched.filter(lambda t: t.time - t.since <= MINUTE)
