"""Records: read-only rows with attribute access. A `Tuple` is one with its time in front."""

from __future__ import annotations

import copyreg
from collections import namedtuple
from functools import cache
from typing import Any, TypeVar

from onefold.core.near import no_attribute


class RecordType(type):
    """The class of record classes, which are made at run time and pickled by what they hold."""


class Record(tuple[Any, ...], metaclass=RecordType):
    """The value of a struct: `r.name`, `r["name"]`, `r[0]`; equal by value; never changed."""

    __slots__ = ()
    _record_names: tuple[str, ...] = ()
    _record_maker: Any = None
    """What `record_class` made the class of; none for the classes here."""

    def __getitem__(self, which: Any) -> Any:
        if type(which) is str:
            try:
                return tuple.__getitem__(self, self._record_names.index(which))
            except ValueError:
                raise KeyError(which) from None
        return tuple.__getitem__(self, which)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(no_attribute(name, self._record_names))

    def __repr__(self) -> str:
        pairs = (f"{name}={value!r}" for name, value in zip(self._record_names, self))
        return "(" + ", ".join(pairs) + ")"


class Tuple(Record):
    """A tuple of a stream: its event time first, as in the paper (t[0] = τ), then its values."""

    __slots__ = ()
    time: int


class Key(Record):
    """The key of a window when it is a list of attributes: `window.key.word`."""

    __slots__ = ()


R = TypeVar("R", bound=Record)


@cache
def record_class(kind: type[R], names: tuple[str, ...], maker: Any = None) -> type[R]:
    """Return the class of the records with these attributes, made for the type `maker`."""
    content = {
        "__slots__": (),
        "_record_names": names,
        "_record_maker": (kind, names, maker),
        **_getters(names),
    }
    made: type[R] = type(kind.__name__, (kind,), {**content, "__module__": "onefold"})
    return made


def _pickled(kind: type[Record]) -> Any:
    return (record_class, kind._record_maker) if kind._record_maker else kind.__qualname__


# A class goes into a pickle once, and its records as plain tuples: no call for each of them.
copyreg.pickle(RecordType, _pickled)  # type: ignore[arg-type]  # of classes, not of instances


def maker_of(record: Record) -> Any:
    """Return the type that a record is one of."""
    return record._record_maker[2]


def values(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return what a tuple holds beside its time."""
    return tuple.__getitem__(row, slice(1, None))


def as_dict(row: Record) -> dict[str, Any]:
    """Return a record as a dictionary; a tuple's time comes first."""
    return dict(zip(row._record_names, row))


def _getters(names: tuple[str, ...]) -> dict[str, Any]:
    # Any namedtuple's getters run in C, and fit every other tuple class as well.
    fields = [f"at{n}" for n in range(len(names))]
    positions = namedtuple("Positions", fields)  # type: ignore[misc]  # made for any width
    return {name: getattr(positions, f"at{n}") for n, name in enumerate(names)}
