"""The rules by which documents are run, on small documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from documents.console import agree
from documents.markdown import parse, text
from documents.running import renewed

SCRIPT = """\
CREATE STREAM s (k INT);
CREATE CONTINUOUS QUERY q AS SELECT k FROM s WHERE k > 0;
"""
RIGHT = f"""\
Save this as `greetings/hello.txt`:

```text
hello
```

and read it:

```console
$ cat greetings/hello.txt
hello
$ printf 'first\\nsecond\\nthird\\n'
first
…
$ true
```

```sql
{SCRIPT}```

```sh
true   # nothing happens
```

```python
from pathlib import Path

said = Path("greetings/hello.txt").read_text().strip()
```

Names stay:

```python
print(said, "again")
```

```text
hello again
```
"""


def test_a_document_is_its_parts() -> None:
    assert text(parse(RIGHT)) == RIGHT


def test_what_is_shown_as_it_happens_stays(tmp_path: Path) -> None:
    assert renewed(RIGHT, tmp_path) == RIGHT


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("```console\n$ echo 1\n2\n```\n", "```console\n$ echo 1\n1\n```\n"),
        ("```console\n$ echo 1\n```\n", "```console\n$ echo 1\n1\n```\n"),
        ("```console\n$ echo 1\n1\n2\n…\n```\n", "```console\n$ echo 1\n1\n```\n"),
        ("```console\n$ echo 1 >&2\n\n$ echo 2\n```\n", "```console\n$ echo 1 >&2\n1\n$ echo 2\n2\n```\n"),
        ("```python\nprint(1)\n```\n\n```text\n2\n```\n", "```python\nprint(1)\n```\n\n```text\n1\n```\n"),
    ],
)
def test_what_is_shown_wrong_is_renewed(wrong: str, right: str, tmp_path: Path) -> None:
    assert renewed(wrong, tmp_path) == right


@pytest.mark.parametrize(
    ("document", "complaint"),
    [
        ("```\nx\n```\n", "no rule runs a block of no language"),
        ("```rust\nfn main() {}\n```\n", "no rule runs a block of rust"),
        ("```text\nwho printed this?\n```\n", "no rule runs a block of text"),
        ("~~~sh\ntrue\n~~~\n", "write fences as"),
        ("- an item\n  ```sh\n  true\n  ```\n", "write fences as"),
        ("```console\noutput\n```\n", "begins with a command"),
        ("```console\n$ false\n```\n", "`false` ends with 1"),
        ("```console\n$ echo 'error: none'\nerror: none\n```\n", "ends with 0"),
        ("```sh\nfalse\n```\n", "`false` ends with 1"),
        ("```sql\nCREATE CONTINUOUS QUERY q AS SELECT k FROM s\n```\n", "there is no"),
        ("```python\nprint(1)\n```\n", "must show what Python prints"),
        ("```python\nprint(1)\n```\n\n```sh\ntrue\n```\n", "must show what Python prints"),
        ("```python\nraise KeyError\n```\n", "this has raised"),
        ("Save this as `x.sql`:\n\n```sql\nSELECT 1\n```\n", "nothing uses x.sql"),
    ],
)
def test_what_no_rule_allows_is_refused(document: str, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=complaint):
        renewed(document, tmp_path)


@pytest.mark.parametrize(
    ("shown", "said", "agreed"),
    [
        (["a", "…", "c"], ["a", "c"], True),
        (["a", "…", "c"], ["a", "b", "b", "c"], True),
        (["a", "…", "c"], ["a", "b"], False),
        (["…"], [], True),
        ([], [], True),
        ([], ["a"], False),
        (["a."], ["ab"], False),
    ],
)
def test_lines_may_be_omitted(shown: list[str], said: list[str], agreed: bool) -> None:
    assert agree(shown, said) is agreed
