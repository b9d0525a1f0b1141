"""A document, run from top to bottom in an empty directory. Every block has a rule; one without a rule is an error.

=========  ===========================================================================================================
block      what is done with it
=========  ===========================================================================================================
a file     is saved under the name that the sentence above it says; something after it must name the file
console    each command is run, and what is shown below it is what it says
python     is run, with the names of the Python blocks before it; it prints what a text block right after it shows
text       is what the Python block right before it prints
sql        is a whole script: all its queries can be planned
sh         each command is run and succeeds, but for those of `NOT_RUN`, which must be targets of the Makefile
=========  ===========================================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import command
from documents import console
from documents.interpreter import Interpreter
from documents.markdown import Block, Part, blocks, parse, text

ROOT = Path(__file__).parents[2]
NOT_RUN = {
    "make demo": "it runs for a minute, for somebody who watches",
    "make test": "it runs the tests, this one too",
}
"""The commands of sh blocks that are not run, and why."""


def renewed(document: str, directory: Path) -> str:
    """The document with every output as it is now."""
    parts = parse(document)
    _check_saved_files_are_used(blocks(parts))
    console.install(directory)
    with Interpreter(directory) as interpreter:
        run = _Run(directory, interpreter)
        found = [run.part(part) for part in parts]
        run.check_all_is_shown()
    return text(found)


class _Run:
    """A document on its way down."""

    def __init__(self, directory: Path, interpreter: Interpreter) -> None:
        self.directory, self.interpreter = directory, interpreter
        self._printed: tuple[str, ...] | None = None
        """What the Python block right before has printed."""

    def part(self, part: Part) -> Part:
        if not isinstance(part, Block):
            return part
        if part.language != "text":
            self.check_all_is_shown()
        try:
            return self._block(part)
        except AssertionError as error:
            raise AssertionError(f"line {part.line}: {error}") from error

    def check_all_is_shown(self) -> None:
        assert not self._printed, f"a text block must show what Python prints: {self._printed}"
        self._printed = None

    def _block(self, block: Block) -> Block:
        match block:
            case Block(file=str(name)):
                self._save(name, block.text)
            case Block(language="console"):
                return replace(block, lines=console.renewed(block.lines, self.directory))
            case Block(language="python"):
                self._printed = tuple(self.interpreter.run(block.text).splitlines())
            case Block(language="text") if self._printed is not None:
                printed, self._printed = self._printed, None
                return block if console.agree(block.lines, printed) else replace(block, lines=printed)
            case Block(language="sql"):
                self._plan(block)
            case Block(language="sh"):
                for line in block.lines:
                    self._succeed(line.split("#")[0].strip())
            case _:
                raise AssertionError(f"no rule runs a block of {block.language or 'no language'} here")
        return block

    def _save(self, name: str, content: str) -> None:
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")

    def _plan(self, block: Block) -> None:
        self._save("block.sql", block.text)
        done = command.run("explain", str(self.directory / "block.sql"), "--stage", "physical")
        assert done.code == 0, done.stderr

    def _succeed(self, line: str) -> None:
        if line in NOT_RUN:
            line = f"make --dry-run --directory {ROOT} {line.removeprefix('make ')}"
        code, said = console.execute(line, self.directory)
        assert code == 0, f"`{line}` ends with {code}:\n{said}"


def _check_saved_files_are_used(found: Sequence[Block]) -> None:
    for place, block in enumerate(found):
        after = "".join(later.text for later in found[place + 1 :])
        assert block.file is None or block.file in after, f"line {block.line}: nothing uses {block.file}"
