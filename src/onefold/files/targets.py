"""Writing: a file appears under its name when it is complete, and not before."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, cast, final

from onefold.core.records import Tuple
from onefold.core.types import TupleType
from onefold.files.formats import STANDARD, Writer, is_stream, writer
from onefold.files.rows import BadFile

PART = ".part"
"""What a file's name ends in until it is complete."""


@final
class Target:
    """Bytes on their way to a file: written beside it, and renamed at the end.

    Standard output, a device or a pipe takes them as they come. If the run stops, what was written
    is removed, or with `keep` stays under the name FILE.part.
    """

    def __init__(self, where: str, *, keep: bool = False) -> None:
        self.where, self.keep = where, keep
        self.path = Path(where)
        self.streams = where == STANDARD or is_stream(self.path)
        if not self.streams:
            self.path = self.path.resolve()  # a link stays a link
        self.part = self.path.with_name(self.path.name + PART)
        self.raw = self._opened()
        self.stream: BinaryIO = self.raw
        if where.lower().endswith(".gz"):  # no name and no date inside: equal runs, equal bytes
            self.stream = cast(BinaryIO, gzip.GzipFile("", "wb", fileobj=self.raw, mtime=0))

    def _opened(self) -> BinaryIO:
        if self.where == STANDARD:
            if sys.stdout is None:  # closed before the program began
                raise BadFile("standard output is closed", hint="name a file: --output FILE")
            return sys.stdout.buffer
        return (self.path if self.streams else self.part).open("wb")

    def flush(self) -> None:
        """Let a reader at the other end see what there is."""
        if self.streams:
            self.stream.flush()

    def __enter__(self) -> Target:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        _: TracebackType | None,
    ) -> None:
        if problem is None:
            self._close()
            if not self.streams:
                self.part.replace(self.path)
            return
        with suppress(OSError, ValueError):  # the first problem is the one to tell
            self._close()
        with suppress(OSError):
            if not self.streams and not (self.keep and self.part.stat().st_size):
                self.part.unlink()

    def _close(self) -> None:
        if self.stream is not self.raw:
            self.stream.close()
        if self.where == STANDARD:
            self.raw.flush()
        else:
            self.raw.close()


@dataclass(frozen=True)
class Output:
    """A file of tuples that is being written."""

    writer: Writer
    target: Target

    def write(self, tuples: list[Tuple]) -> None:
        """Add tuples."""
        self.writer.write(tuples)

    def flush(self) -> None:
        """Let a reader at the other end see what there is."""
        self.target.flush()


@contextmanager
def writing(where: str, type: TupleType) -> Iterator[Output]:
    """Write tuples of a type to a file, in the format that its name tells."""
    with Target(where) as target:
        made = writer(where, target.stream, type)
        try:
            yield Output(made, target)
        except BaseException:
            with suppress(Exception):  # it has to let go of the file, which is removed
                made.close()
            raise
        made.close()
