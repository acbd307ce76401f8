"""The judge: does a pipeline do what it should?

Transcripts, from the letters to the verdict: `located` reads YAML with its lines, `rows` reads and
writes tuples, `steps` and `transcript` check the whole, `replay` runs it in every implementation.
`exhaustive` tries every small stream.
"""
