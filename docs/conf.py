"""How Sphinx builds the site: `make docs`. Everything it shows comes from installed packages."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent / "src"))  # document this checkout, whatever is installed

import onefold  # noqa: E402  # the path comes first

project = "onefold"
author = "The onefold contributors"
release = version = onefold.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]
suppress_warnings = ["misc.highlighting_failure"]  # of SQL with a $parameter: it is shown plain

highlight_language = "text"  # of a block that names none: a shell's commands
myst_heading_anchors = 3  # so that [text](page.md#a-heading) is checked, and leads there
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True  # as they stand in the source
default_role = "code"  # docstrings write `name` for code
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = "onefold"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False  # the licence stands in the repository
html_static_path = ["_static"]
html_css_files = ["onefold.css"]


def links_to_folders(app: Any, doctree: nodes.document) -> None:
    """Show a link to a folder of the repository as its name: a site has no page for a folder.

    Files outside of docs/ are copied into the site; what is not there at all stays, and is told.
    """
    page = Path(app.env.doc2path(app.env.docname))
    for link in list(doctree.findall(addnodes.pending_xref)):
        target = (page.parent / link["reftarget"]).resolve()
        if target.is_dir() and DOCS.parent in target.parents:
            link.replace_self(nodes.inline("", "", *link.children))


def setup(app: Any) -> dict[str, bool]:
    """Add what the pages need beside Sphinx's own."""
    app.connect("doctree-read", links_to_folders)
    return {"parallel_read_safe": True}
