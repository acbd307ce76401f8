"""The model: time, windows, tuple types, the Aggregate, the plan graph.

Nothing here imports anything outside the standard library, and nothing here runs a plan.
"""
