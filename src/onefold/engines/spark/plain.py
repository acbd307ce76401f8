"""Plays scripts on Spark code of the user's own: a function from streaming DataFrames to one.

Each step of a script is a batch of tuples, and then the watermarks that the script tells. Spark has
one watermark for a query: the least of those that the sources were told. It begins at 0, in 1970.
"""

from __future__ import annotations

import inspect
import os
import re
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
import pyspark
from pyspark import cloudpickle
from pyspark.errors import AnalysisException, PySparkException, PythonException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from onefold.core.errors import FunctionFailed, OnefoldError, PlanError, WrongArity
from onefold.core.functions import describe
from onefold.core.showing import USERS_ERRORS, a_kind_of, told
from onefold.core.time import floor_to_tick
from onefold.core.types import TupleType
from onefold.core.values import listed
from onefold.engines.spark.job import QueryFailed
from onefold.engines.spark.results import columns, tuples
from onefold.engines.spark.scratch import scratch
from onefold.engines.spark.told import Batch, batches, read, write
from onefold.engines.steps import Made, Step

Function = Callable[..., Any]
"""Streaming DataFrames in, one for each source; a streaming DataFrame out."""

_LIBRARIES = tuple(str(Path(str(each)).parent) + os.sep for each in (__file__, pyspark.__file__))
_FRAME = re.compile(r'  File "(.*)", line (\d+), in (.*)')


class NotAStreamingFrame(PlanError):
    """A function that returned something else than a streaming DataFrame."""


class NotInAppendMode(PlanError):
    """A query whose results change after they were written."""


class WatermarkHeldBack(PlanError):
    """A function with a watermark of its own: Spark's is then not the one that a script tells."""


def play_function(
    session: SparkSession,
    function: Function,
    sources: Mapping[str, TupleType],
    output: TupleType,
    steps: Sequence[Step],
    *,
    time: str = "ts",
) -> list[Made]:
    """Play a script on a function; return what each of its steps made.

    The function gets a DataFrame for each source, with the event time in the column `time` and its
    watermark, by name if its parameters are called as the sources are. An error stops the script,
    and stands with the step in which it came; one in building the query is raised.
    """
    script = batches(sources, steps)
    with scratch("onefold-plain-") as folder:
        files = folder / "steps"
        files.mkdir()
        write(files, sources, script)
        returned = _called(function, read(session, files, sources, time))
        run = _Run(columns(returned, output, time))
        query = run.start(folder / "checkpoint", function)
        try:
            error = run.finish(query)
        finally:
            query.stop()
        if error is None:
            _check_watermark(query, script, function)
    return run.made(script, len(steps), output, error)


def play_functions(
    session: SparkSession,
    function: Function,
    sources: Mapping[str, TupleType],
    output: TupleType,
    scripts: Sequence[Sequence[Step]],
    *,
    time: str = "ts",
    at_once: int = 2,
) -> list[list[Made]]:
    """Play several scripts, each in a query of its own, some of them at once."""

    def play(steps: Sequence[Step]) -> list[Made]:
        return play_function(session, function, sources, output, steps, time=time)

    with ThreadPoolExecutor(at_once) as pool:
        return list(pool.map(play, scripts))


@dataclass
class _Run:
    """A query, and what its batches gave."""

    frame: DataFrame
    given: dict[int, pa.Table] = field(default_factory=dict)
    problem: Exception | None = None

    def start(self, checkpoint: Path, function: Function) -> StreamingQuery:
        writer = self.frame.writeStream.foreachBatch(self._take).outputMode("append")
        writer = writer.option("checkpointLocation", str(checkpoint))
        try:
            return writer.trigger(availableNow=True).start()
        except AnalysisException as problem:
            if (problem.getCondition() or "").startswith("STREAMING_OUTPUT_MODE"):
                raise NotInAppendMode(
                    f"{describe(function)} makes a query that can't run in append mode",
                    detail=_first_line(problem),
                    hint="group by a window of the event time, so that each result is written "
                    "once, when the watermark has passed it",
                ) from None
            raise QueryFailed(
                f"Spark can't run what {describe(function)} returns: {_first_line(problem)}"
            ) from None

    def _take(self, batch: DataFrame, number: int) -> None:
        if self.problem is None:
            try:
                self.given[number] = batch.toArrow()
            except Exception as problem:  # noqa: BLE001  raised here, it would be logged at length
                self.problem = problem

    def finish(self, query: StreamingQuery) -> OnefoldError | None:
        """Wait for the end of the query; return why it failed, if it did."""
        try:
            query.awaitTermination()
        except PySparkException as problem:
            return _failure(self.problem or problem)
        return _failure(self.problem) if self.problem else None

    def made(
        self, script: Sequence[Batch], steps: int, type: TupleType, error: OnefoldError | None
    ) -> list[Made]:
        """Return what each step made, up to an error."""
        made = [Made() for _ in range(steps)]
        for number in sorted(self.given):
            step = made[script[min(number, len(script) - 1)].step]
            try:
                step.output += tuples(self.given[number], type)
            except OnefoldError as problem:
                step.errors.append(problem)
                return made
        if error is not None:
            made[script[min(len(self.given), len(script) - 1)].step].errors.append(error)
        return made


def _called(function: Function, frames: Mapping[str, DataFrame]) -> DataFrame:
    """Call a function with the streams of its sources; return the one that it makes."""
    _send_by_value(function)
    signature = inspect.signature(function)
    by_name = set(signature.parameters) == set(frames)
    try:
        bound = signature.bind(**frames) if by_name else signature.bind(*frames.values())
    except TypeError:
        raise WrongArity(
            f"{describe(function)} is called with {listed(list(frames))}",
            detail=f"it is declared as {getattr(function, '__name__', 'function')}{signature}",
            hint="it takes a DataFrame for each source, by its name or in this order",
        ) from None
    try:
        returned = function(*bound.args, **bound.kwargs)
    except OnefoldError:
        raise
    except USERS_ERRORS as problem:
        raise FunctionFailed(
            f"{describe(function)} raised {type(problem).__name__}: {_first_line(problem)}",
            detail=_where(problem),
        ) from problem
    if not isinstance(returned, DataFrame) or not returned.isStreaming:
        kind = a_kind_of(returned)
        raise NotAStreamingFrame(
            f"{describe(function)} returned {kind}, not a streaming DataFrame",
            hint="return the DataFrame that you would call writeStream on"
            if not isinstance(returned, DataFrame)
            else "make it of the DataFrames that the function is given",
        )
    return returned


def _send_by_value(function: Function) -> None:
    """Let workers have the user's file, and those beside it, which they may be unable to import."""
    while isinstance(function, partial):
        function = function.func
    home = inspect.getmodule(inspect.unwrap(function)) or inspect.getmodule(type(function))
    folder = _folder(home)
    if home is None or folder is None or "site-packages" in folder.parts:
        return
    if home.__name__.partition(".")[0] in sys.stdlib_module_names - {"__main__"}:
        return
    for name, module in list(sys.modules.items()):
        if name != "__main__" and _folder(module) == folder:
            cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]


def _folder(module: ModuleType | None) -> Path | None:
    file = getattr(module, "__file__", None)
    return Path(file).parent if isinstance(file, str) else None


def _check_watermark(query: StreamingQuery, script: Sequence[Batch], function: Function) -> None:
    """Raise an error if Spark's watermark is behind the one that the script tells."""
    for progress in query.recentProgress:
        number = progress["batchId"]
        text = progress["eventTime"].get("watermark")
        if text is None or number >= len(script):
            continue
        found = floor_to_tick(datetime.fromisoformat(text))
        if found != script[number].watermark:
            raise WatermarkHeldBack(
                f"{describe(function)} defines a watermark of its own",
                detail=f"the script tells {script[number].watermark}, and Spark is at {found}",
                hint="the inputs come with their watermark: leave out withWatermark",
            )


def _failure(problem: Exception) -> QueryFailed:
    """Return why a query failed, in a sentence: the user's error, or the first line of Spark's."""
    lines = str(problem).splitlines()
    frames = [n for n, line in enumerate(lines) if line.startswith('  File "')]
    if isinstance(problem, PythonException) and frames:
        last = frames[-1]
        raised = next((each for each in lines[last + 1 :] if each[:1].strip()), "an error")
        return QueryFailed(f"the query failed: {raised}", detail=_place(lines[last]))
    return QueryFailed(f"the query failed: {_first_line(problem)}")


def _place(frame: str) -> str:
    """Write where a line of a traceback points to.

    >>> _place('  File "/home/me/job.py", line 7, in clean')
    'clean (job.py, line 7)'
    """
    found = _FRAME.match(frame)
    return f"{found[3]} ({Path(found[1]).name}, line {found[2]})" if found else ""


def _first_line(problem: BaseException) -> str:
    text = told(problem).removeprefix(f"{type(problem).__name__}: ")
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def _where(problem: BaseException) -> str:
    """Write the user's own last line in a traceback."""
    frames = traceback.extract_tb(problem.__traceback__)
    users = [each for each in frames if not each.filename.startswith(_LIBRARIES)]
    return f"{Path(users[-1].filename).name}, line {users[-1].lineno}" if users else ""
