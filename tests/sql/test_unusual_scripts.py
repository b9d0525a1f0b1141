"""Scripts that are too large, too deep or no text at all: an answer or one message, soon, and never a traceback."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from command import run
from datacell.errors import SqlError
from datacell.sql import script
from datacell.sql.text import source

STREAM = "CREATE STREAM s (a INT, ts TIMESTAMP, WATERMARK FOR ts AS ts);\n"
MEGABYTE = 1 << 20


def explained(folder: Path, text: str) -> tuple[int, str, str]:
    script = folder / "script.sql"
    script.write_text(text, encoding="utf-8")
    return run("explain", str(script))


def test_a_mistake_on_the_last_line_of_a_megabyte(tmp_path: Path) -> None:
    remark = "-- why this query is here, at some length: " + "it is needed " * 70
    queries = (f"{remark}\nCREATE CONTINUOUS QUERY q{i} AS SELECT a FROM s WHERE a > {i};\n" for i in range(1050))
    text = STREAM + "".join(queries)
    assert len(text) > MEGABYTE
    before = time.process_time()
    code, _, said = explained(tmp_path, text + "SELECT aa FROM s;")
    assert time.process_time() - before < 10
    assert code == 2
    assert "there is no column aa" in said
    assert f"script.sql:{text.count(chr(10)) + 1}:8\n" in said


def test_a_mistake_in_a_line_of_a_megabyte(tmp_path: Path) -> None:
    code, _, said = explained(tmp_path, f"{STREAM}SELECT '{'x' * MEGABYTE}' AS x, aa FROM s;")
    assert code == 2
    assert f"script.sql:2:{MEGABYTE + 17}\n" in said
    assert max(map(len, said.splitlines())) < 200


@pytest.mark.parametrize(
    "expression",
    [
        "(" * 100_000 + "a" + ")" * 100_000,
        " AND ".join(["a > 1"] * 20_000),
        "+".join(["a"] * 20_000),
        "NOT " * 20_000 + "true",
        "- " * 20_000 + "a",
        "CASE WHEN a > 1 THEN " * 2_000 + "1" + " END" * 2_000,
        "abs(" * 140 + "a" + ")" * 140,
    ],
    ids=["parentheses", "and", "plus", "not", "minus", "case", "calls"],
)
def test_an_expression_without_end(tmp_path: Path, expression: str) -> None:
    code, shown, said = explained(tmp_path, f"{STREAM}SELECT {expression} AS x FROM s;")
    assert (code, said) == (0, "") or ("too deeply" in said or "brackets within brackets" in said)
    assert code in (0, 2)
    assert bool(shown) == (code == 0)


def test_a_hundred_conditions_are_not_too_many(tmp_path: Path) -> None:
    conditions = " AND ".join(f"a <> {i}" for i in range(100))
    code, shown, _ = explained(tmp_path, f"{STREAM}SELECT a FROM s WHERE {conditions};")
    assert code == 0
    assert "a <> 99" in shown


def test_names_that_multiply(tmp_path: Path) -> None:
    doubled = (f", a{i} AS (SELECT x.a FROM a{i - 1} AS x JOIN a{i - 1} AS y ON x.a = y.a)" for i in range(1, 30))
    code, _, said = explained(tmp_path, f"{STREAM}WITH a0 AS (SELECT a FROM s){''.join(doubled)} SELECT a FROM a29;")
    assert code == 2
    assert "too many" in said


def test_a_missing_file() -> None:
    assert run("explain", "no/such.sql") == (2, "", "error: there is no file no/such.sql\nhint: check the path\n")


def test_a_directory(tmp_path: Path) -> None:
    code, _, said = run("explain", str(tmp_path))
    assert (code, said) == (2, f"error: {tmp_path} cannot be read: Is a directory\nhint: give a file of SQL\n")


def test_a_binary_file(tmp_path: Path) -> None:
    script = tmp_path / "script.sql"
    script.write_bytes(bytes(range(256)))
    code, _, said = run("explain", str(script))
    assert code == 2
    assert said.startswith(f"error: {script} is not UTF-8 text")


def test_control_characters_are_not_sent_to_the_terminal(tmp_path: Path) -> None:
    code, _, said = explained(tmp_path, "SELECT \x1b[31m \x00 FROM s;")
    assert code == 2
    assert "\x1b" not in said
    assert "\x00" not in said


def test_a_byte_order_mark_and_carriage_returns(tmp_path: Path) -> None:
    script = tmp_path / "script.sql"
    script.write_bytes(b"\xef\xbb\xbf" + STREAM.replace("\n", "\r\n").encode() + b"SELECT aa\r\nFROM s;\r\n")
    code, _, said = run("explain", str(script))
    assert code == 2
    assert "2 | SELECT aa\n  |        ^^\n" in said


def test_a_script_has_so_many_statements_at_most() -> None:
    text = "CREATE STREAM s (k INT);" + "SELECT k FROM s;" * 10_000
    with pytest.raises(SqlError, match="more than 10000 statements") as raised:
        script.statements(text)
    assert raised.value.place is not None
    assert raised.value.place.column == len(text) - len("SELECT k FROM s;") + 1


def test_a_script_has_so_many_characters_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "LONGEST_SCRIPT", 1 << 20)
    with pytest.raises(SqlError, match="more than 1 million characters"):
        script.statements("SELECT " + "1" * (1 << 20))
