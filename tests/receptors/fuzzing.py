"""Lines of every kind, by TCP and by files, with good rows between them: every good row is answered, once.

A good row is known by its text, which repeats its number. `python -m receptors.fuzzing LINES SEED` is the long form.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import datacell
from datacell.cell.cell import Cell
from datacell.tools import sensor

FORMS = ("csv", "json")
WAYS = ("tcp", "files")
_GOOD_IN = 4
"""Every fourth line is a good one, on average."""

_LARGEST = 1 << 20
_PATIENCE = 240.0
_LINES_PER_FILE = 250


def good(number: int, form: str) -> bytes:
    text = f"good {number}"
    return f"{number},{text}".encode() if form == "csv" else json.dumps({"i": number, "s": text}).encode()


def bad(draw: random.Random, form: str) -> bytes:
    """Something that is no good row, on one line or on several."""
    return draw.choice(_BAD)(draw, form)


def lines(count: int, seed: int, form: str) -> Iterator[tuple[int | None, bytes]]:
    """Lines with their ends; a good one with its number."""
    draw = random.Random(f"{seed} {form}")
    for number in range(count):
        if draw.randrange(_GOOD_IN) == 0:
            yield number, good(number, form) + draw.choice((b"\n", b"\r\n"))
        else:
            yield None, bad(draw, form) + draw.choice((b"\n", b"\r\n", b"\n\n", b"\r\r\n", b" \n"))


def check(cell: Cell, directory: Path, count: int, seed: int) -> dict[str, int]:
    """So many lines in each form and way; how many good ones there were, by stream. Anything else is an error."""
    drawn = {form: list(lines(count, seed, form)) for form in FORMS}
    for form in FORMS:
        _write(directory / form, [line for _, line in drawn[form]], form)
        cell.sql(f"CREATE STREAM files_{form} (i INT, s STRING) WITH (format = '{form}', path = '{directory / form}')")
        limits = "port = '0', line = '256k'"
        cell.sql(f"CREATE STREAM tcp_{form} (i INT, s STRING) WITH (format = 'tcp', lines = '{form}', {limits})")
    streams = {f"{way}_{form}": form for way in WAYS for form in FORMS}
    queries = {
        name: cell.query(f"SELECT i, s FROM {name} WHERE s LIKE 'good %'", name=f"of {name}") for name in streams
    }
    cell.start()
    for form in FORMS:
        port = cell.works.intake.receptors[f"tcp_{form}"].port or 0
        sent = sensor.send("127.0.0.1", port, [line for _, line in drawn[form]])
        expected = sum(line.count(b"\n") for _, line in drawn[form])
        assert sent.acknowledged == expected, f"{sent.acknowledged} of {expected} lines were acknowledged"
    found = {}
    for name, form in streams.items():
        wanted = [number for number, _ in drawn[form] if number is not None]
        seen: list[int] = []
        for result in queries[name].results(timeout=_PATIENCE):
            seen += [row["i"] for row in result if row["s"] == f"good {row['i']}"]
            if len(seen) >= len(wanted):
                break
        assert sorted(seen) == wanted, f"{name}: {len(seen)} of {len(wanted)} good rows"
        found[name] = len(seen)
    cell.check()
    return found


def _write(directory: Path, found: list[bytes], form: str) -> None:
    directory.mkdir()
    for first in range(0, len(found), _LINES_PER_FILE):
        content = b"".join(found[first : first + _LINES_PER_FILE])
        (directory / f"{first:09d}.{form}").write_bytes(content)


def _partial(draw: random.Random, form: str) -> bytes:
    whole = good(draw.randrange(1_000_000), form)
    return whole[: draw.randrange(len(whole) - 1)]


def _random(draw: random.Random, form: str) -> bytes:
    return draw.randbytes(draw.choice((1, 10, 100, 1000)))


def _nulls(draw: random.Random, form: str) -> bytes:
    return b"\0" * draw.choice((1, 3, 1000))


def _huge(draw: random.Random, form: str) -> bytes:
    """A field that is huge; now and then longer than a line may be."""
    size = draw.choice((10_000, 100_000, _LARGEST) if draw.random() < 0.05 else (5_000,))
    field = draw.choice((b"x", b'"', b"\\", b"[", b"{", "ü".encode())) * size
    return b'{"i": 1, "s": "' + field if form == "json" else b"1," + field


def _not_utf8(draw: random.Random, form: str) -> bytes:
    text = draw.choice((b"\xff\xfe", b"\xc3\x28", b"\xed\xa0\x80", b"\xf5\x80\x80\x80"))
    return b'{"i": 1, "s": "' + text + b'"}' if form == "json" else b"1," + text


def _fields(draw: random.Random, form: str) -> bytes:
    count = draw.choice((3, 50, 25_000) if draw.random() < 0.1 else (3, 50))
    return b"[" * min(count, 3_000) if form == "json" else b"," * count


def _quotes(draw: random.Random, form: str) -> bytes:
    return draw.choice((b'"', b'1,"open', b'1,""" "" ', b'"1","a"x', b"'", b"1,\\", b'"\\"', b'{"i": "', b'{"i"'))


def _values(draw: random.Random, form: str) -> bytes:
    value = draw.choice(("1e400", "-0", "99999999999999999999", "NaN", "null", "true", "0x10", "١", "1_0", "[]", "{}"))
    return f'{{"i": {value}, "s": {value}}}'.encode() if form == "json" else f"{value},{value}".encode()


def _blank(draw: random.Random, form: str) -> bytes:
    return draw.choice((b"", b" ", b"\t", "\ufeff".encode(), "\u2028".encode(), b"\x0b\x0c", b"#", b"\x1b[2J"))


_BAD: tuple[Callable[[random.Random, str], bytes], ...] = (
    _partial, _random, _nulls, _huge, _not_utf8, _fields, _quotes, _values, _blank,
)  # fmt: skip


def main() -> None:
    count, seed = (int(given) for given in (*sys.argv[1:], "10000", "1")[:2])
    with TemporaryDirectory() as directory:
        cell = datacell.connect(Path(directory) / "state", kept_firings=1_000_000)
        found = check(cell, Path(directory), count, seed)
        rejected = {name: len(cell.sql(f"SELECT * FROM {name}__rejected") or ()) for name in found}
        cell.stop()
        cell.spark.stop()
    sys.stdout.write(f"{count} lines each, seed {seed}: good rows {found}, rejected that are kept {rejected}\n")


if __name__ == "__main__":
    main()
