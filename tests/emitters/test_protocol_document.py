"""The client that docs/protocol.md shows is one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from datacell.emitters.tcp import TcpEmitter
from documents.markdown import blocks, parse
from emitters.outputs import delivery, eventually, output

DOCUMENT = Path(__file__).parents[2] / "docs" / "protocol.md"


def test_the_client_of_the_document_takes_everything_once(tmp_path: Path) -> None:
    shown = [block.text for block in blocks(parse(DOCUMENT.read_text(encoding="utf-8"))) if block.language == "python"]
    known: dict[str, Any] = {}
    exec("\n".join(shown), known)
    firings: Callable[[str, int], Iterator[list[dict[str, Any]]]] = known["firings"]
    emitter = TcpEmitter("127.0.0.1", 0)
    running = delivery(tmp_path, output(tmp_path, 5), emitter)
    taken = []
    for rows in firings("127.0.0.1", emitter.port):
        taken.append([(row["__firing"], row["n"]) for row in rows])
        if len(taken) == 5:
            break
    assert taken == [[(k, 1000 * k), (k, 1000 * k + 1)] for k in range(5)]
    assert eventually(lambda: running.cursor == 4), "the last one was not asked for more, so it is not acknowledged"
    running.stop()
