"""Names of pipelines: what is found, what is not, and what is broken."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from onefold.cli import main
from onefold.pipelines import PipelineBroken, PipelineNotFound, load_pipeline

PIPELINE = """
import sys
import onefold as of

words = of.source("words", "word string")


def of_two(a, b):
    return words


def of_one_or_none(a=None, *rest, **named):
    return words


def leave():
    sys.exit(0)


class Shy(Exception):
    def __str__(self):
        raise ValueError("no")


def shy():
    raise Shy
"""

Write = Callable[[str, str], str]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes a file in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])

    def written(name: str, content: str) -> str:
        Path(name).write_text(content, encoding="utf-8")
        return name

    written("p.py", PIPELINE)
    return written


def broken(name: str) -> str:
    with pytest.raises(PipelineBroken) as problem:
        load_pipeline(name)
    return str(problem.value)


@pytest.mark.parametrize("name", ["p.py:words", "p.py:of_one_or_none"])
def test_a_stream_or_a_function_without_arguments(write: Write, name: str) -> None:
    assert load_pipeline(name).node.type.names == ("word",)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("x" * 300 + ".py:x", "File name too long"),
        ("a\0b.py:x", "there is no file 'a\\x00b.py'\n  Detail: embedded null byte"),
        ("\ud800.py:x", "there is no file "),
        ("loop.py:x", "there is no file "),
        (".p:x", "'.p' names no module\n  Hint: write file.py:name or package.module:name"),
        ("..:x", "'..' names no module"),
        ("a\0b:x", "'a\\x00b' names no module"),
        (
            "p.py:of_two",
            "p.py:of_two takes arguments\n  Hint: name a stream, or a function without arguments",
        ),
        ("p.py:zzz", "p.py:zzz: there is no 'zzz'\n  Hint: its streams are words"),
        ("none.py:zzz", "none.py:zzz: there is no 'zzz'\n  Hint: it has no streams"),
    ],
    ids=lambda text: text[:12].encode("ascii", "replace").decode().replace("\0", "0"),
)
def test_a_name_that_leads_nowhere(write: Write, name: str, message: str) -> None:
    write("none.py", "")
    Path("loop.py").symlink_to("loop.py")
    with pytest.raises(PipelineNotFound) as problem:
        load_pipeline(name)
    assert message in str(problem.value)


def test_an_operator_that_is_nearly_right(write: Write) -> None:
    write("typo.py", "import onefold as of\np = of.source('s', 'n int').flatmap(None, 'n int')\n")
    assert broken("typo.py:p").endswith("Hint: did you mean 'flat_map'?")


def test_a_file_or_function_that_exits_is_broken(write: Write) -> None:
    write("gone.py", "import sys\nsys.exit(0)\n")
    write("gone_module.py", "import sys\nsys.exit(0)\n")
    at_import = "SystemExit: 0\n  Detail: gone{}.py, line 2: sys.exit(0)"
    assert broken("gone.py:x") == "gone.py failed: " + at_import.format("")
    assert broken("gone_module:x") == "gone_module failed: " + at_import.format("_module")
    assert broken("p.py:leave").startswith("p.py:leave failed: SystemExit: 0\n  Detail: p.py")


def test_an_exit_has_exit_code_1(
    write: Write, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["onefold", "explain", "p.py:leave"])
    with pytest.raises(SystemExit) as exit_:
        main()
    assert exit_.value.code == 1
    assert capsys.readouterr().err.startswith("error: p.py:leave failed: SystemExit: 0\n")


def test_a_syntax_error_names_its_file(write: Write, tmp_path: Path) -> None:
    write("wrong_syntax.py", "x = 1\nx = = 1\n")
    write("imports.py", "import wrong_syntax\n")
    place = tmp_path / "wrong_syntax.py"
    said = ", line 2: invalid syntax\n  Detail: x = = 1"
    assert broken("wrong_syntax.py:x") == "wrong_syntax.py" + said
    assert broken("imports.py:x") == f"imports.py can't be read: {place}{said}"
    assert broken("wrong_syntax:x") == f"wrong_syntax can't be read: {place}{said}"


def test_a_nul_in_the_source(write: Write) -> None:
    write("nul.py", "x = 1\0\n")
    said = broken("nul.py:x")
    assert said.startswith("nul.py")
    assert "null bytes" in said
    assert "None" not in said


def test_an_error_whose_text_can_not_be_shown(write: Write) -> None:
    assert broken("p.py:shy").startswith("p.py:shy failed: Shy: a Shy that can't be shown\n")
