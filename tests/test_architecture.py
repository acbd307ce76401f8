"""The architecture as a test: imports go down only, files stay small, the core stays alone."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SRC = Path(__file__).resolve().parents[1] / "src"
FILES = sorted((SRC / "onefold").rglob("*.py"))
LONGEST_FILE = 300

# From top to bottom. A module may import its own layer and those below.
LAYERS = (
    {"onefold.cli", "onefold.__main__"},
    {"onefold.bench", "onefold.pages"},
    {"onefold.check"},
    {
        "onefold",
        "onefold.testing",
        "onefold.local",
        "onefold.pipelines",
        "onefold.spark",
        "onefold.stream",
        "onefold.files",
    },
    {"onefold.engines"},
    {"onefold.operators"},
    {"onefold.core"},
)
# The front door and the test doubles show what all layers offer, the command line apart.
MAY_IMPORT_ALL_BUT_CLI = {"onefold", "onefold.testing"}
# A notebook asks a thing how it looks, and the thing asks the page that draws it: when it is asked,
# not when it is imported. So the import stands in a method, and all else works without the page.
SHOWS_ITSELF = "onefold.pages.notebook"
MAY_SHOW_ITSELF = {"onefold.core.plan", "onefold.check.judge"}
# Where a third-party package may be imported. One that is not listed may be imported nowhere.
THIRD_PARTY = {
    "click": {"onefold.cli", "onefold.bench"},
    "fast_sugiyama": {"onefold.pages"},
    "hypothesis": {"onefold.testing"},
    "matplotlib": {"onefold.bench"},
    "numpy": {"onefold.bench", "onefold.operators.vectorized"},
    "pandas": {"onefold.bench"},
    "pyarrow": {"onefold.files", "onefold.engines.spark", "onefold.bench"},
    "pyflink": {"onefold.bench"},
    "pyspark": {"onefold.engines.spark", "onefold.spark", "onefold.bench"},
    "rich": {"onefold.cli", "onefold.bench"},
    "yaml": {"onefold.check", "onefold.cli"},
}


def inside(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def layer(module: str) -> str | None:
    """The layer's name that holds a module; the root package holds only itself."""
    named = (name for group in LAYERS for name in group)
    return next((n for n in named if module == n or (n != "onefold" and inside(module, n))), None)


def depth(name: str) -> int:
    return next(i for i, group in enumerate(LAYERS) if name in group)


def imports(file: Path, source: str) -> Iterator[tuple[int, str, bool]]:
    """Each import of a file as (line, absolute module, in a function?), relative ones resolved."""
    package = ["onefold", *file.parent.parts]
    tree = ast.parse(source)
    functions = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]
    inside_one = {each for function in functions for each in ast.walk(function)}
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name, node in inside_one) for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                above = package[: len(package) - level + 1] if level else []
                base = ".".join([*above, *([module] if module else [])])
                for alias in names:
                    whole = f"{base}.{alias.name}"
                    # `from onefold import core` imports a layer, `... import Stream` a name.
                    found = whole if base == "onefold" and layer(whole) else base
                    yield node.lineno, found, node in inside_one


def objection(module: str, target: str, *, lazy: bool) -> str | None:
    """Why a module may not import a target, or None."""
    here, there, top = layer(module), layer(target), target.partition(".")[0]
    if top == "onefold":
        if there is None:
            return "is in no layer"
        if target == SHOWS_ITSELF and module in MAY_SHOW_ITSELF:
            return None if lazy else "is to be imported in a method"
        if here in MAY_IMPORT_ALL_BUT_CLI:
            return "is the command line" if depth(there) == 0 else None
        return f"is above {here}" if depth(there) < depth(here) else None
    homes = THIRD_PARTY.get(top, set())
    if top in sys.stdlib_module_names or any(inside(module, home) for home in homes):
        return None
    return f"may be imported only in: {', '.join(sorted(homes)) or 'no module'}"


def forbidden(file: Path, source: str) -> list[str]:
    """What is wrong with a file's imports, a line each; `file` is relative to onefold/."""
    module = ".".join(("onefold", *file.with_suffix("").parts)).removesuffix(".__init__")
    if layer(module) is None:
        return [f"{file}:1: {module} belongs to no layer; name it in LAYERS"]
    return [
        f"{file}:{line}: imports {target}, which {reason}"
        for line, target, lazy in imports(file, source)
        if (reason := objection(module, target, lazy=lazy))
    ]


def test_imports_go_down_only() -> None:
    assert FILES, f"no file to check under {SRC}"
    root = SRC / "onefold"
    wrong = [
        message
        for file in FILES
        for message in forbidden(file.relative_to(root), file.read_text(encoding="utf-8"))
    ]
    assert not wrong, "\n" + "\n".join(wrong)


@pytest.mark.parametrize(
    ("file", "source", "message"),
    [
        ("core/time.py", "import onefold.operators", "onefold.operators, which is above"),
        ("core/time.py", "from onefold import engines", "onefold.engines, which is above"),
        ("core/time.py", "from onefold import Stream", "onefold, which is above onefold.core"),
        ("core/time.py", "from ..engines import spark", "onefold.engines, which is above"),
        ("core/__init__.py", "from .. import check", "onefold.check, which is above"),
        ("core/time.py", "def f():\n    import yaml", "core/time.py:2: imports yaml, which may"),
        ("operators/join.py", "from onefold.engines.reference import run", "which is above"),
        (
            "engines/reference.py",
            "import pyspark.sql",
            "only in: onefold.bench, onefold.engines.spark",
        ),
        ("engines/spark/run.py", "import click", "only in: onefold.bench, onefold.cli"),
        ("check/judge.py", "import requests", "only in: no module"),
        ("check/judge.py", "from onefold.bench import load", "which is above onefold.check"),
        ("__init__.py", "from .cli import main", "onefold.cli, which is the command line"),
        ("testing.py", "import onefold.cli", "onefold.cli, which is the command line"),
        (
            "core/plan.py",
            "from onefold.pages.notebook import of_plan",
            "onefold.pages.notebook, which is to be imported in a method",
        ),
        (
            "core/time.py",
            "def f():\n    from onefold.pages.notebook import of_plan",
            "onefold.pages.notebook, which is above onefold.core",
        ),
        (
            "core/plan.py",
            "def f():\n    from onefold.pages.drawing import svg",
            "onefold.pages.drawing, which is above onefold.core",
        ),
        ("utils.py", "", "onefold.utils belongs to no layer"),
        ("check/judge.py", "import onefold.utils", "onefold.utils, which is in no layer"),
    ],
)
def test_a_forbidden_import_is_named(file: str, source: str, message: str) -> None:
    (found,) = forbidden(Path(file), source)
    assert message in found


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("core/plan.py", "import heapq\nfrom . import time\nfrom .time import TICK"),
        ("operators/join.py", "from ..core.time import TICK\nfrom onefold import core"),
        ("engines/spark/run.py", "import pyspark.sql.functions, pyarrow\nimport onefold.operators"),
        ("files.py", "import pyarrow.parquet\nfrom .stream import Stream"),
        ("check/replay.py", "import yaml\nfrom onefold import Stream, engines"),
        ("cli/run.py", "import click, rich.table, yaml\nfrom .. import bench, check"),
        ("core/plan.py", "def f():\n    from onefold.pages.notebook import of_plan"),
        ("__init__.py", "from .stream import Stream\nfrom .check import judge"),
        ("testing.py", "from onefold.check import compare"),
    ],
)
def test_an_import_that_goes_down_is_allowed(file: str, source: str) -> None:
    assert forbidden(Path(file), source) == []


def test_no_file_is_too_long() -> None:
    assert FILES, f"no file to check under {SRC}"
    lengths = {f.relative_to(SRC): len(f.read_text(encoding="utf-8").splitlines()) for f in FILES}
    long = [f"{file}: {lines} lines" for file, lines in lengths.items() if lines > LONGEST_FILE]
    assert not long, f"more than {LONGEST_FILE} lines:\n" + "\n".join(long)


def test_importing_onefold_imports_no_third_party_module() -> None:
    program = (
        "import sys; before = set(sys.modules); import onefold; "
        "new = {name.partition('.')[0] for name in set(sys.modules) - before}; "
        "print(*sorted(new - sys.stdlib_module_names - {'onefold'}))"
    )
    result = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(SRC)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == []
