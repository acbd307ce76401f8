"""The site: it builds without a warning, its links lead somewhere, and it needs no network."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "docs" / "making"))

from check_site import problems  # noqa: E402  # docs/making is on the path from here on

HEAD = """project = "a site"\nextensions = ["myst_parser"]\nmyst_heading_anchors = 3\n"""


def built(docs: Path, out: Path) -> subprocess.CompletedProcess[str]:
    options = ["-q", "-W", "--keep-going", "-d", str(out / "trees")]
    command = [sys.executable, "-m", "sphinx", *options, str(docs), str(out / "site")]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_site_builds_and_every_link_leads_somewhere(tmp_path: Path) -> None:
    done = built(ROOT / "docs", tmp_path)
    assert done.returncode == 0, done.stderr
    site = tmp_path / "site"
    assert list(problems(site)) == []
    home = (site / "index.html").read_text(encoding="utf-8")
    for page in ("tutorial", "model-in-pictures", "operators/join", "api", "errata"):
        assert (site / f"{page}.html").is_file()
    for page in ("tutorial", "operators/index", "coming-from", "cluster", "errata"):
        assert f'href="{page}.html"' in home
    reference = (site / "api.html").read_text(encoding="utf-8")
    for name in ("onefold.Stream.join", "onefold.spark.dataframe", "onefold.testing.Script.play"):
        assert f'id="{name}"' in reference


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[there](nowhere.md)", "nowhere.md"),
        ("[there](index.md#no-such-heading)", "no-such-heading"),
        ("```{toctree}\nnowhere\n```", "nowhere"),
    ],
)
def test_a_dead_link_stops_the_build(tmp_path: Path, text: str, told: str) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "conf.py").write_text(HEAD, encoding="utf-8")
    (docs / "index.md").write_text(f"# A page\n\n{text}\n", encoding="utf-8")
    done = built(docs, tmp_path)
    assert done.returncode != 0
    assert told in done.stderr


@pytest.mark.parametrize(
    ("html", "told"),
    [
        ('<a href="b.html">', "index.html: b.html leads to no file"),
        ('<a href="#b">', "index.html: #b leads to no place on that page"),
        ('<img src="b.svg">', "index.html: b.svg leads to no file"),
        ('<script src="https://a.b/c.js">', "index.html loads https://a.b/c.js from the network"),
        ('<link rel="stylesheet" href="//a.b/c">', "index.html loads //a.b/c from the network"),
    ],
)
def test_what_is_wrong_with_a_site_is_named(tmp_path: Path, html: str, told: str) -> None:
    (tmp_path / "index.html").write_text(f'<p id="a">{html}', encoding="utf-8")
    assert list(problems(tmp_path)) == [told]


def test_a_style_that_loads_from_the_network_is_named(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text('<a href="#a" id="a">', encoding="utf-8")
    (tmp_path / "a.css").write_text("b { background: url(https://c.d/e.png) }", encoding="utf-8")
    assert [each.split(" from")[0] for each in problems(tmp_path)] == [
        "a.css loads url(https://c.d/e.png)"
    ]
