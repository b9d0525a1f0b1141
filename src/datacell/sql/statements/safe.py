"""What statements may reach that somebody else has written: `--safe`.

The law: a script computes over what it was given, and reaches nothing else. Statements that are known to do no more
are let through, all others are refused; so are Java by name, programs, code from elsewhere, hosts that are not this
one, and files outside the given roots, whoever would open them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from sqlglot.tokenizer_core import Token, TokenType

from datacell.algebra.definitions import EmitterDefinition, StreamDefinition
from datacell.errors import Place, SqlError
from datacell.sql.statements import settings, source_options
from datacell.sql.statements.statement import CreateEmitter, CreateStream, SparkStatement, Statement
from datacell.sql.text.cursor import Cursor, is_word

_JAVA = {"reflect", "java_method", "try_reflect"}
_CLASSES = ("SERDE", "INPUTFORMAT", "OUTPUTFORMAT")
_PLACES = ("LOCATION", "DIRECTORY", "INPATH")
_PATHS = {"path", "paths", "location", "basepath", "sourcearchivedir", "rowvalidationxsdpath", "avroschemaurl"}
_FILES = {"csv", "json", "parquet", "orc", "text", "xml", "avro"}
_SOURCES = {*_FILES, "tcp", "rate", "rate-micro-batch"}
_EMITTERS = {"csv", "json", "parquet", "console", "tcp", "table"}
_HARMLESS = {
    *("CREATE", "DROP", "SHOW", "DESC", "DESCRIBE", "EXPLAIN", "INSERT", "DELETE", "UPDATE", "MERGE", "TRUNCATE"),
    *("ANALYZE", "CACHE", "UNCACHE", "CLEAR", "REFRESH", "COMMENT", "USE", "SET", "RESET", "DECLARE", "ALTER"),
}
_MADE = ("VIEW", "TABLE", "DATABASE", "SCHEMA", "NAMESPACE", "FUNCTION")
_BEFORE_MADE = ("OR", "REPLACE", "TEMP", "TEMPORARY", "GLOBAL", "EXTERNAL")
_LOOPBACK = re.compile(r"localhost|127(\.\d{1,3}){3}|::1", re.IGNORECASE)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_PATTERN = re.compile(r"[*?\[\]{}^]")
_HINT = "it is refused because of --safe, or connect(safe=True)"


@dataclass(frozen=True)
class Safety:
    """The directories that statements may read and write, with all that is in them."""

    roots: tuple[Path, ...] = ()

    def check(self, cursor: Cursor, statement: Statement) -> None:
        """Refuse a statement that reaches further; the cursor is at its start."""
        _check_words(cursor)
        match statement:
            case CreateStream(stream):
                self._check_stream(stream, _whole(cursor))
            case CreateEmitter(emitter):
                self._check_emitter(emitter, _whole(cursor))
            case SparkStatement():
                self._check_sparks(cursor)

    def allows(self, path: str) -> bool:
        """Does a path, or a pattern of paths, stay within the roots, also by way of links?"""
        local = re.sub(r"^file:(//)?(?=/)", "", path)
        if _SCHEME.match(local) or "\\" in local or "\0" in local:
            return False
        parts = Path(local).parts
        first = next((number for number, part in enumerate(parts) if _PATTERN.search(part)), len(parts))
        if first < len(parts) and any(".." in part for part in parts[first:]):
            return False
        fixed = Path(*parts[:first]).resolve()
        return any(fixed.is_relative_to(root.resolve()) for root in self.roots)

    def _check_stream(self, stream: StreamDefinition, place: Place) -> None:
        options = {name.lower(): value for name, value in stream.options}
        form = options.get("format", "tcp").lower()
        if form not in _SOURCES:
            raise _refused(f"stream {stream.name} reads {form}, which is elsewhere", place)
        self._check_options(options, place)

    def _check_emitter(self, emitter: EmitterDefinition, place: Place) -> None:
        options = {name.lower(): value for name, value in emitter.options}
        form = options.get("format", "console").lower()
        if form not in _EMITTERS:
            raise _refused(f"emitter {emitter.name} writes {form}, which is elsewhere", emitter.place or place)
        self._check_options(options, emitter.place or place)

    def _check_options(self, options: dict[str, str], place: Place) -> None:
        for name, value in options.items():
            if name.rpartition(".")[2] in _PATHS:
                self._check_path(value, place)
            if name == "host" and not _LOOPBACK.fullmatch(value):
                raise _refused(f"it would listen on {value}, which is not this machine alone", place)

    def _check_path(self, path: str, place: Place) -> None:
        if not self.allows(path):
            roots = ", ".join(map(str, self.roots)) or "no directory"
            raise SqlError(
                f"the path {path} is outside of what may be reached: {roots}",
                place=place,
                hint="give a path within it, or allow another directory with --root DIR",
            )

    def _check_sparks(self, cursor: Cursor) -> None:
        tokens = cursor.tokens[cursor.position :]
        word = tokens[0].text.upper()
        if word not in _HARMLESS:
            raise _refused(f"{word} reaches further than a query", cursor.source.at(tokens[0]))
        if word in ("CREATE", "EXPLAIN"):
            _check_made(cursor)
        if word in ("SET", "RESET"):
            _check_set(cursor)
        if word == "REFRESH" and any(t.token_type == TokenType.STRING or t.text == "/" for t in tokens):
            raise _refused("REFRESH of a path reaches further than a query", cursor.source.at(tokens[0]))
        self._check_places(cursor)

    def _check_places(self, cursor: Cursor) -> None:
        tokens = cursor.tokens[cursor.position :]
        for number, (token, following) in enumerate(pairwise(tokens)):
            if any(is_word(token, word) for word in _PLACES) and following.token_type == TokenType.STRING:
                self._check_absolute(following, cursor)
            if is_word(token, "OPTIONS") and following.token_type == TokenType.L_PAREN:
                self._check_pairs(Cursor(cursor.source, tokens, number + 2))

    def _check_pairs(self, cursor: Cursor) -> None:
        """OPTIONS: names that files have, and values that are written as they are."""
        while not cursor.takes(")"):
            start = cursor.next("an option")
            name = start.text
            while cursor.takes("."):
                name += f".{cursor.next('an option').text}"
            cursor.takes("=")
            value = cursor.next("a value")
            written = value.token_type in (TokenType.STRING, TokenType.NUMBER, TokenType.TRUE, TokenType.FALSE)
            if not written or not any(source_options.is_known(form, name) for form in _FILES):
                raise _refused(f"the option {name} is not one of files, or is not written out", cursor.source.at(start))
            if name.lower().rpartition(".")[2] in _PATHS:
                self._check_absolute(value, cursor)
            if not cursor.takes(",") and not cursor.sees(")"):
                raise _refused(f"the option {name} is not written out", cursor.source.at(start))

    def _check_absolute(self, path: Token, cursor: Cursor) -> None:
        """Spark does not take a relative path from where the run was started."""
        place = cursor.source.at(path)
        if not re.match(r"(file:(//)?)?/", path.text):
            raise SqlError(f"the path {path.text} is relative to somewhere else", place=place, hint="write all of it")
        self._check_path(path.text, place)


def _check_words(cursor: Cursor) -> None:
    """Words that reach for Java, for programs or for files, wherever they stand."""
    tokens = cursor.tokens[cursor.position :]
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        if following is None or token.token_type == TokenType.STRING:
            continue
        if token.text.lower() in _JAVA and following.token_type == TokenType.L_PAREN:
            raise _refused(f"{token.text} calls Java by name", cursor.source.at(token))
        if is_word(token, "USING") and following.token_type == TokenType.STRING:
            raise _refused("USING starts a program", cursor.source.at(token))
        if any(is_word(token, word) for word in _CLASSES) and following.token_type == TokenType.STRING:
            raise _refused(f"{token.text} loads a class", cursor.source.at(token))
        if token.text == "." and following.token_type == TokenType.IDENTIFIER and "/" in following.text:
            raise _refused("a file is read as if it were a table", cursor.source.at(following))


def _check_made(cursor: Cursor) -> None:
    """CREATE of views, tables, schemas, and of functions that are written in SQL."""
    tokens = cursor.tokens[cursor.position :]
    words = [t.text.upper() if t.token_type not in (TokenType.STRING, TokenType.IDENTIFIER) else "" for t in tokens]
    if "CREATE" not in words:
        return
    made = next((word for word in words[words.index("CREATE") + 1 :] if word not in _BEFORE_MADE), "")
    if made not in _MADE:
        raise _refused(f"CREATE {made} reaches further than a query", cursor.source.at(tokens[0]))
    if made == "FUNCTION" and ("RETURN" not in words or "USING" in words or "LANGUAGE" in words):
        raise _refused("CREATE FUNCTION brings code from elsewhere", cursor.source.at(tokens[0]))
    for number, word in enumerate(words[:-1]):
        if word == "USING" and not _is_joined_by(words, number) and tokens[number + 1].text.lower() not in _FILES:
            place = cursor.source.at(tokens[number + 1])
            raise _refused(f"a table of format {tokens[number + 1].text} is elsewhere", place)


def _is_joined_by(words: list[str], number: int) -> bool:
    """USING (k) of a join."""
    return words[number + 1] == "("


def _check_set(cursor: Cursor) -> None:
    first, *rest = cursor.tokens[cursor.position :]
    key = settings.assigned(rest) if first.text.upper() == "SET" else "".join(t.text for t in rest)
    if key is not None and not settings.is_about_speed(key):
        raise _refused(f"{first.text.upper()} {key} reaches further than a query", cursor.source.at(first))


def _refused(message: str, place: Place) -> SqlError:
    return SqlError(message, place=place, hint=_HINT)


def _whole(cursor: Cursor) -> Place:
    tokens = cursor.tokens[cursor.position :]
    return cursor.source.place(tokens[0].start, tokens[-1].end + 1)
