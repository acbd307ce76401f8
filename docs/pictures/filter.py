"""The pipeline of filter.svg; a test draws it again.

onefold explain docs/pictures/filter.py:long --implementation aggregate --format svg
"""

import onefold as of

words = of.source("words", "word string")
long = words.filter(lambda t: len(t.word) > 3)
