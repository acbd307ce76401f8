"""Files that arrive: some are there at the start, the others come when they are due."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from threading import Event, Thread

from onefold.bench.demo.edits import Edits, Part, split
from onefold.bench.rate import now


class Arrivals:
    """Puts files into a folder as time goes by. Live ones begin when somebody says so."""

    def __init__(self, edits: Edits, parts: Sequence[Part], folder: Path) -> None:
        self.edits, self.folder = edits, folder
        self.waiting, self.coming = split(edits, parts)
        self.begin: int | None = None
        """When live edits began, in milliseconds of the clock."""
        self._stop, self._all = Event(), Event()
        folder.mkdir(parents=True)
        for part in self.waiting:
            self._put(part)

    def go_live(self) -> None:
        """Let the live edits come from now on."""
        if self.begin is None:
            self.begin = now()
            Thread(target=self._deliver, daemon=True).start()

    def due(self, moment: int) -> int:
        """Return when a moment of event time is there by the clock."""
        assert self.begin is not None
        return self.begin + moment - self.edits.live

    def all_there(self) -> bool:
        """Say whether all have come."""
        return self._all.is_set()

    def stop(self) -> None:
        """Let no more come."""
        self._stop.set()

    def _deliver(self) -> None:
        for part in self.coming:
            if self._stop.wait(max(0, self.due(part.arrived) - now()) / 1000):
                return
            self._put(part)
        self._all.set()

    def _put(self, part: Part) -> None:
        """Give the folder a whole file at once: Spark passes over names that begin with a dot."""
        hidden = self.folder / f".{part.file.name}"
        shutil.copy2(part.file, hidden)
        hidden.rename(self.folder / part.file.name)
