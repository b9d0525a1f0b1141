"""What is printed: to a terminal without anything that it would obey, to a file or another program as it is."""

from __future__ import annotations

import sys

from datacell.plain_text import harmless


def show(text: object) -> None:
    shown = str(text)
    print(harmless(shown) if sys.stdout.isatty() else shown, flush=True)
