"""The last step of the tutorial, typed in: the same pipeline and the same transcript on Spark."""

from __future__ import annotations

from pathlib import Path

from typed_in import ROOT, follow


def test_the_tutorial_ends_on_spark(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    done = follow(page, tmp_path, spark=True)
    assert len(done) == 2
    for command, shown, code in done:
        assert shown == command.shown, command.line
        assert code == 0, command.line
