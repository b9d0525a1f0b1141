"""The console: a table per firing, for a person to read."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from datacell.emitters import text
from datacell.runtime.output import Firing

_MOST_ROWS = 20


class ConsoleEmitter:
    guarantee = "at least once"

    def __init__(self, name: str, console: Console | None = None) -> None:
        self.name, self.console = name, console or Console()

    def deliver(self, firing: Firing) -> None:
        if not len(firing.rows):
            return
        table = Table(title=self.name, title_justify="left")
        for name in firing.rows.schema.names:
            table.add_column(name)
        for row in text.rows(firing.rows.slice(0, _MOST_ROWS)):
            table.add_row(*("" if v is None else str(v) for v in row.values()))
        self.console.print(table)
        if len(firing.rows) > _MOST_ROWS:
            self.console.print(f"… and {len(firing.rows) - _MOST_ROWS} more rows")

    def close(self) -> None:
        pass
