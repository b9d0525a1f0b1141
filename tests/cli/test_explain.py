"""`datacell explain` and the help of every command: what they print, and that they do not wait for Spark."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

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


def check_plan(plan: dict[str, object]) -> None:
    assert list(plan) == ["operator", "text", "columns", "inputs"]
    inputs = plan["inputs"]
    assert isinstance(inputs, list)
    for child in inputs:
        check_plan(child)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.stem)
def test_mermaid_is_one_flowchart_of_balanced_parts(example: Path) -> None:
    code, shown, said = run("explain", str(example), "--format", "mermaid")
    assert (code, said) == (0, "")
    check_mermaid(shown)


def check_mermaid(shown: str) -> None:
    first, *lines = shown.splitlines()
    assert first == "flowchart BT"
    opened = [line for line in lines if line.startswith("  subgraph q")]
    assert opened
    assert len(opened) == lines.count("  end")
    declared = {line.split("[")[0].strip() for line in lines if "[" in line and "subgraph" not in line}
    for line in lines:
        if " --> " in line:
            assert set(line.strip().split(" --> ")) <= declared
        elif line != "  end":
            assert line.endswith('"]'), line
            assert line.count('"') == 2, line


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
