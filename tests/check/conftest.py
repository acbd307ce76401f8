"""The tests of this folder use the oracle, and what draws pipelines."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
