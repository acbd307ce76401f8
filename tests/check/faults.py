"""Seeded faults: one change each in a copy of the package, and the pipeline that suffers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    name: str
    file: str
    before: str
    after: str
    pipeline: str

    def __str__(self) -> str:
        return self.name


FAULTS = (
    Fault(
        "wrong boundary",
        "core/windows.py",
        "return time - time % advance",
        "return (time - 1) - (time - 1) % advance",
        "counted",
    ),
    Fault(
        "lost duplicate",
        "operators/aggregate.py",
        "            pane.append(t)\n",
        "            pane += [] if t in pane else [t]\n",
        "counted",
    ),
    Fault(
        "hash key",
        "operators/join.py",
        "return keyed[0] if keyed else FAILED",
        "return hash(keyed[0]) % 8 if keyed else FAILED",
        "joined",
    ),
    Fault(
        "key by what it looks like",
        "core/aggregate.py",
        "return zip(tuples, map(attrgetter(*self.attributes), tuples))",
        "return zip(tuples, map(str, map(attrgetter(*self.attributes), tuples)))",
        "lenient",
    ),
    Fault(
        "late re-fire missing",
        "operators/aggregate.py",
        "            if self.passed:\n",
        "            if self.passed and not pane[:-1]:\n",
        "lenient",
    ),
    Fault(
        "watermark one tick early",
        "core/windows.py",
        "return left + size <= watermark",
        "return left + size - 1 <= watermark",
        "counted",
    ),
    Fault(
        "late one tick too long",
        "core/windows.py",
        "return left + size + lateness <= watermark",
        "return left + size + lateness < watermark",
        "lenient",
    ),
    Fault(
        "pair missed in the last window",
        "operators/join.py",
        "            for left in open_:\n",
        "            for left in open_[:-1] or open_:\n",
        "joined",
    ),
    Fault(
        "pair twice in one collection",
        "operators/join.py",
        "                seen[port].append(one)\n",
        "                seen[port].insert(0, one)\n            seen[port].extend(tuples[1:])\n",
        "joined",
    ),
    Fault(
        "tuples out of order",
        "operators/aggregate.py",
        "ordered = self.sort(pane) if len(pane) > 1 else pane",
        "ordered = pane",
        "first_and_last",
    ),
    Fault(
        "last tuple of a window not unfolded",
        "operators/unfold.py",
        "if t.position + 1 < len(t.tuples):",
        "if t.position + 2 < len(t.tuples):",
        "first_and_last",
    ),
    Fault(
        "greatest watermark instead of the least",
        "engines/station.py",
        "least = min(self.watermarks)",
        "least = max(self.watermarks)",
        "united_count",
    ),
    Fault(
        "shared instant counted twice",
        "operators/stateful.py",
        "                continue  # counts in the next window\n",
        "                pass\n",
        "totals",
    ),
    Fault(
        "periods without tuples left out",
        "operators/stateful.py",
        "        for key, kept in self.states.items():\n            self._put_out",
        "        for key, kept in list(self.states.items())[:1]:\n            self._put_out",
        "totals",
    ),
    Fault(
        "NaN is no key",
        "core/values.py",
        "return value + 0.0 if value == value else NAN",
        "return value + 0.0",
        "by_number",
    ),
    Fault(
        "a window does not feed the loop again",
        "operators/loop.py",
        "        self.kernel.queue.extend((turn, t) for t in tuples)\n",
        "        self.kernel.queue.extend((turn, t) for t in tuples if turn < 3)\n",
        "looped",
    ),
)

ON_SPARK = (
    Fault(
        "watermark one tick early on Spark",
        "engines/spark/script.py",
        "return told[min(watermark, len(told) - 1)]",
        "return told[min(watermark, len(told) - 1)] + 1",
        "counted",
    ),
)
