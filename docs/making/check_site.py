"""Checks a built site: every link leads somewhere in it, and no page needs the network.

python docs/making/check_site.py build/docs
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src"}
"""What a browser fetches by itself."""
PASSED_OVER = {"search", "prev", "next", "index", "author", "canonical"}
"""Relations of a `link` that a browser does not fetch."""

FETCHED = re.compile(r"""url\(["']?(?:https?:)?//[^)]*\)|@import[^;]*//[^;]*;""")
"""What a style sheet fetches from elsewhere."""


@dataclass
class Page(HTMLParser):
    """What a page names: places to go to, files to load, and its own anchors."""

    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag names."""
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in LOADED and LOADED[tag] in given:
            fetched = given.get("rel") not in PASSED_OVER
            (self.loads if fetched else self.links).append(given[LOADED[tag]])


def read(file: Path) -> Page:
    """Return what a file of HTML names."""
    page = Page()
    page.feed(file.read_text(encoding="utf-8"))
    return page


def problems(site: Path) -> Iterator[str]:
    """Return what is wrong with a site, a line each."""
    pages = {file.resolve(): read(file) for file in sorted(site.rglob("*.html"))}
    if not pages:
        yield f"{site} has no pages"
    for file, page in pages.items():
        name = file.relative_to(site.resolve())
        for load in page.loads:
            if urlsplit(load).scheme not in {"", "data"} or load.startswith("//"):
                yield f"{name} loads {load} from the network"
        for link in [*page.links, *page.loads]:
            if fault := _dead(link, file, pages):
                yield f"{name}: {link} {fault}"
    for file in sorted(site.rglob("*.css")):
        for found in FETCHED.finditer(file.read_text(encoding="utf-8")):
            yield f"{file.relative_to(site)} loads {found[0]} from the network"


def _dead(link: str, file: Path, pages: dict[Path, Page]) -> str | None:
    """Say why a link leads nowhere, or None."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc or link == "#":
        return None
    target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
    if not target.exists():
        return "leads to no file"
    anchor = unquote(parts.fragment)
    if anchor and target in pages and anchor not in pages[target].anchors:
        return "leads to no place on that page"
    return None


def main() -> None:
    """Check the site that is named, and exit 1 if something is wrong with it."""
    found = list(problems(Path(sys.argv[1])))
    sys.exit("\n".join(found) if found else 0)


if __name__ == "__main__":
    main()
