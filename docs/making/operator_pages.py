"""Writes docs/operators: a page for each operator, made of its docstrings, a run and a transcript.

python docs/making/operator_pages.py
"""

from __future__ import annotations

import ast
import doctest
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import onefold as of
from onefold import operators
from onefold.core.explain import text
from onefold.core.plan import Late, Plan
from onefold.operators import (
    aggregate,
    aggregate_plus,
    embed,
    filter,
    flat_map,
    join,
    loop,
    map,
    stateful,
    unfold,
    union,
    vectorized,
)
from onefold.operators.rewrites import rewrite

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "operators"
TRANSCRIPTS = ROOT / "tests" / "transcripts"
SHOWN_CASES = 2
PARSER = doctest.DocTestParser()


@dataclass(frozen=True)
class Operator:
    """Where the text of a page stands."""

    name: str
    api: Any
    """What a user calls: its docstring has the meaning and the example."""
    home: ModuleType | type
    """Its docstring has the cost, and the composition where there is no `composed`."""
    composed: Callable[..., Any] | None = None
    """Its docstring begins with the composition as an equation."""
    transcripts: tuple[str, ...] = field(default=())
    """The transcripts that go through it, where none has its name."""


OPERATORS = (
    Operator("filter", of.Stream.filter, filter, filter.Filter.compose),
    Operator("map", of.Stream.map, map, map.Map.compose),
    Operator("flat_map", of.Stream.flat_map, flat_map, flat_map.FlatMap.compose),
    Operator("aggregate", of.Stream.aggregate, aggregate),
    Operator(
        "aggregate_plus",
        of.Stream.aggregate_plus,
        aggregate_plus,
        aggregate_plus.AggregationPlus.compose,
    ),
    Operator("join", of.Stream.join, join, join.Join.compose),
    Operator("vectorized", of.vectorized, vectorized, transcripts=("join",)),
    Operator("stateful", of.Stream.stateful, stateful, stateful.Stateful.compose),
    Operator("union", of.Stream.union, union),
    Operator("late", of.Stream.late.fget, Late),
    Operator("loop", of.Stream.loop, loop),
    Operator("embed", embed.embed, embed, transcripts=("aggregate_plus", "flat_map")),
    Operator("unfold", unfold.unfold, unfold, transcripts=("flat_map", "aggregate_plus")),
)


def main() -> None:
    """Write all pages."""
    PAGES.mkdir(exist_ok=True)
    for name, page in pages().items():
        (PAGES / name).write_text(page, encoding="utf-8")


def pages() -> dict[str, str]:
    """Return every page by the name of its file."""
    return {"index.md": _index(), **{f"{each.name}.md": _page(each) for each in OPERATORS}}


def _index() -> str:
    rows = [f"| [{each.name}]({each.name}.md) | {_meaning(each)[0]} |" for each in OPERATORS]
    names = "\n".join(each.name for each in OPERATORS)
    return f"""# Operators

Each page has an operator's meaning, what it is made of, an example, cases of its transcript and its
cost. `docs/making/operator_pages.py` makes them from the docstrings; the examples run in the tests.

| operator | |
|---|---|
{chr(10).join(rows)}

Everything comes down to `aggregate`:

```text
{textwrap.dedent((operators.__doc__ or "").rpartition(chr(10) * 2)[2]).rstrip()}
```

```{{toctree}}
:hidden:

{names}
```
"""


def _page(operator: Operator) -> str:
    first, more = _meaning(operator)
    examples = _examples(operator.api)
    stream = _stream_of(examples)
    return (
        "\n\n".join(
            part
            for part in (
                f"# {operator.name}",
                first,
                f"```python\n{_signature(operator)}\n```",
                more,
                "## Composition",
                _composition(operator),
                "The example below in `aggregate`, as `onefold explain` shows it:",
                f"```text\n{text(of.lower(stream, 'aggregate')).rstrip()}\n```",
                "## Example",
                f"```python\n>>> import onefold as of\n{_example_text(operator.api)}\n\n```",
                "## Transcript",
                *_transcripts(operator),
                "## Cost",
                _paragraph(operator.home, "Cost"),
                "The example in numbers. Shuffles are on Spark, where rewrites are on by default:",
                _table(stream),
            )
            if part
        )
        + "\n"
    )


def _meaning(operator: Operator) -> tuple[str, str]:
    """Return the first line of a docstring, and the prose behind it."""
    prose = inspect.cleandoc(operator.api.__doc__).partition("\n>>> ")[0]
    first, _, more = prose.partition("\n\n")
    return " ".join(first.split()), more.strip()


def _signature(operator: Operator) -> str:
    """Return how the operator is called, without annotations."""
    if operator.name == "late":
        return "stream.late, join.late_left, join.late_right"
    given = inspect.signature(operator.api)
    bare = [each.replace(annotation=inspect.Parameter.empty) for each in given.parameters.values()]
    users = bare and bare[0].name == "self"
    shown = given.replace(
        parameters=bare[1:] if users else bare, return_annotation=inspect.Signature.empty
    )
    of_package = operator.name in of.__all__
    return f"{'stream.' if users else 'of.' if of_package else ''}{operator.name}{shown}"


def _composition(operator: Operator) -> str:
    if operator.composed is None:
        told = _paragraph(operator.home, "Composition")
        return f"```text\n{told}\n```" if " = " in told else told
    equation, _, why = inspect.cleandoc(operator.composed.__doc__ or "").partition("\n\n")
    return f"```text\n{equation}\n```" + (f"\n\n{why}" if why else "")


def _paragraph(home: Any, title: str) -> str:
    """Return the paragraph of a docstring that begins with a title."""
    paragraphs = inspect.cleandoc(home.__doc__ or "").split("\n\n")
    (found,) = (each for each in paragraphs if each.startswith(f"{title}:"))
    told = found.removeprefix(f"{title}: ")
    return told if " = " in told else told[0].upper() + told[1:]


def _examples(api: Any) -> list[doctest.Example]:
    return PARSER.get_examples(inspect.cleandoc(api.__doc__))


def _example_text(api: Any) -> str:
    """Return the lines of the example, as they stand."""
    doc = inspect.cleandoc(api.__doc__)
    lines = doc[doc.index(">>> ") :].splitlines()
    return "\n".join(line for line in lines if line != ">>> import onefold as of").rstrip()


def _stream_of(examples: list[doctest.Example]) -> of.Stream:
    """Return the stream that an example runs: the first argument of its `of.run` or `of.lower`."""
    names: dict[str, Any] = {"of": of}
    code = "".join(each.source for each in examples)
    exec(compile(f"import onefold as of\n{code}", "example.py", "exec"), names)
    (call, *_) = (
        node
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"of.run", "of.lower"}
    )
    written = ast.Expression(ast.increment_lineno(call.args[0]))  # behind the import
    found: of.Stream = eval(compile(written, "example.py", "eval"), names)
    return found


def _transcripts(operator: Operator) -> Iterator[str]:
    own = TRANSCRIPTS / f"{operator.name}.yaml"
    files = [TRANSCRIPTS / f"{name}.yaml" for name in operator.transcripts] or [own]
    if operator.transcripts:
        yield f"It has none of its own; that of `{operator.transcripts[0]}` holds for it:"
    header, *cases = re.split(r"^(?=- name: )", files[0].read_text("utf-8"), flags=re.MULTILINE)
    shown = "".join([header, *cases[:SHOWN_CASES]]).rstrip()
    yield f"```yaml\n{shown}\n```"
    longer = [each.name for each in OPERATORS if each.name.startswith(f"{operator.name}_")]
    others = [
        each
        for each in sorted(TRANSCRIPTS.glob(f"{operator.name}_*.yaml"))
        if not any(each.stem.startswith(name) for name in longer)
    ]
    more = [each.partition("\n")[0].removeprefix("- name: ") for each in cases[SHOWN_CASES:]]
    yield "\n".join(
        [
            f"The whole transcript, with {len(cases)} cases, is {_link(files[0])}"
            + (":" if more else "."),
            "",
            *(f"- {each}" for each in more),
        ]
    ).rstrip()
    if further := [*files[1:], *others]:
        yield f"More: {', '.join(_link(each) for each in further)}."


def _link(file: Path) -> str:
    return f"[{file.name}](../../tests/transcripts/{file.name})"


def _table(stream: of.Stream) -> str:
    rows = []
    for each in of.Implementation:
        plan = of.lower(stream, each)
        shorter, _ = rewrite(plan)
        counts = _aggregates(plan), _loops(plan), _shuffles(plan), _shuffles(shorter)
        rows.append(f"| {each.value} | {' | '.join(str(count) for count in counts)} |")
    return "\n".join(
        [
            "| implementation | Aggregates | loops | shuffles as it stands | rewritten |",
            "|---|---|---|---|---|",
            *rows,
        ]
    )


def _aggregates(plan: Plan) -> int:
    return sum(isinstance(node, aggregate.Aggregation) for node in plan.nodes)


def _loops(plan: Plan) -> int:
    return sum(node.loops for node in plan.nodes)


def _shuffles(plan: Plan) -> int:
    from onefold.engines.spark.explain import text as on_spark

    return len(re.findall(r"^shuffle \d", on_spark(plan, ()), re.MULTILINE))


if __name__ == "__main__":
    main()
