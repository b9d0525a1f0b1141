"""Listening sockets for receptors and emitters."""

from __future__ import annotations

import re
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


def limit(options: dict[str, str], name: str, thing: str, failed: type[DataCellError]) -> int:
    """An option that bounds something: a whole number above zero, also of kilo-, mega- or gigabytes."""
    found = re.fullmatch(r"0*([1-9][0-9]{0,12})([kmg]?)", options[name].strip().lower())
    if found is None:
        raise failed(
            f"{thing}: {name} is a number above 0, not {options[name]!r}",
            hint=f"such as {name} = '1000', or '64m' for megabytes",
        )
    return int(found[1]) << {"": 0, "k": 10, "m": 20, "g": 30}[found[2]]
