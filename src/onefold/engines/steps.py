"""The steps of a script: what comes in, and what it made."""

from __future__ import annotations

from dataclasses import dataclass, field

from onefold.core.errors import OnefoldError
from onefold.core.records import Tuple


@dataclass
class Step:
    """What comes in at once: tuples of sources, then watermarks of sources."""

    tuples: dict[str, list[Tuple]] = field(default_factory=dict)
    watermarks: dict[str, int] = field(default_factory=dict)


@dataclass
class Made:
    """What a step made."""

    output: list[Tuple] = field(default_factory=list)
    late: list[Tuple] = field(default_factory=list)
    errors: list[OnefoldError] = field(default_factory=list)
