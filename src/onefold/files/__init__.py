"""Files of rows, as the input and the output of pipelines.

    formats     which format a file has, by its name: JSON lines, CSV, Parquet
    values      how values stand in each of them
    rows        reading: row by row, each a tuple or a reason why not
    json_lines, csv, parquet
    targets     writing: a file appears under its name when it is complete
    journal     what was set aside: bad rows, failed calls, late tuples
    feed        several files into an engine, with watermarks

Every row has its event time under `time`, or under another name that the caller gives: whole
milliseconds, a number that is floored, ISO text or a timestamp. Other columns are attributes, by
name; what the type does not name is ignored. Nothing is read or held whole.
"""
