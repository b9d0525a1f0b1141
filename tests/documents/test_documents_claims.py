"""What README.md says in passing: its windows and options exist, and what it says does not work yet is refused."""

from __future__ import annotations

import re

import pytest
from typer.main import get_group

from datacell.cli.app import app
from datacell.errors import SqlError
from documents.markdown import spans
from documents.running import ROOT
from sample import bind

README = (ROOT / "README.md").read_text(encoding="utf-8")
OPTION = re.compile(r"--[a-z][a-z-]*")
NOT_YET = README.partition("\n## Not yet\n")[2].partition("\n## ")[0]
REFUSED = {
    "user-defined functions": "SELECT my_function(k) AS x FROM s [RANGE 2 SECONDS SLIDE 1 SECOND]",
    "session windows": "SELECT k, count(*) AS n FROM s [SESSION 5 SECONDS PARTITION BY k] GROUP BY k",
}


def test_every_window_can_be_written() -> None:
    windows = [span for span in spans(README) if span.startswith("[")]
    assert windows
    for window in windows:
        bind(f"SELECT count(*) AS n FROM s {window}")


def test_commands_and_options_exist() -> None:
    commands = get_group(app).commands
    assert {span.split()[1] for span in spans(README) if span.startswith("datacell ")} <= set(commands)
    known = {option for command in commands.values() for parameter in command.params for option in parameter.opts}
    assert {option for span in spans(README) for option in OPTION.findall(span)} <= known


@pytest.mark.parametrize("what", REFUSED)
def test_what_does_not_work_yet_is_refused(what: str) -> None:
    """If this fails because it works: take it out of README's list, and from here."""
    assert what in NOT_YET.lower()
    with pytest.raises(SqlError):
        bind(REFUSED[what])
