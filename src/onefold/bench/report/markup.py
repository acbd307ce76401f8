"""HTML in pieces. What is not Markup already is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

NOTHING = "–"


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def text(value: object) -> Markup:
    """Return a value as HTML; nothing is a dash.

    >>> text("<b>"), text(None), text(1234.5), text(True), text(Markup("<b>"))
    ('&lt;b&gt;', '–', '1,234.5', 'yes', '<b>')
    """
    match value:
        case Markup():
            return value
        case None | "":
            return Markup(NOTHING)
        case bool():
            return Markup("yes" if value else "no")
        case int():
            return Markup(f"{value:,}")
        case float():
            return Markup(number(value))
        case _:
            return Markup(escape(str(value)))


def number(value: float) -> str:
    """Return a number with as many decimals as it can use.

    >>> number(98765.4), number(12.345), number(0.01234), number(0.0)
    ('98,765', '12.3', '0.0123', '0')
    """
    if abs(value) >= 10_000:
        return f"{value:,.0f}"
    if abs(value) >= 10:
        return f"{value:,.1f}"
    return f"{value:.3g}"


def element(tag: str, content: object, **attributes: str) -> Markup:
    """Return an element; the attribute `of` is written class.

    >>> element("p", "a < b", of="good")
    '<p class="good">a &lt; b</p>'
    """
    named = {"class" if name == "of" else name: value for name, value in attributes.items()}
    written = "".join(f' {name}="{escape(value, quote=True)}"' for name, value in named.items())
    return Markup(f"<{tag}{written}>{text(content)}</{tag}>")


def joined(parts: Iterable[object]) -> Markup:
    """Return parts one after the other."""
    return Markup("\n".join(text(part) for part in parts))


def table(head: Sequence[str], rows: Iterable[Sequence[object]], *, right: set[str]) -> Markup:
    """Return a table; columns named in `right` hold numbers."""
    sides = ["number" if name in right else "" for name in head]
    header = "".join(_cell("th", name, side) for name, side in zip(head, sides))
    lines = (
        f"<tr>{''.join(_cell('td', value, side) for value, side in zip(row, sides))}</tr>"
        for row in rows
    )
    body = "\n".join(lines)
    return Markup(
        f'<div class="wide"><table>\n<thead><tr>{header}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody>\n</table></div>"
    )


def _cell(tag: str, value: object, side: str) -> str:
    return element(tag, value, of=side) if side else element(tag, value)
