"""A client of a TCP emitter, as the protocol describes it."""

from __future__ import annotations

import json
import socket
from types import TracebackType
from typing import Any, Self


class Client:
    """Every wait ends after ten seconds."""

    def __init__(self, port: int) -> None:
        self.connection = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.address = "{}:{}".format(*self.connection.getsockname())
        self._lines = self.connection.makefile("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def line(self) -> dict[str, Any]:
        """The next line; an empty one if the emitter has hung up."""
        try:
            line = self._lines.readline()
        except ConnectionError:
            return {}
        return dict(json.loads(line)) if line else {}

    def firing(self) -> tuple[int, list[int]]:
        """The number of the next firing, and its rows' values."""
        values: list[int] = []
        while "__end" not in (line := self.line()):
            assert "__firing" in line, line
            values.append(line["n"])
        return line["__end"], values

    def say(self, text: str) -> None:
        self.connection.sendall(text.encode())

    def acknowledge(self, number: int) -> None:
        self.say(f"ok {number}\n")

    def close(self) -> None:
        self._lines.close()
        self.connection.close()
