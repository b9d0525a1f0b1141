"""A directory of part files belongs to one emitter: what others have left is neither mixed with nor removed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import datacell
from datacell.cell.cell import Cell
from datacell.emitters.files import FileEmitter, WriteCsv
from datacell.emitters.ownership import MARKER, Existing, Owner, claim
from datacell.engines.protocol import Csv
from datacell.errors import EmitterError
from datacell.runtime.storage.output import Firing
from emitters.outputs import firing

ME = Owner("checkpoint", "e", "q", "life")
STRANGERS = ["part-0000000099.csv", "part-00000-1234-c000.snappy.parquet"]


def _write(
    directory: Path, owner: Owner, numbers: range, existing: Existing = Existing.REFUSED, home: str | None = "state"
) -> None:
    """Deliver firings as an emitter that has delivered all before them."""
    emitter = FileEmitter(claim(directory, owner, home, numbers.start, existing), "csv", WriteCsv(Csv(header=False)))
    for number in numbers:
        emitter.deliver(firing(number, 1))
    emitter.close()


def _parts(directory: Path) -> list[tuple[str, str]]:
    return [(path.name, path.read_text()) for path in sorted(directory.glob("part-*"))]


def _part(number: int, firing: int) -> tuple[str, str]:
    return f"part-{number:010d}.csv", f"{1000 * firing},x\n"


def test_an_emitter_goes_on_in_its_own_directory(tmp_path: Path) -> None:
    _write(tmp_path, ME, range(2))
    _write(tmp_path, ME, range(1, 3))
    assert _parts(tmp_path) == [_part(n, n) for n in range(3)]


@pytest.mark.parametrize(
    ("other", "home", "message"),
    [
        (replace(ME, emitter="f"), "state", "it belongs to emitter f of query q"),
        (replace(ME, life="before"), "state", "it belongs to emitter e of an earlier query q"),
        (replace(ME, checkpoint="x"), "old/state", "it belongs to emitter e of another checkpoint, old/state"),
        (replace(ME, checkpoint="x"), None, "it belongs to emitter e of a run without a checkpoint"),
    ],
)
def test_a_directory_of_somebody_else_is_refused(tmp_path: Path, other: Owner, home: str | None, message: str) -> None:
    _write(tmp_path, other, range(2), home=home)
    before = _parts(tmp_path)
    with pytest.raises(EmitterError, match=message) as refused:
        _write(tmp_path, ME, range(1))
    assert all(choice in (refused.value.hint or "") for choice in ("another path", "overwrite", "append"))
    assert _parts(tmp_path) == before
    _write(tmp_path, ME, range(1), Existing.KEPT)
    assert _parts(tmp_path) == [*before, _part(2, 0)]
    _write(tmp_path, ME, range(1, 2), Existing.KEPT)
    assert _parts(tmp_path) == [*before, _part(2, 0), _part(3, 1)]
    _write(tmp_path, other, range(1), Existing.OVERWRITTEN)
    assert _parts(tmp_path) == [_part(0, 0)]


@pytest.mark.parametrize("name", STRANGERS)
def test_parts_that_nobody_knows_stay(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine")
    with pytest.raises(EmitterError, match=f"part files that nobody knows, such as {name}"):
        _write(tmp_path, ME, range(1))
    assert _parts(tmp_path) == [(name, "mine")]
    _write(tmp_path, ME, range(1), Existing.KEPT)
    assert (name, "mine") in _parts(tmp_path)
    assert len(_parts(tmp_path)) == 2


def test_what_comes_into_an_own_directory_is_no_less_strange(tmp_path: Path) -> None:
    """The checkpoint may be an older copy: then the parts after its cursor are not known either."""
    _write(tmp_path, ME, range(4))
    with pytest.raises(EmitterError, match=r"nobody knows, such as part-0000000003\.csv"):
        _write(tmp_path, ME, range(2, 3))
    _write(tmp_path, ME, range(2, 3), Existing.KEPT)
    assert _parts(tmp_path) == [_part(0, 0), _part(1, 1), _part(3, 3), _part(4, 2)]
    _write(tmp_path, ME, range(2, 4))
    shutil.rmtree(tmp_path)
    _write(tmp_path, ME, range(4))
    _write(tmp_path, ME, range(2, 3), Existing.OVERWRITTEN)
    assert _parts(tmp_path) == [_part(n, n) for n in range(3)]


def test_a_damaged_marker_is_nobodys(tmp_path: Path) -> None:
    for content in ("{", "{}", "[]"):
        (tmp_path / MARKER).write_text(content)
        with pytest.raises(EmitterError, match="nobody knows whose it is"):
            _write(tmp_path, ME, range(1))


def test_a_directory_is_locked_while_it_is_written_to(tmp_path: Path) -> None:
    held = claim(tmp_path, ME, None, 0, Existing.REFUSED)
    with pytest.raises(EmitterError, match="another run is writing there"):
        claim(tmp_path, ME, None, 0, Existing.OVERWRITTEN)
    held.release()
    claim(tmp_path, replace(ME, checkpoint="x"), None, 0, Existing.REFUSED).release()


@pytest.fixture
def streams(spark: SparkSession, tmp_path: Path) -> Iterator[Cell]:
    (tmp_path / "in").mkdir()
    made = datacell.connect(spark=spark)
    made.sql(
        f"CREATE STREAM s (i INT) WITH (format = 'csv', path = '{tmp_path}/in');"
        f"CREATE STREAM g (i INT) WITH (format = 'csv', path = '{tmp_path}/many/*/in');"
        f"CREATE STREAM r (i INT) WITH (format = 'csv', path = '{tmp_path}/deep', recursiveFileLookup = 'true');"
        "CREATE CONTINUOUS QUERY q AS SELECT i FROM s"
    )
    yield made
    made.stop()


@pytest.mark.spark
def test_paths_that_are_taken_are_refused(streams: Cell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    streams.sql(f"CREATE EMITTER a FROM q WITH (format = 'csv', path = '{tmp_path}/out')")
    (tmp_path / "link").symlink_to(tmp_path / "out")
    for path in ("out", "./x/../out/", f"file://{tmp_path}/out", f"file:{tmp_path}/out", "link"):
        for form in ("csv", "json", "orc"):
            with pytest.raises(EmitterError, match="emitter a does"):
                streams.sql(f"CREATE EMITTER b FROM q WITH (format = '{form}', path = '{path}')")
    for path in ("in", "many/x/in", "deep/x/y"):
        with pytest.raises(
            EmitterError, match=r"stream [sgr] reads what is there[\s\S]*WITH \(format[\s\S]*INSERT INTO"
        ):
            streams.sql(f"CREATE EMITTER b FROM q WITH (format = 'csv', path = '{path}')")
    state = streams.works.checkpoint.root
    for inside in (state, state / "queries", state / "x" / "y"):
        with pytest.raises(EmitterError, match="it is in the checkpoint"):
            streams.sql(f"CREATE EMITTER b FROM q WITH (format = 'csv', path = '{inside}')")
    for path in ("many", "many/x", "in2", "in/below"):
        streams.sql(f"CREATE EMITTER b FROM q WITH (format = 'csv', path = '{path}'); DROP EMITTER b")
    streams.sql("DROP EMITTER a; CREATE EMITTER b FROM q WITH (format = 'json', path = 'link', overwrite = 'true')")


@pytest.mark.spark
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("format = 'csv', path = 's3a://bucket/busy'", "to local directories, not to 's3a://bucket/busy'"),
        ("format = 'json', path = 'hdfs:/busy'", "to local directories"),
        ("format = 'csv', path = 's3a:busy'", "to local directories"),
        ("format = 'csv', path = '~/busy'", "would not be in a home directory"),
        ("format = 'cvs', path = 'x'", r"Spark knows no format cvs[\s\S]*did you mean csv"),
        ("format = 'rate'", "Spark does not write rate"),
        ("format = 'csv', path = 'x', overwrite = 'true', append = 'true'", "not both"),
        ("format = 'csv', path = 'x', append = 'yes'", "'true' or 'false'"),
        ("format = 'csv', path = 'file'", "file is not a directory"),
        ("format = 'csv', path = 'file/below'", "cannot write to file/below"),
        ("format = 'csv', path = ''", "needs a path"),
    ],
)
def test_nothing_is_made_of_a_path_or_format_that_is_refused(
    streams: Cell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    before = sorted(tmp_path.iterdir())
    with pytest.raises(EmitterError, match=message) as refused:
        streams.sql(f"CREATE EMITTER e FROM q WITH ({options})")
    assert refused.value.place is not None
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.spark
def test_a_moved_checkpoint_still_owns_its_output(spark: SparkSession, tmp_path: Path) -> None:
    out = tmp_path / "out"

    def run(state: str | None, rows: list[tuple[int]], options: str = "") -> None:
        cell = datacell.connect(None if state is None else tmp_path / state, spark=spark)
        try:
            cell.sql("CREATE STREAM s (i INT); CREATE CONTINUOUS QUERY q AS SELECT i FROM s")
            cell.sql(f"CREATE EMITTER e FROM q WITH (format = 'json', path = '{out}'{options})")
            cell.push("s", rows)
            cell.run(once=True)
        finally:
            cell.stop()

    run("state", [(1,)])
    (tmp_path / "state").rename(tmp_path / "moved")
    run("moved", [(2,)])
    written = [text for _, text in _parts(out)]
    assert written == ['{"i": 1}\n', '{"i": 2}\n']
    for other in ("state", None):
        with pytest.raises(EmitterError, match="belongs to emitter e of another checkpoint"):
            run(other, [(3,)])
    run(None, [(3,)], ", append = 'true'")
    assert [text for _, text in _parts(out)] == [*written, '{"i": 3}\n']
    run(None, [(4,)], ", overwrite = 'true'")
    assert [text for _, text in _parts(out)] == ['{"i": 4}\n']


class _ClosesBadly:
    guarantee = "at least once"
    takes_files = False

    def deliver(self, firing: Firing) -> None:
        pass

    def close(self) -> None:
        raise RuntimeError("closed badly")


def test_an_emitter_that_cannot_be_stopped_keeps_no_directory_of_another(spark: SparkSession, tmp_path: Path) -> None:
    create = f"CREATE EMITTER e FROM q WITH (format = 'csv', path = '{tmp_path / 'out'}')"
    for _ in range(2):
        cell = datacell.connect(tmp_path / "state", spark=spark)
        cell.sql("CREATE STREAM s (a INT); CREATE CONTINUOUS QUERY q AS SELECT a FROM s")
        cell.statements.deliver("bad", "q", _ClosesBadly())
        cell.sql(create)
        cell.statements.deliver("worse", "q", _ClosesBadly())
        with pytest.raises(RuntimeError, match="closed badly"):
            cell.stop()
