"""What listens where: on the loopback and nowhere else, unless somebody asks."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from datacell.engines import session

_LISTENING = """
import json, psutil, sys
import datacell

cell = datacell.connect(master=sys.argv[1])
cell.sql("CREATE STREAM s (a INT) WITH (format = 'tcp', port = '0')")
cell.sql("CREATE CONTINUOUS QUERY q AS SELECT a FROM s")
cell.sql("CREATE EMITTER e FROM q WITH (format = 'tcp', port = '0')")
cell.sql("CREATE TABLE t AS SELECT 1 AS a")
assert list(cell.sql("SELECT * FROM t")) == [{"a": 1}]
cell.start()
us = psutil.Process()
found = []
for process in (us, *us.children(recursive=True)):
    found += [c.laddr.ip for c in process.net_connections() if c.status == psutil.CONN_LISTEN]
print(json.dumps(found))
cell.stop()
"""


@pytest.mark.spark
@pytest.mark.parametrize("master", ["local[1]"])
def test_only_the_loopback_is_listened_on(tmp_path: Path, master: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _LISTENING, master],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert len(found) > 3
    assert all(address.removeprefix("::ffff:").startswith("127.") or address == "::1" for address in found), found


@pytest.mark.parametrize("master", ["spark://a.example:7077", "yarn", "k8s://https://localhost:6443"])
def test_sparks_pages_are_off_on_any_cluster_unless_asked_for(
    master: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    assert session._deployment(master)["spark.ui.enabled"] == "false"
    (tmp_path / "spark-defaults.conf").write_text("# a remark\nspark.ui.enabled   true\n")
    assert "spark.ui.enabled" not in session._deployment(master)
