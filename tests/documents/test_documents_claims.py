"""What README.md says in passing: its windows, commands and options exist."""

from __future__ import annotations

import re

from typer.main import get_group

from datacell.cli.app import app
from datacell.sql.script import defined, read
from documents.markdown import spans
from documents.running import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
STREAM = "CREATE STREAM s (ts TIMESTAMP, k INT, id INT, user STRING, op STRING, WATERMARK FOR ts AS ts)"
OPTION = re.compile(r"--[a-z][a-z-]*")


def test_every_window_can_be_written() -> None:
    windows = [span for span in spans(README) if span.startswith("[")]
    assert windows
    for window in windows:
        assert [*read(f"SELECT count(*) AS n FROM s {window}", defined(STREAM))]


def test_commands_and_options_exist() -> None:
    commands = get_group(app).commands
    assert {span.split()[1] for span in spans(README) if span.startswith("datacell ")} <= set(commands)
    known = {option for command in commands.values() for parameter in command.params for option in parameter.opts}
    assert {option for span in spans(README) for option in OPTION.findall(span)} <= known
