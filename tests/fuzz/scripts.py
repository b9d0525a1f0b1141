"""Scripts that nobody would write: those of the fixtures, cut, mixed and spoilt. Names that nobody would give.

``python -m fuzz.scripts 10000 1000`` reads, binds and plans ten thousand of them and tries a thousand names; whatever
they say, an answer or one `DataCellError` comes of it, soon. A script is known by its number, and comes out the same
again: ``python -m fuzz.scripts --only 1234``.
"""

from __future__ import annotations

import argparse
import faulthandler
import random
import re
import sys
import time
import traceback
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from datacell.compile import Setting, compile
from datacell.compile.explain import Format, Stage, explain_script
from datacell.errors import DataCellError, PlanError, in_backticks
from datacell.sql import script
from datacell.sql.catalog import Catalog
from datacell.sql.statements.safe import Safety
from datacell.sql.statements.statement import CreateQuery, InsertInto, Select, after

ROOT = Path(__file__).parent.parent.parent
LONGEST = 20.0
"""Seconds of the processor that one script may take."""

_TOKEN = re.compile(r"\s+|\w+|'[^'\n]*'|`[^`\n]*`|--[^\n]*|.", re.DOTALL)
_TEXT = r"""
    SELECT FROM WHERE GROUP BY HAVING ORDER LIMIT JOIN LEFT FULL ON USING UNION ALL EXCEPT INTERSECT DISTINCT WITH AS
    CASE WHEN THEN END AND OR NOT IN EXISTS BETWEEN LIKE IS NULL CAST INTERVAL OVER PARTITION ROWS RANGE SLIDE FIXED
    LANDMARK SESSION LATEST DELETE NOW UNBOUNDED RESET EVERY MINUTES SECOND ISTREAM DSTREAM TUMBLE HOP CUMULATE TABLE
    DESCRIPTOR CREATE DROP STREAM CONTINUOUS QUERY EMITTER VIEW INSERT INTO SHOW RESTART ENABLE EXPLAIN PHYSICAL
    WATERMARK FOR IDLE TIMEOUT CHECK LATERAL WINDOW QUALIFY FILTER ROLLUP CUBE GROUPING SETS AHEAD AT MOST SET ADD JAR
    LOCATION OPTIONS count sum max rank lag array map transform reflect explode window_start window_end valid_from ts
    a k v 0 1 2 -3 1.5 1e308 99999999999999999999 0x 'x' '' `` ` ' " ( ) [ ] , ; . * + - / % = <> <= || -> :: ? @ ~ &
    | ^ ! { } \ /* */ -- $ # é 漢
"""
_WORDS = [*_TEXT.split(), "\u202e", "\u0301", "\ufeff", "\x1b", "\x00", "\r"]


@cache
def fixtures() -> tuple[str, ...]:
    """All scripts of the tests and examples, right ones and wrong ones."""
    found = [*ROOT.glob("tests/sql/right/*.sql"), *ROOT.glob("tests/sql/wrong/*.sql"), *ROOT.glob("examples/*.sql")]
    return tuple(path.read_text(encoding="utf-8") for path in sorted(found))


def mutated(number: int) -> str:
    """The script of a number."""
    chance = random.Random(number)
    tokens = _TOKEN.findall(chance.choice(fixtures()))[:4000]
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        chance.choice(_MUTATIONS)(tokens, chance)
    return "".join(tokens)


def _dropped(tokens: list[str], chance: random.Random) -> None:
    start = chance.randrange(len(tokens) + 1)
    del tokens[start : start + chance.choice((1, 1, 2, 5, 30))]


def _doubled(tokens: list[str], chance: random.Random) -> None:
    start = chance.randrange(len(tokens) + 1)
    tokens[start:start] = tokens[start : start + chance.choice((1, 3, 10))] * chance.choice((1, 2, 50))


def _swapped(tokens: list[str], chance: random.Random) -> None:
    if tokens:
        one, two = (chance.randrange(len(tokens)) for _ in range(2))
        tokens[one], tokens[two] = tokens[two], tokens[one]


def _worded(tokens: list[str], chance: random.Random) -> None:
    place = chance.randrange(len(tokens) + 1)
    tokens[place : place + chance.choice((0, 1))] = [" ", chance.choice(_WORDS), " "]


def _mixed(tokens: list[str], chance: random.Random) -> None:
    other = _TOKEN.findall(chance.choice(fixtures()))
    start = chance.randrange(len(other) + 1)
    place = chance.randrange(len(tokens) + 1)
    tokens[place:place] = other[start : start + chance.choice((1, 5, 40))]


def _charred(tokens: list[str], chance: random.Random) -> None:
    if tokens:
        place = chance.randrange(len(tokens))
        text = tokens[place]
        at = chance.randrange(len(text) + 1)
        tokens[place] = (
            text[:at] + chr(chance.choice((chance.randrange(128), chance.randrange(0xD800)))) + text[at + 1 :]
        )


def _numbered(tokens: list[str], chance: random.Random) -> None:
    places = [i for i, t in enumerate(tokens) if t.isdigit()]
    if places:
        tokens[chance.choice(places)] = chance.choice(("0", "-1", "1e9", "9" * 18, "9" * 40, "0.0000001", "NULL"))


_MUTATIONS = (_dropped, _doubled, _swapped, _worded, _worded, _mixed, _charred, _numbered)


def name(number: int) -> str:
    """The name of a number: any characters, of any length, with a liking for those that mean something somewhere."""
    chance = random.Random(-1 - number)
    liked = "./\\'\"`;$%*?[]{}<>&|:~^#@!() \t\n\x00\x1b\x9b\u202e\u0301éßİ漢😀_-,=+aA0"
    some = chance.choice((1, 2, 3, 8, 30, 200, 3000))
    drawn = (chance.choice(liked) if chance.random() < 0.8 else chr(chance.randrange(1, 0xD800)) for _ in range(some))
    kind = chance.randrange(4)
    return (
        "".join(drawn)
        if kind
        else chance.choice(("..", ".", "/", "con", "__reason", "s__late", "window_end", "$s", "0"))
    )


_KNOWN_NAMES = ("..", ".", "/", "con", "__reason", "s__late", "window_end", "$s", "0")


def planned(text: str) -> None:
    """Read, bind and plan a script as far as can be without Spark, and show it; mistakes are `DataCellError`."""
    known = Catalog()
    try:
        for source, tokens in script.statements(text):
            statement = script.bind(source, tokens, known, Safety()).statement
            known = after(known, statement)
    except DataCellError as error:
        _require_message(error)
    try:
        for placed in script.read(text):
            if isinstance(placed.statement, CreateQuery | InsertInto | Select):
                _ = compile(placed.statement.query, Setting()).physical
        explain_script(text, "fuzz.sql", Stage.INCREMENTAL, Format.MERMAID)
    except DataCellError as error:
        _require_message(error)


def named(given: str) -> None:
    """A name for everything that has one."""
    text = in_backticks(given)
    planned(
        f"CREATE STREAM {text} ({text} INT, `t{given.replace('`', '``')}` TIMESTAMP);"
        f"CREATE CONTINUOUS QUERY q AS SELECT {text}, count(*) AS {text} "
        f"FROM {text} [ROWS 3] AS {text} GROUP BY {text};"
        f"CREATE CONTINUOUS QUERY {text} AS SELECT * FROM {text};"
        f"CREATE EMITTER {text} FROM q WITH (format = 'csv', path = 'x', {text} = 'y')"
    )


def _require_message(error: DataCellError) -> None:
    """It is the user's mistake, and is told without what a terminal would obey."""
    told = str(error)
    assert not isinstance(error, PlanError), told
    assert error.message.strip(), "an empty message"
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", told), "an escape"
    assert "Traceback" not in told


def failures(scripts: range, names: range) -> Iterator[str]:
    """What goes wrong, as pages for whoever is to repair it."""
    for kind, numbers, given, judge in (("script", scripts, mutated, planned), ("name", names, name, named)):
        for number in numbers:
            text, began = given(number), time.process_time()
            try:
                faulthandler.dump_traceback_later(10 * LONGEST, exit=True)
                judge(text)
            except Exception:
                yield f"{kind} {number}:\n{text[:3000]!r}\n{traceback.format_exc(limit=-8)}"
            took = time.process_time() - began
            if took > LONGEST:
                yield f"{kind} {number} took {took:.1f} s:\n{text[:3000]!r}"
    faulthandler.cancel_dump_traceback_later()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scripts", type=int, nargs="?", default=10_000)
    parser.add_argument("names", type=int, nargs="?", default=1_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", type=int)
    asked = parser.parse_args()
    first, count, names = asked.first, asked.scripts, asked.names
    if asked.only is not None:
        first, count, names = asked.only, 1, 0
    found = 0
    for page in failures(range(first, first + count), range(names)):
        found += 1
        print(page, flush=True)
    print(f"{count} scripts, {names} names: {found} failures")
    sys.exit(found > 0)


if __name__ == "__main__":
    main()
