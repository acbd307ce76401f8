"""How streams, plans and verdicts show themselves in a notebook, which asks them for all forms."""

from __future__ import annotations

from onefold.check.judge import Verdict
from onefold.core.explain import mermaid, text
from onefold.core.plan import Plan
from onefold.pages.drawing import svg
from onefold.pages.layout import NoPagesExtra
from onefold.pages.lettering import escaped

MOST = 200
"""How many nodes are drawn in a notebook, which would send and keep them all."""
SAME, DIFFERENT = "#2e8b57", "#c23a4b"


def of_plan(plan: Plan) -> dict[str, str]:
    """Return a plan in the forms that a notebook can show, by MIME type.

    Without the extra `pages` a notebook that knows Mermaid draws it; the text is always there.
    """
    if len(plan.nodes) > MOST:
        return {
            "text/plain": f"a plan of {len(plan.nodes):,} nodes, too many to draw here: "
            "see onefold explain"
        }
    try:
        drawn = {"image/svg+xml": svg(plan)}
    except NoPagesExtra:
        drawn = {"text/vnd.mermaid": mermaid(plan)}
    return {**drawn, "text/plain": text(plan)}


def of_verdict(verdict: Verdict) -> dict[str, str]:
    """Return a verdict in the forms that a notebook can show, by MIME type."""
    headline, *rest = str(verdict).split("\n")
    colour = SAME if verdict.same else DIFFERENT
    style = f"border-left: 4px solid {colour}; padding-left: 8px; font-weight: bold"
    lines = [f'<p style="{style}">{escaped(headline)}</p>']
    if any(rest):
        told = "\n".join(map(escaped, rest)).strip("\n")
        lines.append(f'<pre style="overflow: auto">{told}</pre>')
    drawn = of_plan(verdict.plan).get("image/svg+xml")
    if drawn:
        lines.append(f"<details><summary>the pipeline</summary>{drawn}</details>")
    return {"text/html": f"<div>{''.join(lines)}</div>", "text/plain": str(verdict)}
