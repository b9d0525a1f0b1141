"""The language of signatures: one line of text is one overload, or one overload that several names share.

    lower|lcase(string) -> string               the names, the parameters, the result
    substring(string|binary, int, int?) -> 1    ? may be left out; the result is the type of argument 1 once cast
    coalesce(T, T*) -> T                        * any number of times; a capital letter is whatever type fits
    map([K, V]*) -> map<K,V>                    a group that repeats
    transform(array<T>, (T) -> U) -> array<U>   a lambda
    xpath(string!, string!) -> array<string>    ! no implicit cast; after a letter: one holds the other
    sum(decimal(p,s)) -> decimal(p+10,s)        digits, bounded as Spark bounds them
    round(number, int?) -> @rounded             a rule of Python, for what depends on the value of a literal

A word in lower case is a type, or a class of types that `coercion` knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, repeat


@dataclass(frozen=True, slots=True)
class Named:
    """A type, or a class of types, by its name."""

    name: str


@dataclass(frozen=True, slots=True)
class Variable:
    name: str


@dataclass(frozen=True, slots=True)
class Nested:
    """An array, a map, or a struct; a struct without names stands for any names."""

    name: str
    inner: tuple[Pattern, ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Digits:
    """A decimal: two letters in a parameter, two sums in a result."""

    precision: str
    scale: str


@dataclass(frozen=True, slots=True)
class OneOf:
    options: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class Exactly:
    """What the inner pattern takes without a cast."""

    inner: Pattern


@dataclass(frozen=True, slots=True)
class Lambda:
    parameters: tuple[Pattern, ...]
    result: Pattern


@dataclass(frozen=True, slots=True)
class SameAs:
    """The result has the type of an argument, counted from 0, after its cast."""

    argument: int


@dataclass(frozen=True, slots=True)
class Rule:
    name: str


Pattern = Named | Variable | Nested | Digits | OneOf | Exactly | Lambda
Result = Pattern | SameAs | Rule


@dataclass(frozen=True, slots=True)
class Signature:
    """Parameters that must be there, then those that may be, then those that repeat."""

    required: tuple[Pattern, ...]
    optional: tuple[Pattern, ...]
    repeated: tuple[Pattern, ...]
    result: Result

    def parameters(self, count: int) -> tuple[Pattern, ...] | None:
        """The parameters of a call with so many arguments, or None if there is no such call."""
        extra = count - len(self.required) - len(self.optional)
        if count < len(self.required) or (extra > 0 and (not self.repeated or extra % len(self.repeated))):
            return None
        endless = chain.from_iterable(repeat(self.repeated)) if self.repeated else iter(())
        return tuple(p for p, _ in zip(chain(self.required, self.optional, endless), range(count), strict=False))

    def counts(self, limit: int) -> Iterator[int]:
        """How many arguments a call may have, up to a limit."""
        return (count for count in range(limit + 1) if self.parameters(count) is not None)


def read(line: str) -> tuple[tuple[str, ...], Signature]:
    """The names and the signature that a line states."""
    reader = _Reader(line)
    names = [reader.word()]
    while reader.take("|"):
        names.append(reader.word())
    reader.need("(")
    required: list[Pattern] = []
    optional: list[Pattern] = []
    repeated: tuple[Pattern, ...] = ()
    while not reader.take(")"):
        if reader.take("["):
            repeated = reader.patterns("]")
            reader.need("*")
        else:
            pattern = reader.pattern()
            if reader.take("*"):
                repeated = (pattern,)
            else:
                (optional if reader.take("?") else required).append(pattern)
        reader.take(",")
    reader.need("->")
    return tuple(names), Signature(tuple(required), tuple(optional), repeated, reader.result())


class _Reader:
    """Recursive descent over the tokens of one line."""

    def __init__(self, line: str) -> None:
        self.line = line
        self.tokens = re.findall(r"->|@\w+|[\w.]+|\S", line)
        self.at = 0

    def take(self, token: str) -> bool:
        found = self.at < len(self.tokens) and self.tokens[self.at] == token
        self.at += found
        return found

    def need(self, token: str) -> None:
        if not self.take(token):
            raise ValueError(f"{token} expected in {self.line!r} before {''.join(self.tokens[self.at :])!r}")

    def word(self) -> str:
        self.at += 1
        return str(self.tokens[self.at - 1])

    def patterns(self, closing: str) -> tuple[Pattern, ...]:
        found: list[Pattern] = []
        while not self.take(closing):
            found.append(self.pattern())
            self.take(",")
        return tuple(found)

    def pattern(self) -> Pattern:
        options = [self._marked()]
        while self.take("|"):
            options.append(self._marked())
        return options[0] if len(options) == 1 else OneOf(tuple(options))

    def result(self) -> Result:
        if self.tokens[self.at].startswith("@"):
            return Rule(self.word()[1:])
        if self.tokens[self.at].isdigit():
            return SameAs(int(self.word()) - 1)
        return self.pattern()

    def _marked(self) -> Pattern:
        pattern = self._single()
        return Exactly(pattern) if self.take("!") else pattern

    def _single(self) -> Pattern:
        if self.take("("):
            parameters = self.patterns(")")
            self.need("->")
            return Lambda(parameters, self.pattern())
        word = self.word()
        if self.take("<"):
            return self._struct() if word == "struct" else Nested(word, self.patterns(">"))
        if word == "decimal" and self.take("("):
            precision = self._until(",")
            return Digits(precision, self._until(")"))
        if word == "interval":
            return Named(" ".join(["interval", *self._interval_words()]))
        return Variable(word) if word[0].isupper() else Named(word)

    def _struct(self) -> Nested:
        names: list[str] = []
        inner: list[Pattern] = []
        while not self.take(">"):
            if self.tokens[self.at + 1] == ":":
                names.append(self.word())
                self.need(":")
            inner.append(self.pattern())
            self.take(",")
        return Nested("struct", tuple(inner), tuple(names))

    def _until(self, closing: str) -> str:
        start = self.at
        while not self.take(closing):
            self.at += 1
        return "".join(self.tokens[start : self.at - 1])

    def _interval_words(self) -> Iterator[str]:
        while self.at < len(self.tokens) and self.tokens[self.at].isalpha():
            yield self.word()
