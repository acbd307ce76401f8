"""Measurements. Ratios count, not seconds: machines differ, and are shared."""
