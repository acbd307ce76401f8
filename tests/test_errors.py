"""Every error that a pipeline or a run can raise: the smallest program, and the whole text.

A text says what happened and where, `Detail:` with what, `Hint:` what to do. Lines are counted from
the `def` of the program that fails, so that a text stays the same when the file grows.
"""

from __future__ import annotations

import json
import pickle
import re
import sys
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

import onefold as of
from onefold.core import errors
from onefold.core.ddl import tuple_type
from onefold.core.errors import FunctionFailed, OnefoldError, PlanError, RunError
from onefold.core.functions import FAILED, Failure, Step, UserFunction, describe, here, on_failure
from onefold.engines.reference import Engine, everything

ALL = ("dedicated", "aggregate", "aggregate-plus")
Program = Callable[[], Any]


def text_of(program: Program, kind: type[OnefoldError], call: Program | None = None) -> str:
    """The whole text of what a program raises, with lines counted from its first."""
    with pytest.raises(kind) as raised:
        (call or program)()
    assert type(raised.value) is kind
    first = program.__code__.co_firstlineno

    def from_first(found: re.Match[str]) -> str:
        return f"test_errors.py, line +{int(found[1]) - first}"

    return re.sub(r"test_errors\.py, line (\d+)", from_first, str(raised.value))


def words() -> of.Stream:
    return of.source("words", "word string, n int")


def count(window: of.Window) -> tuple[int]:
    return (len(window.tuples),)


def run(stream: of.Stream, *rows: Any, implementation: str = "dedicated") -> Any:
    return of.run(stream, {"words": rows}, implementation)


# A plan is wrong.


def no_duration() -> Any:
    return words().aggregate(count, "n int", size="3 fortnights")


def too_short() -> Any:
    return words().aggregate(count, "n int", size=0)


def too_long() -> Any:
    return words().aggregate(count, "n int", size=2**63)


def too_fine() -> Any:
    return words().aggregate(count, "n int", size=timedelta(microseconds=1))


def negative_lateness() -> Any:
    return words().aggregate(count, "n int", size=1, lateness="-1 s")


def no_number_of_periods() -> Any:
    return words().stateful(
        "n int", period=1, create=len, add=max, merge=max, output=len, extra_periods=-1
    )


def unknown_type() -> Any:
    return of.source("s", "word strng")


def unfinished_type() -> Any:
    return words().map(lambda t: t, "word string, n")


def type_as_something_else() -> Any:
    return words().map(lambda t: t, ["word"])  # type: ignore[arg-type]


def name_twice() -> Any:
    return of.source("s", "a int, a int")


def name_of_the_event_time() -> Any:
    return of.source("s", "time timestamp")


def name_of_a_record() -> Any:
    return of.source("s", "__class__ string")


def unknown_attribute() -> Any:
    return words().aggregate(count, "n int", key=["wrod"], size=1)


def no_key() -> Any:
    return words().aggregate(count, "n int", key=5, size=1)  # type: ignore[arg-type]


def three_keys() -> Any:
    stream = words()
    both = "a string, b int, c string, d int"
    return stream.join(stream, both, key=(len, len, len), size=1)  # type: ignore[arg-type]


def a_key_that_could_mean_two_things() -> Any:
    stream = words()
    both = "a string, b int, c string, d int"
    return stream.join(stream, both, key=("word", "n"), size=1)


def pairs_of_another_type() -> Any:
    stream = words()
    return stream.join(stream, "n int", size=1)


def a_name_that_could_not_be_fed() -> Any:
    return of.source("a=b", "n int")


def no_limit() -> Any:
    return words().aggregate_loop(count, size=1, lateness=1, limit=0)


def a_loop_that_runs_ahead() -> Any:
    return words().aggregate_loop(count, size=2, advance=1, lateness=5, distance=5)


def too_many_arguments() -> Any:
    return words().map(lambda t, u: t, "word string, n int")


def no_function() -> Any:
    return words().filter("word")  # type: ignore[arg-type]


def two_types_in_a_union() -> Any:
    return words().union(of.source("others", "word string"))


def two_types_in_a_loop() -> Any:
    return words().loop(lambda s: s.aggregate(count, "n int", size=1, lateness=1))


def two_types_in_a_late_stream() -> Any:
    other = of.source("others", "word string")
    return words().join(other, "n int", select=lambda x, y: (1,), size=1).late


def gaps_between_windows() -> Any:
    return words().aggregate(count, "n int", size="1 s", advance="3 s")


def a_source_twice() -> Any:
    first = of.source("words", "word string")
    second = of.source("words", "word string")
    return first.union(second)


def no_loop() -> Any:
    return words().loop(lambda s: s.filter(lambda t: True))


def a_loop_too_short() -> Any:
    return words().aggregate_loop(count, size=1, lateness="1 s", distance="2 s")


def nothing_is_late() -> Any:
    return of.source("words", "word string").late


def no_two_sides() -> Any:
    return words().filter(lambda t: True).late_left


def no_stream() -> Any:
    return words().union("others")  # type: ignore[arg-type]


def no_stream_from_a_loop() -> Any:
    return words().loop(lambda s: None)  # type: ignore[arg-type, return-value]


def unknown_implementation() -> Any:
    return of.lower(words(), "fast")


PLANS: list[tuple[Program, type[OnefoldError], str]] = [
    (no_duration, errors.BadDuration, """\
aggregate (test_errors.py, line +1): size is '3 fortnights', which is not a duration
  Hint: write "3 s", "500 ms", "2 min", "1 h", a timedelta, or whole milliseconds"""),
    (too_short, errors.BadDuration, """\
aggregate (test_errors.py, line +1): size is 0 s, and must be at least 1 ms
  Hint: event time is counted in whole milliseconds"""),
    (too_long, errors.BadDuration, """\
aggregate (test_errors.py, line +1): size is 9223372036854775808 ms, longer than event time \
itself"""),
    (too_fine, errors.BadDuration, """\
aggregate (test_errors.py, line +1): size is datetime.timedelta(microseconds=1), finer than a \
millisecond
  Hint: event time is counted in whole milliseconds"""),
    (negative_lateness, errors.BadDuration, """\
aggregate (test_errors.py, line +1): lateness is -1 s, and must be at least 0 s
  Hint: event time is counted in whole milliseconds"""),
    (no_number_of_periods, errors.BadCount, """\
stateful (test_errors.py, line +1): extra_periods is -1, and must be a whole number from 0 on
  Hint: it counts the periods to put out after the end of the stream"""),
    (unknown_type, errors.BadType, """\
source (test_errors.py, line +1): can't read a tuple type: 'strng' is not a type at 'strng'
  Detail: word strng
  Hint: did you mean 'string'?"""),
    (unfinished_type, errors.BadType, """\
map (test_errors.py, line +1): can't read a tuple type: a type was expected at its end
  Detail: word string, n
  Hint: write "word string, n int\""""),
    (type_as_something_else, errors.BadType, """\
map (test_errors.py, line +1): a tuple type is written as text, not as list
  Detail: got ['word']
  Hint: write "word string, n int\""""),
    (name_twice, errors.BadType, """\
source (test_errors.py, line +1): attribute 'a' stands twice in a type
  Detail: a int, a int
  Hint: give each attribute a name of its own"""),
    (name_of_the_event_time, errors.ReservedName, """\
source (test_errors.py, line +1): no attribute may be called `time`
  Detail: time timestamp
  Hint: every tuple has its event time as `t.time`; give the attribute another name"""),
    (name_of_a_record, errors.ReservedName, """\
source (test_errors.py, line +1): no attribute may be called `__class__`
  Detail: __class__ string
  Hint: records use such names themselves; give the attribute another name"""),
    (unknown_attribute, errors.UnknownAttribute, """\
aggregate (test_errors.py, line +1): there is no attribute 'wrod' to key by
  Detail: the stream has word and n
  Hint: did you mean 'word'?"""),
    (no_key, errors.BadKey, """\
aggregate (test_errors.py, line +1): a key is a list of attributes or a function
  Detail: got 5
  Hint: write key=["word"] or key=lambda t: t.word"""),
    (three_keys, errors.BadKey, """\
join (test_errors.py, line +3): a join has two keys, one for each side
  Detail: got (<built-in function len>, <built-in function len>, <built-in function len>)
  Hint: write key=(["a"], ["b"]) for a on the left and b on the right, key=["a", "b"] for both \
attributes on both sides"""),
    (a_key_that_could_mean_two_things, errors.BadKey, """\
join (test_errors.py, line +3): a join has two keys, one for each side
  Detail: got ('word', 'n')
  Hint: write key=(["a"], ["b"]) for a on the left and b on the right, key=["a", "b"] for both \
attributes on both sides"""),
    (pairs_of_another_type, errors.TypeMismatch, """\
join (test_errors.py, line +2): without `select` a pair is all of the left tuple and all of the \
right
  Detail: left: word string, n int; right: word string, n int; out: n int
  Hint: write a `select` that makes the output of a pair"""),
    (a_name_that_could_not_be_fed, errors.BadName, """\
source (test_errors.py, line +1): a source can't be named 'a=b'
  Hint: a name is text without an = sign: inputs are given as NAME=FILE"""),
    (no_limit, errors.BadCount, """\
loop (test_errors.py, line +1): limit is 0, and must be a whole number from 1 on
  Hint: it counts how often a tuple and its successors may go round"""),
    (a_loop_that_runs_ahead, errors.LoopRunsAhead, """\
loop (test_errors.py, line +1): overlapping windows need a distance of 1 ms
  Detail: it is 5 ms: a window could fire before a tuple of its own has come round, and again when \
it has
  Hint: leave out `distance`, or let size and advance be equal"""),
    (too_many_arguments, errors.WrongArity, """\
map (test_errors.py, line +1): function is called with 1 argument
  Detail: too_many_arguments.lambda (test_errors.py, line +1) is declared as <lambda>(t, u)"""),
    (no_function, errors.WrongArity, """\
filter (test_errors.py, line +1): predicate must be a function
  Detail: got 'word'"""),
    (two_types_in_a_union, errors.TypeMismatch, """\
union (test_errors.py, line +1): the streams have different types
  Detail: word string, n int  and  word string
  Hint: map one of them to the type of the other"""),
    (two_types_in_a_loop, errors.TypeMismatch, """\
loop (test_errors.py, line +1): what goes round a loop has the type of its input
  Detail: in: word string, n int; out: n int
  Hint: let the Aggregate in the loop return tuples of the looping stream's type"""),
    (two_types_in_a_late_stream, errors.TypeMismatch, """\
late (test_errors.py, line +2): the two sides of the join have different types
  Detail: word string, n int  and  word string
  Hint: use late_left and late_right"""),
    (gaps_between_windows, errors.SizeBelowAdvance, """\
aggregate (test_errors.py, line +1): size 1 s is below advance 3 s
  Hint: windows would leave gaps, and a tuple in a gap would fall in none"""),
    (a_source_twice, errors.SourceNamedTwice, """\
union (test_errors.py, line +3): two sources are named 'words'
  Detail: one is source (test_errors.py, line +1), the other source (test_errors.py, line +2)
  Hint: call source() once for each name, and use that stream wherever it is needed"""),
    (no_loop, errors.NotALoop, """\
loop (test_errors.py, line +1): a loop is one Aggregate that is fed its own output (P3)
  Detail: the body returned filter (test_errors.py, line +1)
  Hint: return stream.aggregate(…) of the stream that the body is given"""),
    (a_loop_too_short, errors.LoopTooShort, """\
loop (test_errors.py, line +1): lateness 1 s does not cover the watermark distance 2 s
  Detail: what an Aggregate emits comes back after its window fired (C1, theorem 3)
  Hint: give the Aggregate in the loop a lateness of at least the distance, and a distance of at \
least 1 ms"""),
    (nothing_is_late, errors.NoLateStream, """\
late (test_errors.py, line +1): source (test_errors.py, line +1) drops nothing, and has no late \
stream
  Hint: ask an operator that has windows"""),
    (no_two_sides, errors.NoLateStream, """\
late_left (test_errors.py, line +1): filter (test_errors.py, line +1) has no two sides
  Hint: use late"""),
    (no_stream, errors.NotAStream, """\
union (test_errors.py, line +1): a stream was expected
  Detail: got 'others'
  Hint: a stream is what source() and every operator return"""),
    (no_stream_from_a_loop, errors.NotAStream, """\
loop (test_errors.py, line +1): a stream was expected
  Detail: got None
  Hint: a stream is what source() and every operator return"""),
    (unknown_implementation, errors.UnknownImplementation, """\
there is no implementation 'fast'
  Hint: there are dedicated, aggregate, aggregate-plus"""),
]  # fmt: skip


def names(cases: list[tuple[Program, type[OnefoldError], str]]) -> list[str]:
    return [program.__name__ for program, _, _ in cases]


@pytest.mark.parametrize(("program", "kind", "text"), PLANS, ids=names(PLANS))
def test_a_plan_that_is_wrong(program: Program, kind: type[OnefoldError], text: str) -> None:
    assert issubclass(kind, PlanError)
    assert text_of(program, kind) == text


# A function fails, in whatever implementation.

HINT = "  Hint: mend the function"


def raises() -> Any:
    return words().map(lambda t: ({1: 5}[t.n],), "n int")


def raises_in_a_library() -> Any:
    def parse(t: Any) -> list[Any]:
        return list(json.loads(t.word))

    return words().flat_map(parse, "n int")


def raises_after_some() -> Any:
    def some(t: Any) -> Any:
        yield (1,)
        raise ValueError

    return words().flat_map(some, "n int")


def misspells() -> Any:
    return words().filter(lambda t: t.wrod)


def too_few_values() -> Any:
    return words().map(lambda t: (t.word,), "word string, n int")


def a_missing_attribute() -> Any:
    return words().map(lambda t: {"word": t.word}, "word string, n int")


def an_unknown_attribute() -> Any:
    return words().map(lambda t: {"word": t.word, "m": 1}, "word string")


def a_wrong_type() -> Any:
    return words().map(lambda t: (t.n,), "word string")


def a_number_too_large() -> Any:
    return words().map(lambda t: (2**31,), "n int")


def no_tuple() -> Any:
    return words().map(lambda t: None, "word string")


def text_for_a_list() -> Any:
    return words().flat_map(lambda t: t.word, "word string")


def none_for_a_list() -> Any:
    return words().flat_map(lambda t: None, "word string")


def a_tuple_for_a_list() -> Any:
    return words().flat_map(lambda t: ("a", 1), "word string, n int")


def a_list_from_aggregate() -> Any:
    return words().aggregate(lambda w: [("a",), ("b",)], "word string", size=10)


def a_window_fails() -> Any:
    return words().aggregate(lambda w: (w.tuples[5],), "word string", key=["word"], size=10)


def one_from_aggregate_plus() -> Any:
    return words().aggregate_plus(lambda w: 5, "n int", size=10)


def no_key_from_a_function() -> Any:
    return words().aggregate(lambda w: (1,), "n int", key=lambda t: {"word": t.word}, size=10)


def a_key_fails() -> Any:
    return words().aggregate(lambda w: (1,), "n int", key=lambda t: t.word[5], size=10)


def a_predicate_fails() -> Any:
    stream = words()
    where = lambda x, y: {}[x.n]  # noqa: E731  the text names a lambda
    return stream.join(stream, "n int", where=where, select=lambda x, y: (x.n,), size=10)


def a_selection_fails() -> Any:
    stream = words()
    return stream.join(stream, "n int", select=lambda x, y: (x.word,), size=10)


def a_state_fails() -> Any:
    return words().stateful(
        "n int",
        period=10,
        create=lambda t: t.n,
        add=lambda n, t: n + t.n,
        merge=max,
        output=lambda n: ({}[n],),
    )


def many_from_a_state() -> Any:
    return words().stateful(
        "n int",
        period=10,
        create=lambda t: t.n,
        add=lambda n, t: n + t.n,
        merge=max,
        output=lambda n: [(1,), (2,)],
    )


T = "(time=1, word='a', n=0)"
FUNCTIONS: list[tuple[Program, type[OnefoldError], str]] = [
    (raises, FunctionFailed, f"""\
map (test_errors.py, line +1) failed: raises.lambda (test_errors.py, line +1) raised \
KeyError: 0 at test_errors.py, line +1
  Detail: called with {T}
{HINT}"""),
    (raises_in_a_library, FunctionFailed, f"""\
flat_map (test_errors.py, line +4) failed: raises_in_a_library.parse (test_errors.py, line +1) \
raised JSONDecodeError: Expecting value: line 1 column 1 (char 0) at test_errors.py, line +2
  Detail: called with {T}
{HINT}"""),
    (raises_after_some, FunctionFailed, f"""\
flat_map (test_errors.py, line +5) failed: raises_after_some.some (test_errors.py, line +1) raised \
ValueError at test_errors.py, line +3
  Detail: called with {T}
{HINT}"""),
    (misspells, FunctionFailed, f"""\
filter (test_errors.py, line +1) failed: misspells.lambda (test_errors.py, line +1) raised \
AttributeError: no attribute 'wrod' (did you mean 'word'?): there are time, word, n at \
test_errors.py, line +1
  Detail: called with {T}
{HINT}"""),
    (too_few_values, FunctionFailed, f"""\
map (test_errors.py, line +1) failed: too_few_values.lambda (test_errors.py, line +1) returned the \
wrong shape: ('a',) has 1 value, and the type has 2: word and n
  Detail: called with {T}
{HINT}"""),
    (a_missing_attribute, FunctionFailed, f"""\
map (test_errors.py, line +1) failed: a_missing_attribute.lambda (test_errors.py, line +1) \
returned the wrong shape: attribute n is missing in {{'word': 'a'}}
  Detail: called with {T}
{HINT}"""),
    (an_unknown_attribute, FunctionFailed, f"""\
map (test_errors.py, line +1) failed: an_unknown_attribute.lambda (test_errors.py, line +1) \
returned the wrong shape: m in {{'word': 'a', 'm': 1}} is no attribute of word string
  Detail: called with {T}
{HINT}"""),
    (a_wrong_type, FunctionFailed, f"""\
map (test_errors.py, line +1) failed: a_wrong_type.lambda (test_errors.py, line +1) returned the \
wrong shape: attribute word: 0 is an int, not a string
  Detail: called with {T}
{HINT}"""),
    (a_number_too_large, FunctionFailed, f"""\
map (test_errors.py, line +1) failed: a_number_too_large.lambda (test_errors.py, line +1) returned \
the wrong shape: attribute n: 2147483648 does not fit in the 32 bits of int
  Detail: called with {T}
{HINT}"""),
    (no_tuple, FunctionFailed, f"""\
map (test_errors.py, line +1) failed: no_tuple.lambda (test_errors.py, line +1) returned the wrong \
shape: None is a NoneType, not a tuple or a mapping of word
  Detail: called with {T}
{HINT}"""),
    (text_for_a_list, FunctionFailed, f"""\
flat_map (test_errors.py, line +1) failed: text_for_a_list.lambda (test_errors.py, line +1) \
returned the wrong shape: 'a' is not a list of tuples (an empty list for none)
  Detail: called with {T}
{HINT}"""),
    (none_for_a_list, FunctionFailed, f"""\
flat_map (test_errors.py, line +1) failed: none_for_a_list.lambda (test_errors.py, line +1) \
returned the wrong shape: None is not a list of tuples (an empty list for none)
  Detail: called with {T}
{HINT}"""),
    (a_tuple_for_a_list, FunctionFailed, f"""\
flat_map (test_errors.py, line +1) failed: a_tuple_for_a_list.lambda (test_errors.py, line +1) \
returned the wrong shape: 'a' is a str, not a tuple or a mapping of word and n
  Detail: called with {T}
{HINT}"""),
    (a_list_from_aggregate, FunctionFailed, f"""\
aggregate (test_errors.py, line +1) failed: a_list_from_aggregate.lambda (test_errors.py, line +1) \
returned the wrong shape: a list of 2, not one tuple or None (aggregate_plus takes a list)
  Detail: called with Window(left=0, right=10, key=(), tuples=({T},))
{HINT}"""),
    (a_window_fails, FunctionFailed, f"""\
aggregate (test_errors.py, line +1) failed: a_window_fails.lambda (test_errors.py, line +1) raised \
IndexError: tuple index out of range at test_errors.py, line +1
  Detail: called with Window(left=0, right=10, key=(word='a'), tuples=({T},))
{HINT}"""),
    (one_from_aggregate_plus, FunctionFailed, f"""\
aggregate_plus (test_errors.py, line +1) failed: one_from_aggregate_plus.lambda (test_errors.py, \
line +1) returned the wrong shape: 5 is not a list of tuples (an empty list for none)
  Detail: called with Window(left=0, right=10, key=(), tuples=({T},))
{HINT}"""),
    (no_key_from_a_function, FunctionFailed, f"""\
aggregate (test_errors.py, line +1) failed: no_key_from_a_function.lambda (test_errors.py, \
line +1) returned the wrong shape: a key is made of None, bool, int, float, str, bytes, datetime \
and tuples of them, not of dict
  Detail: called with {T}
{HINT}"""),
    (a_key_fails, FunctionFailed, f"""\
aggregate (test_errors.py, line +1) failed: a_key_fails.lambda (test_errors.py, line +1) raised \
IndexError: string index out of range at test_errors.py, line +1
  Detail: called with {T}
{HINT}"""),
    (a_predicate_fails, FunctionFailed, f"""\
join (test_errors.py, line +3) failed: a_predicate_fails.lambda (test_errors.py, line +2) raised \
KeyError: 0 at test_errors.py, line +2
  Detail: called with {T} and {T}
{HINT}"""),
    (a_selection_fails, FunctionFailed, f"""\
join (test_errors.py, line +2) failed: a_selection_fails.lambda (test_errors.py, line +2) returned \
the wrong shape: attribute n: 'a' is a str, not a whole number (int)
  Detail: called with {T} and {T}
{HINT}"""),
    (a_state_fails, FunctionFailed, f"""\
stateful (test_errors.py, line +1) failed: a_state_fails.lambda (test_errors.py, line +7) raised \
KeyError: 0 at test_errors.py, line +7
  Detail: called with 0
{HINT}"""),
    (many_from_a_state, FunctionFailed, f"""\
stateful (test_errors.py, line +1) failed: many_from_a_state.lambda (test_errors.py, line +7) \
returned the wrong shape: a list of 2, not one tuple or None
  Detail: called with 0
{HINT}"""),
]  # fmt: skip


@pytest.mark.parametrize("implementation", ALL)
@pytest.mark.parametrize(("program", "kind", "text"), FUNCTIONS, ids=names(FUNCTIONS))
def test_a_function_that_fails(
    program: Program, kind: type[OnefoldError], text: str, implementation: str
) -> None:
    """The text is the same in every implementation: a composition keeps the user's function."""

    def call() -> Any:
        return run(program(), (1, "a", 0), implementation=implementation)

    assert text_of(program, kind, call) == text


# A run goes wrong.


def never_ends() -> Any:
    endless = words().aggregate_loop(lambda w: w.tuples[0], size=1, lateness=1, limit=10)
    return run(endless, (1, "a", 0))


def input_after_the_end() -> Any:
    engine = Engine(of.lower(words(), "dedicated"))
    engine.end()
    engine.input("words", [(1, "a", 0)])


def a_snapshot_of_another_plan() -> Any:
    snapshot = Engine(of.lower(words(), "dedicated")).snapshot()
    Engine(of.lower(words().filter(lambda t: True), "dedicated")).restore(snapshot)


def a_snapshot_of_other_windows() -> Any:
    def sized(size: int) -> Engine:
        return Engine(of.lower(words().aggregate(count, "n int", size=size), "dedicated"))

    sized(2).restore(sized(1).snapshot())


def a_loop_without_its_manager() -> Any:
    once = words().aggregate_loop(lambda w: w.tuples[0], size=1, lateness=1)
    engine = Engine(of.lower(once, "dedicated"), schedule=lambda waiting: 0)
    engine.stations[engine.plan.output].kernel.upstream.distance = 99  # type: ignore[attr-defined]
    engine.input("words", [(1, "a", 0)])
    engine.watermark("words", 50)
    engine.schedule = everything
    engine.watermark("words", 51)


def input_for_nobody() -> Any:
    return of.run(words(), {"words": [], "others": []})


def no_input() -> Any:
    return of.run(words(), {})


def a_state_that_cannot_be_pickled() -> Any:
    totals = words().stateful(
        "n int",
        period=10,
        create=lambda t: lambda: t.n,
        add=lambda state, t: state,
        merge=lambda state, other: state,
        output=lambda state: (state(),),
    )
    with pytest.raises(errors.StateNotPicklable):
        run(totals, (1, "a", 5))
    return run(totals, (1, "a", 5), implementation="aggregate")


def no_time() -> Any:
    return run(words(), ("a", 0))


def null_for_a_time() -> Any:
    return run(words(), (None, "a", 0))


def a_time_out_of_bounds() -> Any:
    return run(words(), (2**62, "a", 0))


def a_mistyped_tuple() -> Any:
    return run(words(), (1, "a", "0"))


def a_tuple_that_is_too_short() -> Any:
    return run(words(), (1, "a"))


def a_tuple_of_another_type() -> Any:
    return run(words(), tuple_type("word string").make(1, ("a",)))


def an_engine_that_has_failed() -> Any:
    engine = Engine(of.lower(words().map(lambda t: (1 // t.n,), "n int"), "dedicated"))
    with pytest.raises(FunctionFailed):
        engine.input("words", [(1, "a", 0)])
    with pytest.raises(errors.EngineStopped):
        engine.snapshot()
    engine.input("words", [(1, "a", 1)])


def no_snapshot() -> Any:
    Engine(of.lower(words(), "dedicated")).restore(b"")


def no_watermark() -> Any:
    Engine(of.lower(words(), "dedicated")).watermark("words", None)  # type: ignore[arg-type]


RUNS: list[tuple[Program, type[OnefoldError], str]] = [
    (an_engine_that_has_failed, errors.EngineStopped, """\
the engine was stopped by an error, and what was on its way is lost
  Hint: go on in a new engine from the last snapshot before the error"""),
    (no_snapshot, errors.BadSnapshot, """\
this is no snapshot
  Detail: EOFError: Ran out of input
  Hint: restore what snapshot() returned, with the same version of the pipeline"""),
    (no_watermark, errors.MistypedTuple, """\
source words: a watermark is a time in whole milliseconds
  Detail: got None"""),
    (never_ends, errors.LoopNeverEnds, """\
loop (test_errors.py, line +1): the loop went round 10 times without an end
  Detail: now at (time=1, word='a', n=0)
  Hint: return None when the loop has done its work, or raise `limit`"""),
    (input_after_the_end, errors.StreamEnded, """\
source 'words' has ended and takes no more tuples"""),
    (a_snapshot_of_another_plan, errors.BadSnapshot, """\
the snapshot is of another plan
  Detail: where it has nothing, this one has Filter giving word string, n int
  Hint: restore with the pipeline and implementation that it was taken of"""),
    (a_snapshot_of_other_windows, errors.BadSnapshot, """\
the snapshot is of another plan
  Detail: where it has Aggregation giving n int, window 1 ms by (), lateness 0 ms, \
this one has Aggregation giving n int, window 2 ms by (), lateness 0 ms
  Hint: restore with the pipeline and implementation that it was taken of"""),
    (a_loop_without_its_manager, errors.LoopBroken, """\
loop (test_errors.py, line +1): C2 does not hold, a looping tuple came too late
  Detail: (time=1, word='a', n=0) at watermark 51"""),
    (input_for_nobody, errors.UnknownSource, """\
the pipeline has no source 'others'
  Hint: its sources are words"""),
    (no_input, errors.UnknownSource, """\
no input for source words"""),
    (a_state_that_cannot_be_pickled, errors.StateNotPicklable, """\
stateful (test_errors.py, line +1): the state can't be kept, as it can't be pickled
  Detail: PYTHON'S OWN WORDS
  Hint: build the state of plain values, or of classes at the top of a module"""),
    (no_time, errors.MistypedTuple, """\
source words: 'a' is not a timestamp in ISO 8601
  Detail: got ('a', 0)
  Hint: a tuple here is (time, word, n), the time in milliseconds"""),
    (null_for_a_time, errors.MistypedTuple, """\
source words: None is a NoneType, not a time
  Detail: got (None, 'a', 0)
  Hint: a tuple here is (time, word, n), the time in milliseconds"""),
    (a_time_out_of_bounds, errors.MistypedTuple, """\
source words: 4611686018427387904 ms lies outside of ±2^62
  Detail: got (4611686018427387904, 'a', 0)
  Hint: a tuple here is (time, word, n), the time in milliseconds"""),
    (a_mistyped_tuple, errors.MistypedTuple, """\
source words: attribute n: '0' is a str, not a whole number (int)
  Detail: got (1, 'a', '0')
  Hint: a tuple here is (time, word, n), the time in milliseconds"""),
    (a_tuple_that_is_too_short, errors.MistypedTuple, """\
source words: ('a',) has 1 value, and the type has 2: word and n
  Detail: got (1, 'a')
  Hint: a tuple here is (time, word, n), the time in milliseconds"""),
    (a_tuple_of_another_type, errors.MistypedTuple, """\
source words: ('a',) has 1 value, and the type has 2: word and n
  Detail: got (time=1, word='a')
  Hint: a tuple here is (time, word, n), the time in milliseconds"""),
]  # fmt: skip


@pytest.mark.parametrize(("program", "kind", "text"), RUNS, ids=names(RUNS))
def test_a_run_that_goes_wrong(program: Program, kind: type[OnefoldError], text: str) -> None:
    assert issubclass(kind, RunError)
    raised = text_of(program, kind)
    if "PYTHON'S OWN WORDS" in text:  # they change from version to version
        raised = re.sub(r"Detail: \w+Error: Can't .*", "Detail: PYTHON'S OWN WORDS", raised)
    assert raised == text


def test_every_class_of_error_is_raised_by_a_program_here() -> None:
    classes = {kind for kind in vars(errors).values() if isinstance(kind, type)}
    never_raised_itself = {OnefoldError, PlanError, RunError}
    assert {kind for _, kind, _ in PLANS + FUNCTIONS + RUNS} == classes - never_raised_itself
    assert all(kind.__doc__ for kind in classes)


# How failures are told and set aside.


@pytest.mark.parametrize("implementation", ALL)
def test_a_failure_may_be_set_aside(implementation: str) -> None:
    set_aside: list[Failure] = []
    token = on_failure.set(set_aside.append)
    try:
        made = run(raises(), (1, "a", 0), (2, "b", 1), implementation=implementation)
    finally:
        on_failure.reset(token)
    assert made == [(2, 5)]
    (failure,) = set_aside
    assert failure.subject == ((1, "a", 0),)
    assert failure.reason.startswith("raised KeyError")
    assert isinstance(failure.error(), FunctionFailed)


def test_a_function_that_uses_onefold_wrongly_fails_like_any_other() -> None:
    def nested(t: Any) -> Any:
        return of.lower(words(), "fast")

    with pytest.raises(FunctionFailed, match="there is no implementation 'fast' at test_errors"):
        run(words().map(nested, "n int"), (1, "a", 0))


def test_a_function_that_asks_to_exit_fails_like_any_other() -> None:
    with pytest.raises(FunctionFailed, match="raised SystemExit: 0 at test_errors"):
        run(words().map(lambda t: sys.exit(0), "n int"), (1, "a", 0))


@pytest.mark.parametrize("implementation", ALL)
def test_a_truth_value_that_can_not_be_told_is_a_failure(implementation: str) -> None:
    class Ambiguous:
        def __bool__(self) -> bool:
            raise ValueError("ambiguous")

    stream = words()
    where = stream.join(
        stream, "n int", where=lambda x, y: Ambiguous(), select=lambda x, y: (x.n,), size=10
    )
    for program in (stream.filter(lambda t: Ambiguous()), where):
        with pytest.raises(FunctionFailed, match="raised ValueError: ambiguous"):
            run(program, (1, "a", 0), implementation=implementation)


def test_what_can_not_be_shown_does_not_hide_the_failure() -> None:
    class Silent(Exception):
        def __str__(self) -> str:
            raise ValueError

    def fails(t: Any) -> Any:
        raise Silent

    with pytest.raises(FunctionFailed, match="raised Silent: a Silent that can't be shown"):
        run(words().map(fails, "n int"), (1, "a", 0))


def test_a_set_is_no_array() -> None:
    """It has no order of its own: the value would change from run to run."""
    stream = words().map(lambda t: ({"a", "b"},), "words array<string>")
    with pytest.raises(FunctionFailed, match="is a set, not an array<string>"):
        run(stream, (1, "a", 0))


def test_the_cause_is_kept() -> None:
    with pytest.raises(FunctionFailed) as raised:
        run(raises(), (1, "a", 0))
    assert isinstance(raised.value.__cause__, KeyError)


def test_a_call_that_is_set_aside_gives_no_value() -> None:
    function = UserFunction(lambda n: 1 // n, Step("map"), "function")
    token = on_failure.set(lambda failure: None)
    try:
        assert function(0) is FAILED
        assert function(1) == 1
        assert list(function.over([0, 1])) == [(1, 1)]  # type: ignore[list-item]
    finally:
        on_failure.reset(token)


def test_a_long_argument_is_shortened() -> None:
    failure = Failure(Step("map"), "f", "failed", ("x" * 1000,))
    assert failure.error().detail == "called with '" + "x" * 296 + "..."


class Doubled:
    """Something that can be called and is no function."""

    def __call__(self, t: Any) -> tuple[int]:
        return (2 * t.n,)

    def method(self, t: Any) -> tuple[int]:
        return (2 * t.n,)


def test_a_function_is_described_wherever_it_comes_from() -> None:
    def local() -> None: ...

    line = "(test_errors.py, line"
    first = local.__code__.co_firstlineno
    assert describe(local) == (
        f"test_a_function_is_described_wherever_it_comes_from.local {line} {first})"
    )
    assert describe(count) == f"count {line} {count.__code__.co_firstlineno})"
    assert describe(partial(count, 1)) == f"partial of {describe(count)}"
    assert describe(Doubled()).startswith(f"Doubled.__call__ {line}")
    assert describe(Doubled().method).startswith(f"Doubled.method {line}")
    assert describe(len) == "len"
    assert describe(str.upper) == "str.upper"


def test_a_step_is_where_the_user_wrote_it() -> None:
    line = here("map").line
    assert str(here("map")) == f"map (test_errors.py, line {line + 1})"
    assert str(Step("map")) == "map"
    assert words().map(lambda t: t, "word string, n int").node.step.line == line + 3


def test_an_error_can_be_pickled() -> None:
    error = errors.BadType("what", detail="which", hint="how")
    again = pickle.loads(pickle.dumps(error))  # noqa: S301  pickled on the same line
    assert type(again) is errors.BadType
    assert str(again) == str(error) == "what\n  Detail: which\n  Hint: how"
    assert (again.what, again.detail, again.hint) == ("what", "which", "how")
    assert str(errors.BadType("what")) == "what"
