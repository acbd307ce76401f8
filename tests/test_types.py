"""Tuple types: how they are written, which values fit, what tuples are, when values are equal."""

from __future__ import annotations

import copy
import pickle
from datetime import UTC, datetime, timedelta, timezone
from enum import Enum
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from onefold.core.ddl import _NAMED, tuple_type
from onefold.core.errors import BadType, ReservedName
from onefold.core.records import Key, Tuple, as_dict, record_class, values
from onefold.core.types import (
    Array,
    Binary,
    Boolean,
    DataType,
    Floating,
    Integer,
    Misfit,
    String,
    Struct,
    Timestamp,
    TupleType,
)
from onefold.core.values import NAN, identity, listed, normal, order

# A busy machine is slow to draw examples; that is no fault of a law.
law = settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def pickled(value: Any, protocol: int | None = None) -> Any:
    return pickle.loads(pickle.dumps(value, protocol))  # noqa: S301  pickled on the same line


# How a type is written.


def only(text: str) -> DataType:
    """The type of the one attribute of a type."""
    ((_, kind),) = tuple_type(text).attributes
    return kind


@pytest.mark.parametrize(
    ("written", "kind", "shown"),
    [
        ("string", String(), "string"),
        ("boolean", Boolean(), "boolean"),
        ("int", Integer(32), "int"),
        ("integer", Integer(32), "int"),
        ("bigint", Integer(64), "bigint"),
        ("long", Integer(64), "bigint"),
        ("float", Floating(32), "float"),
        ("double", Floating(64), "double"),
        ("timestamp", Timestamp(), "timestamp"),
        ("binary", Binary(), "binary"),
        ("array<int>", Array(Integer(32)), "array<int>"),
        ("array<array<string>>", Array(Array(String())), "array<array<string>>"),
        ("struct<x: int>", Struct((("x", Integer(32)),)), "struct<x: int>"),
        (
            "array<struct<x double, at: struct<y: array<long>>>>",
            Array(
                Struct((
                    ("x", Floating(64)),
                    ("at", Struct((("y", Array(Integer(64))),))),
                ))
            ),
            "array<struct<x: double, at: struct<y: array<bigint>>>>",
        ),
    ],
)  # fmt: skip
def test_every_type_is_read(written: str, kind: DataType, shown: str) -> None:
    for text in (written, written.upper().replace("X", "x").replace("Y", "y").replace("AT", "at")):
        assert only(f"a {text}") == kind
    assert only(f"a: {written}") == kind
    assert only(f"\n a\t:\n{written.replace('<', ' < ').replace('>', ' > ')} ") == kind
    assert str(kind) == shown
    assert str(tuple_type(f"a {written}")) == f"a {shown}"


def test_attributes_keep_their_order_and_case() -> None:
    made = tuple_type("Word string , n:INT,dist array<double>")
    assert made.names == ("Word", "n", "dist")
    assert str(made) == "Word string, n int, dist array<double>"
    assert tuple_type(made) is made
    assert tuple_type("a int, A int").names == ("a", "A")


@pytest.mark.parametrize("written", ["", "  ", "\n"])
def test_a_tuple_may_hold_nothing(written: str) -> None:
    assert tuple_type(written) == TupleType(())
    assert tuple_type(written).make(3, ()) == (3,)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("`a b` int", "a b"),
        ("`a<b>, c:d` int", "a<b>, c:d"),
        ("größe int", "größe"),
        ("_id int", "_id"),
        ("`int` int", "int"),
        ("array int", "array"),
        ("struct: int", "struct"),
        ("Time int", "Time"),
        ("7 int", "7"),
    ],
)
def test_names_may_be_unusual(written: str, name: str) -> None:
    made = tuple_type(written)
    assert made.names == (name,)
    assert tuple_type(str(made)) == made
    t = made.make(1, (5,))
    assert t[name] == getattr(t, name) == 5


@pytest.mark.parametrize(
    ("written", "problem", "hint"),
    [
        ("word", "a type was expected at its end", 'write "word string, n int"'),
        ("word string,", "an attribute's name was expected at its end", None),
        (", word string", "an attribute's name was expected at ', word string'", None),
        ("word string, , n int", "an attribute's name was expected at ', n int'", None),
        ("word string n int", "a comma or the end was expected at 'n int'", None),
        ("word string; n int", "a comma or the end was expected at '; n int'", None),
        ("word string)", "a comma or the end was expected at ')'", None),
        ("word: : string", "a type was expected at ': string'", None),
        ("a array", "'<' was expected at its end", None),
        ("a array<", "a type was expected at its end", None),
        ("a array<int", "'>' was expected at its end", None),
        ("a array<int, string>", "'>' was expected at ', string>'", None),
        ("a array<>", "a type was expected at '>'", None),
        ("a struct", "'<' was expected at its end", None),
        ("a struct<>", "an attribute's name was expected at '>'", None),
        ("a struct<x>", "a type was expected at '>'", None),
        ("a struct<x: int", "'>' was expected at its end", None),
        ("`` int", "an attribute's name was expected at '`` int'", None),
        ("`a int", "an attribute's name was expected at '`a int'", None),
        ("`a.b` int", "an attribute's name was expected at '`a.b` int'", None),
        ("a `int`", "'`int`' is not a type at '`int`'", "did you mean 'int'?"),
        ("a strng", "'strng' is not a type at 'strng'", "did you mean 'string'?"),
        ("a arry<int>", "'arry' is not a type at 'arry<int>'", "did you mean 'array'?"),
        (
            "a decimal(3, 2)",
            "'decimal' is not a type at 'decimal(3, 2)'",
            f"types are {', '.join(_NAMED)}, array<…>, struct<…>",
        ),
    ],
)
def test_every_syntax_error_says_what_and_where(
    written: str, problem: str, hint: str | None
) -> None:
    with pytest.raises(BadType) as refused:
        tuple_type(written)
    assert refused.value.what == f"can't read a tuple type: {problem}"
    assert refused.value.detail == written
    assert refused.value.hint == (hint or 'write "word string, n int"')


@pytest.mark.parametrize(
    "written", ["a int, a string", "b struct<a: int, a: int>", "a int, `a` int"]
)
def test_a_name_stands_once(written: str) -> None:
    with pytest.raises(BadType, match="attribute 'a' stands twice in a type"):
        tuple_type(written)
    tuple_type("a int, b struct<a: int>")


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("time int", "time"),
        ("a int, `time` int", "time"),
        ("__class__ int", "__class__"),
        ("a struct<__hash__: int>", "__hash__"),
        ("_record_names int", "_record_names"),
    ],
)
def test_a_name_may_be_taken(written: str, name: str) -> None:
    with pytest.raises(ReservedName) as refused:
        tuple_type(written)
    assert refused.value.what == f"no attribute may be called `{name}`"


def test_inside_a_struct_time_is_a_name() -> None:
    t = tuple_type("a struct<time: int>").make(1, [(5,)])
    assert (t.time, t.a.time) == (1, 5)


names = st.one_of(
    st.sampled_from(["a", "b", "n", "count", "index", "class", "array", "A", "größe"]),
    st.text("ab <>,:-é", min_size=1, max_size=4),
)
scalars = st.sampled_from(
    [
        String(),
        Boolean(),
        Integer(32),
        Integer(64),
        Floating(32),
        Floating(64),
        Timestamp(),
        Binary(),
    ]
)


def attributes_of(
    kinds: st.SearchStrategy[DataType], least: int
) -> st.SearchStrategy[tuple[tuple[str, DataType], ...]]:
    pairs = st.lists(
        st.tuples(names, kinds), min_size=least, max_size=3, unique_by=lambda pair: pair[0]
    )
    return pairs.map(tuple)


kinds = st.recursive(
    scalars,
    lambda inner: st.one_of(inner.map(Array), attributes_of(inner, 1).map(Struct)),
    max_leaves=5,
)
types = attributes_of(kinds, 0).map(TupleType)


@law
@given(types)
def test_a_type_is_shown_as_it_can_be_read(kind: TupleType) -> None:
    assert tuple_type(str(kind)) == kind
    assert pickled(kind) == kind


# Which values fit.


class Whole:
    """What numpy's integers look like from outside."""

    def __index__(self) -> int:
        return 7

    def __float__(self) -> float:
        return 7.0


class Several:
    """What a numpy array of several looks like: it has the methods, and refuses."""

    def __index__(self) -> int:
        raise TypeError("only integer scalar arrays can be converted to a scalar index")

    def __float__(self) -> float:
        raise TypeError("only length-1 arrays can be converted to Python scalars")

    def __repr__(self) -> str:
        return "array([1, 2])"


Bool = type("bool_", (), {"__bool__": lambda self: True})


class Color(str, Enum):  # noqa: UP042  shows itself as Color.RED, as users' do
    RED = "red"


class Moment(datetime):
    """What pandas' timestamps look like."""


PLUS_ONE = timezone(timedelta(hours=1))


@pytest.mark.parametrize(
    ("kind", "value", "normal_form"),
    [
        ("string", "a", "a"),
        ("string", "", ""),
        ("string", Color.RED, "red"),
        ("boolean", True, True),
        ("boolean", Bool(), True),
        ("int", 2**31 - 1, 2**31 - 1),
        ("int", -(2**31), -(2**31)),
        ("int", Whole(), 7),
        ("bigint", 2**63 - 1, 2**63 - 1),
        ("bigint", -(2**63), -(2**63)),
        ("double", 0.1, 0.1),
        ("double", 3, 3.0),
        ("double", -0.0, 0.0),
        ("double", float("inf"), float("inf")),
        ("double", Whole(), 7.0),
        ("float", 0.1, 0.10000000149011612),
        ("float", 0.5, 0.5),
        ("float", -1e-60, 0.0),
        ("float", float("-inf"), float("-inf")),
        ("timestamp", EPOCH, EPOCH),
        ("timestamp", datetime(1970, 1, 1, 1, tzinfo=PLUS_ONE), EPOCH),
        ("timestamp", datetime(1970, 1, 1), EPOCH),  # noqa: DTZ001  that is the case
        ("timestamp", Moment(1970, 1, 1, tzinfo=UTC), EPOCH),
        ("timestamp", "1970-01-01T00:00:00Z", EPOCH),
        ("timestamp", " 1970-01-01 01:00:00+01:00 ", EPOCH),
        ("timestamp", "1970-01-01", EPOCH),
        ("timestamp", 1500, EPOCH + timedelta(milliseconds=1500)),
        ("timestamp", -1, EPOCH - timedelta(milliseconds=1)),
        ("binary", b"a", b"a"),
        ("binary", bytearray(b"a"), b"a"),
        ("binary", memoryview(b"a"), b"a"),
        ("array<int>", [1, None, 2], (1, None, 2)),
        ("array<int>", (), ()),
        ("array<int>", range(2), (0, 1)),
        ("array<int>", (n for n in (1, 2)), (1, 2)),
        ("array<array<double>>", [[1], []], ((1.0,), ())),
        ("struct<x: int, y: string>", (1, "a"), (1, "a")),
        ("struct<x: int, y: string>", [1, "a"], (1, "a")),
        ("struct<x: int, y: string>", {"y": "a", "x": 1}, (1, "a")),
        ("struct<x: int, y: string>", {"y": None, "x": None}, (None, None)),
        ("array<struct<x: double>>", [{"x": -0.0}], ((0.0,),)),
    ],
)
def test_a_value_that_fits_is_brought_to_normal_form(
    kind: str, value: Any, normal_form: Any
) -> None:
    fits = only(f"a {kind}")
    conformed = fits.conform(value)
    assert conformed == normal_form
    if not isinstance(conformed, tuple):  # a struct's record is shown with names
        assert repr(conformed) == repr(normal_form), "0.0 and not -0.0, a str and not an enum"
    assert fits.conform(conformed) == conformed, "a normal form is its own normal form"


@law
@given(kinds)
def test_null_fits_every_type(kind: DataType) -> None:
    assert kind.conform(None) is None


@pytest.mark.parametrize("kind", ["float", "double"])
def test_there_is_one_nan(kind: str) -> None:
    for nan in (float("nan"), -float("nan"), NAN, float("inf") - float("inf")):
        assert only(f"a {kind}").conform(nan) is NAN
    conformed = only(f"a array<{kind}>").conform([float("nan")])
    assert conformed == (NAN,)
    assert hash(conformed) == hash((NAN,))


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("string", 1, "1 is an int, not a string"),
        ("string", b"a", "b'a' is a bytes, not a string"),
        ("string", ["x" * 100], f"['{'x' * 75}... is a list, not a string"),
        ("boolean", 1, "1 is an int, not a boolean"),
        ("boolean", "true", "'true' is a str, not a boolean"),
        ("int", 2**31, "2147483648 does not fit in the 32 bits of int"),
        ("int", -(2**31) - 1, "-2147483649 does not fit in the 32 bits of int"),
        ("int", True, "True is a bool, not a whole number (int)"),
        ("int", 1.0, "1.0 is a float, not a whole number (int)"),
        ("int", "1", "'1' is a str, not a whole number (int)"),
        ("int", Several(), "array([1, 2]) is a Several, not a whole number (int)"),
        ("bigint", 2**63, "9223372036854775808 does not fit in the 64 bits of bigint"),
        ("bigint", -(2**63) - 1, "-9223372036854775809 does not fit in the 64 bits of bigint"),
        ("double", "1.5", "'1.5' is a str, not a number (double)"),
        ("double", False, "False is a bool, not a number (double)"),
        ("double", Several(), "array([1, 2]) is a Several, not a number (double)"),
        ("double", 10**309, f"1{'0' * 76}... does not fit in the 64 bits of double"),
        ("float", 1e39, "1e+39 does not fit in the 32 bits of float"),
        ("float", [1], "[1] is a list, not a number (float)"),
        ("timestamp", "yesterday", "'yesterday' is not a timestamp in ISO 8601"),
        ("timestamp", 1.5, "1.5 is a float, not a timestamp"),
        ("timestamp", True, "True is a bool, not a timestamp"),
        ("timestamp", 10**18, "1000000000000000000 ms lies outside of the calendar"),
        (
            "timestamp",
            "0001-01-01T00:00:00+01:00",
            "0001-01-01 00:00:00+01:00 lies outside of the calendar in UTC",
        ),
        ("binary", "a", "'a' is a str, not bytes"),
        ("binary", [1], "[1] is a list, not bytes"),
        ("array<int>", 1, "1 is an int, not an array<int>"),
        ("array<string>", "ab", "'ab' is a str, not an array<string>"),
        ("array<int>", {"a": 1}, "{'a': 1} is a dict, not an array<int>"),
        ("array<int>", [1, "a"], "element 1: 'a' is a str, not a whole number (int)"),
        (
            "array<array<int>>",
            [[], ["a"]],
            "element 1: element 0: 'a' is a str, not a whole number (int)",
        ),
        ("struct<x: int, y: int>", 1, "1 is an int, not a tuple or a mapping of x and y"),
        ("struct<x: int, y: int>", "ab", "'ab' is a str, not a tuple or a mapping of x and y"),
        ("struct<x: int, y: int>", (1,), "(1,) has 1 value, and the type has 2: x and y"),
        (
            "struct<x: int, y: int>",
            (1, 2, 3),
            "(1, 2, 3) has 3 values, and the type has 2: x and y",
        ),
        ("struct<x: int, y: int>", {"x": 1}, "attribute y is missing in {'x': 1}"),
        ("struct<x: int, y: int>", {}, "attributes x and y are missing in {}"),
        (
            "struct<x: int>",
            {"x": 1, "z": 2},
            "z in {'x': 1, 'z': 2} is no attribute of struct<x: int>",
        ),
        ("struct<x: int, y: int>", (1, "a"), "attribute y: 'a' is a str, not a whole number (int)"),
    ],
)
def test_a_value_that_does_not_fit_is_told(kind: str, value: Any, text: str) -> None:
    with pytest.raises(Misfit) as refused:
        only(f"a {kind}").conform(value)
    assert str(refused.value) == text


# Tuples.

EDIT = tuple_type("word string, n int, at struct<x: double, y: array<int>>")


def edit() -> Tuple:
    return EDIT.make(5, {"word": "a", "n": 1, "at": (1.5, [2])})


def test_a_tuple_has_its_time_and_attributes() -> None:
    t: Any = edit()
    assert (t.time, t.word, t.n, t.at.x, t.at.y) == (5, "a", 1, 1.5, (2,))
    assert (t["time"], t["word"], t["at"]["x"]) == (5, "a", 1.5)
    assert (t[0], t[1], t[-1], t[1:3]) == (5, "a", (1.5, (2,)), ("a", 1))
    assert values(t) == ("a", 1, (1.5, (2,)))
    assert as_dict(t) == {"time": 5, "word": "a", "n": 1, "at": (1.5, (2,))}
    assert repr(t) == "(time=5, word='a', n=1, at=(x=1.5, y=(2,)))"
    assert t == (5, "a", 1, (1.5, (2,)))
    assert hash(t) == hash((5, "a", 1, (1.5, (2,))))
    assert {t: 1}[edit()] == 1


def test_a_tuple_is_read_only() -> None:
    t: Any = edit()
    with pytest.raises(AttributeError):
        t.word = "b"
    with pytest.raises(AttributeError):
        t.other = "b"
    with pytest.raises(AttributeError):
        del t.word
    with pytest.raises(TypeError):
        t["word"] = "b"
    with pytest.raises(TypeError):
        t.at[0] = 2.0
    assert t == edit()


def test_a_name_that_is_not_there_is_told() -> None:
    t: Any = edit()
    with pytest.raises(
        AttributeError,
        match=r"no attribute 'wrod' \(did you mean 'word'\?\): there are time, word, n, at",
    ):
        t.wrod  # noqa: B018
    with pytest.raises(KeyError, match="wrod"):
        t["wrod"]
    with pytest.raises(IndexError):
        t[4]
    assert not hasattr(t, "wrod")
    assert getattr(t, "wrod", 0) == 0


@pytest.mark.parametrize(
    "name",
    ["count", "index", "values", "class", "def", "self", "key", "names", "tuple", "type", "conform",
     "_names", "_maker", "_kind", "_fields", "_asdict", "a b"],
)  # fmt: skip
def test_any_name_is_an_attribute(name: str) -> None:
    made = tuple_type(f"`{name}` int, other struct<`{name}`: int>")
    t = made.make(1, {name: 5, "other": {name: 6}})
    assert getattr(t, name) == t[name] == t[1] == 5
    assert getattr(t.other, name) == t.other[name] == 6
    assert as_dict(t) == {"time": 1, name: 5, "other": (6,)}
    assert repr(t) == f"(time=1, {name}=5, other=({name}=6))"
    assert pickled(t) == t
    assert made.sort([t, t]) == [t, t]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_tuples_are_pickled(protocol: int) -> None:
    t: Any = edit()
    back = pickled(t, protocol)
    assert back == t
    assert (type(back), type(back.at)) == (type(t), type(t.at))
    assert copy.deepcopy(t) == t
    key = record_class(Key, ("word",))(("a",))
    again = pickled(key, protocol)
    assert isinstance(again, Key)
    assert (again, again.word) == (key, "a")


def test_a_tuple_is_made_of_rows_of_any_shape() -> None:
    made = tuple_type("word string, n int")
    rows: list[Any] = [("a", 1), ["a", 1], {"n": 1, "word": "a"}, made.make(9, ("a", 1))]
    assert [made.make(5, row) for row in rows] == [(5, "a", 1)] * 4
    other = tuple_type("w string, m bigint").make(9, ("a", 1))
    assert made.make(5, other) == (5, "a", 1), "by position, without its time"
    lone = record_class(Key, ("word",))(("a",))
    assert made.make(5, (lone, 1)) == (5, "a", 1), "a key of one attribute stands for its value"
    with pytest.raises(Misfit, match="has 3 values"):
        made.make(5, (5, "a", 1))


# Order and identity.


@st.composite
def values_of(draw: st.DrawFn, kind: DataType) -> Any:
    """A value that fits a type, in normal form, from a small domain so that some are equal."""
    if draw(st.integers(0, 5)) == 0:
        return None
    match kind:
        case String():
            drawn: Any = draw(st.text("a'\",(\\", max_size=3))
        case Boolean():
            drawn = draw(st.booleans())
        case Integer():
            drawn = draw(st.integers(-2, 2) | st.integers(-(2**31), 2**31 - 1))
        case Floating(bits):
            drawn = draw(
                st.sampled_from([0.0, -0.0, 1.0, 0.5, float("nan"), float("inf")])
                | st.floats(width=32 if bits == 32 else 64)
            )
        case Timestamp():
            drawn = draw(st.integers(-3, 3))
        case Binary():
            drawn = draw(st.binary(max_size=2))
        case Array(element):
            drawn = draw(st.lists(values_of(element), max_size=2))
        case Struct(attributes):
            drawn = [draw(values_of(each)) for _, each in attributes]
        case _:
            raise AssertionError(kind)
    return kind.conform(drawn)


two_of_a_kind = kinds.flatmap(
    lambda kind: st.tuples(st.just(kind), values_of(kind), values_of(kind))
)


@law
@given(two_of_a_kind)
def test_two_values_are_written_alike_exactly_when_they_are_equal(
    drawn: tuple[DataType, Any, Any],
) -> None:
    kind, a, b = drawn
    assert (identity(a) == identity(b)) == (a == b or a is b)
    assert a is None or identity(a) == identity(kind.conform(a))
    if a == b:
        assert hash(a) == hash(b)


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([2**53, 2**53 + 1, 2.0**53, 10**30, 1e30, 0.0, -0.0, 1.0, 0.5, float("nan")])
    | st.text("a',()1", max_size=3)
    | st.binary(max_size=2)
    | st.integers(0, 2).map(lambda n: EPOCH + timedelta(microseconds=n)),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
).map(normal)


@law
@given(plain, plain)
def test_two_keys_are_written_alike_exactly_when_they_are_equal(a: Any, b: Any) -> None:
    same = a is b or a == b
    assert (identity(a) == identity(b)) == same
    assert (identity((a, 1)) == identity((b, 1))) == same
    assert ({a: 0}.get(b, 1) == 0) == same, "and so they share a window"


def test_keys_of_python_values_that_are_equal() -> None:
    assert identity(True) == identity(1) == identity(1.0) == "1"
    assert identity(normal(-0.0)) == identity(0) == "0"
    assert identity(normal(float("nan"))) == identity(NAN) == "nan"
    assert identity(("a", "b")) != identity(("a,b",)) != identity(("a',b",))
    assert identity("1") != identity(1) != identity((1,))
    assert identity(10**30) != identity(1e30), "1e30 is another number"


@pytest.mark.parametrize(
    ("key", "normal_form"),
    [
        ([1, [2.0, None]], (1, (2.0, None))),
        (datetime(1970, 1, 1, 1, tzinfo=PLUS_ONE), EPOCH),
        (-0.0, 0.0),
        (edit(), (5, "a", 1, (1.5, (2,)))),
    ],
)
def test_a_key_is_brought_to_normal_form(key: Any, normal_form: Any) -> None:
    assert normal(key) == normal_form
    assert repr(normal(key)) == repr(normal_form)


@pytest.mark.parametrize("key", [{"a": 1}, {1}, object(), (1, {}), [[b"", {}]], timedelta(1)])
def test_what_is_no_key_is_refused(key: Any) -> None:
    with pytest.raises(TypeError, match="a key is made of None, bool, int, float, str, bytes"):
        normal(key)


@law
@given(kinds.flatmap(lambda kind: st.lists(values_of(kind), min_size=3, max_size=3)))
def test_values_are_in_a_total_order(three: list[Any]) -> None:
    a, b, c = three
    equal = a is b or a == b
    assert [order(a) < order(b), equal, order(a) > order(b)].count(True) == 1
    assert (order(a) == order(b)) == equal
    if order(a) <= order(b) <= order(c):
        assert order(a) <= order(c)


def test_null_comes_first_and_nan_last() -> None:
    numbers = [NAN, 1.0, None, -1.0, float("inf"), 0.0]
    assert sorted(numbers, key=order) == [None, -1.0, 0.0, 1.0, float("inf"), NAN]
    lists = [(1.0, None), (), None, (None,), (1.0,), (NAN,)]
    assert sorted(lists, key=order) == [None, (), (None,), (1.0,), (1.0, None), (NAN,)]


@law
@given(
    types.flatmap(
        lambda kind: st.tuples(
            st.just(kind), st.lists(st.tuples(st.integers(0, 2), values_of(kind)), max_size=6)
        )
    ),
    st.randoms(use_true_random=False),
)
def test_a_window_is_sorted_by_time_then_value_whatever_the_order_of_arrival(
    drawn: tuple[TupleType, list[tuple[int, Any]]], random: Any
) -> None:
    kind, rows = drawn
    tuples = [kind.make(time, row) for time, row in rows if row is not None]
    ordered = kind.sort(tuples)
    assert ordered == sorted(tuples, key=order)
    random.shuffle(tuples)
    assert kind.sort(tuples) == ordered
    assert [t.time for t in ordered] == sorted(t.time for t in tuples)


def test_names_are_listed_for_a_sentence() -> None:
    assert [listed(n) for n in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "none",
        "a",
        "a and b",
        "a, b and c",
    ]
