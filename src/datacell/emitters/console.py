"""The console: a table per firing, for a person to read."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from rich.console import Console
from rich.table import Table
from rich.text import Text

from datacell.emitters import text
from datacell.plain_text import harmless, harmless_line
from datacell.runtime.storage.output import Firing

_MOST_ROWS = 20
_LONGEST = 80


class ConsoleEmitter:
    guarantee = "at least once"
    takes_files = False

    def __init__(self, name: str, console: Console | None = None) -> None:
        self.name, self.console = name, console or Console()

    def deliver(self, firing: Firing) -> None:
        if not len(firing.rows):
            return
        table = Table(title=Text(f"{harmless_line(self.name)}, firing {firing.number}"), title_justify="left")
        for field in firing.rows.schema:
            table.add_column(Text(harmless_line(field.name)), justify="right" if _is_number(field.type) else "left")
        for row in text.rows(firing.rows.slice(0, _MOST_ROWS)):
            table.add_row(*map(_cell, row.values()))
        self.console.print(table)
        if len(firing.rows) > _MOST_ROWS:
            self.console.print(f"… and {len(firing.rows) - _MOST_ROWS} more rows")

    def close(self) -> None:
        pass


def _cell(value: Any) -> Text:
    """NULL is told from an empty string; long texts are cut."""
    if value is None:
        return Text("NULL", style="dim")
    shown = value if isinstance(value, str) else text.csv_field(value)
    shown = harmless(shown)
    return Text(shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…")


def _is_number(kind: Any) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))
