"""What is printed and logged is neither a command to a terminal nor a secret."""

from __future__ import annotations

import io
import logging
from types import SimpleNamespace

import pyarrow as pa
import pytest
from rich.console import Console

from datacell.cli import printing
from datacell.emitters.console import ConsoleEmitter
from datacell.engines.reasons import explained
from datacell.errors import Place, SqlError
from datacell.plain_text import harmless, harmless_line, is_secret, redacted, without_secrets
from datacell.runtime.storage.output import Firing

NASTY = "a\x1b[31mb\x9b2Jc\u202ed\x07e\u2066f\rg"
OBEYED = "\x1b\x9b\u202e\x07\u2066\r"


def is_plain(text: str) -> bool:
    return not any(character in text for character in OBEYED)


def test_commands_are_shown_as_numbers() -> None:
    assert harmless(NASTY) == r"a\x1b[31mb\x9b2Jc\u202ed\x07e\u2066f\x0dg"
    assert harmless("two\nlines\tä漢") == "two\nlines\tä漢"
    assert harmless_line("two\nlines") == r"two\x0alines"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("WITH (format = 'jdbc', password = 'hunter2')", "WITH (format = 'jdbc', password = '*******')"),
        ("OPTIONS (url 'x', 'passWord' 'it''s', sep ';')", "OPTIONS (url 'x', 'passWord' '*****', sep ';')"),
        ("kafka.sasl.jaas.config = \"a 'b'\"", 'kafka.sasl.jaas.config = "*****"'),
        ("fs.s3a.secret.key='abc", "fs.s3a.secret.key='***"),
        ("no driver for jdbc:postgresql://me:pw@host/x", "no driver for jdbc:postgresql://me:**@host/x"),
        ("jdbc:x://h/d?user=me&password=pw&a=1", "jdbc:x://h/d?user=me&password=**&a=1"),
        ("jdbc:sqlserver://h;user=me;password=pw;a=1", "jdbc:sqlserver://h;user=me;password=**;a=1"),
        ("SELECT tokens FROM s WHERE key = 'a'", "SELECT tokens FROM s WHERE key = 'a'"),
        ("there is no column secret", "there is no column secret"),
    ],
)
def test_secrets_have_stars_and_all_else_stays_in_place(text: str, shown: str) -> None:
    assert without_secrets(text) == shown
    assert len(shown) == len(text)


def test_options_that_are_secrets() -> None:
    assert all(map(is_secret, ("password", "sslKeyPassword", "fs.s3a.access.key", "API_KEY", "token", "key", "pwd")))
    assert not any(map(is_secret, ("path", "user", "subscribe", "keyColumn", "monkey", "header")))
    assert redacted("password", "hunter2") == "***"
    assert redacted("url", "jdbc:x://me:pw@h/d") == "jdbc:x://me:***@h/d"
    assert redacted("path", "in") == "in"


def test_an_error_says_neither() -> None:
    script = f"CREATE STREAM s (a INT) WITH (password =\n 'hunter2', {NASTY} = 1)"
    place = Place(script, script.index("hunter2") + 9, script.index("hunter2") + 12, f"file{NASTY}")
    told = str(SqlError(f"there is no {NASTY}: password='hunter2'", place=place, hint=f"{NASTY} token 'mine'"))
    assert is_plain(told)
    assert "hunter2" not in told
    assert "mine" not in told


def test_the_log_says_neither(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "datacell"):
        logging.getLogger("datacell").warning("query %s failed: password='%s'", NASTY, "hunter2")
    assert is_plain(caplog.text)
    assert "hunter2" not in caplog.text


def test_the_console_shows_names_and_values_as_text() -> None:
    out = io.StringIO()
    rows = pa.table({f"column{NASTY}": [f"value{NASTY}"]})
    emitter = ConsoleEmitter(f"name{NASTY}", Console(file=out, force_terminal=True, width=200, color_system=None))
    emitter.deliver(Firing(1, rows, {}))
    assert is_plain(out.getvalue())
    assert all(what in out.getvalue() for what in ("column", "value", "name"))


def test_a_terminal_gets_plain_text_and_a_file_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    for is_terminal, expected in ((True, f"{harmless(NASTY)}\n"), (False, f"{NASTY}\n")):
        out = io.StringIO()
        written = SimpleNamespace(write=out.write, flush=out.flush, isatty=lambda: is_terminal)  # noqa: B023
        monkeypatch.setattr("sys.stdout", written)
        printing.show(NASTY)
        assert out.getvalue() == expected


LONG = (
    "x",
    ",",
    "a.",
    "/",
    " ",
    "a:/",
    ",p",
    "password",
    "password=",
    "password='",
    "; \t",
    "a(",
    "ab ",
    "Caused by: a.b",
)


@pytest.mark.parametrize("repeated", LONG)
def test_a_long_text_takes_no_longer_than_it_is(repeated: str) -> None:
    """Spark repeats in its messages what it could not read. If a search began at each place, this would not end."""
    text = "Malformed record: " + repeated * 300_000
    assert len(explained(text)) <= 300
    assert len(without_secrets(text)) == len(text)
