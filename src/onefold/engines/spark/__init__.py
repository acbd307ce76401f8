"""The Spark engine: a pipeline as one query of Structured Streaming, or as a batch job.

`fragments` cuts a plan where tuples of one key must meet, `task` runs one piece of it in a worker,
`host` gives it Spark's state and watermarks, `query` puts the pieces in a line.
"""
