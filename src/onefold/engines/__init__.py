"""Engines run plans. Each runs the Aggregate, with P1 (union), P2 (fan-out) and P3 (loop)."""
