"""Pipe syntax, said by queries within queries::

    FROM s |> WHERE a > 1 |> AGGREGATE sum(b) AS n GROUP BY a |> ORDER BY n

    SELECT * FROM (SELECT a, sum(b) AS n FROM (SELECT * FROM (SELECT * FROM s) WHERE a > 1) GROUP BY a) ORDER BY n

Every operator reads what stands before it under the name `PIPED`, which the binder knows: the relations that can be
named there can be named behind it, too. What needs more than words moved around is not understood here.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot.tokenizer_core import Token, TokenType

from datacell.errors import UnsupportedError
from datacell.sql.text.cursor import Cursor, is_word
from datacell.sql.text.source import Source

PIPED = "\u2063piped"
"""An alias that nobody writes."""

_ORGANIZES = ("ORDER", "ORDER BY", "LIMIT", "OFFSET", "SORT BY", "DISTRIBUTE BY", "CLUSTER BY")
_JOINS = ("JOIN", "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "NATURAL", "SEMI", "ANTI")
_SETS = ("UNION", "EXCEPT", "MINUS", "INTERSECT")
_STARTS_QUERY = ("SELECT", "TABLE", "VALUES", "FROM", "WITH")
_GROUPINGS = ("ALL", "ROLLUP", "CUBE", "GROUPING", "GROUPING SETS")


def unpiped(source: Source, tokens: Sequence[Token]) -> list[Token]:
    """The tokens of a query without pipes."""
    if not any(t.token_type == TokenType.PIPE_GT for t in tokens):
        return list(tokens)
    inside: list[Token] = []
    cursor = Cursor(source, tokens)
    while cursor.token is not None:
        if cursor.token.token_type == TokenType.L_PAREN:
            close = cursor.closing()
            inside += [cursor.token, *unpiped(source, tokens[cursor.position + 1 : close]), tokens[close]]
            cursor.position = close + 1
        else:
            inside.append(cursor.token)
            cursor.position += 1
    return _without_pipes(source, inside)


def _without_pipes(source: Source, tokens: list[Token]) -> list[Token]:
    """Of tokens whose parentheses have no pipes any more."""
    first, *operators = _split(source, tokens, TokenType.PIPE_GT)
    if not operators:
        return tokens
    named, first = _named_subqueries(source, first)
    found = _Query(source, first)
    for operator in operators:
        if not operator:
            raise source.error("an operator expected after |>", tokens[-1], "write |> WHERE …")
        found.apply(operator)
    return [*named, *found.tokens]


class _Query:
    """The query that a chain of operators makes, as far as it was read."""

    def __init__(self, source: Source, first: list[Token]) -> None:
        self.source = source
        words = [_word(t) for t in _outside_parentheses(first)]
        if words[:1] == ["FROM"] and "SELECT" in words:
            raise UnsupportedError("SELECT after FROM is not supported", place=source.at(first[0]))
        start = {"FROM": "SELECT *", "VALUES": "SELECT * FROM"}.get(words[0] if words else "", "")
        self.tokens = [*_made(first[0], start), *first] if start else first
        self.is_ordered = False

    def apply(self, operator: list[Token]) -> None:
        word, at = _word(operator[0]), operator[0]
        ordered, self.is_ordered = self.is_ordered, word in ("ORDER", "ORDER BY")
        match word:
            case "SELECT":
                before, after = _cut_before(operator, "WINDOW")
                self.tokens = [*before, *self._from(at), *after]
            case "EXTEND":
                before, after = _cut_before(operator[1:], "WINDOW")
                self.tokens = [*_made(at, "SELECT * ,"), *before, *self._from(at), *after]
            case "SET":
                for assignment in _split(self.source, operator[1:], TokenType.COMMA):
                    self._set(at, assignment)
            case "DROP":
                self.tokens = [*_made(at, "SELECT * EXCEPT ("), *operator[1:], *_made(at, ")"), *self._from(at)]
            case "AS" if len(operator) == 2:
                self.tokens = [*_made(at, "SELECT * FROM ("), *self.tokens, *_made(at, ")"), *operator]
            case "WHERE" | "PIVOT" | "UNPIVOT":
                self.tokens = [*_made(at, "SELECT *"), *self._from(at), *operator]
            case "AGGREGATE":
                self._aggregate(operator)
            case "LIMIT" | "OFFSET" if ordered:
                self.tokens = [*self.tokens, *operator]
            case _ if word in _ORGANIZES or word in _JOINS or word.split(" ")[0] in _JOINS:
                self.tokens = [*_made(at, "SELECT *"), *self._from(at), *operator]
            case _ if word in _SETS:
                self._combine(operator)
            case _:
                raise UnsupportedError(f"|> {at.text} is not supported", place=self.source.at(at))

    def _from(self, at: Token) -> list[Token]:
        alias = Token(TokenType.IDENTIFIER, PIPED, at.line, at.col, at.start, at.end)
        return [*_made(at, "FROM ("), *self.tokens, *_made(at, ") AS"), alias]

    def _set(self, at: Token, assignment: list[Token]) -> None:
        if len(assignment) < 3 or assignment[1].token_type != TokenType.EQ:
            raise UnsupportedError("this SET is not supported", place=self.source.at(at))
        name, _, *value = assignment
        replaced = [*_made(at, "SELECT * REPLACE ("), *value, *_made(at, "AS"), name, *_made(at, ")")]
        self.tokens = [*replaced, *self._from(at)]

    def _aggregate(self, operator: list[Token]) -> None:
        """Keys come first, under their names; of keys by number the text does not tell what they are."""
        at = operator[0]
        aggregates, grouped = _cut_before(operator[1:], "GROUP", "GROUP BY")
        words = [_word(t) for t in grouped]
        keys = _split(self.source, grouped[2 if words[:1] == ["GROUP"] else 1 :], TokenType.COMMA) if grouped else []
        for key in keys:
            if not key or key[0].token_type == TokenType.NUMBER or _word(key[0]) in _GROUPINGS or "WITH" in words:
                raise UnsupportedError("this GROUP BY is not supported in a pipe", place=self.source.at(at))
        items = [*keys, *_split(self.source, aggregates, TokenType.COMMA)] if aggregates else keys
        bare = [_cut_before(key, "AS")[0] for key in keys]
        grouping = [*_made(at, "GROUP BY"), *_joined(at, bare)] if keys else []
        self.tokens = [*_made(at, "SELECT"), *_joined(at, items), *self._from(at), *grouping]
        if not keys:  # one row, also where nothing is aggregated
            self.tokens += _made(at, "HAVING TRUE")

    def _combine(self, operator: list[Token]) -> None:
        at = operator[0]
        right = next((n for n, t in enumerate(operator) if n and _begins_query(t)), len(operator))
        sides = [*_made(at, "("), *self.tokens, *_made(at, ")"), *operator[:right]]
        self.tokens = [*_made(at, "SELECT * FROM ("), *sides, *operator[right:], *_made(at, ")")]


def _begins_query(token: Token) -> bool:
    return token.token_type == TokenType.L_PAREN or _word(token) in _STARTS_QUERY


def _named_subqueries(source: Source, tokens: list[Token]) -> tuple[list[Token], list[Token]]:
    """``WITH name AS (…), …`` and the query after it."""
    if not tokens or _word(tokens[0]) != "WITH":
        return [], tokens
    cursor = Cursor(source, tokens, 1)
    while cursor.token is not None:
        while cursor.token is not None and _word(cursor.token) != "AS":
            cursor.position += 1
        while cursor.token is not None and not cursor.sees("("):
            cursor.position += 1
        cursor.position = cursor.closing() + 1
        if not cursor.takes(","):
            break
    return tokens[: cursor.position], tokens[cursor.position :]


def _split(source: Source, tokens: list[Token], by: TokenType) -> list[list[Token]]:
    """The parts between what stands outside of all brackets."""
    parts: list[list[Token]] = [[]]
    cursor = Cursor(source, tokens)
    while cursor.token is not None:
        if cursor.token.token_type in (TokenType.L_PAREN, TokenType.L_BRACKET):
            close = cursor.closing()
            parts[-1] += tokens[cursor.position : close + 1]
            cursor.position = close + 1
            continue
        if cursor.token.token_type == by:
            parts.append([])
        else:
            parts[-1].append(cursor.token)
        cursor.position += 1
    return parts


def _outside_parentheses(tokens: list[Token]) -> list[Token]:
    depth, found = 0, []
    for token in tokens:
        depth -= token.token_type == TokenType.R_PAREN
        if depth == 0:
            found.append(token)
        depth += token.token_type == TokenType.L_PAREN
    return found


def _cut_before(tokens: list[Token], *words: str) -> tuple[list[Token], list[Token]]:
    """What stands before the first of these words that is outside of all parentheses, and the rest."""
    outside = set(map(id, _outside_parentheses(tokens)))
    at = next((n for n, t in enumerate(tokens) if id(t) in outside and _word(t) in words), len(tokens))
    return tokens[:at], tokens[at:]


def _joined(at: Token, parts: list[list[Token]]) -> list[Token]:
    first, *rest = parts
    return [*first, *(t for part in rest for t in (*_made(at, ","), *part))]


_KINDS = {
    "SELECT": TokenType.SELECT,
    "*": TokenType.STAR,
    "FROM": TokenType.FROM,
    "(": TokenType.L_PAREN,
    ")": TokenType.R_PAREN,
    ",": TokenType.COMMA,
    "AS": TokenType.ALIAS,
    "EXCEPT": TokenType.EXCEPT,
    "REPLACE": TokenType.EXCEPT,  # a kind that no function's name has
    "GROUP BY": TokenType.GROUP_BY,
    "HAVING": TokenType.HAVING,
    "TRUE": TokenType.TRUE,
}


def _made(at: Token, text: str) -> list[Token]:
    """Tokens that nobody wrote, in the place of one that somebody did."""
    words = [text] if text in _KINDS else text.split()
    return [Token(_KINDS[word], word, at.line, at.col, at.start, at.end) for word in words]


def _word(token: Token) -> str:
    return " ".join(token.text.upper().split()) if is_word(token, token.text.upper()) else ""
