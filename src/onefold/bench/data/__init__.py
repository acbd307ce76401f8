"""The streams that the experiments run on: made up, or real sets converted.

vocabulary, wikipedia    synthetic edits
scans                    synthetic scans of a rangefinder
real                     the published sets: WikiAtomicEdits, EUR-pallet scans
blocks                   random numbers and chunks
parts                    writing: numbered files in the order of time
"""

from onefold.bench.data.parts import Form, write, written

__all__ = ["Form", "write", "written"]
