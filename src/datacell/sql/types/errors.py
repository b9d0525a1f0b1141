"""What is wrong with a call."""

from __future__ import annotations


class SignatureError(Exception):
    """A message a person understands, and the argument it is about, counted from 0."""

    def __init__(self, message: str, argument: int | None = None) -> None:
        super().__init__(message)
        self.message, self.argument = message, argument
