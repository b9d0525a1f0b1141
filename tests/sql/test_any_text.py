"""Whatever the text, reading it gives statements or an `SqlError`: never another exception."""

from __future__ import annotations

import contextlib
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from datacell.errors import SqlError
from datacell.sql import script
from datacell.sql.text.source import Source, tokenize
from properties.queries import SEVERAL

ROOT = Path(__file__).parent.parent.parent
SCRIPTS = [p.read_text(encoding="utf-8") for p in sorted((ROOT / "examples").glob("*.sql"))]
SCRIPTS += [p.read_text(encoding="utf-8") for p in sorted((Path(__file__).parent / "right").glob("*.sql"))]

STREAM = "CREATE STREAM s (a INT, b STRING, ts TIMESTAMP, WATERMARK FOR ts AS ts);\nCREATE TABLE t (a INT, c STRING);\n"
_TEXT = r"""
    SELECT FROM WHERE GROUP BY HAVING ORDER LIMIT OFFSET JOIN LEFT FULL SEMI ON USING UNION ALL EXCEPT INTERSECT
    DISTINCT WITH AS VALUES CASE WHEN THEN ELSE END AND OR NOT IN EXISTS BETWEEN LIKE IS NULL TRUE CAST INTERVAL
    OVER PARTITION ROWS RANGE SLIDE FIXED LANDMARK NOW UNBOUNDED RESET EVERY MINUTES SECOND ISTREAM RSTREAM TUMBLE
    HOP TABLE DESCRIPTOR CREATE DROP STREAM CONTINUOUS QUERY EMITTER TABLE VIEW INSERT INTO SHOW STREAMS ENABLE
    EXPLAIN LOGICAL WATERMARK FOR IDLE TIMEOUT CHECK FORMAT LATERAL WINDOW QUALIFY FILTER ROLLUP CUBE GROUPING SETS
    WITHIN NATURAL CROSS PRECEDING count max sum rank lag array map struct named_struct transform explode date_add
    if coalesce window_start window_end a b c s t ts x INT STRING TIMESTAMP ARRAY<INT> 0 1 2 -3 1.5 1e3 'x' '1' "y"
    `a` `b c` ( ) [ ] , ; . * + - / % = <> < > <= || -> => :: ? :p @ ~ & | ^ ! { } \ $ # é 漢 /* */ -- --x
"""
WORDS = _TEXT.split()

bounded = settings(SEVERAL, max_examples=300)
words = st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join)


def check(text: str) -> None:
    with contextlib.suppress(SqlError):
        list(script.read(text))


@bounded
@given(words)
def test_words_in_any_order(text: str) -> None:
    check(STREAM + text)


@bounded
@given(words)
def test_a_query_of_words_in_any_order(text: str) -> None:
    check(f"{STREAM}CREATE CONTINUOUS QUERY q AS SELECT a FROM s {text}")
    check(f"{STREAM}SELECT {text} FROM s [RANGE 5 MINUTES SLIDE 1 MINUTE]")


@bounded
@given(st.data())
def test_a_right_script_with_tokens_changed(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(SCRIPTS))
    for _ in range(data.draw(st.integers(1, 3))):
        tokens = tokenize_or_none(text)
        if not tokens:
            break
        start, end = data.draw(st.sampled_from(tokens))
        other_start, other_end = data.draw(st.sampled_from(tokens))
        replacement = data.draw(st.sampled_from(["", text[other_start:other_end], *WORDS]))
        text = f"{text[:start]} {replacement} {text[end:]}"
    check(text)


@bounded
@given(st.data())
def test_a_right_script_cut_anywhere(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(SCRIPTS))
    first, last = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    check(text[:first] + text[last:])
    check(text[:last])


@bounded
@given(st.text(max_size=60))
def test_any_characters(text: str) -> None:
    check(text)
    check(STREAM + "SELECT a FROM s WHERE b = " + text)


def tokenize_or_none(text: str) -> list[tuple[int, int]]:
    try:
        return [(t.start, t.end + 1) for t in tokenize(Source(text))]
    except SqlError:
        return []
