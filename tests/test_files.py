"""Files: what is written is read back, and what can't be read is named."""

import gzip
import json
import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import onefold as of
from onefold.core.ddl import tuple_type
from onefold.core.functions import About, Failure, Step
from onefold.core.scalars import Binary, Boolean, DataType, Floating, Integer, String, Timestamp
from onefold.core.types import Array, Struct, TupleType
from onefold.engines.reference import Engine
from onefold.files.feed import feed
from onefold.files.formats import Format, ParquetMissing, UnknownFormat, format_of, opened
from onefold.files.journal import Journal, call_entry, row_entry
from onefold.files.rows import CHUNK, BadFile, BadRow, Reader
from onefold.files.targets import Target, writing

SUFFIXES = ["jsonl", "ndjson", "json", "jsonl.gz", "csv", "csv.gz", "parquet"]
N = tuple_type("n int")


def read(path: Path, type: TupleType, time: str = "time") -> tuple[list[of.Tuple], list[BadRow]]:
    with opened(str(path), type, time) as reader:
        pieces = list(reader.pieces())
    tuples = [t for some, _ in pieces for t in some]
    return tuples, [bad for _, bad in pieces if bad]


def written(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


# What is written is read back.

names = st.from_regex(r"[a-z][a-z0-9_. ]{0,5}", fullmatch=True).filter(lambda name: name != "time")
scalars: list[DataType] = [
    String(), Boolean(), Integer(32), Integer(64), Floating(32), Floating(64), Timestamp(), Binary()
]  # fmt: skip


def structs(inner: st.SearchStrategy[DataType]) -> st.SearchStrategy[Any]:
    fields = st.dictionaries(names, inner, min_size=1, max_size=3)
    return fields.map(lambda each: Struct(tuple(each.items())))


kinds = st.recursive(
    st.sampled_from(scalars),
    lambda inner: st.one_of(inner.map(Array), structs(inner)),
    max_leaves=4,
)
types = st.dictionaries(names, kinds, max_size=4).map(lambda each: TupleType(tuple(each.items())))


def values(kind: DataType, *, csv: bool = False) -> st.SearchStrategy[Any]:
    """Values of a type; in a cell of CSV there is no null string, and no empty binary."""
    match kind:
        case String():  # Python 3.10 reads no CSV with a NUL
            text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
            return text if csv else st.none() | text
        case Boolean():
            return st.none() | st.booleans()
        case Integer(bits):
            return st.none() | st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        case Floating(bits):
            return st.none() | st.floats(width=32 if bits == 32 else 64)
        case Timestamp():
            return st.none() | st.datetimes(timezones=st.just(UTC))
        case Binary():
            return st.none() | st.binary(min_size=csv)
        case Array(element):
            return st.none() | st.lists(values(element), max_size=3)
        case Struct(attributes):
            return st.none() | st.tuples(*(values(inner) for _, inner in attributes))
    raise NotImplementedError(str(kind))


@pytest.mark.parametrize("suffix", SUFFIXES)
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_what_is_written_is_read_back(suffix: str, tmp_path: Path, data: st.DataObject) -> None:
    type = data.draw(types)
    cells = [values(kind, csv="csv" in suffix) for _, kind in type.attributes]
    times = st.integers(1 - 2**62, 2**62 - 1)
    rows = data.draw(st.lists(st.tuples(times, st.tuples(*cells)), max_size=5))
    tuples = [type.make(time, row) for time, row in rows]
    path = tmp_path / f"rows.{suffix}"
    with writing(str(path), type) as output:
        output.write(tuples[:2])
        output.write(tuples[2:])
    assert read(path, type) == (tuples, [])


def test_time_comes_first_and_text_stays_readable(tmp_path: Path) -> None:
    type = tuple_type(
        "word string, at timestamp, raw binary, x double, p struct<a: int, b: array<int>>"
    )
    row = ('naïve, "so"', datetime(2024, 5, 1, tzinfo=UTC), b"ab", 1.0, (1, [2, None]))
    for name in ("a.jsonl", "a.csv"):
        with writing(str(tmp_path / name), type) as output:
            output.write([type.make(5, row)])
    assert (tmp_path / "a.jsonl").read_text() == (
        '{"time": 5, "word": "naïve, \\"so\\"", "at": "2024-05-01T00:00:00Z", "raw": "YWI=",'
        ' "x": 1.0, "p": {"a": 1, "b": [2, null]}}\n'
    )
    assert (tmp_path / "a.csv").read_text() == (
        "time,word,at,raw,x,p\n"
        '5,"naïve, ""so""",2024-05-01T00:00:00Z,YWI=,1.0,"{""a"": 1, ""b"": [2, null]}"\n'
    )


def test_numbers_that_json_does_not_have_are_written_as_python_does(tmp_path: Path) -> None:
    type = tuple_type("x double")
    path = tmp_path / "a.jsonl"
    with writing(str(path), type) as output:
        output.write([type.make(1, (float("nan"),)), type.make(2, (float("-inf"),))])
    assert path.read_text() == '{"time": 1, "x": NaN}\n{"time": 2, "x": -Infinity}\n'


def test_text_that_is_no_unicode_goes_through_json_and_nothing_else(tmp_path: Path) -> None:
    type = tuple_type("word string")
    path = written(tmp_path / "a.jsonl", '{"time": 1, "word": "\\ud800"}\n')
    tuples, _ = read(path, type)
    with writing(str(tmp_path / "b.jsonl"), type) as output:
        output.write(tuples)
    assert (tmp_path / "b.jsonl").read_bytes() == path.read_bytes()
    for name in ("b.csv", "b.parquet"):
        with pytest.raises(BadFile, match="a tuple can't be written"):
            write_one(tmp_path / name, type, tuples[0])
        assert not list(tmp_path.glob("b.[cp]*"))


def write_one(path: Path, type: TupleType, t: of.Tuple) -> None:
    with writing(str(path), type) as output:
        output.write([t])


@pytest.mark.parametrize(
    ("type", "value", "reason"),
    [
        ("s string", None, "attribute s: CSV can't tell a null string from an empty one"),
        ("b binary", b"", "attribute b: CSV can't tell empty bytes from null"),
    ],
)
def test_what_csv_can_not_tell_apart_is_an_error(
    type: str, value: Any, reason: str, tmp_path: Path
) -> None:
    with pytest.raises(BadFile, match=reason) as problem:
        write_one(tmp_path / "a.csv", tuple_type(type), tuple_type(type).make(1, (value,)))
    assert "write .jsonl or .parquet" in str(problem.value)
    assert list(tmp_path.iterdir()) == []


def test_equal_runs_give_equal_gzip_files(tmp_path: Path) -> None:
    for name in ("a.jsonl.gz", "b.jsonl.gz"):
        write_one(tmp_path / name, N, N.make(1, (1,)))
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()


# Event times.


@pytest.mark.parametrize(
    ("json_time", "csv_time", "time"),
    [
        ("7", "7", 7),
        ("-7", " -7 ", -7),
        ("7.9", "7.9", 7),
        ("-0.5", "-0.5", -1),
        ("1e3", "1e3", 1000),
        ('"1970-01-01T00:00:01.234500"', "1970-01-01T00:00:01.234500", 1234),
        ('"1970-01-01T01:00:00+01:00"', "1970-01-01T01:00:00+01:00", 0),
        ('"1970-01-01 00:00:01Z"', "1970-01-01 00:00:01", 1000),
        ('"1969-12-31T23:59:59.999999"', "1969-12-31T23:59:59.999999", -1),
    ],
)
def test_event_times(json_time: str, csv_time: str, time: int, tmp_path: Path) -> None:
    json_path = written(tmp_path / "a.jsonl", f'{{"n": 1, "time": {json_time}}}')
    csv_path = written(tmp_path / "a.csv", f"n,time\n1,{csv_time}\n")
    for path in (json_path, csv_path):
        assert read(path, N) == ([N.make(time, (1,))], [])


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin"])
def test_timestamps_of_parquet_are_floored(unit: str, zone: str | None, tmp_path: Path) -> None:
    type = tuple_type("at timestamp, all array<timestamp>")
    per_second = {"s": 1, "ms": 1000, "us": 10**6, "ns": 10**9}[unit]
    ticks = pyarrow.array([per_second - 1, -1], pyarrow.int64())
    column = ticks.cast(pyarrow.timestamp(unit, zone))
    lists = pyarrow.ListArray.from_arrays([0, 1, 2], column)
    parquet.write_table(
        pyarrow.table({"time": column, "at": column, "all": lists}), tmp_path / "a.parquet"
    )
    (late, early), bad = read(tmp_path / "a.parquet", type)
    assert not bad
    assert (late.time, early.time) == ((per_second - 1) * 1000 // per_second, -1000 // per_second)
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    assert early.at == epoch + timedelta(microseconds=-(10**6) // per_second)
    assert late.all == (late.at,)


def test_the_time_may_have_another_name(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", '{"at": 5, "time": "ignored", "n": 1}\n')
    assert read(path, N, "at") == ([N.make(5, (1,))], [])
    both = tuple_type("at bigint")
    assert read(path, both, "at") == ([both.make(5, (5,))], [])


# Rows that are no tuples.

JSON_REASONS = {
    '{"time": 1}': "attribute n is missing",
    '{"n": 1}': "the event time, time, is missing",
    '{"time": null, "n": 1}': "the event time, time, is null",
    '{"time": true, "n": 1}': "the event time, time: True is a bool, not a time",
    '{"time": "noon", "n": 1}': "the event time, time: 'noon' is not a timestamp in ISO 8601",
    '{"time": NaN, "n": 1}': "the event time, time: nan is a float, not a time",
    '{"time": 9e99, "n": 1}': "the event time, time: 9e+99 ms lies outside of ±2^62",
    '{"time": [1], "n": 1}': "the event time, time: [1] is a list, not a time",
    '{"time": 1, "n": "1"}': "attribute n: '1' is a str, not a whole number (int)",
    '{"time": 1, "n": 1.0}': "attribute n: 1.0 is a float, not a whole number (int)",
    '{"time": 1, "n": true}': "attribute n: True is a bool, not a whole number (int)",
    '{"time": 1, "n": 2147483648}': "attribute n: 2147483648 does not fit in the 32 bits of int",
    '{"time": 1, "n": 1': "malformed JSON at column 19: Expecting ',' delimiter",
    "{time: 1}": "malformed JSON at column 2: Expecting property name enclosed in double quotes",
    "[1, 2]": "not a JSON object: JSON lines hold one object a line",
    "5": "not a JSON object: JSON lines hold one object a line",
    "[" * 100_000: "malformed JSON: nested too deep",
    '{"time": 1, "n": 1, "n": 2}': "the key 'n' stands twice in an object",
    '{"time" : 1, "n": 1, "time": 2}': "the key 'time' stands twice in an object",
    '{"time": 1, "n": 1, "more": [{"a": 1, "a": ":"}]}': "the key 'a' stands twice in an object",
}


@pytest.mark.parametrize("line", JSON_REASONS, ids=lambda line: line[:24])
def test_a_bad_line_of_json_is_named_with_its_reason(line: str, tmp_path: Path) -> None:
    good = '{"time": 1, "n": 1, "more": "is ignored"}'
    path = written(tmp_path / "a.jsonl", f"{good}\r\n\n{line}\n{good}\n")
    tuples, (bad,) = read(path, N)
    assert tuples == [N.make(1, (1,))] * 2
    assert (bad.file, bad.line, bad.reason) == (str(path), 3, JSON_REASONS[line])
    assert bad.where == f"{path}:3"


def test_a_bad_line_is_kept_as_parsed_or_as_text(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", b'{"time": 1}\n{"time"\n{"time": "\xff"}\n')
    _, bad = read(path, N)
    assert [each.row for each in bad] == [{"time": 1}, '{"time"', '{"time": "\\xff"}']
    assert bad[2].reason == "not UTF-8 at byte 11"


def test_a_whole_number_of_thousands_of_digits_is_a_bad_line(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", '{"time": 1, "n": ' + "9" * 5000 + "}\n")
    _, (bad,) = read(path, N)
    assert "malformed JSON: " in bad.reason or "does not fit" in bad.reason


NESTED = "b binary, a array<double>, p struct<x: int>, at timestamp, f float"
NESTED_ROW = {"time": 1, "b": "YWI=", "a": [1, 2.5], "p": {"x": 1, "y": 2}, "at": None, "f": 0}


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("b", "a b", "attribute b: 'a b' is not base64"),
        ("b", 5, "attribute b: 5 is an int, not bytes in base64"),
        ("a", "12", "attribute a: '12' is a str, not an array<double>"),
        ("a", [1, "2"], "attribute a: element 1: '2' is a str, not a number (double)"),
        ("p", [1], "attribute p: [1] is a list, not a struct<x: int>"),
        ("p", {"y": 1}, "attribute p: attribute x is missing"),
        ("p", {"x": "1"}, "attribute p: attribute x: '1' is a str, not a whole number (int)"),
        ("at", "soon", "attribute at: 'soon' is not a timestamp in ISO 8601"),
        ("f", 1e300, "attribute f: 1e+300 does not fit in the 32 bits of float"),
    ],
)
def test_nested_values_are_checked_to_the_bottom(
    name: str, value: Any, reason: str, tmp_path: Path
) -> None:
    type = tuple_type(NESTED)
    rows = [NESTED_ROW, {**NESTED_ROW, name: value}]
    path = written(tmp_path / "a.jsonl", "\n".join(map(json.dumps, rows)))
    tuples, (bad,) = read(path, type)
    assert tuples == [type.make(1, (b"ab", [1.0, 2.5], (1,), None, 0.0))]
    assert (bad.line, bad.reason) == (2, reason)


CSV_REASONS = {
    "1": "1 cells, and the header has 5",
    "1,1,true,1.5,[1],": "6 cells, and the header has 5",
    ",1,true,1.5,[1]": "the event time, time, is null",
    "noon,1,true,1.5,[1]": "the event time, time: 'noon' is neither milliseconds nor a timestamp"
    " in ISO 8601",
    "1,1_0,true,1.5,[1]": "attribute n: '1_0' is not a whole number",
    f"1,{'9' * 50},true,1.5,[1]": "attribute n: a whole number of 50 digits is too long",
    "1,2147483648,true,1.5,[1]": "attribute n: 2147483648 does not fit in the 32 bits of int",
    "1,1,yes,1.5,[1]": "attribute b: 'yes' is neither true nor false",
    "1,1,true,1.5.1,[1]": "attribute x: '1.5.1' is not a number",
    "1,1,true,1.5,[": "attribute a: '[' is not JSON: Expecting value: line 1 column 2 (char 1)",
    '1,1,true,1.5,"[""a""]"': "attribute a: element 0: 'a' is a str, not a whole number (int)",
    '1,1,true,"1"5,[1]': "malformed CSV: ',' expected after '\"'",
}


@pytest.mark.parametrize("line", CSV_REASONS)
def test_a_bad_row_of_csv_is_named_with_its_reason(line: str, tmp_path: Path) -> None:
    type = tuple_type("n int, b boolean, x double, a array<int>")
    good = '1, 1 ,TRUE,1.5,"[1,\n 2]"'  # a row of two lines
    path = written(tmp_path / "a.csv", f"\ufefftime,n,b,x,a\n{good}\n\n{line}\n{good}\n")
    tuples, (bad,) = read(path, type)
    assert tuples == [type.make(1, (1, True, 1.5, [1, 2]))] * 2
    assert (bad.file, bad.line, bad.reason) == (str(path), 5, CSV_REASONS[line])


def test_empty_cells_are_null_but_for_text(tmp_path: Path) -> None:
    type = tuple_type("s string, n int, b boolean, x double, r binary, at timestamp, a array<int>")
    path = written(tmp_path / "a.csv", "time,s,n,b,x,r,at,a\n1,,,,,,,\n")
    assert read(path, type) == ([type.make(1, ("", *[None] * 6))], [])


def test_a_cell_that_is_not_utf_8_spoils_its_row_only(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", b"time,n\n1,1\n\xff,2\n3,3\n")
    tuples, (bad,) = read(path, N)
    assert [t.n for t in tuples] == [1, 3]
    assert (bad.line, bad.reason, bad.row) == (3, "not UTF-8 at byte 1 of line 3", "\\xff,2")


def test_a_cell_may_be_as_long_as_an_article(tmp_path: Path) -> None:
    type = tuple_type("s string")
    t = type.make(1, ("x" * 1_000_000,))
    write_one(tmp_path / "a.csv", type, t)
    assert read(tmp_path / "a.csv", type) == ([t], [])


def test_a_bad_row_of_parquet_is_named_with_its_number(tmp_path: Path) -> None:
    table = pyarrow.table({"time": [1, None, 3, 4], "n": [1, 2, 2**40, None], "extra": [0] * 4})
    path = tmp_path / "a.parquet"
    parquet.write_table(table, path)
    tuples, bad = read(path, N)
    assert tuples == [N.make(1, (1,)), N.make(4, (None,))]
    assert [each.error().what for each in bad] == [
        f"{path}, row 2: the event time, time, is null",
        f"{path}, row 3: attribute n: 1099511627776 does not fit in the 32 bits of int",
    ]
    assert bad[0].row == {"time": None, "n": 2}


def test_a_mistyped_column_of_parquet_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    parquet.write_table(pyarrow.table({"time": [1], "n": ["x"]}), path)
    _, (bad,) = read(path, N)
    assert bad.reason == "attribute n: 'x' is a str, not a whole number (int)"


def test_parquet_takes_the_types_of_other_writers(tmp_path: Path) -> None:
    type = tuple_type("s string, d double, n bigint")
    words = pyarrow.array(["a", None, "a"]).dictionary_encode()
    table = pyarrow.table(
        {
            "time": pyarrow.array([1.9, 2, 3], pyarrow.float32()),
            "s": words,
            "d": pyarrow.array([1, 2, None], pyarrow.int8()),
            "n": pyarrow.array([1, 2, None], pyarrow.uint16()),
        }
    )
    parquet.write_table(table, tmp_path / "a.parquet")
    rows = [(1, "a", 1.0, 1), (2, None, 2.0, 2), (3, "a", None, None)]
    expected = [type.make(time, tuple(row)) for time, *row in rows]
    assert read(tmp_path / "a.parquet", type) == (expected, [])


UNHEARD = {
    "duration": pyarrow.array([1, 1001], pyarrow.duration("ns")),
    "time of day": pyarrow.array([1, 1001], pyarrow.time64("ns")),
    "list too late": pyarrow.array([[2**62], [2**62]], pyarrow.list_(pyarrow.timestamp("ms"))),
    "date too late": pyarrow.array([2**30] * 2, pyarrow.int32()).cast(pyarrow.date32()),
    "moment too late": pyarrow.array([2**62] * 2, pyarrow.timestamp("ms")),
    "map": pyarrow.array([[("a", 1)]] * 2, pyarrow.map_(pyarrow.string(), pyarrow.timestamp("ns"))),
    "no UTF-8": pyarrow.StructArray.from_arrays(
        [pyarrow.array([b"\xff", b"\xff"]).cast(pyarrow.string(), safe=False)], ["s"]
    ),
}


@pytest.mark.parametrize("case", UNHEARD)
@pytest.mark.parametrize("column", ["time", "k"])
def test_what_python_can_not_hold_is_a_bad_row_of_parquet(
    case: str, column: str, tmp_path: Path
) -> None:
    table = {"time": pyarrow.array([1, 2]), "k": pyarrow.array(["a", "b"]), column: UNHEARD[case]}
    path = tmp_path / "a.parquet"
    parquet.write_table(pyarrow.table(table), path)
    tuples, bad = read(path, tuple_type("k string"))
    assert tuples == []
    name = {"time": "the event time, time: ", "k": "attribute k: "}[column]
    assert [each.reason.startswith(name) for each in bad] == [True, True]
    assert all(row_entry(each)["file"] == str(path) and each.error() for each in bad)


@pytest.mark.parametrize("size", [-1, 1])
@pytest.mark.parametrize("make", [pyarrow.list_, pyarrow.large_list])
def test_every_list_of_nanoseconds_is_floored(make: Any, size: int, tmp_path: Path) -> None:
    element = pyarrow.timestamp("ns")
    kind = make(element) if make is pyarrow.large_list else make(element, size)
    table = pyarrow.table({"time": [1], "k": pyarrow.array([[1001]], kind)})
    parquet.write_table(table, tmp_path / "a.parquet")
    type = tuple_type("k array<timestamp>")
    moment = datetime(1970, 1, 1, 0, 0, 0, 1, tzinfo=UTC)
    assert read(tmp_path / "a.parquet", type) == ([type.make(1, ([moment],))], [])


def test_a_long_value_is_not_told_whole(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", '{"time": 1, "n": ' + "9" * 4000 + "}\n")
    _, (bad,) = read(path, N)
    assert len(bad.reason) < 320
    assert bad.reason.startswith("attribute n: 999")
    assert bad.reason.endswith("999 does not fit in the 32 bits of int")


@pytest.mark.parametrize("row", ['{"time": 1, "more": %s}', '{"time": 1, "n": %s}'])
@pytest.mark.parametrize("depth", [150, 900, 970])
def test_a_bad_row_that_is_nested_deep_is_kept_as_text(
    row: str, depth: int, tmp_path: Path
) -> None:
    text = row % ("[" * depth + "]" * depth)
    _, (bad,) = read(written(tmp_path / "a.jsonl", text), N)
    assert row_entry(bad)["row"] == text
    assert bad.error().detail == text[:297] + "..."


def test_keys_of_different_objects_may_be_the_same(tmp_path: Path) -> None:
    row = '{"time" : 1, "n":1, "a": {"n": 1, "b\\":": [{"n": 1}, {"n": 2}]}, "c": ":"}\n'
    path = written(tmp_path / "a.jsonl", row)
    assert read(path, N) == ([N.make(1, (1,))], [])


def test_a_row_with_a_key_twice_is_kept_as_text(tmp_path: Path) -> None:
    text = '{"time": 1, "n": 1, "n": 2}'
    _, (bad,) = read(written(tmp_path / "a.jsonl", text), N)
    assert bad.row == text


def test_a_byte_order_mark_alone_is_an_empty_file(tmp_path: Path) -> None:
    assert read(written(tmp_path / "a.jsonl", b"\xef\xbb\xbf"), N) == ([], [])


class Shy:
    """A user's object that can't be shown."""

    def __repr__(self) -> str:
        raise ValueError("no")


def test_a_journal_takes_what_can_not_be_shown(tmp_path: Path) -> None:
    step, t = Step("stateful"), N.make(1, (1,))
    calls = [
        Failure(step, "add", "raised", (Shy(), t), About.TUPLE),
        Failure(step, "merge", "raised", (Shy(), Shy()), About.STATE),
        Failure(step, "map", "raised", (Shy(),), About.TUPLE),
    ]
    with Target(str(tmp_path / "bad.jsonl")) as target:
        for call in calls:
            Journal(target).write(call_entry(call))
    lines = (tmp_path / "bad.jsonl").read_text().splitlines()
    entries = [json.loads(line) for line in lines]
    shy = "a Shy that can't be shown"
    assert [each.get("states") for each in entries] == [[shy], [shy, shy], None]
    assert [each["tuples"] for each in entries] == [[{"time": 1, "n": 1}], [], [shy]]


# Files that are none.


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"", "a.csv: there is no column time and n"),
        ("a.csv", b"time,m\n", "a.csv: there is no column n"),
        ("a.csv", b"time,n,n\n", "a.csv: two columns are named n"),
        ("a.csv", b'"time"x,n\n', "a.csv:1: the header can't be read: "),
        ("a.jsonl.gz", b"not packed", "a.jsonl.gz can't be read after 0 rows"),
        (
            "a.jsonl.gz",
            gzip.compress(b'{"time": 1, "n": 1}\n' * 9, mtime=0)[:-9],
            "can't be read after ",
        ),
        ("a.parquet", b"no columns", "a.parquet can't be read as Parquet"),
    ],
)
def test_a_broken_file_is_an_error(name: str, content: bytes, message: str, tmp_path: Path) -> None:
    path = written(tmp_path / name, content)
    with pytest.raises(BadFile) as problem:
        read(path, N)
    assert message in str(problem.value)


def test_a_missing_column_of_parquet_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    parquet.write_table(pyarrow.table({"time": [1], "m": [1]}), path)
    with pytest.raises(BadFile, match="there is no column n\n  Detail: its columns are time and m"):
        read(path, N)


@pytest.mark.parametrize(
    "name", ["edits", "edits.txt", "edits.gz", "edits.parquet.gz", "a.b/edits"]
)
def test_a_name_that_tells_no_format_is_an_error(name: str) -> None:
    with pytest.raises(UnknownFormat, match="does not tell its format"):
        format_of(name)


def test_names_tell_formats(tmp_path: Path) -> None:
    assert format_of("A.JSONL") is format_of("a.json.gz") is format_of("-") is Format.JSON_LINES
    assert format_of(os.devnull) is Format.JSON_LINES


def test_without_pyarrow_one_sentence_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.delitem(sys.modules, "onefold.files.parquet", raising=False)
    with pytest.raises(ParquetMissing) as problem:
        write_one(tmp_path / "a.parquet", N, N.make(1, (1,)))
    assert str(problem.value) == (
        "Parquet files need pyarrow, which is not installed\n  Hint: pip install 'onefold[parquet]'"
    )
    assert list(tmp_path.iterdir()) == []


# Files appear when they are complete.


def test_a_file_appears_when_it_is_complete(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", "before")
    with writing(str(path), N) as output:
        output.write([N.make(1, (1,))])
        assert path.read_text() == "before"
        assert (tmp_path / "a.jsonl.part").exists()
    assert path.read_text() == '{"time": 1, "n": 1}\n'
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_run_that_stops_leaves_the_old_file(suffix: str, tmp_path: Path) -> None:
    path = written(tmp_path / f"a.{suffix}", "before")

    def stop() -> None:
        with writing(str(path), N) as output:
            output.write([N.make(1, (1,))])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stop()
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("content", [b"", b"so far"])
def test_a_journal_keeps_what_it_has_under_another_name(content: bytes, tmp_path: Path) -> None:
    def stop() -> None:
        with Target(str(tmp_path / "bad.jsonl"), keep=True) as target:
            target.stream.write(content)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stop()
    assert [path.name for path in tmp_path.iterdir()] == ["bad.jsonl.part"] * bool(content)


def test_a_link_stays_a_link_and_a_device_a_device(tmp_path: Path) -> None:
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "file.jsonl")
    for where in (str(tmp_path / "link.jsonl"), os.devnull):
        with writing(where, N) as output:
            output.write([N.make(1, (1,))])
    assert (tmp_path / "link.jsonl").is_symlink()
    assert (tmp_path / "file.jsonl").is_file()
    assert Path(os.devnull).is_char_device()


# Watermarks.


class Log:
    """An engine that writes down what it is given."""

    def __init__(self) -> None:
        self.events: list[tuple[str, str, int]] = []

    def process(self, source: str, tuples: list[of.Tuple]) -> None:
        self.events.append((source, "tuples", len(tuples)))

    def watermark(self, source: str, watermark: int) -> None:
        self.events.append((source, "watermark", watermark))

    def end(self, source: str) -> None:
        self.events.append((source, "end", 0))


def fed(
    paths: dict[str, Path], delay: int = 0, **options: int
) -> tuple[list[tuple[str, str, int]], list[int]]:
    log, counted = Log(), []
    with_readers: dict[str, Reader] = {}
    managers = {name: opened(str(path), N) for name, path in paths.items()}
    for name, manager in managers.items():
        with_readers[name] = manager.__enter__()
    feed(
        log,  # type: ignore[arg-type]
        with_readers,
        delay=delay,
        **options,
        on_read=lambda _, rows: counted.append(rows),
        on_bad=lambda source, bad: log.events.append((source, "bad", bad.line)),
    )
    for manager in managers.values():
        manager.__exit__(None, None, None)
    return log.events, counted


def test_the_source_with_the_lowest_watermark_is_read_next(tmp_path: Path) -> None:
    a = written(tmp_path / "a.csv", "time,n\n1,0\n9,0\n5,0\n")
    b = written(tmp_path / "b.csv", "time,n\n4,0\n3,0\nx,0\n7,0\n")
    events, counted = fed({"a": a, "b": b}, delay=1, every=2)
    assert events == [
        ("a", "tuples", 2),
        ("a", "watermark", 8),
        ("b", "tuples", 2),
        ("b", "watermark", 3),
        ("b", "bad", 4),
        ("b", "tuples", 1),
        ("b", "watermark", 6),
        ("b", "end", 0),
        ("a", "tuples", 1),
        ("a", "end", 0),
    ]
    assert sum(counted) == 7


def test_bad_rows_do_not_move_the_watermark_to_another_place(tmp_path: Path) -> None:
    lines = [f"{time},0" for time in range(CHUNK + 5)]
    lines[3] = "x,0"
    path = written(tmp_path / "a.csv", "\n".join(["time,n", *lines]))
    events, _ = fed({"a": path})
    assert events == [
        ("a", "tuples", 3),
        ("a", "bad", 5),
        ("a", "tuples", CHUNK - 4),
        ("a", "watermark", CHUNK - 1),
        ("a", "tuples", 5),
        ("a", "end", 0),
    ]


def test_state_stays_small_where_two_sources_are_far_apart(tmp_path: Path) -> None:
    rows = 5 * CHUNK
    for name in ("a", "b"):
        written(tmp_path / f"{name}.csv", "time,n\n" + "".join(f"{i},0\n" for i in range(rows)))
    pairs = of.source("a", "n int").join(of.source("b", "n int"), "x int, y int", size=1)
    most: list[int] = []
    engine = Engine(of.lower(pairs, "dedicated"), on_output=lambda _: None)
    with opened(str(tmp_path / "a.csv"), N) as a, opened(str(tmp_path / "b.csv"), N) as b:
        feed(
            engine,
            {"a": a, "b": b},
            on_read=lambda *_: most.append(engine.open_tuples()),
            on_bad=lambda *_: None,
        )
    assert max(most) <= 2 * CHUNK
    assert engine.open_tuples() == 0
