"""Columns and rows: a layered layout of a graph, whatever the sizes of what stands there.

The layout is made by fast-sugiyama (docs/decisions/0012-drawings.md). It knows no sizes: `placing`
stretches its columns and rows until everything has room.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from itertools import combinations
from typing import Any

from onefold.core.errors import OnefoldError

Edge = tuple[int, int]
Point = tuple[float, int]
"""A column and a row. Things in one row are at least one column apart."""


class NoPagesExtra(OnefoldError):
    """Drawing needs a package that is not installed."""


@dataclass(frozen=True)
class Grid:
    """Where each thing stands, and through which points each edge goes in the rows between."""

    places: tuple[Point, ...]
    routes: Mapping[Edge, tuple[Point, ...]]


def grid(count: int, edges: Sequence[Edge]) -> Grid:
    """Lay out `count` things, all of them connected by edges that go round in no circle.

    >>> diamond = grid(4, [(0, 1), (1, 2), (2, 3), (0, 3)])
    >>> [row for _, row in diamond.places]
    [0, 1, 2, 3]
    >>> [row for _, row in diamond.routes[0, 3]]
    [1, 2]
    """
    _check_no_circle(edges)
    ((positions, _, height, pieces),) = _library()(
        sorted(set(edges)), vertex_spacing=1, dummy_vertices=True, ranking_type="minimize"
    )
    points = {thing: (x, round(height - y)) for thing, (x, y) in positions}
    behind: dict[int, list[int]] = {}
    for source, target in pieces:
        behind.setdefault(source, []).append(target)
    routes = {}
    for source in range(count):
        for first in behind.get(source, ()):
            way = [first]
            while way[-1] >= count:  # a point between, which leads to one other
                way += behind[way[-1]]
            routes[source, way[-1]] = tuple(points[each] for each in way[:-1])
    return _first_left(Grid(tuple(points[each] for each in range(count)), routes))


def _check_no_circle(edges: Sequence[Edge]) -> None:
    """Raise `CycleError`: the library would end the process."""
    sorter: TopologicalSorter[int] = TopologicalSorter()
    for source, target in edges:
        sorter.add(target, source)
    sorter.prepare()


def _first_left(given: Grid) -> Grid:
    """Return the layout, or its mirror image if more things stand left of an earlier one there."""
    rows: dict[int, list[float]] = {}
    for column, row in given.places:
        rows.setdefault(row, []).append(column)
    pairs = [pair for columns in rows.values() for pair in combinations(columns, 2)]
    if sum(one > other for one, other in pairs) * 2 <= len(pairs):
        return given
    return Grid(
        tuple((-column, row) for column, row in given.places),
        {edge: tuple((-c, row) for c, row in route) for edge, route in given.routes.items()},
    )


def _library() -> Any:
    try:
        from fast_sugiyama import from_edges
    except ModuleNotFoundError:
        raise NoPagesExtra(
            "a drawing needs the extra `pages`", hint="pip install 'onefold[pages]'"
        ) from None
    return from_edges
