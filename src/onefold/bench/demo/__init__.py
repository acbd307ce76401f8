"""A live demo: one pipeline over edits that arrive, as D, A+ and A, compared and shown.

edits, arrivals   what comes, and when
runs              one implementation's turn on Spark
answers           whether they are the same, and where not
shown             a demo's results, and the page of them: page, tables, figures
"""
