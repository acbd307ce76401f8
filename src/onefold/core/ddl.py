"""Reads tuple types as Spark's DDL writes them: `"orig string, dist array<double>"`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from onefold.core.errors import BadType, ReservedName
from onefold.core.functions import Step
from onefold.core.near import did_you_mean
from onefold.core.types import (
    Array,
    Binary,
    Boolean,
    DataType,
    Floating,
    Integer,
    String,
    Struct,
    Timestamp,
    TupleType,
)

_NAMED: dict[str, DataType] = {
    "string": String(),
    "boolean": Boolean(),
    "int": Integer(32),
    "integer": Integer(32),
    "bigint": Integer(64),
    "long": Integer(64),
    "float": Floating(32),
    "double": Floating(64),
    "timestamp": Timestamp(),
    "binary": Binary(),
}
_TOKEN = re.compile(r"\s*(?:(?P<word>\w+|`[^`.]+`)|(?P<sign>[<>,:]))")


def tuple_type(text: str | TupleType, step: Step | None = None) -> TupleType:
    """Return the type that `text` writes, for the operator `step`.

    >>> str(tuple_type("id INT, dist array<double>, at struct<x: double, y double>"))
    'id int, dist array<double>, at struct<x: double, y: double>'
    """
    if isinstance(text, TupleType):
        return text
    if not isinstance(text, str):
        raise BadType(
            f"{_of(step)}a tuple type is written as text, not as {type(text).__name__}",
            detail=f"got {text!r}",
            hint='write "word string, n int"',
        )
    return _Reader(text, step).tuple_type()


def _of(step: Step | None) -> str:
    return f"{step}: " if step else ""


@dataclass
class _Reader:
    text: str
    step: Step | None
    position: int = 0

    def tuple_type(self) -> TupleType:
        if not self.text.strip():
            return TupleType(())
        attributes = self._attributes()
        if self.text[self.position :].strip():
            raise self._problem("a comma or the end was expected")
        if any(name == "time" for name, _ in attributes):
            raise self._reserved("time", "every tuple has its event time as `t.time`")
        return TupleType(attributes)

    def _attributes(self) -> tuple[tuple[str, DataType], ...]:
        attributes = [self._attribute()]
        while self._take(","):
            attributes.append(self._attribute())
        names = [name for name, _ in attributes]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise BadType(
                f"{_of(self.step)}attribute {twice[0]!r} stands twice in a type",
                detail=self.text,
                hint="give each attribute a name of its own",
            )
        return tuple(attributes)

    def _attribute(self) -> tuple[str, DataType]:
        name = self._word("an attribute's name").strip("`")
        if name.startswith(("__", "_record_")):
            raise self._reserved(name, "records use such names themselves")
        self._take(":")
        return name, self._data_type()

    def _data_type(self) -> DataType:
        start = self.position
        word = self._word("a type").lower()
        if word == "array":
            self._expect("<")
            element = self._data_type()
            self._expect(">")
            return Array(element)
        if word == "struct":
            self._expect("<")
            attributes = self._attributes()
            self._expect(">")
            return Struct(attributes)
        if word in _NAMED:
            return _NAMED[word]
        self.position = start
        known = f"types are {', '.join(_NAMED)}, array<…>, struct<…>"
        raise self._problem(
            f"{word!r} is not a type",
            did_you_mean(word, [*_NAMED, "array", "struct"], known),
        )

    def _take(self, sign: str) -> bool:
        found = _TOKEN.match(self.text, self.position)
        if found and found["sign"] == sign:
            self.position = found.end()
            return True
        return False

    def _expect(self, sign: str) -> None:
        if not self._take(sign):
            raise self._problem(f"{sign!r} was expected")

    def _word(self, what: str) -> str:
        found = _TOKEN.match(self.text, self.position)
        if not found or not found["word"]:
            raise self._problem(f"{what} was expected")
        self.position = found.end()
        return found["word"]

    def _problem(self, what: str, hint: str = 'write "word string, n int"') -> BadType:
        rest = self.text[self.position :].strip()
        where = repr(rest) if rest else "its end"
        return BadType(
            f"{_of(self.step)}can't read a tuple type: {what} at {where}",
            detail=self.text,
            hint=hint,
        )

    def _reserved(self, name: str, why: str) -> ReservedName:
        return ReservedName(
            f"{_of(self.step)}no attribute may be called `{name}`",
            detail=self.text,
            hint=f"{why}; give the attribute another name",
        )
