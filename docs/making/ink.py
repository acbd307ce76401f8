"""Shapes of SVG, and colours that can be read on a light page and on a dark one."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

LIGHT = {
    "paper": "#ffffff", "ink": "#1f2933", "quiet": "#5f6b78", "rule": "#c9d0d7",
    "tuple": "#1f6feb", "past": "#f6ead0", "watermark": "#a8690f", "fires": "#177245",
    "late": "#c0392b", "loop": "#7a3ea8", "box": "#eef2f6",
}  # fmt: skip
DARK = {
    "paper": "#171a1f", "ink": "#e6e9ec", "quiet": "#a3adb8", "rule": "#414953",
    "tuple": "#76b3ff", "past": "#3a3220", "watermark": "#e3ac45", "fires": "#57c892",
    "late": "#ff8577", "loop": "#cb9bee", "box": "#252b33",
}  # fmt: skip
FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"


def picture(width: int, height: int, title: str, shapes: Iterable[str]) -> str:
    """Return an SVG file. It has paper of its own, so that its ink is seen on any page."""
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    text = f"text {{ font: 13px {FONT}; }} .small {{ font-size: 11.5px; }}"
    dark = f"@media (prefers-color-scheme: dark) {{ {_colours(DARK)} }}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{text} .bold {{ font-weight: 600; }}",
        _colours(LIGHT),
        f"{dark}</style>",
        f'<rect class="f-paper" width="{width}" height="{height}" rx="8"/>',
        *shapes,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _colours(named: dict[str, str]) -> str:
    return " ".join(
        f".f-{name} {{ fill: {colour}; }} .s-{name} {{ stroke: {colour}; }}"
        for name, colour in named.items()
    )


def words(
    x: float, y: float, said: str, *, ink: str = "ink", at: str = "start", look: str = ""
) -> str:
    """Write a line; `at` is start, middle or end."""
    looks = f"f-{ink} {look}".rstrip()
    return f'<text class="{looks}" x="{x:g}" y="{y:g}" text-anchor="{at}">{escape(said)}</text>'


def box(
    x: float, y: float, width: float, height: float, *, fill: str = "none", line: str = "",
    round_by: float = 0, dashed: bool = False,
) -> str:  # fmt: skip
    """Draw a rectangle."""
    inside = 'fill="none" class="' if fill == "none" else f'class="f-{fill} '
    dashes = ' stroke-dasharray="4 3"' if dashed else ""
    return (
        f'<rect {inside}{f"s-{line}" if line else ""}" x="{x:g}" y="{y:g}" width="{width:g}" '
        f'height="{height:g}" rx="{round_by:g}"{dashes}/>'
    )


def line(
    x1: float, y1: float, x2: float, y2: float, ink: str, *, width: float = 1, dashed: bool = False
) -> str:
    """Draw a straight line."""
    dashes = ' stroke-dasharray="4 3"' if dashed else ""
    return (
        f'<path class="s-{ink}" fill="none" stroke-width="{width:g}"{dashes} '
        f'd="M{x1:g} {y1:g}L{x2:g} {y2:g}"/>'
    )


def curve(path: str, ink: str, *, width: float = 1.5) -> str:
    """Draw a path."""
    return f'<path class="s-{ink}" fill="none" stroke-width="{width:g}" d="{path}"/>'


def dot(x: float, y: float, ink: str, *, radius: float = 5.5) -> str:
    """Draw a tuple."""
    return f'<circle class="f-{ink}" cx="{x:g}" cy="{y:g}" r="{radius:g}"/>'


def head(x: float, y: float, ink: str, *, towards: str = "right") -> str:
    """Draw the head of an arrow whose tip is here."""
    back = {"right": (-7, -4, 0, 8), "left": (7, -4, 0, 8), "down": (-4, -7, 8, 0)}[towards]
    dx, dy, ddx, ddy = back
    return f'<path class="f-{ink}" d="M{x:g} {y:g}l{dx} {dy}l{ddx} {ddy}z"/>'
