"""What the paper says of its own measurements: ratios to D, where its text states them."""

from __future__ import annotations

from dataclasses import dataclass

from onefold.bench.ratios import KINDS, MINIMAL, PLUS


@dataclass(frozen=True)
class Stated:
    """A ratio that the paper's evaluation states, and its words."""

    ratio: float
    words: str
    exact: bool = False

    def __str__(self) -> str:
        return f"{'' if self.exact else '≈ '}{self.ratio:.2g}"


_EQUAL = Stated(1, "negligible differences")

STATED = {
    **{(f"{kind}f".lower(), PLUS): _EQUAL for kind in KINDS},
    **{(f"{kind}J", PLUS): _EQUAL for kind in KINDS},
    **{(f"{kind}j".lower(), PLUS): _EQUAL for kind in KINDS},
    ("LLF", MINIMAL): Stated(0.66, "34 % less throughput", exact=True),
    ("AHF", MINIMAL): Stated(0.5, "a degradation of approximately 50 %"),
    ("AHF", PLUS): Stated(0.84, "a degradation of 16 %"),
    ("HLF", MINIMAL): Stated(0.1, "the throughput drops by 90 %"),
    ("llj", MINIMAL): Stated(1, "minor differences"),
}
"""By experiment and implementation; of the others the text gives no number."""
