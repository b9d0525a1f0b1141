"""Listening sockets for receptors and emitters."""

from __future__ import annotations

import socket

from datacell.errors import DataCellError


def listening(host: str, port: int, failed: type[DataCellError]) -> socket.socket:
    """A socket that listens; port 0 is any free one."""
    try:
        return socket.create_server((host, port), backlog=128)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise failed(f"cannot listen on {host}:{port}: {reason}", hint="choose another host or port") from error


def port_of(server: socket.socket) -> int:
    return int(server.getsockname()[1])


def port_number(options: dict[str, str], thing: str, failed: type[DataCellError]) -> int:
    """The option `port` as a number."""
    given = options.get("port", "")
    if not given.strip().isdigit() or int(given) > 65535:
        raise failed(f"{thing} needs a port between 0 and 65535, not {given!r}", hint="add port = '9999'")
    return int(given)
