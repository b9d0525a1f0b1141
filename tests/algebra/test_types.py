"""Types: how they are read and printed, and which type holds the values of two."""

from __future__ import annotations

import pytest

from datacell.algebra import types


@pytest.mark.parametrize(
    ("spelled", "printed"),
    [
        ("INTEGER", "int"),
        ("long", "bigint"),
        ("SHORT", "smallint"),
        ("byte", "tinyint"),
        ("real", "float"),
        ("VARCHAR(10)", "string"),
        ("decimal", "decimal(10,0)"),
        ("NUMERIC(5)", "decimal(5,0)"),
        ("dec(12, 3)", "decimal(12,3)"),
        ("timestamp_ltz", "timestamp"),
        ("array<array<int>>", "array<array<int>>"),
        ("map<string, decimal(4,1)>", "map<string,decimal(4,1)>"),
        ("struct<a: int, b: array<string>>", "struct<a:int,b:array<string>>"),
        ("void", "void"),
    ],
)
def test_a_type_is_read_from_any_spelling(spelled: str, printed: str) -> None:
    read = types.of(spelled)
    assert str(read) == printed
    assert types.of(printed) == read == types.of_sqlglot(types.to_sqlglot(read))


@pytest.mark.parametrize("spelled", ["colour", "array<>", "map<int>", ""])
def test_what_is_no_type(spelled: str) -> None:
    with pytest.raises(ValueError, match="there is no type"):
        types.of(spelled)


WIDENING = """
tinyint       smallint       smallint
int           bigint         bigint
bigint        float          float
bigint        double         double
float         double         double
int           decimal(10,2)  decimal(12,2)
bigint        decimal(10,2)  decimal(22,2)
decimal(5,2)  decimal(6,4)   decimal(7,4)
decimal(38,0) decimal(38,10) decimal(38,0)
double        decimal(10,2)  double
float         decimal(10,2)  double
void          int            int
void          array<int>     array<int>
date          timestamp      timestamp
date          timestamp_ntz  timestamp_ntz
timestamp     timestamp_ntz  timestamp
string        int            string
string        date           string
string        timestamp      string
string        boolean        -
string        binary         -
string        array<int>     -
boolean       int            -
int           date           -
array<int>    array<bigint>  array<bigint>
array<int>    array<date>    -
array<int>    map<int,int>   -
map<int,int>  map<int,double> map<int,double>
struct<a:int> struct<a:bigint> struct<a:bigint>
struct<a:int> struct<a:int,b:int> -
"""


@pytest.mark.parametrize("line", WIDENING.strip().split("\n"))
def test_the_common_type_of_two(line: str) -> None:
    a, b, common = line.split()
    expected = None if common == "-" else types.of(common)
    assert types.common(types.of(a), types.of(b)) == expected
    assert types.common(types.of(b), types.of(a)) == expected


@pytest.mark.parametrize("text", ["int", "string", "decimal(10,2)", "array<int>", "struct<a:int>", "void", "boolean"])
def test_a_type_is_common_with_itself(text: str) -> None:
    assert types.common(types.of(text), types.of(text)) == types.of(text)


def test_the_common_type_of_several() -> None:
    assert types.common_of([]) == types.NULL
    assert types.common_of([types.INT, types.NULL, types.DOUBLE, types.BIGINT]) == types.DOUBLE
    assert types.common_of([types.INT, types.DATE, types.INT]) is None


@pytest.mark.parametrize(
    ("precision", "scale", "kept"),
    [(38, 10, "decimal(38,10)"), (39, 10, "decimal(38,9)"), (50, 20, "decimal(38,8)"), (60, 10, "decimal(38,6)")],
)
def test_decimals_give_up_digits_after_the_point_but_keep_six(precision: int, scale: int, kept: str) -> None:
    assert str(types.bounded_decimal(precision, scale)) == kept
