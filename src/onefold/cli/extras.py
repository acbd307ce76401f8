"""The packages of an extra: what is missing is said before anything else is done."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec

from onefold.core.errors import OnefoldError


class NoBenchExtra(OnefoldError):
    """A command needs packages that are not installed."""


def need_bench(what: str, packages: Iterable[str]) -> None:
    """Raise an error if one of some packages of the extra `bench` is not installed."""
    for package in packages:
        if find_spec(package) is None:
            raise NoBenchExtra(
                f"{what} needs {package}, which is not installed",
                hint="pip install 'onefold[bench]'",
            )
