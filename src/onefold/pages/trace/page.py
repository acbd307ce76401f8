"""The page: the data, a script and a style of our own, in one file that needs no network."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from importlib.resources import files

from onefold.pages.trace.model import Data

SCRIPTS = (
    "index.js",
    "scale.js",
    "letters.js",
    "layout.js",
    "drawing.js",
    "stage.js",
    "overview.js",
    "panels.js",
    "controls.js",
)
"""The parts of the script, in order."""


def page(data: Data) -> str:
    """Return the page of a trace. Data is shown as text, and only our own script may run."""
    script = _script()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    parts = {
        "title": html.escape(str(data["title"])),
        "policy": f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'",
        "style": _read("trace.css"),
        "data": _embedded(data),
        "script": script,
    }
    # One pass over our own text: what the data holds is never taken for a place.
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _read("trace.html"))


def _script() -> str:
    """Return the parts as one script that leaves no name behind."""
    return '"use strict";\n(() => {\n' + "\n".join(map(_read, SCRIPTS)) + "\n})();\n"


def _embedded(data: Data) -> str:
    """Return data as JSON that no parser of HTML takes for markup."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _read(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
