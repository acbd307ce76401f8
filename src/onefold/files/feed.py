"""Several files into one engine: which to read next, and what their watermarks are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter

from onefold.core.time import START_OF_TIME
from onefold.engines.reference import Engine
from onefold.files.rows import CHUNK, BadRow, Reader

_TIME = attrgetter("time")


def feed(
    engine: Engine,
    readers: Mapping[str, Reader],
    *,
    delay: int = 0,
    every: int = CHUNK,
    on_read: Callable[[str, int], None],
    on_bad: Callable[[str, BadRow], None],
) -> None:
    """Read every file to its end, always on where the watermark is lowest, so that state is small.

    After each `every` rows of a source its watermark is the latest time seen there, less the delay.
    """
    latest = dict.fromkeys(readers, START_OF_TIME)
    unread = {name: reader.pieces(every) for name, reader in readers.items()}
    while unread:
        name = min(unread, key=lambda each: latest[each])
        for tuples, bad in unread[name]:
            if tuples:
                latest[name] = max(latest[name], *map(_TIME, tuples))
                engine.process(name, tuples)
            if bad:
                on_bad(name, bad)
            whole = readers[name].rows % every == 0
            if whole:
                engine.watermark(name, latest[name] - delay)
            on_read(name, len(tuples) + (bad is not None))
            if whole:
                break
        else:
            engine.end(name)
            del unread[name]
