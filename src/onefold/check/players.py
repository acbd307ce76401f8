"""Players: who runs plans for the judge. The reference engine, Spark, or an engine of yours.

An engine takes a plan and a script, and tells what each step of the script made. One for bounded
streams takes whole streams instead, and only what it made by the end counts.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from onefold.core.errors import OnefoldError
from onefold.core.functions import Failure, on_failure
from onefold.core.near import did_you_mean
from onefold.core.plan import Implementation, Plan
from onefold.core.records import Tuple
from onefold.core.showing import USERS_ERRORS, a_kind_of, told
from onefold.core.time import END_OF_TIME
from onefold.engines.reference import Engine
from onefold.engines.steps import Made, Step
from onefold.pipelines import load_object

Script = tuple[Plan, Sequence[Step]]
"""A plan, and what comes to its sources step by step; the last step ends all of them."""


class UnknownEngine(OnefoldError):
    """A name that leads to no engine."""


class PlayerFailed(OnefoldError):
    """An engine that broke down: not a user's function, but the engine itself."""


@dataclass(frozen=True)
class Player:
    """An engine as the judge sees it."""

    name: str
    play: Callable[[Sequence[Script]], list[list[Made]]]
    """Play scripts, each from its beginning; return what each of their steps made."""
    implementations: tuple[Implementation, ...] = tuple(Implementation)
    """The implementations that it can run."""
    bounded: bool = False
    """Whether it takes whole streams: then only the end counts, and no tuple is late."""
    own_code: bool = False
    """Whether it is a user's own code: late streams can't be seen, all sources have one watermark,
    and what it emits may come early."""
    times: bool = True
    """Whether the times of its output are looked at."""
    time: str = "ts"
    """The column of times, of own code."""
    where: str = ""
    """How the command line names it; by default as `name` does."""
    most: int | None = None
    """How many cases it plays at most, unless more are asked for: it is slow."""
    longest: int | None = None
    """How many steps a case may have for it: each is a batch."""
    patience: float = 30.0
    """For how many seconds it is asked for a smaller case, once one shows a difference."""
    at_once: int = 1
    """How many scripts it best plays at once: on Spark many take as long as one."""


def streaming_engine(
    name: str,
    play: Callable[[Plan, Sequence[Step]], Iterable[Made]],
    implementations: Iterable[str | Implementation] = tuple(Implementation),
) -> Player:
    """Return an engine for the judge that takes tuples and watermarks step by step.

    `play` gets a plan and the steps, and returns what each step made.
    """
    return Player(
        name,
        lambda scripts: [_guarded(play, script) for script in scripts],
        tuple(Implementation.of(each) for each in implementations),
    )


def bounded_engine(
    name: str,
    run: Callable[[Plan, Mapping[str, Sequence[Tuple]]], Iterable[Tuple]],
    implementations: Iterable[str | Implementation] = (Implementation.AGGREGATE,),
) -> Player:
    """Return an engine for the judge that takes whole streams.

    `run` gets a plan and all tuples of each source, and returns all that comes out.
    """

    def play(plan: Plan, steps: Sequence[Step]) -> Iterator[Made]:
        whole: dict[str, list[Tuple]] = {source: [] for source in plan.sources}
        for step in steps:
            for source, tuples in step.tuples.items():
                whole[source] += tuples
        out = Made(list(run(plan, whole)))
        ended: set[str] = set()
        for step in steps:  # all comes out when all sources have ended
            ended |= {name for name, at in step.watermarks.items() if at == END_OF_TIME}
            if ended >= set(plan.sources):
                yield out
                out = Made()
            else:
                yield Made()

    return Player(
        name,
        lambda scripts: [_guarded(play, script) for script in scripts],
        tuple(Implementation.of(each) for each in implementations),
        bounded=True,
    )


def _guarded(play: Callable[[Plan, Sequence[Step]], Iterable[Made]], script: Script) -> list[Made]:
    """Play to the end. What a user's function fails on is set aside, and told with its step.

    An engine that fails itself has made nothing more from there on.
    """
    made: list[Made] = []
    failures: list[Failure] = []
    token = on_failure.set(failures.append)
    error: list[OnefoldError] = []
    try:
        for each in play(*script):
            _check_tuples(each)
            each.errors += [failure.error() for failure in failures]
            failures.clear()
            made.append(each)
    except OnefoldError as problem:
        error = [problem]
    except USERS_ERRORS as problem:
        last = traceback.extract_tb(problem.__traceback__)[-1]
        where = f"{Path(last.filename).name}, line {last.lineno}, in {last.name}"
        error = [PlayerFailed(f"the engine failed: {told(problem)}", detail=where)]
    finally:
        on_failure.reset(token)
    steps = len(script[1])
    if len(made) > steps:
        error, made = [PlayerFailed("the engine made more steps than it was given")], made[:steps]
    if len(made) < steps:
        made.append(Made(errors=error or [PlayerFailed("the engine left out a step")]))
    else:
        made[-1].errors += error
    return made + [Made() for _ in range(steps - len(made))]


def _check_tuples(made: Made) -> None:
    """Raise an error for what is no tuple."""
    given: dict[str, Any] = {"output": made.output, "late": made.late}
    for what, tuples in given.items():
        if not isinstance(tuples, list) or not all(isinstance(t, Tuple) for t in tuples):
            raise PlayerFailed(
                f"the engine's {what} is no list of tuples of the plan's type",
                detail=f"got {tuples!r}"[:200],
                hint="make them with node.type.tuple_class((time, value, …))",
            )


def _on_reference(plan: Plan, steps: Sequence[Step]) -> Iterator[Made]:
    engine = Engine(plan)
    for step in steps:
        for source, tuples in step.tuples.items():
            engine.process(source, tuples)
        for source, watermark in step.watermarks.items():
            if watermark == END_OF_TIME:
                engine.end(source)
            else:
                engine.watermark(source, watermark)
        yield Made(engine.take_output(), engine.take_late())


REFERENCE = streaming_engine("reference", _on_reference)


def spark() -> Player:
    """Return local Spark, or the session that there is."""

    def play(scripts: Sequence[Script]) -> list[list[Made]]:
        from onefold.engines.spark.script import play as play_on_spark
        from onefold.engines.spark.session import quiet_session

        return play_on_spark(quiet_session(), scripts)

    return Player("spark", play, most=40, longest=8, patience=90.0, at_once=200)


def own_code(function: Callable[..., Any], name: str, time: str = "ts") -> Player:
    """Return a user's own function of DataFrames, to be judged by a pipeline's definition."""

    def play(scripts: Sequence[Script]) -> list[list[Made]]:
        from onefold.engines.spark.plain import play_functions
        from onefold.engines.spark.session import quiet_session

        plan = scripts[0][0]
        types = {source: node.type for source, node in plan.sources.items()}
        told = [steps for _, steps in scripts]
        return play_functions(quiet_session(), function, types, plan.output.type, told, time=time)

    return Player(
        name,
        play,
        (Implementation.DEDICATED,),
        own_code=True,
        time=time,
        where=name,
        most=24,
        longest=5,
        patience=120.0,
        at_once=24,
    )


def own_function(name: str, time: str = "ts") -> Player:
    """Return the user's function of this name: `file.py:name` or `package.module:name`."""
    function = load_object(name, "function")
    if not callable(function):
        raise UnknownEngine(
            f"{name} is {a_kind_of(function)}, not a function",
            hint="name a function that takes a DataFrame for each source and returns one",
        )
    return own_code(function, name, time)


def player(name: str) -> Player:
    """Return the engine of this name: reference, spark, or `file.py:name` for one of yours."""
    if name == REFERENCE.name:
        return REFERENCE
    if name == "spark":
        return spark()
    if ":" not in name:
        raise UnknownEngine(
            f"there is no engine {name!r}",
            hint=did_you_mean(name, ["reference", "spark"], "reference, spark, or file.py:name"),
        )
    found = load_object(name, "engine")
    if not isinstance(found, Player):
        raise UnknownEngine(
            f"{name} is {a_kind_of(found)}, not an engine",
            hint="make one with bounded_engine or streaming_engine: docs/engines.md",
        )
    return replace(found, where=name)
