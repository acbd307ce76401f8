"""The conformance table: every rule of the suite against every engine, and plain PySpark.

`asked` puts rules to sides, `usual` says what people write in plain PySpark, `deviations` what that
does otherwise, `smallest` finds the smallest case of it. `table` and `page` show it all.
"""
