"""The trace of a run: step through a small stream, and see watermarks and windows at work.

recording     the run, one tuple at a time, and everything that happened
inputs        what it is fed with; transcripts has cases of transcripts
words         a sentence for each step, window_words for those of windows; stood knows where every
              operator stands, showing how values look
model         all of it as plain data
traced        a trace as a value: page, text, notebook
page          the data as one HTML page, with a script and a style of our own
"""

from onefold.pages.trace.recording import LIMIT
from onefold.pages.trace.traced import Trace, trace, trace_case

__all__ = ["LIMIT", "Trace", "trace", "trace_case"]
