"""A name that nobody knows, and the one that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from onefold.core.errors import OnefoldError
from onefold.core.values import listed


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most like another one, if one is; case counts last.

    >>> nearest("agregate", ["join", "aggregate"]), nearest("a+", ["A", "A+"]), nearest("x", ["y"])
    ('aggregate', 'A+', None)
    """
    from difflib import get_close_matches  # only a mistake needs it

    names = list(known)
    folded = {each.casefold(): each for each in names}
    close = get_close_matches(name, names, n=1)
    close = close or [folded[each] for each in get_close_matches(name.casefold(), folded, n=1)]
    return close[0] if close else None


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return a question for the nearest name, or what to say if none is near.

    >>> did_you_mean("jion", ["join", "union"])
    "did you mean 'join'?"
    """
    found = nearest(name, known)
    return otherwise if found is None else f"did you mean {found!r}?"


def no_attribute(name: str, known: Sequence[str]) -> str:
    """Say that a tuple has no such attribute, which ones it has, and which may have been meant.

    >>> no_attribute("wrod", ["time", "word"])
    "no attribute 'wrod' (did you mean 'word'?): there are time, word"
    """
    # Libraries try names with underscores on anything: nobody reads the answer.
    near = "" if name.startswith("_") else did_you_mean(name, known)
    return f"no attribute {name!r}{f' ({near})' if near else ''}: there are {', '.join(known)}"


def check_columns(
    kind: type[OnefoldError],
    where: str,
    needed: Sequence[str],
    held: Sequence[str],
    otherwise: str = "",
) -> None:
    """Raise an error if a file lacks columns; say what it has, and which may have been meant."""
    if missing := [name for name in needed if name not in held]:
        spare = [name for name in held if name not in needed]
        raise kind(
            f"{where}: there is no column {listed(missing)}",
            detail=f"its columns are {listed(list(held))}",
            hint=did_you_mean(missing[0], spare, otherwise),
        )
