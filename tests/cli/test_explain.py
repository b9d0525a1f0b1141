"""`datacell explain` and the help of every command: what they print, and that they do not wait for Spark."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import datacell
from command import run

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.sql"))
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(datacell.__file__).parent.parent)}
ODD = """
CREATE STREAM `a "b"` (`x > y` INT, `<z>` STRING);
CREATE CONTINUOUS QUERY `q ["1"] & <2>` AS SELECT `x > y`, `<z>` AS `]` FROM `a "b"` WHERE `<z>` <> 'line\\nline "x"';
"""
PAIRS = """CREATE STREAM s (ts TIMESTAMP, a INT, b INT, WATERMARK FOR ts AS ts); CREATE CONTINUOUS QUERY both AS
SELECT x.b, y.b AS c FROM s [RANGE 3 SECONDS SLIDE 1 SECOND] x JOIN s [RANGE 3 SECONDS SLIDE 1 SECOND] y ON x.a = y.a;
"""


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.stem)
def test_json_is_a_list_of_queries(example: Path) -> None:
    code, shown, said = run("explain", str(example), "--format", "json")
    assert (code, said) == (0, "")
    queries = json.loads(shown)
    assert queries
    for query in queries:
        assert list(query) == ["name", "line", "stage", "timing", "emission", "columns", "plan"]
        assert query["stage"] == "optimized"
        assert all(list(column) == ["name", "type"] for column in query["columns"])
        check_plan(query["plan"])


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.stem)
def test_json_of_the_incremental_stage_has_relations_and_a_rest(example: Path) -> None:
    code, shown, said = run("explain", str(example), "--format", "json", "--stage", "incremental")
    assert (code, said) == (0, "")
    queries = json.loads(shown)
    for query in queries:
        about = ["name", "line", "stage", "timing", "emission", "columns"]
        assert list(query) == [*about, "strategy", "why", "relations", "rest"]
        assert query["stage"] == "incremental"
        assert query["strategy"] in ("incremental", "reevaluate", "row by row", "at every instant", "once")
        assert (query["strategy"] == "incremental") == bool(query["relations"])
        for relation in query["relations"]:
            check_relation(relation, len(query["relations"]))
        check_plan(query["rest"], len(query["relations"]))


def check_relation(relation: dict[str, Any], relations: int) -> None:
    if relation["kind"] == "pairs":
        assert list(relation) == ["kind", "relations", "plan"]
        assert all(1 <= number <= relations for number in relation["relations"])
    else:
        assert list(relation) == ["kind", "stream", "cuts", "plan"]
        assert relation["kind"] == "slices"
        assert relation["cuts"] is None or relation["cuts"]["every"]
    check_plan(relation["plan"], relations)


def check_plan(plan: dict[str, Any], relations: int = 0) -> None:
    notes = {"relation", "named", "why", "merged"}
    assert [key for key in plan if key not in {*notes, "how"}] == ["operator", "text", "columns", "inputs"]
    assert notes & set(plan) == set() or 1 <= plan["relation"] <= relations
    for child in plan["inputs"]:
        check_plan(child, relations)


@pytest.mark.parametrize("stage", ["logical", "optimized", "incremental"])
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.stem)
def test_mermaid_is_one_flowchart_of_balanced_parts(example: Path, stage: str) -> None:
    code, shown, said = run("explain", str(example), "--format", "mermaid", "--stage", stage)
    assert (code, said) == (0, "")
    check_mermaid(shown)


def check_mermaid(shown: str) -> None:
    """Subgraphs close where they opened, lines name what is declared, labels cannot end before they do."""
    first, *lines = shown.splitlines()
    assert first == "flowchart BT"
    assert any(line.startswith("  subgraph q") for line in lines)
    declared = {line.split("[")[0].strip() for line in lines if "[" in line and "subgraph" not in line}
    opened: list[int] = []
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if line.strip() == "end":
            assert indent == opened.pop()
        elif " --> " in line:
            assert set(line.strip().split(" --> ")) <= declared
        else:
            assert line.endswith('"]'), line
            assert line.count('"') == 2, line
            if line.lstrip().startswith("subgraph "):
                opened.append(indent)
    assert not opened


def test_mermaid_of_the_incremental_stage_draws_relations_and_who_reads_them(tmp_path: Path) -> None:
    script = tmp_path / "script.sql"
    script.write_text(PAIRS, encoding="utf-8")
    shown = run("explain", str(script), "--format", "mermaid", "--stage", "incremental").stdout
    assert (
        shown
        == """flowchart BT
  subgraph q0["both"]
    subgraph q0r0["relation 1: slices of stream s, cut every 1 second"]
      q0r0n0["stream s as x (a, b)"]
    end
    subgraph q0r1["relation 2: pairs of relation 1 with itself, each met once and kept until its older row expires"]
      q0r1n0["map b = x.b, c = y.b"]
      q0r1n1["inner join on x.a = y.a"]
      q0r1n2["relation 1 under range 3 seconds slide 1 second"]
      q0r1n2 --> q0r1n1
      q0r1n3["relation 1 under range 3 seconds slide 1 second<br/>named: y.a, y.b"]
      q0r1n3 --> q0r1n1
      q0r1n1 --> q0r1n0
    end
    q0r0n0 --> q0r1n2
    q0r0n0 --> q0r1n3
    q0n0["relation 2<br/>why: these rows are the answer<br/>merged: the pairs that have not expired"]
    q0r1n0 --> q0n0
  end
"""
    )


@pytest.mark.parametrize("form", ["text", "json", "mermaid"])
def test_names_and_texts_cannot_break_the_form(form: str, tmp_path: Path) -> None:
    script = tmp_path / "odd.sql"
    script.write_text(ODD, encoding="utf-8")
    code, shown, said = run("explain", str(script), "--format", form, "--stage", "logical")
    assert (code, said) == (0, "")
    if form == "mermaid":
        check_mermaid(shown)
    elif form == "json":
        assert json.loads(shown)[0]["name"] == 'q ["1"] & <2>'
    else:
        assert len(shown.splitlines()) == 5


def test_a_stage_can_be_chosen(tmp_path: Path) -> None:
    script = tmp_path / "script.sql"
    script.write_text("CREATE STREAM s (a INT, b INT); SELECT a FROM (SELECT * FROM s) WHERE a > 1;", encoding="utf-8")
    logical, optimized = (run("explain", str(script), "--stage", stage).stdout for stage in ("logical", "optimized"))
    assert logical.count("map") == 2
    assert optimized.count("map") == 1
    assert run("explain", str(script)).stdout == optimized


def test_a_statement_chooses_its_own_stage(tmp_path: Path) -> None:
    script = tmp_path / "script.sql"
    script.write_text(f"{PAIRS} EXPLAIN INCREMENTAL SELECT count(*) AS n FROM s [RANGE 3 SECONDS SLIDE 1 SECOND];")
    shown = run("explain", str(script)).stdout
    first, second = shown.split("\n\n")
    assert "relation" not in first
    assert (
        second
        == """query of line 3: answers at boundaries in time
gives window_end timestamp, n bigint
  incremental: a boundary costs what has changed
  relation 1: slices of stream s, cut every 1 second
    aggregate count = count(*)
      stream s (ts)
  answer
    map n = coalesce(count, 0)
      aggregate count = sum(count)
        relation 1 under range 3 seconds slide 1 second
          why: partial aggregates of each slice
          merged: a running suffix of one block of 3 seconds with a running prefix of the next
"""
    )


def test_lines_of_the_incremental_stage_are_shortened_and_json_has_them_whole(tmp_path: Path) -> None:
    script = tmp_path / "script.sql"
    script.write_text(f"{PAIRS} SELECT kurtosis(b) AS k FROM s [RANGE 3 SECONDS SLIDE 1 SECOND];", encoding="utf-8")
    text, whole = (
        run("explain", str(script), "--stage", "incremental", "--format", f).stdout for f in ("text", "json")
    )
    assert 160 < max(map(len, text.splitlines())) <= 170
    assert "…" in text
    assert "…" not in whole


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), ["Continuous SQL over windows of streams", "explain", "doctor"]),
        (("explain",), ["SCRIPT", "--stage", "--format", "without running anything"]),
        (("doctor",), ["Check Python, Java, Spark, DuckDB, disk and memory"]),
    ],
)
def test_help_says_what_a_command_does(arguments: tuple[str, ...], words: list[str]) -> None:
    code, shown, said = run(*arguments, "--help")
    assert (code, said) == (0, "")
    assert all(word in " ".join(shown.split()) for word in words)
    assert "..." not in shown.replace("[ARGS]...", "")


@pytest.mark.parametrize("arguments", [["explain"], ["explain", "a.sql", "--stage", "x"], ["explian"], ["--nothing"]])
def test_a_wrong_command_line_exits_2(arguments: list[str]) -> None:
    code, shown, said = run(*arguments)
    assert (code, shown) == (2, "")
    assert "Usage: datacell" in said
    assert "Traceback" not in said


def test_version() -> None:
    code, shown, _ = run("--version")
    assert code == 0
    assert shown.startswith("datacell ")


def test_explain_and_help_load_no_engine() -> None:
    """Loading Spark or DuckDB takes longer than all the rest."""
    told = "import sys, datacell.cli; print(sorted({'pyspark', 'duckdb', 'pyarrow', 'pandas'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", told], env=ENVIRONMENT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f'"{sys.executable}" -m datacell explain --format json "{EXAMPLES[-1]}" | head -n 1'
    done = subprocess.run(command, shell=True, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[\n", "")
