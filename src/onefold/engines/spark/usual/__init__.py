"""Plain PySpark as people write it: each pipeline of the conformance suite that Spark can express.

`rows` holds what looks at one row at a time, `windows` counts in windows, `joins` the two ways to
join streams, `state` custom state with timers, `distinct` what drops repetitions. A function gets a
streaming DataFrame for each source, with the event time in the column `ts`, and returns one.

Nothing here knows of onefold.
"""
