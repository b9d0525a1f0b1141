"""A csv column is never silently taken for another."""

from __future__ import annotations

import pytest

from datacell.receptors.headers import layout, split


@pytest.mark.parametrize(
    ("header", "places"),
    [
        ("ts,k,v", (0, 1, 2)),
        ("TS,K,V", (0, 1, 2)),
        ("v,ts,k", (1, 2, 0)),
        ("v,x,ts,k", (2, 3, 0)),
        ("a,b,c", None),
        ("ts,key,value", (0, 1, 2)),
        ("k,ts,value", None),
        ("a,b", None),
        ("a,b,c,d", None),
        ("ts,ts,k", None),
        ("", None),
    ],
)
def test_layout(header: str, places: tuple[int, ...] | None) -> None:
    assert layout(header.split(","), ("ts", "k", "v")) == places


@pytest.mark.parametrize(
    ("line", "separator", "names"),
    [
        ("\ufeffa,b\r\n", ",", ["a", "b"]),
        ('"a, 1", b\n', ",", ["a, 1", "b"]),
        ("a||b", "||", ["a", "b"]),
        ("a\tb", "\t", ["a", "b"]),
        ('"open', ",", ["open"]),
    ],
)
def test_split(line: str, separator: str, names: list[str]) -> None:
    assert split(line, separator, '"') == names
