"""YAML whose every value knows its line.

Plain scalars are read as YAML 1.2 reads them: `no` is text and `1:30` is no number. Dates are text
too, until a type says that they are moments. A key that stands twice in a mapping is a mistake.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from onefold.core.errors import OnefoldError


class BadTranscript(OnefoldError):
    """A transcript that can't be replayed; the text names file and line of each mistake."""


@dataclass(frozen=True)
class Located:
    """A value and its line: a scalar, a list of located values, or a mapping of names to them."""

    value: Any
    line: int
    names: Mapping[str, int] = field(default_factory=dict)
    """The line of each name in a mapping."""

    @cached_property
    def size(self) -> int:
        """How many values it is made of; one that stands in several places counts in each."""
        inner: list[Located] = []
        match self.value:
            case dict():
                inner = list(self.value.values())
            case list():
                inner = self.value
        return 1 + sum(each.size for each in inner)

    def plain(self) -> Any:
        """Return the value without its lines."""
        match self.value:
            case dict():
                return {name: each.plain() for name, each in self.value.items()}
            case list():
                return [each.plain() for each in self.value]
        return self.value


def read_located(path: Path) -> Located:
    """Return what a YAML file holds."""
    try:
        content = path.read_text(encoding="utf-8")
    except OSError as problem:
        raise BadTranscript(f"{path}: {problem.strerror}") from None
    except UnicodeDecodeError as problem:
        line = problem.object[: problem.start].count(b"\n") + 1
        raise BadTranscript(f"{path}:{line}: not UTF-8: {problem.reason}") from None
    try:
        loader = _Loader(content)
        node = loader.get_single_node()
        return Located(None, 1) if node is None else loader.located(node)
    except yaml.reader.ReaderError as problem:
        line = content[: problem.position].count("\n") + 1
        raise BadTranscript(f"{path}:{line}: not YAML: {problem.reason}") from None
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        where = f"{path}:{mark.line + 1}" if mark else f"{path}"
        raise BadTranscript(f"{where}: not YAML: {problem.problem}") from None
    except RecursionError:
        raise BadTranscript(f"{path}: not YAML: nested too deep") from None


MOST_REPEATED = 100_000
"""How many values aliases may stand for: a few lines of aliases of aliases can name billions."""
_TAG = "tag:yaml.org,2002:"
_LISTS = {_TAG + "seq", _TAG + "python/tuple"}
_SCALARS = {
    "null": r"~|null|Null|NULL|",
    "bool": r"true|True|TRUE|false|False|FALSE",
    "int": r"[-+]?(?:0|[1-9][0-9_]*)|0o[0-7]+|0x[0-9a-fA-F]+",
    "float": r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[-+]?[0-9]+[eE][-+]?[0-9]+"
    r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
    "merge": r"<<",
}


class _Loader(yaml.SafeLoader):
    """PyYAML with the plain scalars of YAML 1.2, and lines."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012  PyYAML's own way

    def __init__(self, content: str) -> None:
        super().__init__(content)
        self.known: dict[yaml.Node, Located | None] = {}
        self.repeated = 0
        """How many values stand in more places than the one where they are written."""

    def located(self, node: yaml.Node) -> Located:
        """Return a node's value; one that stands in several places is read once."""
        if node in self.known:
            known = self.known[node]
            if known is None:
                raise _mistake(node, "a value holds itself")
            self.repeated += known.size
            if self.repeated > MOST_REPEATED:
                raise _mistake(node, f"repeated values are more than {MOST_REPEATED:,} in all")
            return known
        self.known[node] = None
        self.known[node] = made = self._located(node)
        return made

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Merge what `<<` names; each name once, so that merges of merges do not pile up."""
        super().flatten_mapping(node)
        node.value = list({_name(key): (key, value) for key, value in node.value}.values())

    def _located(self, node: yaml.Node) -> Located:
        line = _line(node)
        match node:
            case yaml.MappingNode(tag=tag) if tag == _TAG + "map":
                _check_names(node)
                self.flatten_mapping(node)
                names = {_name(key): _line(key) for key, _ in node.value}
                content = {_name(key): self.located(value) for key, value in node.value}
                return Located(content, line, names)
            case yaml.SequenceNode(tag=tag) if tag in _LISTS:
                return Located([self.located(each) for each in node.value], line)
            case yaml.ScalarNode():
                try:
                    return Located(self.construct_object(node), line)
                except (AttributeError, LookupError, ValueError):  # PyYAML's, for a wrong tag
                    written = f"{node.value[:80]!r}"
                    raise _mistake(node, f"{written} does not fit {node.tag}") from None
        raise _mistake(node, f"{node.tag} is not known here")


for _kind, _pattern in _SCALARS.items():
    _Loader.add_implicit_resolver(_TAG + _kind, re.compile(rf"(?:{_pattern})\Z"), None)


def _check_names(node: yaml.MappingNode) -> None:
    names = set()
    for key, _ in node.value:
        name = _name(key)
        if name in names:
            raise _mistake(key, f"{name!r} stands here twice")
        names.add(name)


def _name(key: yaml.Node) -> str:
    if isinstance(key, yaml.ScalarNode):
        return str(key.value)
    raise _mistake(key, "a name is a word, not a list or a mapping")


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _mistake(node: yaml.Node, problem: str) -> yaml.MarkedYAMLError:
    return yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
