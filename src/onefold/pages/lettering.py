"""Text of a known width: letters of one width each, lines of a limited length."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

LETTER, LINE = 7.25, 17
"""How wide a letter and how high a line is, at the size that drawing.css gives text."""
LONGEST, MOST = 46, 3
"""How many letters a line may have, and how many lines one thing is told in."""


@dataclass(frozen=True)
class Span:
    """A piece of a line, and what it is: a title, a name, a value, ..."""

    kind: str
    text: str


Line = tuple[Span, ...]


def plain(text: str) -> str:
    r"""Return text without what no page can hold: controls and halves of letters.

    >>> plain("a\tb\x00") == "a b\ufffd"
    True
    """
    kept = (c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in text)
    return "".join(kept)


def escaped(text: str) -> str:
    """Return text as a page writes it, in an attribute or outside.

    >>> escaped('<script> "a" & b')
    '&lt;script&gt; &quot;a&quot; &amp; b'
    """
    return escape(plain(text), {'"': "&quot;"})


def letters(text: str) -> int:
    """Return how many letters wide a text is.

    >>> letters("one"), letters("一")
    (3, 2)
    """
    return sum(_letters(c) for c in text)


def _letters(c: str) -> int:
    if unicodedata.combining(c):
        return 0
    return 2 if unicodedata.east_asian_width(c) in "WF" else 1


def wrapped(text: str, longest: int = LONGEST, most: int = MOST) -> list[str]:
    """Return the text in lines, at spaces where it can; what is too long ends in an ellipsis.

    >>> wrapped("to be or not to be", longest=8)
    ['to be or', 'not to', 'be']
    >>> wrapped("abcdefghij", longest=4, most=2)
    ['abcd', 'efg…']
    """
    lines = [""]
    for word in plain(text).split(" "):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if letters(joined) <= longest:
            lines[-1] = joined
            continue
        lines += _pieces(word, longest) if lines[-1] else []
        if len(lines) == 1 and not lines[0]:
            lines = _pieces(word, longest)
    if len(lines) > most:
        last = lines[most - 1]
        while letters(last) > longest - 1:
            last = last[:-1]
        lines = [*lines[: most - 1], last + "…"]
    return lines


def _pieces(word: str, longest: int) -> list[str]:
    pieces = [""]
    for c in word:
        if letters(pieces[-1] + c) > longest:
            pieces.append("")
        pieces[-1] += c
    return pieces


def told(name: str, value: str) -> list[Line]:
    """Return a named value in lines; those behind the first are indented.

    >>> told("key", "word")
    [(Span(kind='name', text='key '), Span(kind='value', text='word'))]
    """
    first, *others = wrapped(f"{plain(name)} {value}", LONGEST - 2)
    head = plain(name) + " "
    lines: list[Line] = [(Span("name", head), Span("value", first[len(head) :]))]
    return lines + [(Span("value", f"  {each}"),) for each in others]


def width(lines: Sequence[Line]) -> float:
    """Return how wide the widest line is."""
    return max((sum(letters(s.text) for s in line) for line in lines), default=0) * LETTER
