"""What Spark has written down of a source: which batches it has planned, which it has committed, which files they have.

It is put right where a kill or a move of the checkpoint has left it in a state that Spark refuses, and held against
what the stream has taken: a log that is older than that, or gone, would let rows be skipped without a word.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from datacell.runtime.storage import files
from datacell.runtime.storage.seal import damaged, missing

_PLAIN = "/@,;:$&+=_-!.~'()*"
"""What Java leaves in a path as it is, beside letters and digits."""

_HELD = "how far Spark has read the stream's source"


def prepare(log: Path, spool: Path | None, taken: int) -> None:
    """Make a log fit to go on with; batches up to number `taken` were taken."""
    planned = [int(path.name) for path in (log / "offsets").glob("*") if path.name.isdigit()]
    if taken >= 0 and not planned:
        raise missing(log / "offsets", _HELD)
    if planned and max(planned) < taken:
        how = f"it ends with batch {max(planned)}, and the stream has taken batch {taken}"
        raise damaged(log / "offsets", how, _HELD)
    if not planned and log.is_dir():
        shutil.rmtree(log)  # Spark refuses it; it was killed before it had planned a first batch, so nothing is lost
    if spool is not None:
        for path in sorted((log / "sources").glob("*/*")):
            if not path.name.startswith("."):
                _follow(path, spool)


def _follow(path: Path, spool: Path) -> None:
    """Spark names files with all of their path: it has to learn where they are, if the checkpoint was moved."""
    version, *lines = path.read_text(encoding="utf-8").splitlines()
    entries = [json.loads(line) for line in lines]
    moved = [entry for entry in entries if _directory(entry) != str(spool)]
    for entry in moved:
        entry["path"] = f"{_uri(spool)}/{entry['path'].rpartition('/')[2]}"
    if moved:
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
        content = "\n".join([version, *(json.dumps(entry, separators=(",", ":")) for entry in entries)]).encode()
        files.write(path, lambda file: file.write(content))


def _uri(path: Path) -> str:
    """A path as Java spells it: Spark knows a file that it has read by its spelling."""
    return "file://" + "".join(c if c > "\x7f" and not c.isspace() else quote(c, safe=_PLAIN) for c in str(path))


def _directory(entry: dict[str, str]) -> str:
    return unquote(urlsplit(entry["path"].rpartition("/")[0]).path)
