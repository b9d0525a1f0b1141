"""A chain of queries with predicates that exclude each other: each answers as it does alone.

Drawn are the column by which the rows are divided, queries over its parts, how the stream is cut, and the strategy of
each run, of which there are several. What is divided is also NULL, equal, late, and of one time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from datacell.incremental.strategy import Strategy
from datacell.runtime.net.sharing import Sharing
from datacell.testing import Trial
from properties.queries import EVERY_INSTANT, NO_WINDOW, SEVERAL, TIME_WINDOWS, rows
from sample import at, bind, catalog, engine, nearly_in_order

ANSWERS = [
    "SELECT count(*) AS c, sum(v) AS t FROM s {window} WHERE {where}",
    "SELECT k, max(n) AS m FROM s {window} WHERE {where} GROUP BY k",
    "SELECT k, median(v) AS m FROM s {window} WHERE {where} GROUP BY k",
    "SELECT DISTINCT n FROM s {window} WHERE {where}",
    "SELECT x.k, count(*) AS c FROM s {window} x JOIN s {window} y ON x.k = y.n WHERE {x} AND {y} GROUP BY x.k",
]
ROW_BY_ROW = ["SELECT k, v FROM s WHERE {where}", "SELECT * FROM s WHERE {where} AND abs(coalesce(n, 1)) > 0"]
Rows = Sequence[tuple[object, ...]]


@settings(SEVERAL, max_examples=120)
@given(st.integers(0, 2**32 - 1))
def test_a_chain_changes_no_answer(seed: int) -> None:
    random = Random(seed)
    texts = {f"q{number}": _query(random, part) for number, part in enumerate(_parts(random))}
    batches = list(_batches(random, nearly_in_order(rows(random))["s"]))
    strategy = random.choice((Strategy.AUTO, Strategy.REEVALUATE))
    with TemporaryDirectory() as directory:
        trial = _trial(texts, strategy, Sharing.CHAINED, Path(directory))
        for batch in batches:
            if random.random() < 0.3:
                trial.close()
                trial = _trial(texts, strategy, random.choice([Sharing.CHAINED, *Sharing]), Path(directory))
            trial.push("s", batch)
        trial.end()
        found = {name: trial.answers(name) for name in texts}
        trial.close()
    for name, text in texts.items():
        with _trial({name: text}, strategy, Sharing.SHARED) as alone:
            for batch in batches:
                alone.push("s", batch)
            alone.end()
            assert found[name] == alone.answers(name), text


def _parts(random: Random) -> list[str]:
    """Conditions on one column of which no two can be true for a row, in any order."""
    column = random.choice(("{}k", "{}v", "{}n"))
    one, two = sorted(random.sample((-1, 0, 1, 2, 3), 2))
    parts = [
        f"{column} < {one}",
        f"{column} BETWEEN {one} AND {two}",
        f"NOT {column} <= {two}" if random.random() < 0.5 else f"{column} IN ({two + 1}, {two + 2})",
        f"{column} IS NULL",
    ]
    random.shuffle(parts)
    return parts[: random.randint(2, 4)]


def _query(random: Random, part: str) -> str:
    window = random.choice(random.choice((TIME_WINDOWS, TIME_WINDOWS, EVERY_INSTANT, NO_WINDOW)))
    answers = (
        ANSWERS if "SLIDE" in window else ANSWERS[1:]
    )  # without keys an aggregate at every instant wants every row
    text = random.choice(answers if window else ROW_BY_ROW)
    emission = random.choice(("", "", "ISTREAM", "DSTREAM")) if "SLIDE" in window else ""
    asked = text.format(window=f"[{window}]", where=part.format(""), x=part.format("x."), y=part.format("y."))
    return f"{emission} ({asked})" if emission else asked


def _batches(random: Random, data: Rows) -> Iterator[Rows]:
    left = [(at(float(str(row[0]))), *row[1:]) for row in data]
    while left:
        size = random.randint(1, 4)
        yield left[:size]
        left = left[size:]


def _trial(texts: dict[str, str], strategy: Strategy, sharing: Sharing, directory: Path | None = None) -> Trial:
    trial = Trial(directory=directory, engine=engine(), strategy=strategy, sharing=sharing)
    trial.catalog = catalog()
    trial.add_stream(catalog().streams["s"])
    for name, text in texts.items():
        trial.add_query(name, bind(f"CREATE CONTINUOUS QUERY {name} AS {text}"))
    return trial
